"""Objects that a graph needs beside its pods, whichever way the pods are run."""

from __future__ import annotations

from dynamoc.admission.graph import Graph
from dynamoc.admission.operator import Operator
from dynamoc.documents.findings.finding import Refusal
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import COMPONENT_LABEL, GRAPH_LABEL, MODEL_HASH_LABEL, discovery_label_value, model_hash
from dynamoc.kube.tracing import ALL, NOT_EARLY, builder
from dynamoc.reference.releases import Release
from dynamoc.rendering.lower.common import metadata
from dynamoc.rendering.rules.container import discovery_account
from dynamoc.rendering.rules.env import merge_env

#: a change of it replaces the pods
RESTART = "nvidia.com/restartAt"


#: by which the node's daemon finds pods that register themselves
@builder(
    "lower/graph_objects/rbac-labels", "rbac/manager.go EnsureServiceAccountWithRBAC", ALL, when="planner/makes-account"
)
def rbac_labels(account: str) -> dict[str, str]:
    """Labels of accounts, Roles and their bindings."""
    return {
        "app.kubernetes.io/managed-by": "dynamo-operator",
        "app.kubernetes.io/component": "rbac",
        "app.kubernetes.io/name": account,
    }


@builder(
    "lower/graph_objects/account-with-binding",
    "rbac/manager.go EnsureServiceAccountWithRBAC",
    ALL,
    when="planner/makes-account",
)
def account_with_binding(account: str, namespace: str, cluster_role: str) -> list[Tree]:
    """A ServiceAccount bound to a ClusterRole of the chart."""
    return [
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata(account, namespace, rbac_labels(account))},
        _role_binding(account, namespace, "ClusterRole", cluster_role, rbac_labels(account)),
    ]


@builder(
    "lower/graph_objects/role-binding",
    "rbac/manager.go EnsureServiceAccountWithRBAC",
    ALL,
    when="planner/makes-account",
)
def _role_binding(account: str, namespace: str, role_kind: str, role: str, labels: dict[str, str]) -> Tree:
    """The RoleBinding between an account and a role."""
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "RoleBinding",
        "metadata": metadata(f"{account}-binding", namespace, dict(labels)),
        "subjects": [{"kind": "ServiceAccount", "name": account, "namespace": namespace}],
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": role_kind, "name": role},
    }


def operator_accounts(graph: Graph, operator: Operator) -> list[Tree]:
    """The planner's account, always, and the EPP's where there is one; none in an operator restricted to one namespace.

    Source: controller/dynamographdeployment_controller.go reconcileResources.
    """
    config, release = operator.config, operator.release
    if config.namespace.restricted:
        return []
    accounts = [(release["service-account/planner"], config.rbac.planner_cluster_role_name)]
    if graph.of_type("epp") and "epp" in release["component-defaults"]:
        accounts.append((release["service-account/epp"], config.rbac.epp_cluster_role_name))
    objects = []
    for account, role in accounts:
        if not role:
            raise Refusal(
                "rbac/no-cluster-role",
                f"The operator's configuration sets no ClusterRole for {account}; the operator refuses to "
                "reconcile the graph.",
                (),
                "Set rbac.plannerClusterRoleName and rbac.eppClusterRoleName in the operator's configuration.",
            )
        objects += account_with_binding(account, graph.namespace, role)
    return objects


def discovery_access(graph: Graph, operator: Operator) -> list[Tree]:
    """What the pods of a graph need to find each other through Kubernetes."""
    if not operator.kubernetes_discovery(graph.annotations):
        return []
    return discovery_objects(graph.name, graph.namespace, operator.release)


@builder(
    "lower/graph_objects/discovery-objects", "internal/discovery/resource.go", NOT_EARLY, when="discovery/kubernetes"
)
def discovery_objects(owner: str, namespace: str, release: Release) -> list[Tree]:
    """ServiceAccount, Role and RoleBinding for discovery through Kubernetes."""
    account = discovery_account(owner)
    labels = rbac_labels(discovery_label_value(account) if release.has("discovery/short-label") else account)
    role = f"{account}-role"
    watch = ["get", "list", "watch"]
    rules = [
        {"apiGroups": [""], "resources": list(release["discovery/core-resources"]), "verbs": watch},
        {"apiGroups": ["discovery.k8s.io"], "resources": ["endpointslices"], "verbs": list(watch)},
        {
            "apiGroups": ["nvidia.com"],
            "resources": ["dynamoworkermetadatas"],
            "verbs": ["create", "get", "list", "watch", "update", "patch", "delete"],
        },
    ]
    return [
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata(account, namespace, labels)},
        {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "Role",
            "metadata": metadata(role, namespace, dict(labels)),
            "rules": rules,
        },
        _role_binding(account, namespace, "Role", role, labels),
    ]


def persistent_volume_claims(graph: Graph, operator: Operator) -> list[Tree]:
    """Claims with `create: true` that don't exist yet (controller/common.go constructPVC).

    A claim that the graph expects and that is not in the input or --cluster is unknown.
    """
    objects = []
    for index, claim in enumerate(graph.pvcs):
        name = claim.get("name") or ""
        known = operator.cluster.spares if claim.get("create") else operator.cluster.exists
        if not name or known("PersistentVolumeClaim", graph.namespace, name):
            continue
        if not claim.get("create"):
            operator.unknown(
                "PersistentVolumeClaim",
                graph.namespace,
                name,
                "the operator creates no pods until it exists",
                ("spec", "pvcs", index),
            )
            continue
        objects.append(claim_object(name, graph.namespace, claim))
    return objects


@builder("lower/graph_objects/claim-object", "controller/common.go constructPVC", ALL)
def claim_object(name: str, namespace: str, claim: Tree) -> Tree:
    """A PersistentVolumeClaim that the graph creates."""
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": metadata(name, namespace),
        "spec": {
            "accessModes": [claim.get("volumeAccessMode", "")],
            "resources": {"requests": {"storage": claim.get("size", "0")}},
            "storageClassName": claim.get("storageClass", ""),
        },
    }


@builder(
    "lower/graph_objects/scaling-adapters",
    "controller/dynamographdeployment_controller.go reconcileScalingAdapters",
    NOT_EARLY,
)
def scaling_adapters(graph: Graph, operator: Operator) -> list[Tree]:
    """A DynamoGraphDeploymentScalingAdapter for each component that asks for one."""
    return [
        {
            "apiVersion": operator.release["scaling-adapter/api-version"],
            "kind": "DynamoGraphDeploymentScalingAdapter",
            "metadata": metadata(
                f"{graph.name}-{component.name.lower()}",
                graph.namespace,
                {GRAPH_LABEL: graph.name, COMPONENT_LABEL: component.name},
            ),
            "spec": {
                "replicas": 1 if component.replicas is None else component.replicas,
                "dgdRef": {"name": graph.name, operator.release["scaling-adapter/component-field"]: component.name},
            },
        }
        for component in graph.components
        if component.scaling_adapter
    ]


@builder("lower/graph_objects/model-services", "internal/dynamo/model_service.go", NOT_EARLY)
def model_services(names: list[str], namespace: str, annotations: dict[str, str] | None = None) -> list[Tree]:
    """One headless Service per base model, found by a hash of its name.

    `annotations` are those of the graph that every object gets.
    """
    objects = []
    for name in dict.fromkeys(names):
        digest = model_hash(name)
        labels = {MODEL_HASH_LABEL: digest, "nvidia.com/managed-by": "dynamo-operator"}
        objects.append(
            {
                "apiVersion": "v1",
                "kind": "Service",
                "metadata": metadata(
                    f"dynamo-model-{digest}",
                    namespace,
                    labels,
                    {**(annotations or {}), "nvidia.com/dynamo-base-model": name},
                ),
                "spec": {
                    "clusterIP": "None",
                    "selector": {MODEL_HASH_LABEL: digest},
                    "ports": [{"name": "system", "port": 9090, "targetPort": 9090, "protocol": "TCP"}],
                },
            }
        )
    return objects


def checked_restart(graph: Graph) -> dict[str, str]:
    """Component name to restart id, for the components that have the annotation after the first reconciliation.

    Parallel stamps all; sequential, the default, stamps the first of `order`, alphabetically without one.
    Source: internal/dynamo/graph.go DetermineRestartState; controller computeSequentialRestartStatus.
    """
    restart = graph.restart or {}
    restart_id = restart.get("id", "")
    if not restart_id or not graph.components:
        return {}
    strategy = restart.get("strategy") or {}
    if strategy.get("type") == "Parallel":
        return {component.name: restart_id for component in graph.components}
    order = strategy.get("order") or sorted((component.name for component in graph.components), key=str.encode)
    return {order[0]: restart_id}


def merged_env(graph: Graph) -> None:
    """Puts the graph's environment below each component's (MergeEnvs), as both pathways do first."""
    if graph.env:
        for component in graph.components:
            component.env = merge_env(graph.env, component.env)


def propagate_annotations(graph: Graph, operator: Operator) -> None:
    """Copies the graph's annotations that steer rendering to components that don't have them."""
    for key in operator.release["propagated-annotations"]:
        if key in graph.annotations:
            for component in graph.components:
                component.annotations.setdefault(key, graph.annotations[key])


def fill_metadata(graph: Graph) -> None:
    """Gives components the annotations and labels of `spec` that they don't have (propagateDGDSpecMetadata)."""
    for component in graph.components:
        for key, value in graph.spec_annotations.items():
            component.annotations.setdefault(key, value)
        for key, value in graph.spec_labels.items():
            component.labels.setdefault(key, value)
