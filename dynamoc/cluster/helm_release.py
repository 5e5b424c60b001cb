"""The chart `dynamo-platform` in a HelmRelease of Flux: its values, and how it is installed.

Source: fluxcd.io/flux/components/helm/helmreleases.
"""

from __future__ import annotations

from dynamoc.source.document import Document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.cluster.config_findings import Report

    Tree = dict[str, Any]

CHART = "dynamo-platform"
_NO_VALUES = "spec.values of the HelmRelease must be a mapping."


def is_helm_release(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.get("kind") == "HelmRelease"
        and str(value.get("apiVersion")).startswith("helm.toolkit.fluxcd.io/")
    )


def of_platform(documents: list[Document]) -> list[Document]:
    """The HelmRelease of the chart, among the documents of a file that may hold its repository too; else all."""
    releases = [document for document in documents if is_helm_release(document.value)]
    platform = [document for document in releases if _chart(document.value) == CHART]
    return platform or releases or documents


def values_in(document: Document, report: Report) -> tuple[Document, tuple[str, str]]:
    """The values as a document of their own, and the name and namespace of the Helm release."""
    spec = _mapping(document.value.get("spec"))
    if spec.get("valuesFrom"):
        report.warning(
            "config/values-from",
            ("spec", "valuesFrom"),
            "The HelmRelease takes values from ConfigMaps or Secrets too, which dynamoc does not read.",
            "give the output of `helm get values NAME --all` instead",
        )
    values = spec.get("values")
    if values is not None and not isinstance(values, dict):
        report.error("config/not-a-mapping", ("spec", "values"), _NO_VALUES)
    inner = Document(_mapping(values), document.file, document.index, _marks(document, ("spec", "values")))
    return inner, _installed(document.value, spec)


def _installed(value: Tree, spec: Tree) -> tuple[str, str]:
    metadata = _mapping(value.get("metadata"))
    target = spec.get("targetNamespace")
    name = spec.get("releaseName") or (f"{target}-{metadata.get('name')}" if target else metadata.get("name"))
    return str(name), str(target or metadata.get("namespace") or "default")


def _chart(value: Tree) -> Any:
    spec = _mapping(value.get("spec"))
    return _mapping(_mapping(spec.get("chart")).get("spec")).get("chart") or _mapping(spec.get("chartRef")).get("name")


def _mapping(value: Any) -> Tree:
    return value if isinstance(value, dict) else {}


def _marks(document: Document, path: tuple[str, ...]) -> Any:
    marks: Any = document.marks
    for step in path:
        if not isinstance(marks, dict) or step not in marks:
            return marks
        marks = marks[step][1]
    return marks
