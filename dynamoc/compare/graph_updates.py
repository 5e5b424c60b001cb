"""Changes of the input documents that the API server takes on creation only: their object must be made anew."""

from __future__ import annotations

from dynamoc.compare.result import RefusedUpdate
from dynamoc.diagnostics.finding import WARNING
from dynamoc.kube.identity import identity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.compare.path import Step, Steps
    from dynamoc.diagnostics import Findings
    from dynamoc.diagnostics.finding import Finding, Path
    from dynamoc.source.document import Document


def refused_updates(documents: list[Document], findings: Findings, namespace: str) -> list[RefusedUpdate]:
    """What an update to `documents` is refused for, from findings of a compilation that goes on all the same."""
    found: list[RefusedUpdate] = []
    for finding in findings.items:
        document = _document(finding, documents) if _is_refusal(finding) else None
        if document is not None:
            _, kind, where, name = identity(document.value, namespace or "default")
            steps, hint = _steps(finding.path, document.value), _sentence(finding.hint or "")
            found.append(RefusedUpdate(kind, where, name, steps, finding.message, hint))
    return found


def _is_refusal(finding: Finding) -> bool:
    """Only what compares with an old object, and stands against the update, is related to a place in it."""
    compares = finding.slug.startswith(("update/", "cel/")) and finding.slug not in (
        "update/conflict",
        "update/deleting",
    )
    return compares and finding.severity == WARNING and bool(finding.related)


def _document(finding: Finding, documents: list[Document]) -> Document | None:
    for document in documents:
        _, kind, _, name = identity(document.value, "default")
        if finding.place is not None and finding.place.file == document.file and finding.subject == f"{kind}/{name}":
            return document
    return None


def _steps(path: Path, value: Any) -> Steps:
    """Components by their names."""
    steps: list[Step] = []
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            value = None
        named = isinstance(step, int) and isinstance(value, dict) and "name" in value
        steps.append(("name", str(value["name"])) if named else step)
    return tuple(steps)


def _sentence(hint: str) -> str:
    return f"{hint[:1].upper()}{hint[1:]}." if hint else ""
