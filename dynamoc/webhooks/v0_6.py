"""The operators 0.4 to 0.6 have no webhooks: what they don't like, they tell while they reconcile."""

from __future__ import annotations

from dynamoc.webhooks import orchestrator
from dynamoc.webhooks.review import Component, Review

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from dynamoc.cluster.context import ClusterContext

    Tree = dict[str, Any]


def judge_graph(review: Review) -> None:
    for name, spec in (review.spec.get("services") or {}).items():
        if spec is not None:
            service = Component(name, spec, ("spec", "services", name), "", in_graph=True)
            orchestrator.multinode_without_grove(review, service)


def judge_component(review: Review) -> None:
    alone = Component(review.metadata.get("name", ""), review.spec, ("spec",), "", in_graph=False)
    orchestrator.multinode_without_grove(review, alone)


DEFAULTS: dict[tuple[str, str], tuple[Callable[[Tree, ClusterContext], None], ...]] = {}
JUDGES = {
    ("v1alpha1", "DynamoGraphDeployment"): judge_graph,
    ("v1alpha1", "DynamoComponentDeployment"): judge_component,
}
