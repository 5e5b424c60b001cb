"""Findings for people: place, sentence, the line itself, and what to write instead.

Text of an input must not be able to forge what dynamoc says: line feeds would start new lines, escape
sequences would hide or colour others, and CI runners take lines such as `::stop-commands::` for commands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Protocol, TypeVar
from unicodedata import combining, east_asian_width

from dynamoc.documents.findings.finding import ERROR, NOTE, WARNING, Finding, Place, is_piped, subject_first
from dynamoc.kube.limits import limit

Item = TypeVar("Item")
SEVERITIES = (ERROR, WARNING, NOTE)
#: findings of one kind are printed one by one where they have no more wordings than this
MAX_WORDINGS = 3
#: messages are alike where no more than this part of their words differs
_FEW = 3


class Confidential(Protocol):
    """What of a file may not be shown (`dynamoc.documents.source.secrets`)."""

    def hides(self, line: int) -> bool:
        """Whether a line, counted from 0, is not to be shown at all."""

    def redacted(self, text: str) -> str:
        """The text without what is secret."""


ReadText = Callable[[str], str | None]
"""From the `file` of a place to its text, or None where it cannot be had again."""


WIDTH = 110
_WORD_ENDS = " \t,:]}"


class Excerpts:
    """Lines of the files that findings point at, without what is confidential in them."""

    def __init__(self, read: ReadText, confidential: Mapping[str, Confidential]) -> None:
        self._read = read
        self._confidential = confidential
        self._lines: dict[str, list[str]] = {}
        self._shown: dict[tuple[str, int], str | None] = {}

    def excerpt(self, place: Place, subject: str | None) -> tuple[str, str] | None:
        """The line and the marker below it; None where there is nothing to show, or it must stay secret."""
        line = self.line(place, subject)
        return _window(line, max(place.column, 1) - 1) if line else None

    def line(self, place: Place, subject: str | None) -> str | None:
        """The text of the line, without what is secret; None as for `excerpt`."""
        lines = self._file(place.file)
        if not 0 < place.line <= len(lines) or (subject or "").startswith("Secret/"):
            return None
        at = (place.file, place.line)
        # A file of one line may have thousands of findings on it.
        if at not in self._shown:
            self._shown[at] = self._line(place.file, lines[place.line - 1], place.line - 1)
        return self._shown[at]

    def end_column(self, place: Place, subject: str | None) -> int:
        """The column behind the word at a place, which is at least the next one."""
        line = self.line(place, subject)
        start = max(place.column, 1) - 1
        return (start if line is None or start >= len(line) else _word_end(line, start) - 1) + 2

    def _line(self, file: str, line: str, number: int) -> str | None:
        """What may be shown of a line."""
        hidden = self._confidential.get(file)
        if hidden is not None:
            if hidden.hides(number):
                return None
            line = hidden.redacted(line)
        return line.rstrip().replace("\t", " ")

    def _file(self, file: str) -> list[str]:
        if file not in self._lines:
            # Not str.splitlines: YAML 1.2 and Go count no form feeds and the like as line ends.
            text = (self._read(file) or "").replace("\r\n", "\n").replace("\r", "\n")
            self._lines[file] = text.split("\n")
        return self._lines[file]


def _window(text: str, column: int) -> tuple[str, str]:
    column = min(column, len(text))
    end = _word_end(text, column)
    cut = max(0, min(column - WIDTH // 2, len(text) - WIDTH))
    shown = text[cut : cut + WIDTH]
    before = printable(shown[: column - cut])
    if cut:
        shown, before = "..." + shown, "..." + before
    if cut + WIDTH < len(text):
        shown += "..."
    return printable(shown), " " * _columns(before) + "^" + "~" * (min(end, cut + WIDTH) - column - 1)


def _word_end(text: str, column: int) -> int:
    """The index behind the word that begins at an index, at most as far as an excerpt shows it."""
    end = column + 1
    while end < min(len(text), column + WIDTH) and text[end] not in _WORD_ENDS and text[column] not in _WORD_ENDS:
        end += 1
    return end


def printable(text: str) -> str:
    """Text without characters that steer a terminal: input must not be able to forge what a finding says."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else "\ufffd" for char in text)


def _columns(text: str) -> int:
    """How many columns of a terminal the text fills."""
    if text.isascii():
        return len(text)

    return sum(0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text)


_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
#: what GitHub's and Azure's runners take for a command, wherever it starts a line
_COMMANDS = ("::", "##[", "##vso[")


def one_line(text: str) -> str:
    """The text in one line; what is not printable is named, so that texts that differ stay different."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else _NAMED.get(char) or _escaped(char) for char in text)


def whole_lines(text: str) -> str:
    """Lines of which none is a command to a CI runner; what is not printable in them is named."""
    if "::" not in text and "##" not in text and text.replace("\n", "").isprintable():
        return text
    return "\n".join(_line(line) for line in text.split("\n"))


def _line(line: str) -> str:
    shown = line if line.isprintable() else "".join(c if c.isprintable() or c == "\t" else _escaped(c) for c in line)
    start = shown.lstrip()
    return f"{shown[: len(shown) - len(start)]}\\{start}" if start.startswith(_COMMANDS) else shown


def _escaped(char: str) -> str:
    number = ord(char)
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


_STYLES = {"error": "1;31", "warning": "1;33", "note": "1;36", "place": "1", "faint": "2", "marker": "32"}
MAX_PLACES = 5
_NARROWEST = 40


def format_text(
    findings: list[Finding],
    read: ReadText,
    confidential: Mapping[str, Confidential],
    *,
    colour: bool = False,
    width: int | None = None,
) -> str:
    """All findings, sorted, each with its excerpt, and the count at the end; empty without any.

    `confidential` says by file what must not be in an excerpt. Sentences are wrapped at `width` columns.
    """
    arranged = arrange(findings)
    if not arranged:
        return ""
    excerpts = Excerpts(read, confidential)
    paint = _ansi if colour else _plain
    folded = folded_findings(arranged)
    told = cut(folded, lambda alike: alike[0].severity)
    lines = [line for alike in told for line in _finding(alike, excerpts, paint, width)]
    if len(told) < len(folded):
        lines.append(f"{len(folded) - len(told):,} more findings are not shown; --limit findings=NUMBER shows more")
    text = "\n".join([*lines, summary(arranged)]) + "\n"
    # Lines with colours are for a terminal; no runner takes them for commands.
    return text if colour else whole_lines(text)


def summary(arranged: list[Finding]) -> str:
    """`2 errors, 1 warning`"""
    parts = [f"{number} {severity}{'s' * (number != 1)}" for severity, number in count(arranged).items() if number]
    return ", ".join(parts) or "no findings"


def _finding(
    alike: list[Finding], excerpts: Excerpts, paint: Callable[[str, str], str], width: int | None
) -> list[str]:
    finding = alike[0]
    where = str(finding.place) if finding.place else finding.subject or "dynamoc"
    message = one_line(subject_first(finding).rstrip())
    head = f"{paint('place', one_line(where) + ':')} {paint(finding.severity, finding.severity + ':')}"
    points = [f"  - {one_line(point)}" for point in finding.points]
    lines = [f"{head} {message}", *points]
    lines[-1] += f" {paint('faint', f'[{finding.slug}]')}"
    lines = [part for line in lines for part in _wrapped(line, width)]
    shown = excerpts.excerpt(finding.place, finding.subject) if finding.place else None
    if shown and finding.place:
        line, marker = shown
        gutter = f"{finding.place.line} |"
        lines.append(f"  {paint('faint', gutter)} {line}")
        lines.append(f"  {paint('faint', '|'.rjust(len(gutter)))} {paint('marker', marker)}")
    if finding.hint:
        lines += _wrapped(f"  {paint('place', 'hint:')} {one_line(finding.hint.rstrip())}", width)
    lines += [f"  see also: {one_line(str(place))}" for place in finding.related[:MAX_PLACES]]
    if len(finding.related) > MAX_PLACES:
        lines.append(f"  and {len(finding.related) - MAX_PLACES} more")
    others = [_elsewhere(other) for other in alike[1:]]
    lines += [f"  also at:  {one_line(place)}" for place in others[:MAX_PLACES]]
    if len(others) > MAX_PLACES:
        lines.append(f"  and {len(others) - MAX_PLACES} more")
    wordings = len({other.message for other in alike})
    if wordings > 1:
        lines.append(f"  {wordings} like this differ in names and numbers only; --findings json prints them all")
    return lines


def _wrapped(line: str, width: int | None) -> list[str]:
    """A line in pieces of so many columns, which are broken at spaces; colours take none."""
    if width is None:
        return [line]

    colours = re.compile(r"\x1b\[[0-9;]*m")
    pieces, used = [""], 0
    for word in line.lstrip(" ").split(" "):
        columns = len(colours.sub("", word))
        if used and used + 1 + columns > max(width, _NARROWEST):
            pieces.append("    " + word)
            used = 4 + columns
        else:
            pieces[-1] += (" " if used else line[: len(line) - len(line.lstrip(" "))]) + word
            used = len(colours.sub("", pieces[-1]))
    return pieces


def _elsewhere(finding: Finding) -> str:
    """Where a finding is too; the object says more than a line of stdin."""
    place = str(finding.place or finding.subject)
    return f"{place} ({finding.subject})" if is_piped(finding) and finding.subject else place


def _plain(_style: str, text: str) -> str:
    return text


def _ansi(style: str, text: str) -> str:
    return f"\x1b[{_STYLES.get(style, '0')}m{text}\x1b[0m"


def fingerprints(findings: list[Finding], excerpts: Excerpts, named: Callable[[str], str] = str) -> list[str]:
    """One of 40 hexadecimal digits for each finding, all of them different. `named` is what a file is called.

    Lines and positions in lists take no part, so that what is above can grow; the text of the line does, unless it
    is secret. Of findings that are alike in all that, the order counts.
    """
    seen: dict[tuple[str, ...], int] = {}
    found = []
    for finding in findings:
        key = _key(finding, excerpts, named)
        seen[key] = seen.get(key, 0) + 1
        text = "\0".join((*key, str(seen[key])))
        found.append(sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:40])
    return found


def _key(finding: Finding, excerpts: Excerpts, named: Callable[[str], str]) -> tuple[str, ...]:
    path = ".".join("*" if isinstance(step, int) else step for step in finding.path)
    if finding.place is None:
        return (finding.slug, "", finding.subject or "", path, finding.message)
    line = excerpts.line(finding.place, finding.subject) or ""
    file = (finding.place.source or named(finding.place.file)).replace("\\", "/").removeprefix("./")
    return (finding.slug, file, finding.subject or "", path, " ".join(line.split()))


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
