"""Findings for programs: a JSON document, and the workflow commands of GitHub Actions."""

from __future__ import annotations

from dynamoc.diagnostics.arrange import arrange, count, cut
from dynamoc.diagnostics.finding import Finding, Place, format_path, subject_first
from dynamoc.diagnostics.printable import one_line, whole_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.excerpt import Excerpts

FORMAT = "dynamoc-findings"
VERSION = 1
"""Raised when a key changes its meaning or goes; new keys come without notice."""

ANNOTATIONS = 10
_GITHUB = {"error": "error", "warning": "warning", "note": "notice"}


def format_json(findings: list[Finding], inputs: dict[str, int] | None = None, excerpts: Excerpts | None = None) -> str:
    """One document: `format`, `version`, `counts` by severity, and `findings` in the order of the text format.

    `notShown` is the number of findings above the limit `findings`, where there are some. `inputs` counts what was
    looked at, where that is known: see `Inputs.record`. With `excerpts`, findings have fingerprints, and their places
    the column behind the word that they point at.
    """
    import json

    arranged = arrange(findings)
    told = cut(arranged, lambda finding: finding.severity)
    report = {
        "format": FORMAT,
        "version": VERSION,
        "counts": count(arranged),
        **({} if inputs is None else {"inputs": inputs}),
        **({"notShown": len(arranged) - len(told)} if len(told) < len(arranged) else {}),
        "findings": [_record(finding) for finding in told] if excerpts is None else _detailed(told, excerpts),
    }
    return json.dumps(report, indent=2) + "\n"


def _detailed(findings: list[Finding], excerpts: Excerpts) -> list[dict[str, Any]]:
    from dynamoc.diagnostics.fingerprint import fingerprints

    records = []
    for finding, fingerprint in zip(findings, fingerprints(findings, excerpts), strict=True):
        record = {**_record(finding), "fingerprint": fingerprint}
        if finding.place is not None and finding.place.file != "-":
            record["place"]["endColumn"] = excerpts.end_column(finding.place, finding.subject)
        records.append(record)
    return records


def format_github(findings: list[Finding]) -> str:
    """One workflow command a finding, which GitHub shows beside the line of a pull request.

    GitHub takes 10 of each severity from a step; the others are lines of the log.
    Source: docs.github.com, limitations of problem matchers and annotations.
    """
    arranged = arrange(findings)
    told = cut(arranged, lambda finding: finding.severity)
    lines, shown = [], dict.fromkeys(_GITHUB, 0)
    for finding in told:
        shown[finding.severity] += 1
        lines.append((_command if shown[finding.severity] <= ANNOTATIONS else _log_line)(finding))
    if len(told) < len(arranged):
        more = len(arranged) - len(told)
        lines.append(f"{more:,} more findings are not shown; --limit findings=NUMBER shows more")
    return "".join(f"{line}\n" for line in lines)


def _log_line(finding: Finding) -> str:
    where = str(finding.place) if finding.place else finding.subject or "dynamoc"
    message = one_line(f"{finding.severity}: {subject_first(finding)} [{finding.slug}]")
    return whole_lines(f"{one_line(where)}: {message}")


def _record(finding: Finding) -> dict[str, Any]:
    return {
        "slug": finding.slug,
        "severity": finding.severity,
        "message": finding.whole_message,
        "hint": finding.hint,
        "place": _place(finding.place) if finding.place else None,
        "path": list(finding.path),
        "field": format_path(finding.path),
        "subject": finding.subject,
        "related": [_place(place) for place in finding.related],
        **({} if finding.fix is None else {"fix": finding.fix.record()}),
    }


def _place(place: Place) -> dict[str, object]:
    record: dict[str, object] = {"file": place.file, "line": place.line, "column": place.column}
    return {**record, "source": place.source} if place.source else record


def _command(finding: Finding) -> str:
    properties: dict[str, str] = {"title": finding.slug}
    if finding.place and finding.place.file != "-":
        file, line, column = finding.place.key()
        properties = {"file": file, "line": str(line), "col": str(column), "title": finding.slug}
    elif finding.place and finding.place.source:
        properties = {"file": finding.place.source, "title": finding.slug}
    listed = ",".join(f"{key}={_property(one_line(value))}" for key, value in properties.items())
    lines = [subject_first(finding), *(f"- {point}" for point in finding.points)]
    if finding.hint is not None:
        lines.append(f"hint: {finding.hint}")
    message = "\n".join(map(one_line, lines))
    return f"::{_GITHUB.get(finding.severity, 'notice')} {listed}::{_data(message)}"


def _data(text: str) -> str:
    """Escapes of github.com/actions/toolkit, packages/core/src/command.ts."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
