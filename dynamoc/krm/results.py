"""Findings as the results of a ResourceList."""

from __future__ import annotations

from dynamoc.diagnostics.arrange import arrange
from dynamoc.diagnostics.finding import format_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics import Findings
    from dynamoc.diagnostics.finding import Finding
    from dynamoc.source.document import Document

    Tree = dict[str, Any]

_SEVERITIES = {"error": "error", "warning": "warning", "note": "info"}


def results_of(findings: Findings, documents: list[Document]) -> list[Tree]:
    """One result a finding, in the order of the text on stderr."""
    known = {_subject(document.value): document.value for document in documents}
    return [_result(finding, known) for finding in arrange(findings.items)]


def _result(finding: Finding, known: dict[str, Tree]) -> Tree:
    message = finding.whole_message if finding.hint is None else f"{finding.whole_message}\nhint: {finding.hint}"
    result: Tree = {"message": message, "severity": _SEVERITIES[finding.severity], "tags": {"slug": finding.slug}}
    value = known.get(finding.subject or "")
    if value is not None:
        metadata = value.get("metadata") or {}
        names = {key: metadata[key] for key in ("name", "namespace") if metadata.get(key)}
        result["resourceRef"] = {"apiVersion": value["apiVersion"], "kind": value["kind"], **names}
    if finding.path:
        result["field"] = {"path": format_path(finding.path)}
    if finding.place is not None and finding.place.file not in known:
        result["file"] = {"path": finding.place.file}
    return result


def _subject(value: Tree) -> str:
    metadata = value.get("metadata")
    return f"{value['kind']}/{metadata.get('name', '') if isinstance(metadata, dict) else ''}"
