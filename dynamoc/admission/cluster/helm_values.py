"""Helm values as a template sees them, also of a HelmRelease of Flux; defaults; what Helm refuses or would drop.

Source: fluxcd.io/flux/components/helm/helmreleases; deploy/helm/charts/platform since 1.0:
components/operator/templates/_validation.tpl, and templates/validate-values.yaml of the platform and of the operator.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

from dynamoc.admission.cluster.config import OperatorConfig, Report, apply
from dynamoc.documents.findings.finding import Path
from dynamoc.documents.source.document import Document
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import mapping
from dynamoc.reference.chart import CHECKS, KNOWN, OPERATOR, REMOVED, Known
from dynamoc.reference.configuration import CHART as CHART_SETTINGS
from dynamoc.reference.configuration import OPERATOR as OPERATOR_SETTINGS
from dynamoc.reference.releases import merged, newest

#: release name and namespace
Installed = tuple[str, str]

HELM_RELEASE = "dynamo-platform"
HELM_NAMESPACE = "dynamo-system"


def operator_default(release: str) -> OperatorConfig:
    """The configuration of an operator that is started with an empty one."""
    config = OperatorConfig()
    apply(config, merged(OPERATOR_SETTINGS, release))
    return config


def chart_default(release: str) -> OperatorConfig:
    """The configuration that the chart installs with its default values."""
    config = operator_default(release)
    apply(config, merged(CHART_SETTINGS, release))
    return config


AS_DOCUMENTED = (HELM_RELEASE, HELM_NAMESPACE)


class Values:
    """The user's values over the chart's defaults, and which of them made which setting of the operator."""

    def __init__(self, tree: Tree, defaults: dict[Path, Any], installed: Installed = AS_DOCUMENTED) -> None:
        self._tree = tree
        self._defaults = defaults
        #: the name of the Helm release, and its namespace
        self.release, self.namespace = installed
        self.settings: Tree = {}
        self.origins: dict[str, Path] = {}

    def get(self, *path: str) -> Any:
        """What a template sees at `path`; a null of the user takes the chart's default away, as in Helm."""
        value: Any = self._tree
        for index, key in enumerate(path):
            if not isinstance(value, dict) or key not in value:
                return self._defaults.get(path)
            value = value[key]
            if value is None and index < len(path) - 1:
                return None
        return value

    def has(self, *path: str) -> bool:
        """Whether the user wrote `path`."""
        value: Any = self._tree
        for key in path:
            if not isinstance(value, dict) or key not in value:
                return False
            value = value[key]
        return True

    def set(self, name: str, value: object, *origin: str) -> None:
        """Write the setting `name` (dotted); `origin` is the value it came from."""
        *sections, last = name.split(".")
        tree = self.settings
        for section in sections:
            tree = tree.setdefault(section, {})
        tree[last] = value
        self.origins[name] = origin

    def copy(self, name: str, *path: str) -> None:
        """A setting that a template copies, quoted, where the value isn't empty."""
        value = self.get(*path)
        if value:
            self.set(name, quoted(value), *path)


def quoted(value: object) -> str:
    """How `{{ value | quote }}` reads back."""
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def full_name(values: Values, release: str) -> str:
    """`dynamo-operator.fullname` of the chart: the prefix of all objects of the operator (_helpers.tpl)."""
    override = values.get("dynamo-operator", "fullnameOverride")
    name = quoted(values.get("dynamo-operator", "nameOverride") or "dynamo-operator")
    full = release if name in release else f"{release}-{name}"
    if override:
        full = quoted(override)
    return full[:63].removesuffix("-")


def report_unknown(tree: Known, release: str, report: Report) -> None:
    """A warning for each key that the chart of `release` doesn't know.

    Keys right below `global` are shared with the charts it includes, so that only near misses are reported.
    """
    pending: list[tuple[tuple[str, ...], Known, Known]] = [((), tree, newest(KNOWN, release))]
    while pending:
        path, values, known = pending.pop(0)
        for key, value in values.items():
            if key not in known:
                _tell(path, key, known, report)
            elif isinstance(value, dict) and known[key] is not None:
                pending.append(((*path, key), value, known[key]))


def _tell(path: tuple[str, ...], key: str, known: Known, report: Report) -> None:
    near = get_close_matches(key, list(known), 1)
    if path == ("global",) and not near:
        return
    hint = f"did you mean `{near[0]}`?" if near else None
    dotted = ".".join((*path, key))
    message = f"The chart `dynamo-platform` has no value `{dotted}`; Helm ignores it."
    report.warning("config/unknown-value", (*path, key), message, hint)


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
    """The values as a separate document, and the name and namespace of the Helm release."""
    spec = mapping(document.value, "spec")
    if spec.get("valuesFrom"):
        message = "The HelmRelease takes values from ConfigMaps or Secrets too, which dynamoc does not read."
        hint = "give the output of `helm get values NAME --all` instead"
        report.warning("config/values-from", ("spec", "valuesFrom"), message, hint)
    values = spec.get("values")
    if values is not None and not isinstance(values, dict):
        report.error("config/not-a-mapping", ("spec", "values"), _NO_VALUES)
    inner = Document(mapping(values), document.file, document.index, _marks(document, ("spec", "values")))
    return inner, _installed(document.value, spec)


def _installed(value: Tree, spec: Tree) -> tuple[str, str]:
    metadata = mapping(value, "metadata")
    target = spec.get("targetNamespace")
    name = spec.get("releaseName") or (f"{target}-{metadata.get('name')}" if target else metadata.get("name"))
    return str(name), str(target or metadata.get("namespace") or "default")


def _chart(value: Tree) -> Any:
    spec = mapping(value, "spec")
    return mapping(spec, "chart", "spec").get("chart") or mapping(spec, "chartRef").get("name")


def _marks(document: Document, path: tuple[str, ...]) -> Any:
    marks: Any = document.marks
    for step in path:
        if not isinstance(marks, dict) or step not in marks:
            return marks
        marks = marks[step][1]
    return marks


def check_values(values: Values, release: str, report: Report) -> None:
    """Every reason for which `helm install` of the chart fails."""
    for check in newest(CHECKS, release):
        globals()[check](values, report)


def backend_is_known(values: Values, report: Report) -> None:
    """_validation.tpl validateDiscoveryBackend"""
    backend = values.get(OPERATOR, "discoveryBackend")
    if backend not in ("kubernetes", "etcd"):
        message = f"The chart accepts `kubernetes` or `etcd` as discoveryBackend, not {backend!r}."
        report.error("config/unsupported", (OPERATOR, "discoveryBackend"), message)


def one_leader_election(values: Values, report: Report) -> None:
    """_validation.tpl validateClusterWideInstallation, validateConfiguration"""
    if values.get(OPERATOR, "namespaceRestriction", "enabled"):
        return
    election = (OPERATOR, "controllerManager", "leaderElection")
    identity = values.get(*election, "id")
    if identity and identity != "dynamo.nvidia.com":
        message = (
            "The chart refuses a leader election id other than `dynamo.nvidia.com` for a cluster-wide operator: "
            "two ids mean two leaders."
        )
        report.error("config/unsupported", (*election, "id"), message)
    if values.get(*election, "namespace") == values.namespace:
        message = "The chart refuses leader election in its own namespace for a cluster-wide operator."
        hint = "leave it empty; `kube-system` is the default"
        report.error("config/unsupported", (*election, "namespace"), message, hint)


def restricted_without_crds(values: Values, report: Report) -> None:
    """_validation.tpl validateConfiguration since 1.3"""
    if values.get(OPERATOR, "namespaceRestriction", "enabled") and values.get(OPERATOR, "upgradeCRD"):
        message = "The chart refuses to let an operator that is restricted to one namespace install CRDs."
        hint = f"set `{OPERATOR}.upgradeCRD: false`"
        report.error("config/unsupported", (OPERATOR, "upgradeCRD"), message, hint)
    if values.get(OPERATOR, "webhook", "namespaceSelector"):
        message = "The chart sets the namespace selector of its webhooks and refuses a different one."
        report.error("config/unsupported", (OPERATOR, "webhook", "namespaceSelector"), message)


def one_scheduler(values: Values, report: Report) -> None:
    """templates/validate-values.yaml since 1.3"""
    kai = values.get("global", "kai-scheduler", "enabled") or values.get("global", "kai-scheduler", "install")
    if kai and values.get("global", "volcano-scheduler", "enabled"):
        message = "The chart refuses KAI and Volcano together: both would schedule the pods of Grove."
        report.error("config/two-schedulers", ("global", "volcano-scheduler", "enabled"), message)


def nothing_removed(values: Values, report: Report) -> None:
    """templates/validate-values.yaml since 1.2, of the platform and of the operator"""
    for path, replacement in REMOVED.items():
        if values.has(*path):
            hint = f"use `{replacement}`" if replacement else "delete it"
            report.error("config/removed", path, f"The chart no longer accepts `{'.'.join(path)}`.", hint)


def claim_is_named(values: Values, report: Report) -> None:
    """operator-config.yaml since 1.2"""
    storage = (OPERATOR, "checkpoint", "storage")
    if not values.get(OPERATOR, "checkpoint", "enabled") or values.get(*storage, "type") != "pvc":
        return
    for name in ("pvcName", "basePath"):
        if not values.get(*storage, "pvc", name):
            message = f"The chart requires checkpoint.storage.pvc.{name} if checkpoints are stored in a claim."
            report.error("config/required", (*storage, "pvc", name), message)
