"""What the Helm chart `dynamo-platform` makes of its values, and what it installs for the pods of graphs.

Only what a template reads is looked at: a function for each part of the template that writes the configuration, of
which a release names its own. A template prints numbers as text, takes "" for absent, and Helm drops keys that no
template reads; the operator then checks what it gets. Where nothing says otherwise, the chart is taken to be installed
as release `dynamo-platform` in `dynamo-system`.

The operator takes objects of the chart for granted: it binds accounts to ClusterRoles, schedules with a queue, and lets
pods write resources that CustomResourceDefinitions define. Each call makes new trees. The chart's own labels, which
mark what Helm owns, are left out.

Source: deploy/cloud/helm/platform up to 0.6, deploy/helm/charts/platform since 1.0: components/operator/templates/
operator-config.yaml, _helpers.tpl, planner.yaml, epp.yaml; components/operator/crds; templates/kai.yaml.
"""

from __future__ import annotations

from dynamoc.admission.cluster.config import API_VERSION, KIND, OperatorConfig, Report
from dynamoc.admission.cluster.helm_values import AS_DOCUMENTED, Values, check_values, full_name, quoted
from dynamoc.kube.merge import Tree
from dynamoc.reference.chart import MESH, OPERATOR, TEMPLATES, TLS, VALUES
from dynamoc.reference.releases import Release, merged

Rule = dict[str, list[str]]


def operator_configuration(
    tree: Tree, release: str, report: Report, installed: tuple[str, str] = AS_DOCUMENTED
) -> Tree:
    """The OperatorConfiguration that the chart of `release` writes for these values.

    `report.origins` is set, so that findings about the result name the values. What Helm refuses goes to `report`.
    """
    values = Values(tree, merged(VALUES, release), installed)
    check_values(values, release, report)
    values.settings.update({"apiVersion": API_VERSION, "kind": KIND})
    for template in merged(TEMPLATES, release).values():
        globals()[template](values)
    report.origins = values.origins
    return values.settings


PLANNER, EPP = "planner", "epp"
#: the queue of pods that name none, and the one above it
KAI_QUEUE, KAI_PARENT_QUEUE = "dynamo", "dynamo-default"
#: the resource by which pods find each other where Kubernetes is the discovery backend
WORKER_METADATA = "dynamoworkermetadatas.nvidia.com"
_RBAC = "rbac.authorization.k8s.io"
_WATCH = ("get", "list", "watch")
_WRITE = (*_WATCH, "create", "update", "patch", "delete")


def planner_rules(release: Release) -> list[Rule]:
    """What a planner may do: change graphs, and since 1.0 what it needs to scale them and to find workers."""
    return [_rule(*rule) for rule in release["planner/rules"]]


def _rule(group: str, resources: tuple[str, ...], verbs: tuple[str, ...]) -> Rule:
    return {"apiGroups": [group], "resources": list(resources), "verbs": list(verbs)}


def epp_rules(*, cluster_wide: bool) -> list[Rule]:
    """What an endpoint picker may do: read pools, pods and workers; cluster-wide also ask who calls it."""
    rules = [
        _rule("inference.networking.x-k8s.io", _POOL_RESOURCES, _WATCH),
        _rule("inference.networking.k8s.io", ("inferencepools",), _WATCH),
        _rule("", ("pods",), _WATCH),
        _rule("discovery.k8s.io", ("endpointslices",), _WATCH),
        _rule("nvidia.com", ("dynamoworkermetadatas",), _WRITE),
    ]
    if cluster_wide:
        rules += [
            _rule("authentication.k8s.io", ("tokenreviews",), ("create",)),
            _rule("authorization.k8s.io", ("subjectaccessreviews",), ("create",)),
        ]
    return rules


_POOL_RESOURCES = ("inferencepools", "inferenceobjectives", "inferencemodelrewrites")


def accounts(release: Release) -> dict[str, str]:
    """Name of the ServiceAccount of each component type that has one."""
    found = {PLANNER: release["service-account/planner"]}
    if EPP in release["component-defaults"]:
        found[EPP] = release["service-account/epp"]
    return found


def cluster_roles(config: OperatorConfig, release: Release) -> list[Tree]:
    """The ClusterRoles that the operator binds accounts to, by the names in its configuration.

    None for an operator that is bound to one namespace, where the chart installs `namespaced_access` instead.
    """
    if config.namespace.restricted:
        return []
    roles = {config.rbac.planner_cluster_role_name: planner_rules(release)}
    if EPP in release["component-defaults"]:
        roles.setdefault(config.rbac.epp_cluster_role_name, []).extend(epp_rules(cluster_wide=True))
    return [
        {"apiVersion": f"{_RBAC}/v1", "kind": "ClusterRole", "metadata": {"name": name}, "rules": rules}
        for name, rules in roles.items()
        if name
    ]


def namespaced_access(component_type: str, namespace: str, release: Release) -> list[Tree]:
    """ServiceAccount, Role and RoleBinding of a planner or EPP, as a chart installs them that has one namespace.

    Before 0.6 the chart installs those of planners always.
    """
    account = accounts(release)[component_type]
    role = f"{component_type}-role"
    rules = planner_rules(release) if component_type == PLANNER else epp_rules(cluster_wide=False)
    return [
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": account, "namespace": namespace}},
        {
            "apiVersion": f"{_RBAC}/v1",
            "kind": "Role",
            "metadata": {"name": role, "namespace": namespace},
            "rules": rules,
        },
        {
            "apiVersion": f"{_RBAC}/v1",
            "kind": "RoleBinding",
            "metadata": {"name": f"{component_type}-binding", "namespace": namespace},
            "subjects": [{"kind": "ServiceAccount", "name": account, "namespace": namespace}],
            "roleRef": {"apiGroup": _RBAC, "kind": "Role", "name": role},
        },
    ]


def worker_metadata_definition() -> Tree:
    """The CustomResourceDefinition of DynamoWorkerMetadata, the same in all releases that have it (since 1.0)."""
    data = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    schema = {
        "type": "object",
        "properties": {
            "apiVersion": {"type": "string"},
            "kind": {"type": "string"},
            "metadata": {"type": "object"},
            "spec": {"type": "object", "properties": {"data": data}, "required": ["data"]},
        },
    }
    version = {"name": "v1alpha1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": WORKER_METADATA},
        "spec": {
            "group": "nvidia.com",
            "names": {
                "kind": "DynamoWorkerMetadata",
                "listKind": "DynamoWorkerMetadataList",
                "plural": "dynamoworkermetadatas",
                "shortNames": ["dwm"],
                "singular": "dynamoworkermetadata",
            },
            "scope": "Namespaced",
            "versions": [version],
        },
    }


def kai_queues() -> list[Tree]:
    """The queue `dynamo` of the KAI scheduler and the one above it; both without limits, and without a namespace."""
    return [_queue(KAI_PARENT_QUEUE), _queue(KAI_QUEUE, KAI_PARENT_QUEUE)]


def _queue(name: str, parent: str | None = None) -> Tree:
    resources = {resource: {"quota": -1, "limit": -1, "overQuotaWeight": 1} for resource in ("cpu", "gpu", "memory")}
    spec: Tree = {"parentQueue": parent} if parent else {}
    spec["resources"] = resources
    return {"apiVersion": "scheduling.run.ai/v2", "kind": "Queue", "metadata": {"name": name}, "spec": spec}


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
    """The address that is given, else that of the NATS which the chart includes, where `switch` is on."""
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
