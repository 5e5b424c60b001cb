"""The webhooks of operator 1.2, for v1alpha1; documents that were written in v1beta1 are converted for them.

Source: internal/webhook/defaulting and internal/webhook/validation; the order is the operator's.
"""

from __future__ import annotations

from dynamoc.webhooks import (
    alpha,
    alpha_1_2,
    alpha_component,
    alpha_epp,
    alpha_graph,
    alpha_memory,
    alpha_topology,
    defaults,
    hub_alpha,
    hub_checkpoint,
    known_annotations,
    orchestrator,
    v1_1,
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
    alpha_1_2.transfer_policy_is_complete,
    alpha_memory.failover_discovers_containers,
)
COMPONENT: ComponentRules = (
    alpha_component.dynamo_namespace_is_ignored,
    alpha_component.replicas_are_not_negative,
    alpha_component.ingress_has_host,
    alpha_component.mounts_have_mount_point,
    alpha_1_2.checkpoint_is_complete,
    alpha_1_2.clients_have_names,
    alpha_component.shared_memory_has_size,
    alpha_component.autoscaling_is_ignored,
    alpha_component.sidecar_name_is_free,
    known_annotations.component_executor_backend,
    alpha_epp.endpoint_picker,
    alpha_memory.service_is_for_workers,
    alpha_memory.failover,
    alpha_1_2.snapshot_without_memory_service,
    orchestrator.multinode_without_grove,
)
SERVICE = (alpha_memory.pods_need_grove, alpha_1_2.name_fits_grove, *COMPONENT, alpha_epp.inference_pool_is_served)


def judge_graph(review: Review) -> None:
    _tell_old_version(review)
    alpha.judge_graph(review, GRAPH, SERVICE)


def judge_component(review: Review) -> None:
    _tell_old_version(review)
    alpha.judge_component(review, COMPONENT)


def judge_scaling_adapter(review: Review) -> None:
    """No webhook; the API server warns of the old version."""
    _tell_old_version(review)


def _tell_old_version(review: Review) -> None:
    if review.origin is None:
        hub_alpha.version_is_deprecated(review)


DEFAULTS = {**v1_1.DEFAULTS, ("v1beta1", "DynamoComponentDeployment"): (defaults.component_name,)}
JUDGES = {
    **v1_1.JUDGES,
    ("v1alpha1", "DynamoGraphDeployment"): judge_graph,
    ("v1alpha1", "DynamoComponentDeployment"): judge_component,
    ("v1alpha1", "DynamoGraphDeploymentScalingAdapter"): judge_scaling_adapter,
    ("v1alpha1", "DynamoCheckpoint"): hub_checkpoint.memory_service_is_switched_on,
}
