"""Findings in the formats for programs, by name."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.diagnostics.excerpt import Excerpts
    from dynamoc.diagnostics.finding import Finding


def format_as(style: str, findings: list[Finding], excerpts: Excerpts, inputs: dict[str, int] | None = None) -> str:
    """A whole document; for `github`, lines. Secrets must be hidden already. `inputs` is for `json`."""
    if style == "sarif":
        from dynamoc.diagnostics.sarif import format_sarif

        return format_sarif(findings, excerpts)
    if style == "gitlab":
        from dynamoc.diagnostics.gitlab import format_gitlab

        return format_gitlab(findings, excerpts)
    if style in ("junit", "checkstyle"):
        from dynamoc.diagnostics import xml_reports

        return xml_reports.format_junit(findings) if style == "junit" else xml_reports.format_checkstyle(findings)
    from dynamoc.diagnostics.machine import format_github, format_json

    return format_github(findings) if style == "github" else format_json(findings, inputs, excerpts)
