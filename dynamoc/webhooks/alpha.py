"""Judging graphs and components of v1alpha1 by tables of rules."""

from __future__ import annotations

from dynamoc.kube.names import dynamo_namespace
from dynamoc.webhooks.alpha_graph import one_long_name
from dynamoc.webhooks.review import Component, Review

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Tree = dict[str, Any]
    GraphRules = tuple[Callable[[Review], None], ...]
    ComponentRules = tuple[Callable[[Review, Component], None], ...]


def judge_object(review: Review, rules: GraphRules) -> None:
    """Any other kind."""
    for rule in rules:
        rule(review)


def judge_graph(review: Review, rules: GraphRules, service_rules: ComponentRules) -> None:
    """First the rules for the graph, then those for each of its services."""
    for rule in rules:
        rule(review)
    metadata = review.metadata
    for name, spec in (review.spec.get("services") or {}).items():
        if spec is None:
            continue
        namespace = _namespace(spec, metadata, metadata.get("name", ""))
        service = Component(name, spec, ("spec", "services", name), namespace, in_graph=True)
        for service_rule in service_rules:
            service_rule(review, service)
    one_long_name(review)


def judge_component(review: Review, rules: ComponentRules) -> None:
    """A DynamoComponentDeployment, which may belong to a graph."""
    metadata = review.metadata
    owners = metadata.get("ownerReferences") or ()
    graph_name = next((owner["name"] for owner in owners if owner.get("kind") == "DynamoGraphDeployment"), "")
    namespace = _namespace(review.spec, metadata, graph_name)
    alone = Component(metadata.get("name", ""), review.spec, ("spec",), namespace, in_graph=bool(graph_name))
    for rule in rules:
        rule(review, alone)


def _namespace(spec: Tree, metadata: Tree, graph_name: str) -> str:
    return dynamo_namespace(bool(spec.get("globalDynamoNamespace")), metadata.get("namespace", ""), graph_name)
