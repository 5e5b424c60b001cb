"""A graph as DynamoComponentDeployments, the operator's intermediate step without Grove."""

from __future__ import annotations

from dynamoc.kube.labels import COMPONENT_LABEL, GRAPH_LABEL, NAMESPACE_LABEL, WORKER_HASH_LABEL
from dynamoc.kube.names import dynamo_namespace
from dynamoc.kube.workerhash import worker_hash
from dynamoc.lower.component_deployment import component_deployment
from dynamoc.lower.graph_objects import RESTART, checked_restart, fill_metadata, merged_env, propagate_annotations
from dynamoc.lower.metadata import metadata
from dynamoc.tracing import builder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.model.graph import Component, Graph
    from dynamoc.model.operator import Operator

    Tree = dict[str, Any]


def component_deployments(graph: Graph, operator: Operator) -> list[Tree]:
    """One v1alpha1 DynamoComponentDeployment per component.

    Workers have a hash of all worker specs in name and label: a change of any worker creates a new generation of all.
    Source: internal/dynamo/graph.go generateSingleDCD, controller buildRollingUpdateContext.
    """
    # The hash is taken before the graph's environment and annotations reach the components.
    digest = "" if operator.stable_names else worker_hash(operator.release.name, graph.value)[0]
    merged_env(graph)
    propagate_annotations(graph, operator)
    fill_metadata(graph)
    restarts = checked_restart(graph)
    for component in graph.components:
        if component.name in restarts:
            component.annotations[RESTART] = restarts[component.name]
    return [_component_deployment(graph, component, operator, digest) for component in graph.components]


@builder("lower/alpha/components/component-deployment", source="internal/dynamo/graph.go generateSingleDCD")
def _component_deployment(graph: Graph, component: Component, operator: Operator, digest: str) -> Tree:
    """The DynamoComponentDeployment of a component: its spec, and the labels that select and find its pods."""
    name = f"{graph.name}-{component.name.lower()}"
    namespace = dynamo_namespace(component.global_dynamo_namespace, graph.namespace, graph.name)
    # Up to 1.0 the component's own labels are lost here; only those of its pods reach an object.
    own = component.labels if operator.release.has("components/keep-labels") else {}
    labels = {
        **own,
        COMPONENT_LABEL: component.name,
        NAMESPACE_LABEL: namespace,
        GRAPH_LABEL: graph.name,
    }
    if component.is_worker and digest:
        name = f"{name}-{digest}"
        labels[WORKER_HASH_LABEL] = digest
    return component_deployment(graph, component, operator, metadata(name, graph.namespace, labels))
