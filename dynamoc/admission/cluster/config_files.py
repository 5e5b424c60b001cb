"""The operator's configuration from a file, of whatever kind, or the chart's; flags of the operators up to 0.6.

In a file of flags, keys are flags (`grove-termination-delay`) or the same in camel case (`groveTerminationDelay`). Four
further keys say what the operator finds when it starts: `groveDetected`, `kaiDetected`, `mpiSecretPresent` and
`internalImagesDebugger`. Source: cmd/main.go of 0.4, 0.5 and 0.6; deploy/cloud/helm/platform for the chart.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

from dynamoc.admission.cluster.config import KIND, OperatorConfig, Report, fields_of, get_attribute, set_attribute
from dynamoc.admission.cluster.helm_chart import operator_configuration
from dynamoc.admission.cluster.helm_values import (
    HELM_NAMESPACE,
    HELM_RELEASE,
    Values,
    chart_default,
    full_name,
    of_platform,
    operator_default,
    quoted,
    report_unknown,
    values_in,
)
from dynamoc.admission.cluster.operator_configuration import parse_host, read_operator_configuration
from dynamoc.documents.findings.finding import Finding, Findings
from dynamoc.documents.source.document import Document
from dynamoc.documents.source.reader import read_text
from dynamoc.kube.go import print_duration, try_duration
from dynamoc.kube.limits import limit
from dynamoc.kube.merge import Tree
from dynamoc.reference.chart import OPERATOR, VALUES
from dynamoc.reference.configuration import FLAGS, SURROUNDINGS, Field
from dynamoc.reference.releases import Release, merged


def load_config(path: str | None, release: Release, findings: Findings) -> OperatorConfig:
    """The configuration in the file at `path`, or what the release's Helm chart installs where `path` is None.

    The file is an OperatorConfiguration, values of the chart `dynamo-platform`, or (release 0.6) a mapping of the
    operator's flags. What the operator, or Helm, would refuse is an `error` in `findings`; what it would silently
    ignore is a `warning`. The result is usable in any case.
    """
    if path is None:
        return chart_default(release.name)
    return read_config_file(path, release.name, findings)


def read_config_file(path: str, release: str, findings: Findings) -> OperatorConfig:
    """The configuration in the file at `path`; the chart's defaults where it cannot be read."""
    try:
        with open(path, "rb") as file:
            data = file.read(limit("file-bytes") + 1)
    except OSError as error:
        findings.add(Finding("config/cannot-read", f"Cannot read {path}: {error.strerror}."))
        return chart_default(release)
    errors = findings.errors
    documents = read_text(data, path, findings, objects=False)
    if findings.errors > errors:
        return chart_default(release)
    if len(documents) > 1:
        documents = of_platform(documents)
    if len(documents) != 1 or not isinstance(documents[0].value, dict):
        message = "The operator's configuration must be one YAML document, a mapping."
        findings.add(Finding("config/not-a-mapping", f"{message} {path} has {len(documents)} documents."))
        return chart_default(release)
    return config_from_document(documents[0], release, findings)


HELM_KEYS = frozenset(("dynamo-operator", "global", "nats", "etcd", "grove", "kai-scheduler"))


def config_from_document(document: Document, release: str, findings: Findings) -> OperatorConfig:
    """The configuration in one document: OperatorConfiguration, Helm values, or flags up to release 0.6."""
    tree: dict[str, Any] = document.value
    report = Report(findings, document.place, KIND)
    if tree.get("kind") == "HelmRelease":
        values, installed = values_in(document, report)
        return _from_helm(values.value, release, Report(findings, values.place, KIND), installed)
    has_configuration = bool(fields_of(release))
    if "kind" not in tree and HELM_KEYS.intersection(tree):
        return _from_helm(tree, release, report)
    if has_configuration:
        _reject_config_map(tree, report)
        return read_operator_configuration(tree, release, report)

    if tree.get("kind") in ("Deployment", "List"):
        return read_flags(flags_of_deployment(tree), release, report)
    if "kind" in tree or "apiVersion" in tree:
        message = f"The operator of release {release} does not read {KIND}; it is configured by flags."
        hint = "write one key per flag, e.g. `natsAddr: nats://nats:4222`, or give values of the Helm chart"
        report.error("config/wrong-kind", ("kind",) if "kind" in tree else ("apiVersion",), message, hint)
        return chart_default(release)
    return read_flags(tree, release, report)


def _from_helm(
    tree: dict[str, Any], release: str, report: Report, installed: tuple[str, str] | None = None
) -> OperatorConfig:
    report_unknown(tree, release, report)
    if not fields_of(release):
        return read_flags(flags_of_chart(tree, release, report), release, report)

    settings = operator_configuration(tree, release, report, *([installed] if installed else []))
    return read_operator_configuration(settings, release, report)


def _reject_config_map(tree: dict[str, Any], report: Report) -> None:
    if tree.get("kind") == "ConfigMap":
        message = "This is the ConfigMap that contains the operator's configuration."
        hint = "save the value of its key: kubectl get configmap NAME -o jsonpath='{.data.config\\.yaml}'"
        report.error("config/config-map", ("kind",), message, hint)


def flags_of(release: str) -> dict[str, Field]:
    """The flags that the operator of a release takes."""
    return merged(FLAGS, release)


def read_flags(tree: Tree, release: str, report: Report) -> OperatorConfig:
    """The configuration of an operator that is started with these flags, and no others."""
    flags = flags_of(release)
    surroundings = merged(SURROUNDINGS, release)
    attributes = dict(flags.values()) | surroundings
    attributes |= {flag: attribute for flag, (_, attribute) in flags.items()}
    config = operator_default(release)
    written: dict[str, str] = {}
    for key, value in tree.items():
        if key not in attributes:
            _unknown(key, list(attributes), release, report)
            continue
        attribute = attributes[key]
        if attribute is not None and value is not None:
            _set(config, key, attribute, value, report)
            written[attribute] = key
    _check(config, flags, written, report)
    return config


def _set(config: OperatorConfig, key: str, attribute: str, value: object, report: Report) -> None:
    kind = bool if attribute in _BOOLEANS else str
    if kind is bool and value in ("true", "false"):
        value = value == "true"
    if type(value) is not kind:
        wanted = "true or false" if kind is bool else "text"
        report.error("config/wrong-type", (key,), f"`{key}` must be {wanted}, not {value!r}.")
        return
    if attribute == "orchestrators.grove.termination_delay":
        assert isinstance(value, str)
        nanoseconds = try_duration(value)
        if nanoseconds is None:
            message = f"`{key}: {value}` is not a duration as Go reads one."
            report.error("config/duration", (key,), message, "a number needs a unit: `30s`, `15m`, `4h`")
            return
        value = print_duration(nanoseconds) if nanoseconds > 0 else ""
    assert isinstance(value, str | bool)
    set_attribute(config, attribute, value)


_BOOLEANS = (
    "ingress.virtual_service_supports_https",
    "orchestrators.grove.enabled",
    "orchestrators.kai_scheduler.enabled",
    "orchestrators.lws.enabled",
    "mpi.secret_present",
)


def _check(config: OperatorConfig, taken: dict[str, Field], written: dict[str, str], report: Report) -> None:
    """Flags without which the operator exits (cmd/main.go main); one that a release does not take is not missed."""
    required = ["mpi.ssh_secret_name", "mpi.ssh_secret_namespace"]
    if not config.namespace.restricted:
        required.append("rbac.planner_cluster_role_name")
    flags = {attribute: flag for flag, (_, attribute) in taken.items()}
    for attribute in required:
        if attribute in flags and not get_attribute(config, attribute):
            key = written.get(attribute, flags[attribute])
            report.error("config/required", (key,), f"The operator exits without `--{flags[attribute]}`.")
    attribute = "infrastructure.model_express_url"
    try:
        parse_host(config.infrastructure.model_express_url)
    except ValueError as error:
        report.error("config/url", (written[attribute],), f"`{written[attribute]}` is not a URL: {error}.")


def _unknown(key: str, known: list[str], release: str, report: Report) -> None:
    near = get_close_matches(key, known, 1)
    hint = f"did you mean `{near[0]}`?" if near else None
    report.warning("config/unknown-field", (key,), f"The operator of release {release} has no flag `{key}`.", hint)


def flags_of_deployment(tree: Tree) -> Tree:
    """The flags that a Deployment of the operator, or the first in a List, starts it with; `--flag` alone is true."""
    first = next(iter(tree.get("items") or ()), {}) if tree.get("kind") == "List" else tree
    spec = (((first.get("spec") or {}).get("template") or {}).get("spec")) or {}
    manager: Tree = next((item for item in spec.get("containers") or () if item.get("name") == "manager"), {})
    flags: Tree = {}
    for argument in manager.get("args") or ():
        name, _, value = str(argument).lstrip("-").partition("=")
        # Those of the logger are not the operator's own.
        if not name.startswith("zap-"):
            flags[name] = value or True
    for variable in manager.get("env") or ():
        if variable.get("name") == "INTERNAL_IMAGES_DEBUGGER":
            flags["internalImagesDebugger"] = variable.get("value")
    return flags


_COPIED = {
    "groveTerminationDelay": ("dynamo", "groveTerminationDelay"),
    "ingressHostSuffix": ("dynamo", "ingressHostSuffix"),
    "modelExpressURL": ("modelExpressURL",),
    "prometheusEndpoint": ("dynamo", "metrics", "prometheusEndpoint"),
    "mpiRunSecretName": ("dynamo", "mpiRun", "secretName"),
    "internalImagesDebugger": ("dynamo", "internalImages", "debugger"),
}


def flags_of_chart(tree: Tree, release: str, report: Report) -> Tree:
    """The flags that the chart starts the operator with (components/operator/templates/deployment.yaml).

    Keys that a release has no flag for are left out.
    """
    values = Values(tree, merged(VALUES, release))
    default = chart_default(release).infrastructure
    for key, path in _COPIED.items():
        values.copy(key, OPERATOR, *path)
    values.set("natsAddr", quoted(values.get(OPERATOR, "natsAddr") or default.nats_address), OPERATOR, "natsAddr")
    values.set("etcdAddr", quoted(values.get(OPERATOR, "etcdAddr") or default.etcd_address), OPERATOR, "etcdAddr")
    if values.get(OPERATOR, "dynamo", "mpiRun", "secretName"):
        values.set("mpiRunSecretNamespace", HELM_NAMESPACE, OPERATOR, "dynamo", "mpiRun", "secretName")
    if values.get(OPERATOR, "dynamo", "istio", "enabled"):
        values.copy("istioVirtualServiceGateway", OPERATOR, "dynamo", "istio", "gateway")
    if values.get(OPERATOR, "dynamo", "ingress", "enabled"):
        values.copy("ingressControllerClassName", OPERATOR, "dynamo", "ingress", "className")
        values.copy("ingressControllerTLSSecretName", OPERATOR, "dynamo", "ingress", "tlsSecretName")
    https = (OPERATOR, "dynamo", "virtualServiceSupportsHTTPS")
    if values.get(*https):
        values.set("virtualServiceSupportsHTTPS", True, *https)
    if values.get(OPERATOR, "dynamo", "enableLWS"):
        values.set("enableLWS", True, OPERATOR, "dynamo", "enableLWS")
    for key, chart in (("groveDetected", "grove"), ("kaiDetected", "kai-scheduler")):
        # What the chart installs is there; what it doesn't install may be there all the same.
        if values.get(chart, "enabled"):
            values.set(key, True, chart, "enabled")
    _set_roles(values)
    report.origins = values.origins
    known = dict(flags_of(release).values()) | merged(SURROUNDINGS, release)
    return {key: value for key, value in values.settings.items() if key in known}


def _set_roles(values: Values) -> None:
    restriction = (OPERATOR, "namespaceRestriction")
    name = full_name(values, HELM_RELEASE)
    if not values.get(*restriction, "enabled"):
        values.set("dgdrProfilingClusterRoleName", f"{name}-dgdr-profiling", *restriction)
        values.set("plannerClusterRoleName", f"{name}-planner", *restriction)
        return
    target = quoted(values.get(*restriction, "targetNamespace") or HELM_NAMESPACE)
    values.set("restrictedNamespace", target, *restriction, "targetNamespace")
    values.set("dgdrProfilingClusterRoleName", f"{name}-{HELM_NAMESPACE}-dgdr-profiling-nodes", *restriction)
