"""A graph as DynamoComponentDeployments, the operator's intermediate step without Grove."""

from __future__ import annotations

from dynamoc.kube.labels import COMPONENT_LABEL, GRAPH_LABEL, NAMESPACE_LABEL
from dynamoc.lower.component_deployment import component_deployment
from dynamoc.lower.early.ignored import tell_ignored
from dynamoc.lower.early.namespace import settle_dynamo_namespace
from dynamoc.lower.graph_objects import merged_env
from dynamoc.lower.metadata import metadata
from dynamoc.tracing import builder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.model.graph import Component, Graph
    from dynamoc.model.operator import Operator

    Tree = dict[str, Any]


def component_deployments(graph: Graph, operator: Operator) -> list[Tree]:
    """One DynamoComponentDeployment per component (internal/dynamo/graph.go GenerateDynamoComponentsDeployments)."""
    namespace = settle_dynamo_namespace(graph, operator)
    merged_env(graph)
    for component in graph.components:
        tell_ignored(component, operator, grove=False)
    for key in operator.release["propagated-annotations"]:
        if key in graph.annotations:
            for component in graph.components:
                # The graph's word beats the component's own, unlike in 1.0.
                component.annotations[key] = graph.annotations[key]
    return [_component_deployment(graph, component, operator, namespace) for component in graph.components]


@builder(
    "lower/early/components/component-deployment", source="internal/dynamo/graph.go GenerateDynamoComponentsDeployments"
)
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
