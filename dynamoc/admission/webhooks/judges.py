"""Judging graphs and components of both versions by tables of rules, and what v1alpha1 alone says by others."""

from __future__ import annotations

from collections.abc import Callable

from dynamoc.admission.webhooks import hub_graph
from dynamoc.admission.webhooks.alpha_rules import one_long_name
from dynamoc.admission.webhooks.review import Component, HubComponent, HubReview, Review, in_beta
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import dynamo_namespace

GraphRules = tuple[Callable[[Review], None], ...]

ComponentRules = tuple[Callable[[Review, Component], None], ...]

HubGraphRules = tuple[Callable[[HubReview], None], ...]

HubRules = tuple[Callable[[HubReview, HubComponent], None], ...]


def judge_object(review: Review, rules: GraphRules) -> None:
    """Any other kind."""
    for rule in rules:
        rule(review)


def judge_alpha_graph(review: Review, rules: GraphRules, service_rules: ComponentRules) -> None:
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


def judge_alpha_component(review: Review, rules: ComponentRules) -> None:
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


def judge_hub_graph(
    review: Review,
    rules: HubGraphRules,
    component_rules: HubRules,
    last_rules: HubGraphRules,
    service_rules: ComponentRules,
) -> None:
    """Rules for the graph, each component, and the graph again; then those for services as they were written."""
    hub = HubReview(review.value, review.context, review.origin, review.old)
    for rule in rules:
        rule(hub)
    framework = hub.spec.get("backendFramework") or ""
    for index, spec in enumerate(hub.spec.get("components") or ()):
        item = HubComponent(spec, ("spec", "components", index), framework, in_graph=True)
        for component_rule in component_rules:
            component_rule(hub, item)
    for rule in last_rules:
        rule(hub)
    review.problems += hub.problems
    _judge_written(review, lambda alpha: judge_alpha_graph(alpha, (hub_graph.claims_have_names,), service_rules))


def _judge_written(review: Review, judge: Callable[[Review], None]) -> None:
    """What was written in v1alpha1, or is kept of that in annotations, of which v1beta1 says where the component is."""
    if review.origin is not None:
        alpha = Review(review.origin, review.context, old=review.old)
        hub_graph.version_is_deprecated(alpha)
        judge(alpha)
        review.problems += alpha.problems
    elif review.kept is not None:
        # Rules for new documents look at what was written, and not at this.
        alpha = Review(review.kept, review.context, old=review.kept)
        judge(alpha)
        for problem in alpha.problems:
            problem.path = in_beta(problem.path, review.value)
            problem.message += " An annotation stores this value from v1alpha1."
        review.problems += alpha.problems


def judge_hub_component(review: Review, rules: HubRules, alpha_rules: ComponentRules) -> None:
    """A DynamoComponentDeployment; `alpha_rules` are for one that was written in v1alpha1."""
    hub = HubReview(review.value, review.context, review.origin, review.old, graph=False)
    framework = hub.spec.get("backendFramework") or ""
    alone = HubComponent(hub.spec, ("spec",), framework, in_graph=False)
    for rule in rules:
        rule(hub, alone)
    review.problems += hub.problems
    _judge_written(review, lambda alpha: judge_alpha_component(alpha, alpha_rules))


def written_adapter_is_deprecated(review: Review) -> None:
    """No webhook; the API server warns of the old version."""
    if review.origin is not None:
        alpha = Review(review.origin, review.context)
        hub_graph.version_is_deprecated(alpha)
        review.problems += alpha.problems
