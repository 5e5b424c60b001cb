"""Findings of a run: their order, their fingerprints, and the edits that correct them,."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from dynamoc.documents.findings.finding import ERROR, NOTE, WARNING, Finding
from dynamoc.kube.limits import limit

if TYPE_CHECKING:
    from dynamoc.documents.findings.text import Excerpts

Kind = Literal["remove", "rename", "write", "quote", "list", "comment"]
Item = TypeVar("Item")


@dataclass(eq=False, slots=True)
class Change:
    """What to do with the field, or the item, that a finding is about.

    kind  `remove` it with its value, `rename` its key, `write` another value, `quote` the value as it is written,
          make it the only item of a `list`; or remove the `comment` at the place of the finding
    new   the key, the value or, where it is not the value as its only item, the `list` to write
    old   the value that `write` replaces: another one, such as that of a default, stays; for `remove`, the key of the
          entry, which is the field itself or a field right below it
    up    how many levels above the field the entry is that is removed
    """

    kind: Kind
    new: Any = None
    old: Any = None
    up: int = 0

    @property
    def order(self) -> str | None:
        """The change as a hint; None where only its place in the file says what it does."""
        if self.kind in ("write", "rename"):
            return f"write `{self.new if isinstance(self.new, str) else str(self.new).lower()}`"
        return "remove it" if self.kind == "remove" and not self.up else None


def other_case(word: object, known: tuple[str, ...]) -> Change | None:
    """Writes a word as it is known, where only its case is wrong."""
    found = [each for each in known if isinstance(word, str) and each.lower() == word.lower()]
    return Change("write", found[0], word) if len(found) == 1 and found[0] != word else None


@dataclass(frozen=True)
class Edit:
    """New text for a part of a file. Lines and columns count characters from 1; the end is behind the part.

    start, end  the same as offsets into the text, from 0, without a byte-order mark
    """

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    new_text: str
    start: int
    end: int

    def record(self) -> dict[str, Any]:
        """As reports in JSON have it."""
        return {
            "file": self.file,
            "line": self.line,
            "column": self.column,
            "endLine": self.end_line,
            "endColumn": self.end_column,
            "newText": self.new_text,
        }


@dataclass(frozen=True)
class Fix:
    """The certain remedy of a finding: all of its edits, or none. `title` says what it does, as an order."""

    title: str
    edits: tuple[Edit, ...]

    def record(self) -> dict[str, Any]:
        """As reports in JSON have it."""
        return {"title": self.title, "edits": [edit.record() for edit in self.edits]}


def fingerprints(findings: list[Finding], excerpts: Excerpts, named: Callable[[str], str] = str) -> list[str]:
    """One of 40 hexadecimal digits for each finding, all of them different. `named` is what a file is called.

    Lines and positions in lists take no part, so that what stands above can grow; the text of the line does, unless it
    is secret. Of findings that are alike in all that, the order counts.
    """
    seen: dict[tuple[str, ...], int] = {}
    found = []
    for finding in findings:
        key = _key(finding, excerpts, named)
        seen[key] = seen.get(key, 0) + 1
        found.append(_digest((*key, str(seen[key]))))
    return found


def _key(finding: Finding, excerpts: Excerpts, named: Callable[[str], str]) -> tuple[str, ...]:
    path = ".".join("*" if isinstance(step, int) else step for step in finding.path)
    if finding.place is None:
        return (finding.slug, "", finding.subject or "", path, finding.message)
    line = excerpts.line(finding.place, finding.subject) or ""
    file = (finding.place.source or named(finding.place.file)).replace("\\", "/").removeprefix("./")
    return (finding.slug, file, finding.subject or "", path, " ".join(line.split()))


def _digest(parts: tuple[str, ...]) -> str:
    return sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()[:40]


SEVERITIES = (ERROR, WARNING, NOTE)
#: findings of one kind are told one by one where they have no more wordings than this
MAX_WORDINGS = 3
#: messages are alike where no more than this part of their words differs
_FEW = 3


def arrange(findings: list[Finding]) -> list[Finding]:
    """Sorted by file, line and column, each finding once; findings without a place come last."""
    seen: dict[tuple[object, ...], Finding] = {}
    for finding in findings:
        seen.setdefault(_identity(finding), finding)
    return sorted(seen.values(), key=_position)


def folded_findings(arranged: list[Finding]) -> list[list[Finding]]:
    """Findings that say the same of several places, together, in the order of the first of them.

    So are those of which more than a few differ in names and numbers only: those of many components and graphs would
    hide what matters. Errors in different fields stay apart.
    """
    groups: dict[tuple[object, ...], list[Finding]] = {}
    forms: dict[tuple[object, ...], list[_Form]] = {}
    of_form = []
    for finding in arranged:
        key = (finding.slug, finding.severity, finding.path if finding.severity == ERROR else None)
        words, known = finding.message.split(), forms.setdefault(key, [])
        form = next((each for each in known if each.says(words)), None)
        if form is None:
            form = _Form(words)
            known.append(form)
        form.wordings.add(finding.message)
        of_form.append(form)
    for finding, form in zip(arranged, of_form, strict=True):
        same: tuple[object, ...] = (finding.slug, finding.severity, finding.message, finding.hint, finding.related)
        if len(form.wordings) > MAX_WORDINGS:
            same = (form,)
        groups.setdefault((*same, finding.place is None), []).append(finding)
    return list(groups.values())


@dataclass(eq=False, slots=True)
class _Form:
    """What several messages have in common: all but names and numbers."""

    words: list[str]
    wordings: set[str] = field(default_factory=set, init=False)

    def says(self, words: list[str]) -> bool:
        """Whether a message differs in a few words only."""
        if len(words) != len(self.words):
            return False
        return sum(one != other for one, other in zip(words, self.words, strict=True)) * _FEW <= len(words)


def cut(items: list[Item], severity_of: Callable[[Item], str]) -> list[Item]:
    """As many as the limit `findings` allows, the worst ones, in their order."""
    most = limit("findings")
    if len(items) <= most:
        return items
    worst = sorted(range(len(items)), key=lambda index: SEVERITIES.index(severity_of(items[index])))[:most]
    return [items[index] for index in sorted(worst)]


def count(findings: list[Finding]) -> dict[str, int]:
    """How many findings of each severity, in the order of `SEVERITIES`."""
    return {severity: sum(1 for finding in findings if finding.severity == severity) for severity in SEVERITIES}


def _identity(finding: Finding) -> tuple[object, ...]:
    where = finding.place.key() if finding.place else (finding.subject, finding.path)
    return (finding.slug, finding.severity, finding.message, where)


def _position(finding: Finding) -> tuple[object, ...]:
    place = finding.place.key() if finding.place else ("", 0, 0)
    severity = SEVERITIES.index(finding.severity) if finding.severity in SEVERITIES else len(SEVERITIES)
    return (finding.place is None, place, finding.subject or "", severity, finding.slug, finding.message)
