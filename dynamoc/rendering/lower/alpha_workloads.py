"""What runs v1alpha1 components: one PodCliqueSet a graph, or a Deployment or LeaderWorkerSets each, with Services."""

from __future__ import annotations

from functools import partial
from typing import Any

from dynamoc.admission.graph import Component, Graph
from dynamoc.admission.operator import Operator
from dynamoc.documents.findings.finding import Refusal
from dynamoc.kube.names import DISCOVERY_BACKEND_LABEL
from dynamoc.kube.tracing import builder
from dynamoc.reference.releases import Release
from dynamoc.rendering.lower.alpha_pods import (
    DeployedComponent,
    component_clique,
    gpu_claim_template,
    kube_annotations,
    kube_labels,
    pod_template,
)
from dynamoc.rendering.lower.graph_objects import (
    RESTART,
    checked_restart,
    fill_metadata,
    merged_env,
    model_services,
    propagate_annotations,
)
from dynamoc.rendering.lower.network import component_service, grove_network, ingress_objects
from dynamoc.rendering.lower.parts import (
    deployment,
    leader_worker_set,
    metadata,
    require_gpu_limit,
    rolling_update,
    schedule_with_volcano,
    set_member,
    volcano_sets,
)
from dynamoc.rendering.lower.scheduling import (
    graph_constraint,
    kai_queue,
    pack,
    scaled_together,
    schedule_with_kai,
    set_template,
    start_after_workers,
)
from dynamoc.rendering.rules.backend import determine_backend
from dynamoc.rendering.rules.checkpoint import RESTORE_LABEL, CheckpointInfo, Snapshot
from dynamoc.rendering.rules.draft import LEADER, MAIN, WORKER

Tree = dict[str, Any]

Checkpoints = dict[str, CheckpointInfo]

Snapshots = dict[str, Snapshot]


def lower_grove(graph: Graph, operator: Operator, checkpoints: Checkpoints, snapshots: Snapshots) -> list[Tree]:
    """Source: internal/dynamo/graph.go GenerateGrovePodCliqueSet, controller reconcileGroveResources."""
    merged_env(graph)
    _annotate(graph, operator)
    claims = []
    for component in graph.components:
        if component.spec.get("gpuMemoryService"):
            claims += gpu_claim_template(component, graph.name, graph.namespace, operator)
    models = [(component.model_ref or {}).get("name", "") for component in graph.components]
    objects = [
        *claims,
        _pod_clique_set(graph, operator, checkpoints, snapshots),
        *model_services([name for name in models if name], graph.namespace),
    ]
    for component in graph.components:
        objects += _network(graph, component, operator)
    return objects


def _annotate(graph: Graph, operator: Operator) -> None:
    """The graph's discovery backend overrides a component's own; the others only fill gaps."""
    backend = operator.discovery_backend(graph.annotations)
    if backend:
        for component in graph.components:
            component.annotations[DISCOVERY_BACKEND_LABEL] = backend
    propagate_annotations(graph, operator)
    fill_metadata(graph)


@builder("lower/alpha/grove/pod-clique-set", source="internal/dynamo/graph.go GenerateGrovePodCliqueSet")
def _pod_clique_set(graph: Graph, operator: Operator, checkpoints: Checkpoints, snapshots: Snapshots) -> Tree:
    """The PodCliqueSet of a graph, with the settings that all of its cliques share."""
    template = set_template(operator)
    pack(template, graph_constraint((graph.value.get("spec") or {}).get("topologyConstraint"), operator.release))
    restarts = checked_restart(graph)
    queue = kai_queue(graph, operator)
    groups = []
    for component in graph.components:
        backend = determine_backend(component, graph.backend_framework)
        cliques = [
            component_clique(
                graph,
                component,
                operator,
                role,
                backend,
                checkpoints.get(component.name),
                snapshots.get(component.name),
            )
            for role in _roles(component)
        ]
        for clique in cliques:
            if component.name in restarts:
                clique.setdefault("annotations", {})[RESTART] = restarts[component.name]
            if queue:
                schedule_with_kai(clique, queue)
        if component.is_multinode:
            groups.append(_scaling_group(component, cliques, operator.release))
            if backend == "trtllm":
                start_after_workers(template, cliques)
        template["cliques"] += cliques
    # The operator walks a Go map here; any order is right, so take a stable one.
    template["cliques"].sort(key=lambda clique: clique["name"])
    if groups:
        template["podCliqueScalingGroups"] = sorted(groups, key=lambda group: group["name"])
    return {
        "apiVersion": "grove.io/v1alpha1",
        "kind": "PodCliqueSet",
        "metadata": metadata(graph.name, graph.namespace, dict(graph.spec_labels), dict(graph.spec_annotations)),
        "spec": {"replicas": 1, "template": template},
    }


def _roles(component: Component) -> list[tuple[str, str, int]]:
    """(clique name, role, pods) of a component (expandRolesForService)."""
    name = component.name.lower()
    if component.is_multinode:
        return [(f"{name}-ldr", LEADER, 1), (f"{name}-wkr", WORKER, component.nodes - 1)]
    return [(name, MAIN, 1 if component.replicas is None else component.replicas)]


@builder("lower/alpha/grove/scaling-group", source="internal/dynamo/graph.go GenerateGrovePodCliqueSet")
def _scaling_group(component: Component, cliques: list[Tree], release: Release) -> Tree:
    """The cliques of a multinode component, which are scaled together."""
    group = scaled_together(component, cliques)
    pack(group, graph_constraint(component.topology_constraint, release))
    return group


def _network(graph: Graph, component: Component, operator: Operator) -> list[Tree]:
    name = f"{graph.name}-{component.name.lower()}"
    return grove_network(graph, component, operator, name=name, labels=component.labels, annotations={})


def leader_worker_sets(deployed: DeployedComponent, operator: Operator) -> list[Tree]:
    """Source: controller/dynamocomponentdeployment_controller.go reconcileLeaderWorkerSetResources."""
    made = partial(_leader_worker_set, deployed, operator)
    return volcano_sets(deployed.name, deployed.namespace, deployed.component, made)


@builder(
    "lower/alpha/lws/leader-worker-set",
    source="controller/dynamocomponentdeployment_controller.go generateLeaderWorkerSet",
)
def _leader_worker_set(deployed: DeployedComponent, operator: Operator, index: int) -> Tree:
    """The LeaderWorkerSet of one replica: its size, and how it is rolled out."""
    name = f"{deployed.name}-{index}"
    labels = {**kube_labels(deployed), "instance-id": str(index)}
    leader, worker = (_template(deployed, operator, role, name, labels) for role in (LEADER, WORKER))
    return leader_worker_set(
        name, deployed.namespace, labels, leader=leader, worker=worker, nodes=deployed.component.nodes
    )


@builder(
    "lower/alpha/lws/template",
    source="controller/dynamocomponentdeployment_controller.go generate{Leader,Worker}PodTemplateSpec",
)
def _template(deployed: DeployedComponent, operator: Operator, role: str, name: str, labels: dict[str, str]) -> Tree:
    """The template of a leader or of its workers, with what Volcano schedules by."""
    template = set_member(pod_template(deployed, operator, role), deployed.component, operator, labels, role)
    schedule_with_volcano(template, name)
    if role == WORKER:
        require_gpu_limit(deployed.component)
    return template


def lower_component(deployed: DeployedComponent, operator: Operator) -> list[Tree]:
    """The objects of a DynamoComponentDeployment, on its own or created from a graph.

    Source: controller/dynamocomponentdeployment_controller.go Reconcile.
    """
    objects: list[Tree] = []
    if deployed.component.spec.get("gpuMemoryService"):
        name = deployed.service_name or deployed.name
        objects += gpu_claim_template(deployed.component, deployed.owner, deployed.namespace, operator, name=name)
    if operator.capabilities.lws and deployed.component.is_multinode:
        objects += leader_worker_sets(deployed, operator)
    else:
        objects.append(_deployment(deployed, operator))
    objects += _service(deployed, operator)
    model = (deployed.component.model_ref or {}).get("name")
    objects += model_services([model] if model else [], deployed.namespace)
    return objects + ingress_objects(deployed.name, deployed.namespace, deployed.component.ingress, operator)


@builder(
    "lower/alpha/workload/deployment", source="controller/dynamocomponentdeployment_controller.go generateDeployment"
)
def _deployment(deployed: DeployedComponent, operator: Operator) -> Tree:
    """The Deployment of a component: replicas, selector, and how pods are replaced."""
    annotations = kube_annotations(deployed)
    template = pod_template(deployed, operator, MAIN)
    meta = metadata(deployed.name, deployed.namespace, kube_labels(deployed), annotations)
    strategy = _strategy(annotations, deployed, template)
    return deployment(meta, deployed.name, template, strategy, deployed.component.replicas)


@builder(
    "lower/alpha/workload/strategy",
    source="controller/dynamocomponentdeployment_controller.go getDeploymentRollingUpdateMaxSurgeAndMaxUnavailable",
)
def _strategy(annotations: dict[str, str], deployed: DeployedComponent, template: Tree) -> Tree:
    """RollingUpdate of 25 %, changed by annotations; a pod that restores a checkpoint must not overlap with the old."""
    wanted = deployed.component.annotations.get("nvidia.com/deployment-strategy")
    if wanted == "Recreate" or template["metadata"]["labels"].get(RESTORE_LABEL) == "true":
        return {"type": "Recreate"}
    return rolling_update(annotations)


@builder("lower/alpha/workload/service", source="controller/dynamocomponentdeployment_controller.go generateService")
def _service(deployed: DeployedComponent, operator: Operator) -> list[Tree]:
    """The Service of a component that is no part of a Grove graph."""
    component = deployed.component
    discovery = operator.kubernetes_discovery(component.annotations)
    if not discovery and component.type != "frontend":
        return []
    if component.dynamo_namespace is None:
        raise Refusal(
            "service/no-dynamo-namespace",
            "A DynamoComponentDeployment needs spec.dynamoNamespace; the operator fails to create its Service.",
            component.path,
            "Set spec.dynamoNamespace, or use a DynamoGraphDeployment, which sets it.",
        )
    service = component_service(
        deployed.name,
        deployed.namespace,
        component=deployed.service_name,
        component_type=component.type,
        dynamo_namespace=component.dynamo_namespace,
        labels=kube_labels(deployed),
        annotations=kube_annotations(deployed),
        kubernetes_discovery=discovery,
    )
    if component.is_multinode:
        service["spec"]["selector"]["role"] = "leader"
    return [service]
