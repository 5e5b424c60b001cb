"""The parts of the template that writes the operator's configuration, a function each; a release names its own.

Source: deploy/helm/charts/platform since 1.0: components/operator/templates/operator-config.yaml and _helpers.tpl.
"""

from __future__ import annotations

from dynamoc.admission.cluster.helm_values import Values, full_name, quoted
from dynamoc.reference.chart import MESH, OPERATOR, TLS


def namespace(values: Values) -> None:
    restriction = (OPERATOR, "namespaceRestriction")
    if not values.get(*restriction, "enabled"):
        return
    target = values.get(*restriction, "targetNamespace") or values.namespace
    values.set("namespace.restricted", quoted(target), *restriction, "targetNamespace")
    for setting, name in (("leaseDuration", "duration"), ("leaseRenewInterval", "renewInterval")):
        value = values.get(*restriction, "lease", name)
        if value is not None:
            values.set(f"namespace.scope.{setting}", quoted(value), *restriction, "lease", name)
    values.set("gpu.discoveryEnabled", values.get(OPERATOR, "gpuDiscovery", "enabled"), OPERATOR, "gpuDiscovery")


def orchestrators(values: Values) -> None:
    for setting, name in (("kaiScheduler", "kai-scheduler"), ("grove", "grove")):
        enabled = values.get("global", name, "enabled") or values.get("global", name, "install")
        values.set(f"orchestrators.{setting}.enabled", bool(enabled), "global", name, "enabled")
    values.copy("orchestrators.grove.terminationDelay", OPERATOR, "dynamo", "groveTerminationDelay")


def volcano(values: Values) -> None:
    enabled = bool(values.get("global", "volcano-scheduler", "enabled"))
    values.set("orchestrators.volcanoScheduler.enabled", enabled, "global", "volcano-scheduler", "enabled")


def nats_of_operator(values: Values) -> None:
    _nats(values, OPERATOR, "nats", "enabled")


def nats_of_platform(values: Values) -> None:
    _nats(values, "global", "nats", "install")


def _nats(values: Values, *switch: str) -> None:
    """The address that is given, else that of the NATS which the chart brings along, where `switch` is on."""
    if values.get(OPERATOR, "natsAddr"):
        values.copy("infrastructure.natsAddress", OPERATOR, "natsAddr")
    elif values.get(*switch):
        address = f"nats://{values.release}-nats.{values.namespace}.svc.cluster.local:4222"
        values.set("infrastructure.natsAddress", address, *switch)


def infrastructure(values: Values) -> None:
    if values.get(OPERATOR, "etcdAddr"):
        values.copy("infrastructure.etcdAddress", OPERATOR, "etcdAddr")
    elif values.get("global", "etcd", "install"):
        address = f"{values.release}-etcd.{values.namespace}.svc.cluster.local:2379"
        values.set("infrastructure.etcdAddress", address, "global", "etcd", "install")
    values.copy("infrastructure.modelExpressURL", OPERATOR, "modelExpressURL")
    values.copy("infrastructure.prometheusEndpoint", OPERATOR, "dynamo", "metrics", "prometheusEndpoint")
    if values.get(OPERATOR, "discoveryBackend"):
        values.copy("discovery.backend", OPERATOR, "discoveryBackend")


def ingress(values: Values) -> None:
    dynamo = (OPERATOR, "dynamo")
    if values.get(*dynamo, "istio", "enabled"):
        values.copy("ingress.virtualServiceGateway", *dynamo, "istio", "gateway")
    if values.get(*dynamo, "ingress", "enabled"):
        values.copy("ingress.controllerClassName", *dynamo, "ingress", "className")
        values.copy("ingress.controllerTLSSecretName", *dynamo, "ingress", "tlsSecretName")
    values.copy("ingress.hostSuffix", *dynamo, "ingressHostSuffix")


def service_mesh_if_enabled(values: Values) -> None:
    """1.2 has no switch in the operator's configuration, only in the values."""
    if values.get(*MESH, "enabled"):
        _mesh_provider(values)


def service_mesh(values: Values) -> None:
    enabled = values.get(*MESH, "enabled")
    if isinstance(enabled, bool):
        values.set("serviceMesh.enabled", enabled, *MESH, "enabled")
    if enabled is not False:
        _mesh_provider(values)


def _mesh_provider(values: Values) -> None:
    provider = quoted(values.get(*MESH, "provider") or "istio")
    values.set("serviceMesh.provider", provider, *MESH, "provider")
    if provider != "istio":
        return
    values.set("serviceMesh.istio.tlsMode", quoted(values.get(*MESH, "istio", "tlsMode") or "SIMPLE"), *MESH, "istio")
    verify = values.get(*MESH, "istio", "insecureSkipVerify")
    values.set("serviceMesh.istio.insecureSkipVerify", verify, *MESH, "istio", "insecureSkipVerify")
    for name in ("clientCertificate", "privateKey", "caCertificates"):
        values.copy(f"serviceMesh.istio.{name}", *MESH, "istio", name)


def snapshot_gate(values: Values) -> None:
    """The chart of 1.2 and 1.3 writes an environment variable."""
    if values.get(OPERATOR, "featureGates", "gmsSnapshot"):
        values.set("featureGates.gmsSnapshot", True, OPERATOR, "featureGates", "gmsSnapshot")


def roles(values: Values) -> None:
    if not values.get(OPERATOR, "namespaceRestriction", "enabled"):
        name = full_name(values, values.release)
        for setting, suffix in (("planner", "planner"), ("dgdrProfiling", "dgdr-profiling"), ("epp", "epp")):
            values.set(f"rbac.{setting}ClusterRoleName", f"{name}-{suffix}", OPERATOR, "fullnameOverride")
    secret = (OPERATOR, "dynamo", "mpiRun", "secretName")
    if values.get(*secret):
        values.copy("mpi.sshSecretName", *secret)
        values.set("mpi.sshSecretNamespace", values.namespace, *secret)


def leader_election(values: Values) -> None:
    identity = (OPERATOR, "controllerManager", "leaderElection", "id")
    values.set("leaderElection.enabled", True, *identity)
    values.set("leaderElection.id", quoted(values.get(*identity) or "dynamo.nvidia.com"), *identity)


def checkpoint_storage(values: Values) -> None:
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


def checkpoint_switch(values: Values) -> None:
    if values.get(OPERATOR, "checkpoint", "enabled"):
        values.set("checkpoint.enabled", True, OPERATOR, "checkpoint", "enabled")


def cleanup_image(values: Values) -> None:
    if values.get(OPERATOR, "checkpoint", "enabled"):
        values.copy("checkpoint.cleanupImage", OPERATOR, "checkpoint", "cleanupImage")


def checkpoint_claim(values: Values) -> None:
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


def tls(values: Values) -> None:
    for name in TLS:
        values.copy(f"infrastructure.{name}", OPERATOR, name)
