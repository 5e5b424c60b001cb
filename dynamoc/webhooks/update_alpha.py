"""Updates of graphs and components in v1alpha1, as the webhooks of 1.0 to 1.2 judge them.

Source: internal/webhook/validation/dynamographdeployment.go ValidateUpdate of 1.0, 1.1 and 1.2;
dynamocomponentdeployment.go ValidateUpdate.
"""

from __future__ import annotations

from dynamoc.webhooks import update_pairs
from dynamoc.webhooks.alpha_memory import INTER_POD
from dynamoc.webhooks.update_pairs import Pair, old_spec, refuse_pair

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.webhooks.review import Review

    Tree = dict[str, Any]


def judge_graph(review: Review) -> None:
    update_pairs.backend_is_kept(review, owner="graph")
    update_pairs.components_are_kept(
        review, "services", list(_services(old_spec(review))), list(_services(review.spec))
    )
    for pair in _pairs(review):
        update_pairs.nodes_are_kept(review, pair)
        if (pair.new.get("scalingAdapter") or {}).get("enabled"):
            update_pairs.replicas_are_scaled(review, pair)
    update_pairs.restart_waits_for_rollout(review)


def judge_graph_and_topology(review: Review) -> None:
    judge_graph(review)
    update_pairs.graph_topology_is_kept(review, "topologyProfile")
    for pair in _pairs(review):
        update_pairs.topology_is_kept(review, pair)


def judge_graph_and_memory_pods(review: Review) -> None:
    judge_graph_and_topology(review)
    for pair in _pairs(review):
        _memory_pods_are_kept(review, pair)


def judge_component(review: Review) -> None:
    update_pairs.backend_is_kept(review, owner="component")


def _memory_pods_are_kept(review: Review, pair: Pair) -> None:
    """GPU memory service and failover with pods of their own (validateImmutableFields)."""
    if _between_pods(pair.old, "gpuMemoryService") != _between_pods(pair.new, "gpuMemoryService"):
        message = f"`{pair.name}` cannot switch between GPU memory service with and without its own pods."
        refuse_pair(review, pair, "update/memory-service", ("gpuMemoryService", "mode"), message)
    old, new = _between_pods(pair.old, "failover"), _between_pods(pair.new, "failover")
    if old != new:
        message = f"Failover between pods of `{pair.name}` cannot be enabled or disabled."
        refuse_pair(review, pair, "update/failover", ("failover",), message)
    elif old and pair.old["failover"].get("numShadows", 0) != pair.new["failover"].get("numShadows", 0):
        message = f"`numShadows` of `{pair.name}` is immutable if failover is between pods."
        refuse_pair(review, pair, "update/failover", ("failover", "numShadows"), message)


def _between_pods(spec: Tree, field: str) -> bool:
    block = spec.get(field) or {}
    return bool(block.get("enabled")) and block.get("mode") == INTER_POD


def _pairs(review: Review) -> list[Pair]:
    """The services that are on both sides."""
    before = _services(old_spec(review))
    return [
        Pair(name, spec, before[name], path := ("spec", "services", name), path, in_graph=True)
        for name, spec in _services(review.spec).items()
        if name in before
    ]


def _services(spec: Tree) -> dict[str, Tree]:
    """A null service is none: the API server drops it."""
    return {name: service for name, service in (spec.get("services") or {}).items() if service is not None}
