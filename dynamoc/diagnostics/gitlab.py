"""Findings as GitLab's code quality report.

Source: https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
"""

from __future__ import annotations

import json

from dynamoc.diagnostics.arrange import arrange, cut
from dynamoc.diagnostics.excerpt import Excerpts
from dynamoc.diagnostics.finding import Finding
from dynamoc.diagnostics.fingerprint import fingerprints
from dynamoc.diagnostics.printable import one_line
from dynamoc.diagnostics.xml_reports import file_of

_SEVERITIES = {"error": "major", "warning": "minor", "note": "info"}


def format_gitlab(findings: list[Finding], excerpts: Excerpts) -> str:
    """A list with an entry for each finding. GitLab needs a path and a line; without a place these are `.` and 1."""
    told = cut(arrange(findings), lambda finding: finding.severity)
    prints = fingerprints(told, excerpts)
    return json.dumps([_entry(*pair) for pair in zip(told, prints, strict=True)], indent=2) + "\n"


def _entry(finding: Finding, fingerprint: str) -> dict[str, object]:
    hint = f" ({finding.hint})" if finding.hint else ""
    place = finding.place
    return {
        "description": one_line(" ".join(finding.whole_message.split("\n")) + hint),
        "check_name": finding.slug,
        "fingerprint": fingerprint,
        "severity": _SEVERITIES[finding.severity],
        "location": {
            "path": (file_of(finding) or ".").removeprefix("./"),
            "lines": {"begin": place.line if place is not None and not place.source else 1},
        },
    }
