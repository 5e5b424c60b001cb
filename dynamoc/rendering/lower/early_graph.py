"""A checked v1alpha1 document as the objects of releases 0.4 to 0.6; Grove's set is called PodGangSet at first."""

from __future__ import annotations

from functools import partial

from dynamoc.admission.adapters import graph_from_v1alpha1
from dynamoc.admission.graph import Component, Graph
from dynamoc.admission.operator import Operator
from dynamoc.documents.findings.finding import Path, Refusal
from dynamoc.kube.merge import Tree, copy_tree, merge_maps
from dynamoc.kube.names import COMPONENT_LABEL, GRAPH_LABEL, NAMESPACE_LABEL, SELECTOR_LABEL
from dynamoc.kube.tracing import builder
from dynamoc.reference.releases import Release
from dynamoc.rendering.lower.common import (
    deployment,
    leader_worker_set,
    metadata,
    metrics_label,
    owning_graph,
    require_gpu_limit,
    require_multinode_orchestrator,
    schedule_with_volcano,
    set_member,
    type_labels,
    volcano_sets,
)
from dynamoc.rendering.lower.deployment_config import component_deployment
from dynamoc.rendering.lower.early_pods import (
    DEBUG_TARGET,
    Deployed,
    autoscaler,
    backend_of,
    component_claims,
    is_wanted,
    pod_template,
    settle_dynamo_namespace,
    tell_unmade_claims,
    warn_of_no_autoscaler,
)
from dynamoc.rendering.lower.graph_objects import merged_env, operator_accounts, persistent_volume_claims
from dynamoc.rendering.lower.ignored import tell_ignored_component, tell_ignored_graph, tell_ignored_of_early
from dynamoc.rendering.lower.network import default_ingress, frontend_service, ingress_objects
from dynamoc.rendering.lower.scheduling import (
    kai_queue,
    scaled_together,
    schedule_with_kai,
    set_template,
    start_after_workers,
)
from dynamoc.rendering.rules.draft import LEADER, MAIN, WORKER
from dynamoc.rendering.rules.order import build_graph_pod

_STEALING = "nvidia.com/enable-stealing-traffic-debug-mode"


def component_deployments(graph: Graph, operator: Operator) -> list[Tree]:
    """One DynamoComponentDeployment per component (internal/dynamo/graph.go GenerateDynamoComponentsDeployments)."""
    namespace = settle_dynamo_namespace(graph, operator)
    merged_env(graph)
    for component in graph.components:
        tell_ignored_of_early(component, operator, grove=False)
    for key in operator.release["propagated-annotations"]:
        if key in graph.annotations:
            for component in graph.components:
                # The graph's word beats the component's own, unlike in 1.0.
                component.annotations[key] = graph.annotations[key]
    return [_component_deployment(graph, component, operator, namespace) for component in graph.components]


@builder("lower/early/components/component-deployment", "internal/dynamo/graph.go GenerateDynamoComponentsDeployments")
def _component_deployment(graph: Graph, component: Component, operator: Operator, namespace: str) -> Tree:
    """The DynamoComponentDeployment of a service of the graph."""
    labels = {
        COMPONENT_LABEL: component.name,
        NAMESPACE_LABEL: namespace,
    }
    if operator.release.has("labels/graph-of-pods"):
        labels[GRAPH_LABEL] = graph.name
    # The component's own labels are lost here; only those of its pods reach an object.
    name = f"{graph.name}-{component.name.lower()}"
    return component_deployment(graph, component, operator, metadata(name, graph.namespace, labels))


def lower_grove(graph: Graph, operator: Operator) -> list[Tree]:
    """Source: internal/dynamo/graph.go GenerateGrovePodCliqueSet, controller reconcileGroveResources."""
    queue = kai_queue(graph, operator)
    settle_dynamo_namespace(graph, operator)
    merged_env(graph)
    objects = [_pod_clique_set(graph, operator, queue)]
    for component in graph.components:
        tell_ignored_of_early(component, operator, grove=True)
        warn_of_no_autoscaler(component, operator, f"{operator.release['grove/kind']}s")
        tell_unmade_claims(graph.namespace, component, operator)
        if component.type == "frontend":
            name = f"{graph.name}-{component.name.lower()}"
            objects.append(_service(name, graph.namespace))
            ingress = component.ingress if component.ingress is not None else default_ingress(graph.name, operator)
            objects += ingress_objects(name, graph.namespace, ingress, operator)
    return objects


@builder("lower/early/grove/pod-clique-set", "internal/dynamo/graph.go GenerateGrovePodCliqueSet")
def _pod_clique_set(graph: Graph, operator: Operator, queue: str | None) -> Tree:
    """The PodCliqueSet of a graph, with the settings that all of its cliques share."""
    template = set_template(operator)
    groups = []
    for component in graph.components:
        backend = backend_of(component, graph.backend_framework, operator)
        cliques = [_clique(graph, component, operator, role, backend) for role in _roles(component)]
        if queue:
            for clique in cliques:
                schedule_with_kai(clique, queue)
        if component.is_multinode:
            groups.append(_scaling_group(component, cliques))
            if backend == "trtllm" and operator.release.has("grove/startup-order"):
                start_after_workers(template, cliques)
        template["cliques"] += cliques
    template["cliques"].sort(key=lambda clique: clique["name"].encode())
    if groups:
        template["podCliqueScalingGroups"] = sorted(groups, key=lambda group: group["name"].encode())
    return {
        "apiVersion": "grove.io/v1alpha1",
        "kind": operator.release["grove/kind"],
        "metadata": metadata(graph.name, graph.namespace),
        "spec": {"replicas": 1, "template": template},
    }


def _roles(component: Component) -> list[tuple[str, str, int]]:
    """(clique name, role, pods) of a component. Source: internal/dynamo/graph.go expandRolesForService."""
    name = component.name.lower()
    if component.is_multinode:
        return [(f"{name}-ldr", LEADER, 1), (f"{name}-wkr", WORKER, component.nodes - 1)]
    if component.replicas is None:
        raise Refusal(
            "grove/no-replicas",
            f"{component.name} has no replicas: the operator crashes on such a graph under Grove, and creates no pods.",
            component.path,
            "Set replicas.",
        )
    return [(name, MAIN, component.replicas)]


@builder("lower/early/grove/scaling-group", "internal/dynamo/graph.go GenerateGrovePodCliqueSet")
def _scaling_group(component: Component, cliques: list[Tree]) -> Tree:
    """The cliques of a multinode service, which are scaled together."""
    return scaled_together(component, cliques)


@builder("lower/early/grove/clique", "internal/dynamo/graph.go GenerateGrovePodCliqueSet")
def _clique(graph: Graph, component: Component, operator: Operator, role: tuple[str, str, int], backend: str) -> Tree:
    """The PodClique of one role: its name, its pods, and when they start."""
    name, part, pods = role
    pod = build_graph_pod(graph, component, operator, part, backend)
    clique: Tree = {
        "name": name,
        "labels": _labels(graph, component, name, operator.release),
        "spec": {"roleName": name, "replicas": pods, "minAvailable": 1, "podSpec": pod},
    }
    annotations = merge_maps(component.annotations, component.pod_annotations)
    if annotations:
        clique["annotations"] = annotations
    return clique


@builder("lower/early/grove/labels", "internal/dynamo/graph.go generateLabels")
def _labels(graph: Graph, component: Component, clique: str, release: Release) -> dict[str, str]:
    """Labels of a clique: the operator's, under the component's, under its pods'.

    The selector names the clique, not the component, so that no Service finds the pods of a multinode frontend.
    """
    labels = {SELECTOR_LABEL: f"{graph.name}-{clique}"}
    if release.has("labels/graph-of-pods"):
        labels[GRAPH_LABEL] = graph.name
    if release.has("labels/namespace-of-cliques"):
        labels[NAMESPACE_LABEL] = component.dynamo_namespace or ""
    labels.update(type_labels(component))
    labels.update(metrics_label(graph.annotations))
    return merge_maps(merge_maps(labels, component.labels), component.pod_labels)


@builder("lower/early/grove/service", "internal/dynamo/graph.go GenerateComponentService")
def _service(name: str, namespace: str) -> Tree:
    """The Service of a frontend under Grove."""
    return frontend_service(metadata(name, namespace), {SELECTOR_LABEL: name})


def lower_graph(graph: Graph, operator: Operator) -> list[Tree]:
    """All objects of a graph, DynamoComponentDeployments included.

    Source: controller/dynamographdeployment_controller.go reconcileResources.
    """
    release = operator.release
    tell_ignored_graph(graph, operator)
    objects = operator_accounts(graph, operator) if release.has("planner/makes-account") else []
    objects += persistent_volume_claims(graph, operator)
    objects += _ssh_secret(graph, operator) if release.has("mpi/brings-key-pair") else []
    if operator.grove_pathway(graph.annotations):
        return objects + lower_grove(graph, operator)
    if release.has("multinode/needs-orchestrator"):
        require_multinode_orchestrator(graph, operator, "LeaderWorkerSet")
    for value in component_deployments(graph, operator):
        objects.append(value)
        path = ("spec", "services", value["spec"]["serviceName"])
        objects += lower_component(value, path, graph.name, operator)
    return objects


@builder("lower/early/graph/ssh-secret", "secret_replicator.go Replicate", when="mpi/brings-key-pair")
def _ssh_secret(graph: Graph, operator: Operator) -> list[Tree]:
    """A copy of the key pair that the chart created, also for single-node graphs."""
    mpi, cluster = operator.config.mpi, operator.cluster
    if operator.standalone is not None:
        return []
    if cluster.spares("Secret", graph.namespace, mpi.ssh_secret_name):
        return []
    is_shown = cluster.get("Secret", mpi.ssh_secret_namespace, mpi.ssh_secret_name) is not None
    if not is_shown and not mpi.secret_present:
        raise Refusal(
            "mpi/no-key-pair",
            f"The operator finds no Secret {mpi.ssh_secret_namespace}/{mpi.ssh_secret_name} to copy for mpirun, and "
            "creates no pods of any graph without it.",
            (),
            "Create the Secret, or set mpiSecretPresent in the operator's configuration to true.",
        )
    if graph.namespace == mpi.ssh_secret_namespace:
        return []
    return cluster.key_pair_secrets(operator.report, mpi.ssh_secret_name, [graph.namespace])


def lower_document(value: Tree, operator: Operator) -> list[Tree]:
    """The objects that the operator creates for a canonical document, intermediate ones included.

    Raises `Refusal` where the operator fails on the document.
    """
    if value["kind"] == "DynamoGraphDeployment":
        return lower_graph(graph_from_v1alpha1(value), operator)
    return lower_component(value, ("spec",), owning_graph(value), operator)


def leader_worker_sets(deployed: Deployed, operator: Operator) -> list[Tree]:
    """One PodGroup and one LeaderWorkerSet per replica.

    Source: controller/dynamocomponentdeployment_controller.go Reconcile.
    """
    replicas = 1 if deployed.component.replicas is None else deployed.component.replicas
    if replicas > 0 and not operator.capabilities.volcano:
        raise Refusal(
            "lws/no-volcano",
            "The cluster has LeaderWorkerSet, but not Volcano. The operator does not look for Volcano, and fails at "
            "the PodGroup of this component.",
            (*deployed.component.path, "multinode"),
            "Install Volcano, or Grove.",
        )
    made = partial(_leader_worker_set, deployed, operator)
    return volcano_sets(deployed.name, deployed.namespace, deployed.component, made)


@builder(
    "lower/early/lws/leader-worker-set", "controller/dynamocomponentdeployment_controller.go generateLeaderWorkerSet"
)
def _leader_worker_set(deployed: Deployed, operator: Operator, index: int) -> Tree:
    """Both templates and the set share one map of labels, so that leaders are labelled as workers in the end."""
    name = f"{deployed.name}-{index}"
    labels = deployed.labels()
    labels["instance-id"] = str(index)
    leader, worker = (_template(deployed, operator, role, name, dict(labels)) for role in (LEADER, WORKER))
    nodes = deployed.component.nodes
    made = leader_worker_set(name, deployed.namespace, labels, leader=leader, worker=worker, nodes=nodes)
    value: Tree = copy_tree(made)
    return value


@builder(
    "lower/early/lws/template",
    "controller/dynamocomponentdeployment_controller.go generate{Leader,Worker}PodTemplateSpec",
)
def _template(deployed: Deployed, operator: Operator, role: str, name: str, labels: dict[str, str]) -> Tree:
    """The template of a leader or of its workers, with what Volcano schedules by."""
    template = pod_template(deployed, operator, role, name=deployed.name)
    set_member(template, deployed.component, operator, labels, role)
    schedule_with_volcano(template, name)
    if role == WORKER:
        require_gpu_limit(deployed.component)
    return template


def lower_component(value: Tree, path: Path, owner: str, operator: Operator) -> list[Tree]:
    """The objects of a DynamoComponentDeployment, on its own or created from a graph; `path` is the component's.

    Source: controller/dynamocomponentdeployment_controller.go Reconcile.
    """
    deployed = Deployed(value, path, owner)
    component = deployed.component
    tell_ignored_component(deployed, operator)
    claims = component_claims(deployed.name, deployed.namespace, component, operator)
    if operator.capabilities.lws and component.is_multinode:
        warn_of_no_autoscaler(component, operator, "LeaderWorkerSets")
        objects = leader_worker_sets(deployed, operator)
    else:
        objects = [_deployment(deployed, operator)]
        if _is_stealing(deployed):
            objects.append(_deployment(deployed, operator, stealing=True))
        if is_wanted(component):
            objects.append(_labelled(autoscaler(deployed.name, deployed.namespace, component, operator), deployed))
    if _is_frontend(deployed, operator):
        objects += _services(deployed)
    return claims + objects + ingress_objects(deployed.name, deployed.namespace, component.ingress, operator)


def _is_frontend(deployed: Deployed, operator: Operator) -> bool:
    """Source: api/v1alpha1/dynamocomponentdeployment_types.go IsFrontendComponent."""
    component = deployed.component
    if component.type == "frontend" or not operator.release.has("frontend/by-dynamo-tag"):
        return component.type == "frontend"
    tag: str = component.spec.get("dynamoTag", "")
    if not tag.endswith(component.name):
        return False
    operator.warn(
        "component/frontend-by-tag",
        "dynamoTag ends in serviceName (an empty one always matches): the operator gives the component the "
        "Service of a frontend, but not its port or probes.",
        component.path,
        "Set serviceName, and either no dynamoTag or one that does not end in it.",
    )
    return True


def _is_stealing(deployed: Deployed) -> bool:
    return deployed.component.annotations.get(_STEALING) == "true"


@builder("lower/early/deployed/deployment", "controller/dynamocomponentdeployment_controller.go generateDeployment")
def _deployment(deployed: Deployed, operator: Operator, *, stealing: bool = False) -> Tree:
    """The Deployment, or its double for debugging: one pod that takes traffic from the real ones."""
    name = f"{deployed.name}-d" if stealing else deployed.name
    template = pod_template(deployed, operator, MAIN, name=name, stealing=stealing)
    strategy = deployed.component.annotations.get("nvidia.com/deployment-strategy", "")
    how = _STRATEGIES.get(strategy) or _rolling_update("25%", "25%")
    replicas = 1 if stealing else deployed.component.replicas
    return _labelled(deployment(metadata(name, deployed.namespace), name, template, how, replicas), deployed)


@builder(
    "lower/early/deployed/rolling-update",
    "controller/dynamocomponentdeployment_controller.go getDeploymentRollingUpdateMaxSurgeAndMaxUnavailable",
)
def _rolling_update(surge: int | str, unavailable: int | str) -> Tree:
    """How a Deployment replaces its pods; annotations change it."""
    return {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": surge, "maxUnavailable": unavailable}}


def _services(deployed: Deployed) -> list[Tree]:
    """The Service of a frontend; with a debug Deployment also one for each of the two (generateService).

    The selector is the whole map of labels, and names leaders where there are several nodes.
    """
    selector = dict(deployed.labels())
    if deployed.component.is_multinode:
        selector["role"] = "leader"
    names = [(deployed.name, selector)]
    if _is_stealing(deployed):
        names += [(f"{deployed.name}-p", dict(selector)), (f"{deployed.name}-d", {**selector, **DEBUG_TARGET})]
    return [_labelled(frontend_service(metadata(name, deployed.namespace), chosen), deployed) for name, chosen in names]


@builder("lower/early/deployed/labelled", "controller/dynamocomponentdeployment_controller.go generateDeployment")
def _labelled(value: Tree, deployed: Deployed) -> Tree:
    """The object as it is sent: with the labels collected so far."""
    name = value["metadata"]["name"]
    labelled: Tree = copy_tree(value)
    labelled["metadata"] = metadata(name, deployed.namespace, dict(deployed.labels()), deployed.annotations())
    return labelled


#: Any other word is as good as none (generateDeployment).
_STRATEGIES = {
    "Recreate": {"type": "Recreate"},
    "RampedSlowRollout": _rolling_update(1, 0),
    "BestEffortControlledRollout": _rolling_update(0, "20%"),
}
