"""The webhooks of operator 1.3, for v1beta1; documents that were written in v1alpha1 are converted for them.

Source: internal/webhook/defaulting and internal/webhook/validation; the order is the operator's.
"""

from __future__ import annotations

from dynamoc.webhooks import (
    alpha_component,
    hub_alpha,
    hub_checkpoint,
    hub_component,
    hub_experimental,
    hub_graph,
    hub_judges,
    known_annotations,
    orchestrator,
    request,
    v1_4,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.webhooks.alpha import ComponentRules
    from dynamoc.webhooks.hub_judges import GraphRules, HubRules
    from dynamoc.webhooks.review import Review

GRAPH_AFTER_COMPONENTS: GraphRules = (hub_graph.each_component_is_packed, hub_graph.transfer_policy_fits)
COMPONENT: HubRules = (
    hub_component.min_available_needs_grove,
    hub_component.shared_memory_is_not_negative,
    hub_component.endpoint_picker,
    hub_component.sidecar_exists,
    hub_experimental.memory_service,
    hub_experimental.failover,
    hub_experimental.checkpoint,
    hub_experimental.checkpoint_without_memory_service,
    orchestrator.multinode_without_grove,
)
GRAPH_COMPONENT = (hub_component.name_fits_grove, hub_experimental.memory_pods_need_grove, *COMPONENT)
ALPHA_COMPONENT: ComponentRules = (
    known_annotations.component_executor_backend,
    alpha_component.dynamo_namespace_is_ignored,
    alpha_component.autoscaling_is_ignored,
    alpha_component.mounts_have_mount_point,
    alpha_component.ingress_has_host,
    hub_alpha.picker_has_one_config,
    alpha_component.sidecar_name_is_free,
    hub_alpha.shadows_fit_mode,
)
CHECKPOINT = (*v1_4.CHECKPOINT, hub_checkpoint.memory_service_is_switched_on)


def judge_graph(review: Review) -> None:
    hub_judges.judge_graph(review, v1_4.GRAPH, GRAPH_COMPONENT, GRAPH_AFTER_COMPONENTS, ALPHA_COMPONENT)


def judge_component(review: Review) -> None:
    hub_judges.judge_component(review, COMPONENT, ALPHA_COMPONENT)


DEFAULTS = v1_4.DEFAULTS
JUDGES = {
    **v1_4.JUDGES,
    ("v1beta1", "DynamoGraphDeployment"): judge_graph,
    ("v1beta1", "DynamoComponentDeployment"): judge_component,
    ("v1beta1", "DynamoGraphDeploymentRequest"): hub_judges.judge_by(
        (request.hardware_is_known, request.thorough_search_has_backend)
    ),
    ("v1alpha1", "DynamoCheckpoint"): hub_judges.judge_by(CHECKPOINT),
}
