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


def arrange(findings: list[Finding]) -> list[Finding]:
    """Sorted by file, line and column, each finding once; findings without a place come last."""
    seen: dict[tuple[object, ...], Finding] = {}
    for finding in findings:
        seen.setdefault(_identity(finding), finding)
    return sorted(seen.values(), key=_position)


def folded_findings(arranged: list[Finding]) -> list[list[Finding]]:
    """Findings that say the same of several places, together, in the order of the first of them.

    So are those of which more than a few differ in names and numbers only: those of many components and graphs would
    hide what matters. Of errors, each that says something else stays alone.
    """
    groups: dict[tuple[object, ...], list[Finding]] = {}
    wordings: dict[tuple[object, ...], set[str]] = {}
    for finding in arranged:
        wordings.setdefault(_nameless(finding), set()).add(finding.message)
    for finding in arranged:
        same: tuple[object, ...] = (finding.slug, finding.severity, finding.message, finding.hint, finding.related)
        if len(wordings[_nameless(finding)]) > MAX_WORDINGS:
            same = _nameless(finding)
        groups.setdefault((*same, finding.place is None), []).append(finding)
    return list(groups.values())


def _nameless(finding: Finding) -> tuple[object, ...]:
    """What a finding says, without the names and numbers in it; of warnings and notes, their name says it."""
    if finding.severity != ERROR:
        return (finding.slug, finding.severity)
    return (finding.slug, *finding.message.split("`")[::2], *(finding.hint or "").split("`")[::2])


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
