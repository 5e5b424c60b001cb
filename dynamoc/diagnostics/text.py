"""Findings for people: place, sentence, the line itself, and what to write instead."""

from __future__ import annotations

from dynamoc.diagnostics.arrange import arrange, count, cut, folded_findings
from dynamoc.diagnostics.excerpt import Excerpts
from dynamoc.diagnostics.finding import is_piped, subject_first
from dynamoc.diagnostics.printable import one_line, whole_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dynamoc.diagnostics.excerpt import Confidential, ReadText
    from dynamoc.diagnostics.finding import Finding

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
    """All findings, sorted, each with its excerpt, and the count at the end; empty where there are none.

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
    import re

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
