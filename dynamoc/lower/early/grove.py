"""A graph as one Grove PodCliqueSet, called PodGangSet at first, with Service and Ingress of frontends."""

from __future__ import annotations

from dynamoc.diagnostics.finding import Refusal
from dynamoc.golang.mergo import merge_maps
from dynamoc.kube.labels import GRAPH_LABEL, NAMESPACE_LABEL, SELECTOR_LABEL
from dynamoc.lower.early.autoscaler import warn_of_no_autoscaler
from dynamoc.lower.early.claims import tell_unmade_claims
from dynamoc.lower.early.ignored import tell_ignored
from dynamoc.lower.early.namespace import settle_dynamo_namespace
from dynamoc.lower.early.pod_template import backend_of
from dynamoc.lower.graph_objects import merged_env
from dynamoc.lower.kai import kai_queue, schedule_with_kai
from dynamoc.lower.labels import metrics_label, type_labels
from dynamoc.lower.metadata import metadata
from dynamoc.lower.network import default_ingress, frontend_service, ingress_objects
from dynamoc.rules.draft import LEADER, MAIN, WORKER, Pod
from dynamoc.rules.multinode import GroveHosts
from dynamoc.rules.order import build_pod
from dynamoc.tracing import builder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.model.graph import Component, Graph
    from dynamoc.model.operator import Operator
    from dynamoc.release.registry import Release

    Tree = dict[str, Any]


def lower_grove(graph: Graph, operator: Operator) -> list[Tree]:
    """Source: internal/dynamo/graph.go GenerateGrovePodCliqueSet, controller reconcileGroveResources."""
    queue = kai_queue(graph, operator)
    settle_dynamo_namespace(graph, operator)
    merged_env(graph)
    objects = [_pod_clique_set(graph, operator, queue)]
    for component in graph.components:
        tell_ignored(component, operator, grove=True)
        warn_of_no_autoscaler(component, operator, f"{operator.release['grove/kind']}s")
        tell_unmade_claims(graph.namespace, component, operator)
        if component.type == "frontend":
            name = f"{graph.name}-{component.name.lower()}"
            objects.append(_service(name, graph.namespace))
            ingress = component.ingress if component.ingress is not None else default_ingress(graph.name, operator)
            objects += ingress_objects(name, graph.namespace, ingress, operator)
    return objects


@builder("lower/early/grove/pod-clique-set", source="internal/dynamo/graph.go GenerateGrovePodCliqueSet")
def _pod_clique_set(graph: Graph, operator: Operator, queue: str | None) -> Tree:
    """The PodCliqueSet of a graph, with the settings that all of its cliques share."""
    template: Tree = {
        "cliques": [],
        "headlessServiceConfig": {"publishNotReadyAddresses": True},
        "cliqueStartupType": "CliqueStartupTypeAnyOrder",
    }
    delay = operator.config.orchestrators.grove.termination_delay
    if delay:
        template["terminationDelay"] = delay
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
                # mpirun on the leader needs the workers' sshd.
                leader, worker = cliques
                leader["spec"]["startsAfter"] = [worker["name"]]
                template["cliqueStartupType"] = "CliqueStartupTypeExplicit"
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


@builder("lower/early/grove/scaling-group", source="internal/dynamo/graph.go GenerateGrovePodCliqueSet")
def _scaling_group(component: Component, cliques: list[Tree]) -> Tree:
    """The cliques of a multinode service, which are scaled together."""
    group: Tree = {
        "name": component.name.lower(),
        "cliqueNames": [clique["name"] for clique in cliques],
        "minAvailable": 1,
    }
    if component.replicas is not None:
        group["replicas"] = component.replicas
    return group


@builder("lower/early/grove/clique", source="internal/dynamo/graph.go GenerateGrovePodCliqueSet")
def _clique(graph: Graph, component: Component, operator: Operator, role: tuple[str, str, int], backend: str) -> Tree:
    """The PodClique of one role: its name, its pods, and when they start."""
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
    )
    clique: Tree = {
        "name": name,
        "labels": _labels(graph, component, name, operator.release),
        "spec": {"roleName": name, "replicas": pods, "minAvailable": 1, "podSpec": build_pod(pod)},
    }
    annotations = merge_maps(component.annotations, component.pod_annotations)
    if annotations:
        clique["annotations"] = annotations
    return clique


@builder("lower/early/grove/labels", source="internal/dynamo/graph.go generateLabels")
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


@builder("lower/early/grove/service", source="internal/dynamo/graph.go GenerateComponentService")
def _service(name: str, namespace: str) -> Tree:
    """The Service of a frontend under Grove."""
    return frontend_service(metadata(name, namespace), {SELECTOR_LABEL: name})
