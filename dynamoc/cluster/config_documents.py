"""Finding out what kind of configuration a document holds, and reading it."""

from __future__ import annotations

from dynamoc.cluster.chart import chart_default
from dynamoc.cluster.config_findings import Report
from dynamoc.cluster.fields import KIND, fields_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.cluster.config import OperatorConfig
    from dynamoc.diagnostics.finding import Findings
    from dynamoc.source.document import Document

HELM_KEYS = frozenset(("dynamo-operator", "global", "nats", "etcd", "grove", "kai-scheduler"))


def config_from_document(document: Document, release: str, findings: Findings) -> OperatorConfig:
    """The configuration in one document: OperatorConfiguration, Helm values, or flags up to release 0.6."""
    tree: dict[str, Any] = document.value
    report = Report(findings, document.place, KIND)
    if tree.get("kind") == "HelmRelease":
        return _from_helm_release(document, release, findings, report)
    has_configuration = bool(fields_of(release))
    if "kind" not in tree and HELM_KEYS.intersection(tree):
        return _from_helm(tree, release, report)
    if has_configuration:
        from dynamoc.cluster.operator_configuration import read_operator_configuration

        _reject_config_map(tree, report)
        return read_operator_configuration(tree, release, report)
    from dynamoc.cluster.flags import flags_of_deployment, read_flags

    if tree.get("kind") in ("Deployment", "List"):
        return read_flags(flags_of_deployment(tree), release, report)
    if "kind" in tree or "apiVersion" in tree:
        report.error(
            "config/wrong-kind",
            ("kind",) if "kind" in tree else ("apiVersion",),
            f"The operator of release {release} does not read {KIND}; it is configured by flags.",
            "write one key per flag, e.g. `natsAddr: nats://nats:4222`, or give values of the Helm chart",
        )
        return chart_default(release)
    return read_flags(tree, release, report)


def _from_helm_release(document: Document, release: str, findings: Findings, report: Report) -> OperatorConfig:
    from dynamoc.cluster.helm_release import values_in

    values, installed = values_in(document, report)
    return _from_helm(values.value, release, Report(findings, values.place, KIND), installed)


def _from_helm(
    tree: dict[str, Any], release: str, report: Report, installed: tuple[str, str] | None = None
) -> OperatorConfig:
    from dynamoc.cluster.helm_known import report_unknown

    report_unknown(tree, release, report)
    if not fields_of(release):
        from dynamoc.cluster.flags import flags_of_chart, read_flags

        return read_flags(flags_of_chart(tree, release, report), release, report)
    from dynamoc.cluster.helm import operator_configuration
    from dynamoc.cluster.operator_configuration import read_operator_configuration

    settings = operator_configuration(tree, release, report, *([installed] if installed else []))
    return read_operator_configuration(settings, release, report)


def _reject_config_map(tree: dict[str, Any], report: Report) -> None:
    if tree.get("kind") == "ConfigMap":
        report.error(
            "config/config-map",
            ("kind",),
            "This is the ConfigMap that contains the operator's configuration.",
            "save the value of its key: kubectl get configmap NAME -o jsonpath='{.data.config\\.yaml}'",
        )
