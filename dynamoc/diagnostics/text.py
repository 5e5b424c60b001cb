"""Findings for people: place, sentence, the line itself, and what to write instead."""

from __future__ import annotations

from dynamoc.diagnostics.arrange import arrange, count, cut
from dynamoc.diagnostics.excerpt import Excerpts
from dynamoc.diagnostics.finding import NOTE, is_piped, subject_first
from dynamoc.diagnostics.printable import one_line, whole_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dynamoc.diagnostics.excerpt import Confidential, ReadText
    from dynamoc.diagnostics.finding import Finding

_STYLES = {"error": "1;31", "warning": "1;33", "note": "1;36", "place": "1", "faint": "2", "marker": "32"}

MAX_PLACES = 5
MAX_WORDINGS = 3


def format_text(
    findings: list[Finding], read: ReadText, confidential: Mapping[str, Confidential], *, colour: bool = False
) -> str:
    """All findings, sorted, each with its excerpt, and the count at the end; empty where there are none.

    `confidential` says by file what must not be in an excerpt.
    """
    arranged = arrange(findings)
    if not arranged:
        return ""
    excerpts = Excerpts(read, confidential)
    paint = _ansi if colour else _plain
    folded = _folded(arranged)
    told = cut(folded, lambda alike: alike[0].severity)
    lines = [line for alike in told for line in _finding(alike, excerpts, paint)]
    if len(told) < len(folded):
        lines.append(f"{len(folded) - len(told):,} more findings are not shown; --limit findings=NUMBER shows more")
    text = "\n".join([*lines, summary(arranged)]) + "\n"
    # Lines with colours are for a terminal; no runner takes them for commands.
    return text if colour else whole_lines(text)


def summary(arranged: list[Finding]) -> str:
    """`2 errors, 1 warning`"""
    parts = [f"{number} {severity}{'s' * (number != 1)}" for severity, number in count(arranged).items() if number]
    return ", ".join(parts) or "no findings"


def _folded(arranged: list[Finding]) -> list[list[Finding]]:
    """Findings that say the same of several places, told once, at the first of them.

    So are notes of which more than a few differ in names only: those of many graphs would hide what matters.
    """
    groups: dict[tuple[object, ...], list[Finding]] = {}
    wordings: dict[tuple[object, ...], set[str]] = {}
    for finding in arranged:
        if finding.severity == NOTE:
            wordings.setdefault(_nameless(finding), set()).add(finding.message)
    for finding in arranged:
        same: tuple[object, ...] = (finding.slug, finding.severity, finding.message, finding.hint, finding.related)
        if finding.severity == NOTE and len(wordings[_nameless(finding)]) > MAX_WORDINGS:
            same = _nameless(finding)
        groups.setdefault((*same, finding.place is None), []).append(finding)
    return list(groups.values())


def _nameless(finding: Finding) -> tuple[object, ...]:
    """What a finding says, without the names in it."""
    return (finding.slug, *finding.message.split("`")[::2], finding.hint)


def _finding(alike: list[Finding], excerpts: Excerpts, paint: Callable[[str, str], str]) -> list[str]:
    finding = alike[0]
    where = str(finding.place) if finding.place else finding.subject or "dynamoc"
    message = one_line(subject_first(finding).rstrip())
    head = f"{paint('place', one_line(where) + ':')} {paint(finding.severity, finding.severity + ':')}"
    points = [f"  - {one_line(point)}" for point in finding.points]
    lines = [f"{head} {message}", *points]
    lines[-1] += f" {paint('faint', f'[{finding.slug}]')}"
    shown = excerpts.excerpt(finding.place, finding.subject) if finding.place else None
    if shown and finding.place:
        line, marker = shown
        gutter = f"{finding.place.line} |"
        lines.append(f"  {paint('faint', gutter)} {line}")
        lines.append(f"  {paint('faint', '|'.rjust(len(gutter)))} {paint('marker', marker)}")
    if finding.hint:
        lines.append(f"  {paint('place', 'hint:')} {one_line(finding.hint.rstrip())}")
    lines += [f"  see also: {one_line(str(place))}" for place in finding.related]
    others = [_elsewhere(other) for other in alike[1:]]
    lines += [f"  also at:  {one_line(place)}" for place in others[:MAX_PLACES]]
    if len(others) > MAX_PLACES:
        lines.append(f"  and {len(others) - MAX_PLACES} more")
    wordings = len({other.message for other in alike})
    if wordings > 1:
        lines.append(f"  {wordings} notes like this differ in names only; --findings json prints them all")
    return lines


def _elsewhere(finding: Finding) -> str:
    """Where a finding is too; the object says more than a line of stdin."""
    place = str(finding.place or finding.subject)
    return f"{place} ({finding.subject})" if is_piped(finding) and finding.subject else place


def _plain(_style: str, text: str) -> str:
    return text


def _ansi(style: str, text: str) -> str:
    return f"\x1b[{_STYLES.get(style, '0')}m{text}\x1b[0m"
