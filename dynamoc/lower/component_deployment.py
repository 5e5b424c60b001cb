"""A v1alpha1 DynamoComponentDeployment of a component, as all releases that know v1alpha1 only make it."""

from __future__ import annotations

from dynamoc.kube.labels import NAMESPACE_LABEL
from dynamoc.lower.deployment_config import apply_deployment_config
from dynamoc.lower.network import default_ingress
from dynamoc.tree import copy_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.model.graph import Component, Graph
    from dynamoc.model.operator import Operator

    Tree = dict[str, Any]


def component_deployment(graph: Graph, component: Component, operator: Operator, metadata: Tree) -> Tree:
    """The object of this metadata, whose labels the spec repeats.

    Source: internal/dynamo/graph.go GenerateDynamoComponentsDeployments, since 1.0 generateSingleDCD.
    """
    labels = metadata["labels"]
    spec = copy_tree(component.spec)
    spec["labels"] = dict(labels)
    if component.annotations:
        spec["annotations"] = dict(component.annotations)
    if component.env:
        spec["envs"] = copy_tree(component.env)
    spec["serviceName"] = component.name
    spec["dynamoNamespace"] = labels[NAMESPACE_LABEL]
    if graph.backend_framework:
        spec["backendFramework"] = graph.backend_framework
    if component.type == "planner":
        spec.setdefault("extraPodSpec", {})["serviceAccountName"] = operator.release["service-account/planner"]
    if component.type == "frontend" and component.ingress is None:
        spec["ingress"] = default_ingress(graph.name, operator)
    apply_deployment_config(spec, component)
    return {
        "apiVersion": "nvidia.com/v1alpha1",
        "kind": "DynamoComponentDeployment",
        "metadata": metadata,
        "spec": spec,
    }
