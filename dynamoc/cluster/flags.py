"""The settings of the operators up to 0.6: command-line flags, in a file one key a flag.

Keys are flags (`grove-termination-delay`) or the same in camel case (`groveTerminationDelay`). Four further keys say
what the operator finds when it starts: `groveDetected`, `kaiDetected`, `mpiSecretPresent` and `internalImagesDebugger`.
Source: cmd/main.go of 0.4, 0.5 and 0.6; deploy/cloud/helm/platform for the chart.
"""

from __future__ import annotations

from dynamoc.cluster.assign import get_attribute, set_attribute
from dynamoc.cluster.chart import HELM_NAMESPACE, HELM_RELEASE, chart_default, operator_default
from dynamoc.cluster.go_url import parse_host
from dynamoc.cluster.helm_values import Values, full_name, quoted
from dynamoc.golang.time import print_duration, try_duration
from dynamoc.release.chart_values import OPERATOR, VALUES
from dynamoc.release.command_flags import FLAGS, SURROUNDINGS
from dynamoc.release.deltas import merged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.cluster.config import OperatorConfig
    from dynamoc.cluster.config_findings import Report
    from dynamoc.release.command_flags import Flag

    Tree = dict[str, Any]


def flags_of(release: str) -> dict[str, Flag]:
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
            report.error(
                "config/duration",
                (key,),
                f"`{key}: {value}` is not a duration as Go reads one.",
                "a number needs a unit: `30s`, `15m`, `4h`",
            )
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


def _check(config: OperatorConfig, taken: dict[str, Flag], written: dict[str, str], report: Report) -> None:
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
    from difflib import get_close_matches

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
