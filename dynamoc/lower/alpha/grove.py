"""A graph as one Grove PodCliqueSet, with Services and Ingresses."""

from __future__ import annotations

from dynamoc.kube.labels import DISCOVERY_BACKEND_LABEL
from dynamoc.lower.alpha.clique import component_clique
from dynamoc.lower.graph_objects import (
    RESTART,
    checked_restart,
    fill_metadata,
    merged_env,
    model_services,
    propagate_annotations,
)
from dynamoc.lower.kai import kai_queue, schedule_with_kai
from dynamoc.lower.metadata import metadata
from dynamoc.lower.network import grove_network
from dynamoc.rules.backend import determine_backend
from dynamoc.rules.draft import LEADER, MAIN, WORKER
from dynamoc.tracing import builder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.model.graph import Component, Graph
    from dynamoc.model.operator import Operator
    from dynamoc.release.registry import Release
    from dynamoc.rules.checkpoint import CheckpointInfo
    from dynamoc.rules.snapshot_state import Snapshot

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
            from dynamoc.lower.alpha.gpu_claims import gpu_claim_template

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
    template: Tree = {
        "cliques": [],
        "headlessServiceConfig": {"publishNotReadyAddresses": True},
        "cliqueStartupType": "CliqueStartupTypeAnyOrder",
    }
    delay = operator.config.orchestrators.grove.termination_delay
    if delay:
        template["terminationDelay"] = delay
    _pack(template, (graph.value.get("spec") or {}).get("topologyConstraint"), operator.release)
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
    group: Tree = {
        "name": component.name.lower(),
        "cliqueNames": [clique["name"] for clique in cliques],
        "minAvailable": 1,
    }
    if component.replicas is not None:
        group["replicas"] = component.replicas
    _pack(group, component.topology_constraint, release)
    return group


def _pack(target: Tree, constraint: Tree | None, release: Release) -> None:
    if constraint is None:
        return
    from dynamoc.lower.topology import graph_constraint

    packed = graph_constraint(constraint, release)
    if packed is not None:
        target["topologyConstraint"] = packed


def _network(graph: Graph, component: Component, operator: Operator) -> list[Tree]:
    name = f"{graph.name}-{component.name.lower()}"
    return grove_network(graph, component, operator, name=name, labels=component.labels, annotations={})
