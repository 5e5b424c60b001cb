"""Generations of workers under Grove: the hash in the labels of their pods, which their Dynamo namespace ends in.

Source: controller/dgd_grove_workload_renderer.go shouldRenderGroveWorkerHashSuffix, applyGroveWorkerHashSuffix of 1.5.
"""

from __future__ import annotations

from dynamoc.kube.labels import COMPONENT_LABEL, WORKER_HASH_LABEL
from dynamoc.lower.hub.grove_names import pod_clique_set_name
from dynamoc.lower.hub.template import labels_of, on_templates
from dynamoc.model.v1beta1 import with_spec
from dynamoc.tree import copy_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.model.graph import Graph
    from dynamoc.model.operator import Operator

    Tree = dict[str, Any]

CURRENT_HASH_V2 = "nvidia.com/current-worker-hash-v2"


def mark_generation(graph: Graph, operator: Operator, digest: str) -> None:
    """Writes the hash into the labels of all workers' pods, over the user's label.

    Pods that an earlier release created without it keep running without it until the graph changes.
    """
    if operator.stable_names or _runs_without(graph, operator, digest):
        return
    for index, component in enumerate(graph.components):
        if component.is_worker:
            spec = copy_tree(component.spec)
            on_templates(spec, lambda view: labels_of(view).update({WORKER_HASH_LABEL: digest}))
            graph.components[index] = with_spec(component, spec)


def _runs_without(graph: Graph, operator: Operator, digest: str) -> bool:
    """Whether the PodCliqueSet exists, a worker in it has no hash, and the workers have not changed since."""
    if operator.running is None:
        return False
    existing = operator.running.get("PodCliqueSet", graph.namespace, pod_clique_set_name(graph, operator.release))
    if existing is None or graph.annotations.get(CURRENT_HASH_V2, digest) != digest:
        return False
    cliques = existing["spec"]["template"]["cliques"]
    return any(component.is_worker and not _has_hash(cliques, component.name) for component in graph.components)


def _has_hash(cliques: list[Tree], component: str) -> bool:
    """The first clique of the component decides for all."""
    labels: Tree = next((item["labels"] for item in cliques if item["labels"].get(COMPONENT_LABEL) == component), {})
    return bool(labels.get(WORKER_HASH_LABEL))
