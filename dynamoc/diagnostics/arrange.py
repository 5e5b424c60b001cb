"""The order in which findings are shown, whatever the format."""

from __future__ import annotations

from dynamoc.diagnostics.finding import ERROR, NOTE, WARNING, Finding
from dynamoc.limits import limit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    Item = TypeVar("Item")

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


class _Form:
    """What several messages have in common: all but names and numbers."""

    __slots__ = ("wordings", "words")

    def __init__(self, words: list[str]) -> None:
        self.words = words
        self.wordings: set[str] = set()

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
