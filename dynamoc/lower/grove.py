"""A graph as one Grove PodCliqueSet, with Services and Ingresses beside it."""

from __future__ import annotations

from dynamoc.kube.merge import merge_maps
from dynamoc.kube.names import dynamo_namespace, model_hash
from dynamoc.lower.graph_objects import (
    COMPONENT_LABEL,
    GRAPH_LABEL,
    checked_restart,
    merged_env,
    model_services,
    propagate_annotations,
)
from dynamoc.lower.kai import kai_queue, schedule_with_kai
from dynamoc.lower.network import component_service, default_ingress, ingress_objects
from dynamoc.lower.objects import metadata
from dynamoc.rules.backend import determine_backend
from dynamoc.rules.checkpoint import HASH_LABEL, RESTORE_LABEL, identity_hash
from dynamoc.rules.draft import LEADER, MAIN, WORKER, Pod, build_pod
from dynamoc.rules.multinode import GroveHosts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.model.graph import Component, Graph
    from dynamoc.model.operator import Operator
    from dynamoc.rules.checkpoint import CheckpointInfo

    Tree = dict[str, Any]
    Checkpoints = dict[str, CheckpointInfo]


def lower_grove(graph: Graph, operator: Operator, checkpoints: Checkpoints) -> list[Tree]:
    """Source: internal/dynamo/graph.go GenerateGrovePodCliqueSet, controller reconcileGroveResources."""
    merged_env(graph)
    _annotate(graph, operator)
    models = [(component.model_ref or {}).get("name", "") for component in graph.components]
    objects = [
        _pod_clique_set(graph, operator, checkpoints),
        *model_services([name for name in models if name], graph.namespace),
    ]
    for component in graph.components:
        objects += _network(graph, component, operator)
    return objects


def _annotate(graph: Graph, operator: Operator) -> None:
    """The discovery backend that holds for the graph beats a component's own; the others only fill gaps."""
    backend = operator.discovery_backend(graph.annotations)
    if backend:
        for component in graph.components:
            component.annotations["nvidia.com/dynamo-discovery-backend"] = backend
    propagate_annotations(graph, operator)


def _pod_clique_set(graph: Graph, operator: Operator, checkpoints: Checkpoints) -> Tree:
    template: Tree = {
        "cliques": [],
        "headlessServiceConfig": {"publishNotReadyAddresses": True},
        "cliqueStartupType": "CliqueStartupTypeAnyOrder",
    }
    delay = operator.config.orchestrators.grove.termination_delay
    if delay:
        template["terminationDelay"] = delay
    restarts = checked_restart(graph)
    queue = kai_queue(graph, operator)
    groups = []
    for component in graph.components:
        backend = determine_backend(component, graph.backend_framework)
        cliques = [
            _clique(graph, component, operator, role, backend, checkpoints.get(component.name))
            for role in _roles(component)
        ]
        for clique in cliques:
            if component.name in restarts:
                clique.setdefault("annotations", {})["nvidia.com/restartAt"] = restarts[component.name]
            if queue:
                schedule_with_kai(clique, queue)
        if component.is_multinode:
            groups.append(_scaling_group(component, cliques))
            if backend == "trtllm":
                # mpirun on the leader needs the workers' sshd.
                leader, worker = cliques
                leader["spec"]["startsAfter"] = [worker["name"]]
                template["cliqueStartupType"] = "CliqueStartupTypeExplicit"
        template["cliques"] += cliques
    # The operator walks a Go map here; any order is right, so take a stable one.
    template["cliques"].sort(key=lambda clique: clique["name"])
    if groups:
        template["podCliqueScalingGroups"] = sorted(groups, key=lambda group: group["name"])
    return {
        "apiVersion": "grove.io/v1alpha1",
        "kind": "PodCliqueSet",
        "metadata": metadata(graph.name, graph.namespace),
        "spec": {"replicas": 1, "template": template},
    }


def _roles(component: Component) -> list[tuple[str, str, int]]:
    """(clique name, role, pods) of a component (expandRolesForService)."""
    name = component.name.lower()
    if component.is_multinode:
        return [(f"{name}-ldr", LEADER, 1), (f"{name}-wkr", WORKER, component.nodes - 1)]
    return [(name, MAIN, 1 if component.replicas is None else component.replicas)]


def _scaling_group(component: Component, cliques: list[Tree]) -> Tree:
    group: Tree = {
        "name": component.name.lower(),
        "cliqueNames": [clique["name"] for clique in cliques],
        "minAvailable": 1,
    }
    if component.replicas is not None:
        group["replicas"] = component.replicas
    return group


def _clique(
    graph: Graph,
    component: Component,
    operator: Operator,
    role: tuple[str, str, int],
    backend: str,
    checkpoint: CheckpointInfo | None,
) -> Tree:
    name, part, pods = role
    pod = Pod(
        operator,
        component,
        owner=graph.name,
        namespace=graph.namespace,
        service=component.name,
        role=part,
        nodes=component.nodes,
        backend=backend,
        hosts=GroveHosts(operator.release),
        checkpoint=checkpoint,
    )
    clique: Tree = {
        "name": name,
        "labels": _labels(graph, component, checkpoint),
        "spec": {"roleName": name, "replicas": pods, "minAvailable": 1, "podSpec": build_pod(pod)},
    }
    annotations = merge_maps(component.annotations, component.pod_annotations)
    if annotations:
        clique["annotations"] = annotations
    return clique


def _labels(graph: Graph, component: Component, checkpoint: CheckpointInfo | None) -> dict[str, str]:
    """Labels of a clique: the operator's, under the component's, under its pods' (generateLabels)."""
    labels = {
        "nvidia.com/selector": f"{graph.name}-{component.name.lower()}",
        GRAPH_LABEL: graph.name,
        COMPONENT_LABEL: component.name,
        "nvidia.com/dynamo-namespace": dynamo_namespace(component.global_dynamo_namespace, graph.namespace, graph.name),
    }
    if component.type:
        labels["nvidia.com/dynamo-component-type"] = component.type
    if component.sub_type:
        labels["nvidia.com/dynamo-sub-component-type"] = component.sub_type
    model = (component.model_ref or {}).get("name")
    if model:
        labels["nvidia.com/dynamo-base-model-hash"] = model_hash(model)
    if graph.annotations.get("nvidia.com/enable-metrics") != "false":
        labels["nvidia.com/metrics-enabled"] = "true"
    labels = merge_maps(merge_maps(labels, component.labels), component.pod_labels)
    # Restores are steered by these labels, so that the user's cannot override them.
    wanted = component.checkpoint or {}
    if wanted.get("enabled") and wanted.get("identity") is not None:
        labels[HASH_LABEL] = identity_hash(wanted["identity"])
    if checkpoint is not None and checkpoint.ready:
        labels[RESTORE_LABEL] = "true"
        labels[HASH_LABEL] = checkpoint.hash
    return labels


def _network(graph: Graph, component: Component, operator: Operator) -> list[Tree]:
    name = f"{graph.name}-{component.name.lower()}"
    is_frontend = component.type == "frontend"
    discovery = operator.kubernetes_discovery(graph.annotations)
    objects = []
    if discovery or is_frontend:
        objects.append(
            component_service(
                name,
                graph.namespace,
                component=component.name,
                component_type=component.type,
                dynamo_namespace=dynamo_namespace(component.global_dynamo_namespace, graph.namespace, graph.name),
                labels=component.labels,
                annotations={},
                kubernetes_discovery=discovery,
            )
        )
    if is_frontend:
        ingress = component.ingress if component.ingress is not None else default_ingress(graph.name, operator)
        objects += ingress_objects(name, graph.namespace, ingress, operator)
    return objects
