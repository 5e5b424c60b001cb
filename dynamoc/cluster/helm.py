"""Values of the Helm chart `dynamo-platform`, turned into the configuration that its templates write.

Only what a template reads is looked at. A template prints numbers as text, takes "" for absent, and Helm drops keys
that no template reads; the operator then checks what it gets. The chart is taken to be installed as release
`dynamo-platform` in `dynamo-system`.

Source: deploy/helm/charts/platform since 1.0: values.yaml, components/operator/templates/operator-config.yaml and
_helpers.tpl.
"""

from __future__ import annotations

from dynamoc.cluster.chart import HELM_NAMESPACE, HELM_RELEASE
from dynamoc.cluster.fields import API_VERSION, KIND
from dynamoc.cluster.helm_checks import OPERATOR, check_values
from dynamoc.cluster.helm_known import TLS
from dynamoc.cluster.helm_values import Values, full_name, quoted
from dynamoc.release.deltas import newest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from dynamoc.cluster.config_findings import Report
    from dynamoc.diagnostics.finding import Path

    Tree = dict[str, Any]


def operator_configuration(tree: Tree, release: str, report: Report) -> Tree:
    """The OperatorConfiguration that the chart of `release` writes for these values.

    `report.origins` is set, so that findings about the result name the values. What Helm refuses goes to `report`.
    """
    values = Values(tree, newest(DEFAULTS, release))
    check_values(values, release, report)
    values.settings.update({"apiVersion": API_VERSION, "kind": KIND})
    for template in newest(TEMPLATES, release):
        template(values)
    report.origins = values.origins
    return values.settings


def _namespace(values: Values) -> None:
    restriction = (OPERATOR, "namespaceRestriction")
    if not values.get(*restriction, "enabled"):
        return
    target = values.get(*restriction, "targetNamespace") or HELM_NAMESPACE
    values.set("namespace.restricted", quoted(target), *restriction, "targetNamespace")
    for setting, name in (("leaseDuration", "duration"), ("leaseRenewInterval", "renewInterval")):
        value = values.get(*restriction, "lease", name)
        if value is not None:
            values.set(f"namespace.scope.{setting}", quoted(value), *restriction, "lease", name)
    values.set("gpu.discoveryEnabled", values.get(OPERATOR, "gpuDiscovery", "enabled"), OPERATOR, "gpuDiscovery")


def _orchestrators(values: Values) -> None:
    for setting, name in (("kaiScheduler", "kai-scheduler"), ("grove", "grove")):
        enabled = values.get("global", name, "enabled") or values.get("global", name, "install")
        values.set(f"orchestrators.{setting}.enabled", bool(enabled), "global", name, "enabled")
    values.copy("orchestrators.grove.terminationDelay", OPERATOR, "dynamo", "groveTerminationDelay")


def _volcano(values: Values) -> None:
    enabled = bool(values.get("global", "volcano-scheduler", "enabled"))
    values.set("orchestrators.volcanoScheduler.enabled", enabled, "global", "volcano-scheduler", "enabled")


def _nats_of_operator(values: Values) -> None:
    _nats(values, OPERATOR, "nats", "enabled")


def _nats_of_platform(values: Values) -> None:
    _nats(values, "global", "nats", "install")


def _nats(values: Values, *switch: str) -> None:
    """The address that is given, else that of the NATS which the chart brings along, where `switch` is on."""
    if values.get(OPERATOR, "natsAddr"):
        values.copy("infrastructure.natsAddress", OPERATOR, "natsAddr")
    elif values.get(*switch):
        address = f"nats://{HELM_RELEASE}-nats.{HELM_NAMESPACE}.svc.cluster.local:4222"
        values.set("infrastructure.natsAddress", address, *switch)


def _infrastructure(values: Values) -> None:
    if values.get(OPERATOR, "etcdAddr"):
        values.copy("infrastructure.etcdAddress", OPERATOR, "etcdAddr")
    elif values.get("global", "etcd", "install"):
        address = f"{HELM_RELEASE}-etcd.{HELM_NAMESPACE}.svc.cluster.local:2379"
        values.set("infrastructure.etcdAddress", address, "global", "etcd", "install")
    values.copy("infrastructure.modelExpressURL", OPERATOR, "modelExpressURL")
    values.copy("infrastructure.prometheusEndpoint", OPERATOR, "dynamo", "metrics", "prometheusEndpoint")
    if values.get(OPERATOR, "discoveryBackend"):
        values.copy("discovery.backend", OPERATOR, "discoveryBackend")


def _ingress(values: Values) -> None:
    dynamo = (OPERATOR, "dynamo")
    if values.get(*dynamo, "istio", "enabled"):
        values.copy("ingress.virtualServiceGateway", *dynamo, "istio", "gateway")
    if values.get(*dynamo, "ingress", "enabled"):
        values.copy("ingress.controllerClassName", *dynamo, "ingress", "className")
        values.copy("ingress.controllerTLSSecretName", *dynamo, "ingress", "tlsSecretName")
    values.copy("ingress.hostSuffix", *dynamo, "ingressHostSuffix")


_MESH = (OPERATOR, "dynamo", "serviceMesh")


def _service_mesh_if_enabled(values: Values) -> None:
    """1.2 has no switch in the operator's configuration, only in the values."""
    if values.get(*_MESH, "enabled"):
        _mesh_provider(values)


def _service_mesh(values: Values) -> None:
    enabled = values.get(*_MESH, "enabled")
    if isinstance(enabled, bool):
        values.set("serviceMesh.enabled", enabled, *_MESH, "enabled")
    if enabled is not False:
        _mesh_provider(values)


def _mesh_provider(values: Values) -> None:
    provider = quoted(values.get(*_MESH, "provider") or "istio")
    values.set("serviceMesh.provider", provider, *_MESH, "provider")
    if provider != "istio":
        return
    values.set("serviceMesh.istio.tlsMode", quoted(values.get(*_MESH, "istio", "tlsMode") or "SIMPLE"), *_MESH, "istio")
    verify = values.get(*_MESH, "istio", "insecureSkipVerify")
    values.set("serviceMesh.istio.insecureSkipVerify", verify, *_MESH, "istio", "insecureSkipVerify")
    for name in ("clientCertificate", "privateKey", "caCertificates"):
        values.copy(f"serviceMesh.istio.{name}", *_MESH, "istio", name)


def _snapshot_gate(values: Values) -> None:
    """The chart of 1.2 and 1.3 writes an environment variable."""
    if values.get(OPERATOR, "featureGates", "gmsSnapshot"):
        values.set("featureGates.gmsSnapshot", True, OPERATOR, "featureGates", "gmsSnapshot")


def _roles(values: Values) -> None:
    if not values.get(OPERATOR, "namespaceRestriction", "enabled"):
        name = full_name(values, HELM_RELEASE)
        for setting, suffix in (("planner", "planner"), ("dgdrProfiling", "dgdr-profiling"), ("epp", "epp")):
            values.set(f"rbac.{setting}ClusterRoleName", f"{name}-{suffix}", OPERATOR, "fullnameOverride")
    secret = (OPERATOR, "dynamo", "mpiRun", "secretName")
    if values.get(*secret):
        values.copy("mpi.sshSecretName", *secret)
        values.set("mpi.sshSecretNamespace", HELM_NAMESPACE, *secret)


def _leader_election(values: Values) -> None:
    identity = (OPERATOR, "controllerManager", "leaderElection", "id")
    values.set("leaderElection.enabled", True, *identity)
    values.set("leaderElection.id", quoted(values.get(*identity) or "dynamo.nvidia.com"), *identity)


def _checkpoint_storage(values: Values) -> None:
    """1.0 knows claims, S3 and OCI registries."""
    checkpoint = (OPERATOR, "checkpoint")
    if not values.get(*checkpoint, "enabled"):
        return
    values.set("checkpoint.enabled", True, *checkpoint, "enabled")
    values.copy("checkpoint.readyForCheckpointFilePath", *checkpoint, "readyForCheckpointFilePath")
    values.copy("checkpoint.storage.type", *checkpoint, "storage", "type")
    kind = values.get(*checkpoint, "storage", "type") or "pvc"
    for name in {"pvc": ("pvcName", "basePath"), "s3": _BUCKET, "oci": _BUCKET}.get(kind, ()):
        values.copy(f"checkpoint.storage.{kind}.{name}", *checkpoint, "storage", kind, name)


_BUCKET = ("uri", "credentialsSecretRef")


def _checkpoint_switch(values: Values) -> None:
    if values.get(OPERATOR, "checkpoint", "enabled"):
        values.set("checkpoint.enabled", True, OPERATOR, "checkpoint", "enabled")


def _cleanup_image(values: Values) -> None:
    if values.get(OPERATOR, "checkpoint", "enabled"):
        values.copy("checkpoint.cleanupImage", OPERATOR, "checkpoint", "cleanupImage")


def _checkpoint_claim(values: Values) -> None:
    """Since 1.2 the chart knows claims again, which the operator may create."""
    checkpoint = (OPERATOR, "checkpoint")
    if not values.get(*checkpoint, "enabled"):
        return
    if values.get(*checkpoint, "seccomp", "disabled"):
        values.set("checkpoint.seccomp.disabled", True, *checkpoint, "seccomp", "disabled")
    else:
        values.copy("checkpoint.seccomp.profile", *checkpoint, "seccomp", "profile")
    storage = (*checkpoint, "storage")
    values.copy("checkpoint.storage.type", *storage, "type")
    if values.get(*storage, "type") != "pvc":
        return
    if values.get(*storage, "pvc", "create"):
        values.set("checkpoint.storage.pvc.create", True, *storage, "pvc", "create")
    for name in ("pvcName", "basePath", "size", "storageClassName", "accessMode"):
        values.copy(f"checkpoint.storage.pvc.{name}", *storage, "pvc", name)


_STORAGE_CLAIM_1_0: dict[Path, Any] = {
    (OPERATOR, "checkpoint", "storage", "type"): "pvc",
    (OPERATOR, "checkpoint", "storage", "pvc", "pvcName"): "snapshot-pvc",
    (OPERATOR, "checkpoint", "storage", "pvc", "basePath"): "/checkpoints",
}
_MESH_1_2: dict[Path, Any] = {
    (*_MESH, "enabled"): False,
    (*_MESH, "istio", "insecureSkipVerify"): True,
    (OPERATOR, "checkpoint", "seccomp", "profile"): "profiles/block-iouring.json",
}
_CLEANUP_1_3: dict[Path, Any] = {(OPERATOR, "checkpoint", "cleanupImage"): "busybox:1.36"}
_DEFAULTS: dict[Path, Any] = {
    (OPERATOR, "upgradeCRD"): True,
    (OPERATOR, "discoveryBackend"): "kubernetes",
    (OPERATOR, "gpuDiscovery", "enabled"): True,
    (OPERATOR, "dynamo", "groveTerminationDelay"): "4h",
    (OPERATOR, "dynamo", "ingress", "tlsSecretName"): "my-tls-secret",
    (OPERATOR, "dynamo", "mpiRun", "secretName"): "mpi-run-ssh-secret",
}
#: values.yaml, as far as templates read it
DEFAULTS: dict[str, dict[Path, Any]] = {
    "1.0": {**_DEFAULTS, **_STORAGE_CLAIM_1_0, (OPERATOR, "nats", "enabled"): True},
    "1.1": {**_DEFAULTS, (OPERATOR, "nats", "enabled"): True},
    "1.2": {**_DEFAULTS, **_MESH_1_2, ("global", "nats", "install"): True},
    "1.3": {**_DEFAULTS, **_MESH_1_2, **_CLEANUP_1_3, ("global", "nats", "install"): True},
    "1.4": {**_DEFAULTS, **_MESH_1_2, **_CLEANUP_1_3},
    "1.5": {**_DEFAULTS, **_MESH_1_2},
}


def _tls(values: Values) -> None:
    for name in TLS:
        values.copy(f"infrastructure.{name}", OPERATOR, name)


_TEMPLATES = (_leader_election, _namespace, _orchestrators, _infrastructure, _ingress, _roles)
_SNAPSHOTS_1_2 = (_checkpoint_switch, _checkpoint_claim)
TEMPLATES: dict[str, tuple[Callable[[Values], None], ...]] = {
    "1.0": (*_TEMPLATES, _nats_of_operator, _checkpoint_storage),
    "1.1": (*_TEMPLATES, _nats_of_operator, _checkpoint_switch),
    "1.2": (*_TEMPLATES, *_SNAPSHOTS_1_2, _nats_of_platform, _snapshot_gate, _service_mesh_if_enabled),
    "1.3": (*_TEMPLATES, *_SNAPSHOTS_1_2, _nats_of_platform, _snapshot_gate, _cleanup_image, _volcano, _service_mesh),
    "1.4": (*_TEMPLATES, *_SNAPSHOTS_1_2, _nats_of_platform, _cleanup_image, _volcano, _service_mesh),
    "1.5": (*_TEMPLATES, _checkpoint_switch, _nats_of_platform, _volcano, _service_mesh, _tls),
}
