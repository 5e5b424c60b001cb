"""The webhooks of operator 1.1: those of 1.0, and more for what came with it.

Source: internal/webhook/defaulting and internal/webhook/validation; the order is the operator's.
"""

from __future__ import annotations

from dynamoc.webhooks import (
    alpha,
    alpha_epp,
    alpha_graph,
    alpha_memory,
    alpha_topology,
    defaults,
    known_annotations,
    v1_0,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.webhooks.alpha import ComponentRules, GraphRules
    from dynamoc.webhooks.review import Review

GRAPH: GraphRules = (
    alpha_graph.has_services,
    known_annotations.origin_version,
    known_annotations.executor_backend,
    known_annotations.discovery_mode,
    alpha_graph.claims_are_complete,
    alpha_graph.restart_is_complete,
    alpha_topology.constraints_are_complete,
    alpha_memory.failover_discovers_containers,
)
COMPONENT: ComponentRules = (
    *v1_0.COMPONENT,
    alpha_memory.service_is_in_the_pod,
    alpha_memory.service_is_for_workers,
    alpha_memory.failover_in_the_pod,
)
SERVICE = (alpha_graph.name_fits_grove, *COMPONENT, alpha_epp.inference_pool_is_served)


def judge_graph(review: Review) -> None:
    alpha.judge_graph(review, GRAPH, SERVICE)


def judge_component(review: Review) -> None:
    alpha.judge_component(review, COMPONENT)


DEFAULTS = {**v1_0.DEFAULTS, ("v1beta1", "DynamoGraphDeploymentRequest"): (defaults.planner_image,)}
JUDGES = {
    **v1_0.JUDGES,
    ("v1alpha1", "DynamoGraphDeployment"): judge_graph,
    ("v1alpha1", "DynamoComponentDeployment"): judge_component,
}
