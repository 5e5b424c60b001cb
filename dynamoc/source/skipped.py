"""What is said of files that were skipped: once a reason, with their number and the first names."""

from __future__ import annotations

import os

from dynamoc.diagnostics.finding import NOTE, WARNING, Finding
from dynamoc.limits import limit
from dynamoc.source.found import ALIEN, BROKEN, HELM, KUSTOMIZE, PATCH
from dynamoc.source.generators import chart_of, helm_pipe, kustomize_pipe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.diagnostics.catalog.slugs import Slug
    from dynamoc.diagnostics.finding import Findings

_SHOWN = 5
_REASONS = {
    ALIEN: "nothing in {them} looks like a Kubernetes object",
    BROKEN: "{they} cannot be read as YAML, and no line starts with `apiVersion:` or `kind:`",
    HELM: "{they} {are} {a}Helm template{s}",
    KUSTOMIZE: "{they} {are} {a}kustomization{s}",
    PATCH: "a kustomization lists {them} as {a}patch{es}",
}


_SLUGS: dict[str, Slug] = {
    ALIEN: "skipped/alien",
    BROKEN: "skipped/broken",
    HELM: "skipped/helm",
    KUSTOMIZE: "skipped/kustomize",
    PATCH: "skipped/patch",
}


def tell_skipped(findings: Findings) -> None:
    """Adds a finding a reason. Templates that name a kind of Dynamo are graphs that nobody checked: a warning."""
    for reason in _REASONS:
        files = findings.inputs.skipped.get(reason)
        if files:
            severity = WARNING if reason == HELM and any(map(_names_dynamo, files)) else NOTE
            findings.add(Finding(_SLUGS[reason], _message(reason, files), severity=severity, hint=_hint(reason, files)))


def tell_passed_over(findings: Findings) -> None:
    """Adds a finding on the documents of a stream that were left out."""
    places = findings.inputs.passed_over
    many = len(places) > 1
    head = f"{len(places)} documents are skipped" if many else "1 document is skipped"
    shown = ", ".join(map(str, places[:_SHOWN])) + (f" and {len(places) - _SHOWN} more" if len(places) > _SHOWN else "")
    why = f"nothing in {'them' if many else 'it'} looks like an object of a cluster"
    findings.add(Finding("skipped/document", f"{head}, because {why}: {shown}."))


def _message(reason: str, files: list[str]) -> str:
    many = len(files) > 1
    words = {"them": "them", "they": "they", "are": "are", "a": "", "s": "s", "es": "es"}
    if not many:
        words = {"them": "it", "they": "it", "are": "is", "a": "a ", "s": "", "es": ""}
    why = _REASONS[reason].format(**words)
    shown = ", ".join(files[:_SHOWN]) + (f" and {len(files) - _SHOWN} more" if len(files) > _SHOWN else "")
    head = f"{len(files)} files are skipped" if many else "1 file is skipped"
    return f"{head}, because {why}: {shown}."


def _hint(reason: str, files: list[str]) -> str | None:
    if reason == HELM:
        charts = dict.fromkeys(chart_of(file) or os.curdir for file in files)
        return _first(map(helm_pipe, charts), len(charts))
    if reason == KUSTOMIZE:
        directories = dict.fromkeys(map(os.path.dirname, files))
        return _first(map(kustomize_pipe, directories), len(directories))
    return None


def _first(pipes: map[str], number: int) -> str:
    return f"`{next(pipes)}` renders it" + (f"; the same for {number - 1} more" if number > 1 else "")


def _names_dynamo(file: str) -> bool:
    try:
        with open(file, "rb") as stream:
            return b"Dynamo" in stream.read(limit("file-bytes"))
    except OSError:
        return False
