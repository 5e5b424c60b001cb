"""Files that a directory or a pattern gave. Nobody named them, so those that are not ours are skipped and counted.

A file takes part where one of its documents claims to be a Kubernetes object. A file that cannot be read takes part,
with its errors, where its text could be a manifest.
"""

from __future__ import annotations

from dynamoc.diagnostics.finding import Findings
from dynamoc.source.document import Document
from dynamoc.source.reader import read_text
from dynamoc.source.report import Report, Unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: Two of these make a claim: Chart.yaml has an apiVersion only, and other tools have a kind or a spec.
_KEYS = frozenset(("apiversion", "kind", "metadata", "spec", "items"))
KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml")

#: reasons to skip a file
ALIEN = "alien"
BROKEN = "broken"
HELM = "helm"
KUSTOMIZE = "kustomize"
PATCH = "patch"


def read_found(data: bytes, file: str, findings: Findings, *, path: str | None = None) -> list[Document] | None:
    """The objects of a file; None where the file is skipped, which `findings.inputs` keeps with the reason.

    `path` is where the file lies on disk, if `file`, which the user sees, is something else.
    """
    reason = _known_reason(data, path or file, findings)
    if reason is None:
        trial = Findings()
        values = read_text(data, file, trial, objects=False)
        reason = _reason(data, values, trial)
        if reason is None:
            findings.take(trial)
            return _objects(values, Report(file, findings))
    findings.inputs.skip(reason, file)
    return None


def claims(value: Any) -> bool:
    """Whether a value looks like a Kubernetes object, or like an attempt at one."""
    if isinstance(value, list):
        return any(isinstance(item, dict) and claims(item) for item in value[:1])
    if not isinstance(value, dict):
        return False
    if len(_KEYS & {key.lower() for key in value}) > 1:
        return True
    return "Dynamo" in str(value.get("kind")) or "nvidia.com" in str(value.get("apiVersion"))


def _known_reason(data: bytes, file: str, findings: Findings) -> str | None:
    """Why a file of Helm or Kustomize is skipped, whatever it holds."""
    from dynamoc.source.generators import chart_of
    from dynamoc.source.patches import is_patch

    if file.rpartition("/")[2] in KUSTOMIZATIONS:
        return KUSTOMIZE
    if b"{{" in data and chart_of(file):
        return HELM
    return PATCH if is_patch(file, findings.inputs) else None


def _reason(data: bytes, values: list[Document], trial: Findings) -> str | None:
    if any(claims(document.value) for document in values):
        return None
    if not trial.errors:
        return ALIEN
    return None if _could_be_a_manifest(data) else BROKEN


def _could_be_a_manifest(data: bytes) -> bool:
    """Whether a line of a text that cannot be read starts with `apiVersion:` or `kind:`, as YAML or JSON writes it."""
    import re

    text = data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8", errors="replace")
    return re.search(r"""(?:^|[{,])[ \t\-]*["']?(?:apiVersion|kind)["']?[ \t]*:""", text, re.MULTILINE) is not None


def _objects(values: list[Document], report: Report) -> list[Document]:
    from dynamoc.source.objects import objects_in

    documents: list[Document] = []
    try:
        for document in values:
            for value, marks in objects_in(document.value, document.shared_marks, report):
                documents.append(Document(value, document.file, len(documents), marks))
    except Unreadable as end:
        report.findings.add(end.finding)
    return documents
