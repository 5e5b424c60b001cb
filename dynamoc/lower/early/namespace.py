"""The Dynamo namespace of a graph, in which its components find each other."""

from __future__ import annotations

from dynamoc.diagnostics.finding import Refusal
from dynamoc.tracing import builder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.model.graph import Graph
    from dynamoc.model.operator import Operator


@builder("lower/early/namespace/settle-dynamo-namespace", source="internal/dynamo/graph.go getDynamoNamespace")
def settle_dynamo_namespace(graph: Graph, operator: Operator) -> str:
    """Gives all components the namespace that the services set, `dynamo-<graph>` if none does.

    Raises `Refusal` if two services set different ones. If only some set one, the operator fails until it
    happens to read those last, and then uses theirs.
    """
    named = {component.dynamo_namespace: component for component in graph.components if component.dynamo_namespace}
    if len(named) > 1:
        (first, _), (other, component) = sorted(named.items(), key=lambda item: item[1].name)[:2]
        raise Refusal(
            "dynamo-namespace/mismatch",
            f"{component.name} sets dynamoNamespace {other}, but another service sets {first}; the operator "
            "creates no pods of this graph.",
            (*component.path, "dynamoNamespace"),
            "Set the same dynamoNamespace on all services, or on none.",
        )
    silent = [component for component in graph.components if not component.dynamo_namespace]
    namespace = next(iter(named), None) or f"dynamo-{graph.name}"
    if named and silent:
        operator.warn(
            "dynamo-namespace/partly-set",
            f"Some services set dynamoNamespace {namespace}, {silent[0].name} does not: the operator fails at "
            "random, until it happens to read a service that sets it last.",
            silent[0].path,
            f"Set dynamoNamespace: {namespace} on all services.",
        )
    for component in graph.components:
        component.dynamo_namespace = namespace
    return namespace
