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


def arrange(findings: list[Finding]) -> list[Finding]:
    """Sorted by file, line and column, each finding once; findings without a place come last."""
    seen: dict[tuple[object, ...], Finding] = {}
    for finding in findings:
        seen.setdefault(_identity(finding), finding)
    return sorted(seen.values(), key=_position)


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
