"""Judging graphs and components of v1beta1 by tables of rules, and what v1alpha1 alone says by others."""

from __future__ import annotations

from dynamoc.webhooks import alpha as alpha_judges
from dynamoc.webhooks import hub_alpha
from dynamoc.webhooks.hub import HubComponent, HubReview
from dynamoc.webhooks.review import Review

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from dynamoc.schema.problem import Problem
    from dynamoc.webhooks.alpha import ComponentRules

    Tree = dict[str, Any]
    GraphRules = tuple[Callable[[HubReview], None], ...]
    HubRules = tuple[Callable[[HubReview, HubComponent], None], ...]


def judge_graph(
    review: Review, rules: GraphRules, component_rules: HubRules, last_rules: GraphRules, service_rules: ComponentRules
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
    if review.origin is not None:
        alpha = Review(review.origin, review.context, old=review.old)
        hub_alpha.version_is_deprecated(alpha)
        alpha_judges.judge_graph(alpha, (hub_alpha.claims_have_names,), service_rules)
        review.problems += alpha.problems
    elif review.kept is not None:
        alpha = _kept(review, review.kept)
        alpha_judges.judge_graph(alpha, (hub_alpha.claims_have_names,), service_rules)
        review.problems += _in_beta(alpha, review)


def _kept(review: Review, alpha: Tree) -> Review:
    """A review of what annotations keep. Rules for new documents look at what was written, and not at this."""
    return Review(alpha, review.context, old=alpha)


def _in_beta(alpha: Review, review: Review) -> list[Problem]:
    """Problems with fields that annotations keep, told where v1beta1 has the component."""
    from dynamoc.webhooks.beta_paths import in_beta

    for problem in alpha.problems:
        problem.path = in_beta(problem.path, review.value)
        problem.message += " An annotation stores this value from v1alpha1."
    return alpha.problems


def judge_component(review: Review, rules: HubRules, alpha_rules: ComponentRules) -> None:
    """A DynamoComponentDeployment; `alpha_rules` are for one that was written in v1alpha1."""
    hub = HubReview(review.value, review.context, review.origin, review.old, graph=False)
    framework = hub.spec.get("backendFramework") or ""
    alone = HubComponent(hub.spec, ("spec",), framework, in_graph=False)
    for rule in rules:
        rule(hub, alone)
    review.problems += hub.problems
    if review.origin is not None:
        alpha = Review(review.origin, review.context, old=review.old)
        hub_alpha.version_is_deprecated(alpha)
        alpha_judges.judge_component(alpha, alpha_rules)
        review.problems += alpha.problems
    elif review.kept is not None:
        alpha = _kept(review, review.kept)
        alpha_judges.judge_component(alpha, alpha_rules)
        review.problems += _in_beta(alpha, review)


def written_adapter_is_deprecated(review: Review) -> None:
    """No webhook; the API server warns of the old version."""
    if review.origin is not None:
        alpha = Review(review.origin, review.context)
        hub_alpha.version_is_deprecated(alpha)
        review.problems += alpha.problems
