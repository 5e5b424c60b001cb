"""One PodClique of a v1alpha1 component, and its labels."""

from __future__ import annotations

from dynamoc.golang.mergo import merge_maps
from dynamoc.kube.labels import (
    COMPONENT_LABEL,
    DISCOVERY_LABELS,
    GRAPH_LABEL,
    NAMESPACE_LABEL,
    SELECTOR_LABEL,
    TYPE_LABEL,
    WORKER_HASH_LABEL,
)
from dynamoc.kube.names import dynamo_namespace
from dynamoc.lower.labels import metrics_label, model_label, type_labels
from dynamoc.rules.checkpoint import HASH_LABEL, RESTORE_LABEL, identity_hash
from dynamoc.rules.draft import Pod
from dynamoc.rules.multinode import GroveHosts
from dynamoc.rules.order import build_pod
from dynamoc.tracing import builder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.model.graph import Component, Graph
    from dynamoc.model.operator import Operator
    from dynamoc.rules.checkpoint import CheckpointInfo
    from dynamoc.rules.snapshot_state import Snapshot

    Tree = dict[str, Any]


@builder("lower/alpha/clique/component-clique", source="internal/dynamo/graph.go GenerateGrovePodCliqueSet")
def component_clique(
    graph: Graph,
    component: Component,
    operator: Operator,
    role: tuple[str, str, int],
    backend: str,
    checkpoint: CheckpointInfo | None,
    snapshot: Snapshot | None,
) -> Tree:
    """The PodClique of one role: its name, its pods, and when they start."""
    name, part, pods = role
    release = operator.release
    pod = Pod(
        operator,
        component,
        owner=graph.name,
        namespace=graph.namespace,
        service=component.name,
        role=part,
        nodes=component.nodes,
        backend=backend,
        hosts=GroveHosts(release),
        checkpoint=checkpoint,
        snapshot=snapshot,
    )
    needed = pods if component.is_multinode and release.has("grove/all-nodes-needed") else 1
    clique: Tree = {
        "name": name,
        "labels": _labels(graph, component),
        "spec": {"roleName": name, "replicas": pods, "minAvailable": needed, "podSpec": build_pod(pod)},
    }
    annotations = merge_maps(component.annotations, component.pod_annotations)
    if release.has("labels/system-last"):
        from dynamoc.rules.shared_marks import mark_main

        clique["labels"].update(_system_labels(graph, component, operator))
        mark_main(clique["labels"], annotations, snapshot)
    else:
        clique["labels"].update(_checkpoint_labels(component, checkpoint))
    if annotations:
        clique["annotations"] = annotations
    if component.topology_constraint is not None and not component.is_multinode:
        from dynamoc.lower.topology import component_constraint

        constraint = component_constraint(component.topology_constraint, None, release)
        if constraint is not None:
            clique["topologyConstraint"] = constraint
    return clique


@builder("lower/alpha/clique/labels", source="internal/dynamo/graph.go generateLabels")
def _labels(graph: Graph, component: Component) -> dict[str, str]:
    """Labels of a clique: the operator's, under the component's, under its pods'."""
    labels = {
        SELECTOR_LABEL: f"{graph.name}-{component.name.lower()}",
        GRAPH_LABEL: graph.name,
        COMPONENT_LABEL: component.name,
        NAMESPACE_LABEL: dynamo_namespace(component.global_dynamo_namespace, graph.namespace, graph.name),
    }
    labels.update(type_labels(component))
    labels.update(model_label(component))
    labels.update(metrics_label(graph.annotations))
    return merge_maps(merge_maps(labels, component.labels), component.pod_labels)


@builder(
    "lower/alpha/clique/system-labels", source="internal/dynamo/graph.go generateLabels", when="labels/system-last"
)
def _system_labels(graph: Graph, component: Component, operator: Operator) -> dict[str, str]:
    """What selects and finds pods: the user's labels must not replace it."""
    labels = {
        GRAPH_LABEL: graph.name,
        NAMESPACE_LABEL: dynamo_namespace(component.global_dynamo_namespace, graph.namespace, graph.name),
    }
    if component.type:
        labels[TYPE_LABEL] = component.type
    if component.worker_hash:
        labels[WORKER_HASH_LABEL] = component.worker_hash
    if operator.kubernetes_discovery(graph.annotations):
        labels.update(DISCOVERY_LABELS)
    return labels


def _checkpoint_labels(component: Component, checkpoint: CheckpointInfo | None) -> dict[str, str]:
    """These labels control restores, so the user's labels cannot override them."""
    labels = {}
    wanted = component.checkpoint or {}
    if wanted.get("enabled") and wanted.get("identity") is not None:
        labels[HASH_LABEL] = identity_hash(wanted["identity"])
    if checkpoint is not None and checkpoint.ready:
        labels[RESTORE_LABEL] = "true"
        labels[HASH_LABEL] = checkpoint.hash
    return labels
