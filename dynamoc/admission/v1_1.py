"""The webhooks of operator 1.1: those of 1.0, and more for what came with it.

Source: internal/webhook/defaulting and internal/webhook/validation; the order is the operator's.
"""

from __future__ import annotations

from dynamoc.admission import alpha, defaults, epp, graph, known_annotations, memory, topology, v1_0

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.admission.alpha import ComponentRules, GraphRules
    from dynamoc.admission.review import Review

GRAPH: GraphRules = (
    graph.has_services,
    known_annotations.origin_version,
    known_annotations.executor_backend,
    known_annotations.discovery_mode,
    graph.claims_are_complete,
    graph.restart_is_complete,
    topology.constraints_are_complete,
    memory.failover_discovers_containers,
)
COMPONENT: ComponentRules = (
    *v1_0.COMPONENT,
    memory.service_is_in_the_pod,
    memory.service_is_for_workers,
    memory.failover_in_the_pod,
)
SERVICE = (graph.name_fits_grove, *COMPONENT, epp.inference_pool_is_served)


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
