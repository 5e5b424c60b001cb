"""The settings of the 0.6 operator: command-line flags, in a file one key a flag.

Keys are flags (`grove-termination-delay`) or the same in camel case (`groveTerminationDelay`). Four further keys say
what the operator finds when it starts: `groveDetected`, `kaiDetected`, `mpiSecretPresent` and `internalImagesDebugger`.
Source: cmd/main.go of 0.6; deploy/cloud/helm/platform for the chart.
"""

from __future__ import annotations

from dynamoc.cluster.chart import HELM_NAMESPACE, HELM_RELEASE, chart_default, operator_default
from dynamoc.cluster.duration import format_duration, parse_duration
from dynamoc.cluster.go_url import parse_host
from dynamoc.cluster.helm_checks import OPERATOR
from dynamoc.cluster.helm_values import Values, full_name, quoted
from dynamoc.cluster.settings import get_attribute, set_attribute

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.cluster.config import OperatorConfig
    from dynamoc.cluster.report import Report
    from dynamoc.diagnostics.finding import Path

    Tree = dict[str, Any]

RELEASE = "0.6"

#: flag to (key in camel case, attribute); flags without an attribute change no object
FLAGS: dict[str, tuple[str, str | None]] = {
    "restrictedNamespace": ("restrictedNamespace", "namespace.restricted"),
    "natsAddr": ("natsAddr", "infrastructure.nats_address"),
    "etcdAddr": ("etcdAddr", "infrastructure.etcd_address"),
    "istio-virtual-service-gateway": ("istioVirtualServiceGateway", "ingress.virtual_service_gateway"),
    "virtual-service-supports-https": ("virtualServiceSupportsHTTPS", "ingress.virtual_service_supports_https"),
    "ingress-controller-class-name": ("ingressControllerClassName", "ingress.controller_class_name"),
    "ingress-controller-tls-secret-name": ("ingressControllerTLSSecretName", "ingress.controller_tls_secret_name"),
    "ingress-host-suffix": ("ingressHostSuffix", "ingress.host_suffix"),
    "grove-termination-delay": ("groveTerminationDelay", "orchestrators.grove.termination_delay"),
    "model-express-url": ("modelExpressURL", "infrastructure.model_express_url"),
    "prometheus-endpoint": ("prometheusEndpoint", "infrastructure.prometheus_endpoint"),
    "mpi-run-ssh-secret-name": ("mpiRunSecretName", "mpi.ssh_secret_name"),
    "mpi-run-ssh-secret-namespace": ("mpiRunSecretNamespace", "mpi.ssh_secret_namespace"),
    "planner-cluster-role-name": ("plannerClusterRoleName", "rbac.planner_cluster_role_name"),
    "dgdr-profiling-cluster-role-name": ("dgdrProfilingClusterRoleName", "rbac.dgdr_profiling_cluster_role_name"),
    "metrics-bind-address": ("metricsBindAddress", None),
    "health-probe-bind-address": ("healthProbeBindAddress", None),
    "leader-elect": ("leaderElect", None),
    "leader-election-id": ("leaderElectionID", None),
    "leader-election-namespace": ("leaderElectionNamespace", None),
    "metrics-secure": ("metricsSecure", None),
    "enable-http2": ("enableHTTP2", None),
}
SURROUNDINGS = {
    "groveDetected": "orchestrators.grove.enabled",
    "kaiDetected": "orchestrators.kai_scheduler.enabled",
    "mpiSecretPresent": "mpi.secret_present",
    "internalImagesDebugger": "images.debugger",
}


def read_flags(tree: Tree, report: Report) -> OperatorConfig:
    """The configuration of an operator that is started with these flags, and no others."""
    attributes = dict(FLAGS.values()) | SURROUNDINGS
    attributes |= {flag: attribute for flag, (_, attribute) in FLAGS.items()}
    config = operator_default(RELEASE)
    written: dict[str, str] = {}
    for key, value in tree.items():
        if key not in attributes:
            _unknown(key, list(attributes), report)
            continue
        attribute = attributes[key]
        if attribute is not None and value is not None:
            _set(config, key, attribute, value, report)
            written[attribute] = key
    _check(config, written, report)
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
        nanoseconds = parse_duration(value)
        if nanoseconds is None:
            report.error(
                "config/duration",
                (key,),
                f"`{key}: {value}` is not a duration as Go reads one.",
                "a number needs a unit: `30s`, `15m`, `4h`",
            )
            return
        value = format_duration(nanoseconds) if nanoseconds > 0 else ""
    assert isinstance(value, str | bool)
    set_attribute(config, attribute, value)


_BOOLEANS = (
    "ingress.virtual_service_supports_https",
    "orchestrators.grove.enabled",
    "orchestrators.kai_scheduler.enabled",
    "mpi.secret_present",
)


def _check(config: OperatorConfig, written: dict[str, str], report: Report) -> None:
    """Flags without which the operator exits (cmd/main.go main)."""
    required = ["mpi.ssh_secret_name", "mpi.ssh_secret_namespace"]
    if not config.namespace.restricted:
        required.append("rbac.planner_cluster_role_name")
    flags = {attribute: flag for flag, (_, attribute) in FLAGS.items()}
    for attribute in required:
        if not get_attribute(config, attribute):
            key = written.get(attribute, flags[attribute])
            report.error("config/required", (key,), f"The operator exits without `--{flags[attribute]}`.")
    attribute = "infrastructure.model_express_url"
    try:
        parse_host(config.infrastructure.model_express_url)
    except ValueError as error:
        report.error("config/url", (written[attribute],), f"`{written[attribute]}` is not a URL: {error}.")


def _unknown(key: str, known: list[str], report: Report) -> None:
    from difflib import get_close_matches

    near = get_close_matches(key, known, 1)
    hint = f"did you mean `{near[0]}`?" if near else None
    report.warning("config/unknown-field", (key,), f"The operator of release 0.6 has no flag `{key}`.", hint)


_CHART_DEFAULTS: dict[Path, Any] = {
    (OPERATOR, "dynamo", "groveTerminationDelay"): "4h",
    (OPERATOR, "dynamo", "ingress", "tlsSecretName"): "my-tls-secret",
    (OPERATOR, "dynamo", "mpiRun", "secretName"): "mpi-run-ssh-secret",
    (OPERATOR, "dynamo", "internalImages", "debugger"): "python:3.12-slim",
}
_COPIED = {
    "groveTerminationDelay": ("dynamo", "groveTerminationDelay"),
    "ingressHostSuffix": ("dynamo", "ingressHostSuffix"),
    "modelExpressURL": ("modelExpressURL",),
    "prometheusEndpoint": ("dynamo", "metrics", "prometheusEndpoint"),
    "mpiRunSecretName": ("dynamo", "mpiRun", "secretName"),
    "internalImagesDebugger": ("dynamo", "internalImages", "debugger"),
}


def flags_of_chart(tree: Tree, report: Report) -> Tree:
    """The flags that the chart of 0.6 starts the operator with (components/operator/templates/deployment.yaml)."""
    values = Values(tree, _CHART_DEFAULTS)
    default = chart_default(RELEASE).infrastructure
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
    for key, chart in (("groveDetected", "grove"), ("kaiDetected", "kai-scheduler")):
        # What the chart installs is there; what it doesn't install may be there all the same.
        if values.get(chart, "enabled"):
            values.set(key, True, chart, "enabled")
    _set_roles(values)
    report.origins = values.origins
    return values.settings


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
