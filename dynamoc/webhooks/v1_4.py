"""The webhooks of operator 1.4, for v1beta1; documents that were written in v1alpha1 are converted for them.

Source: internal/webhook/defaulting and internal/webhook/validation; the order is the operator's.
"""

from __future__ import annotations

from dynamoc.webhooks import (
    alpha_component,
    defaults,
    hub_alpha,
    hub_checkpoint,
    hub_component,
    hub_experimental,
    hub_graph,
    hub_judges,
    known_annotations,
    model,
    orchestrator,
    request,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.webhooks.alpha import ComponentRules
    from dynamoc.webhooks.hub_judges import GraphRules, HubRules
    from dynamoc.webhooks.review import Review

GRAPH: GraphRules = (
    known_annotations.origin_version,
    known_annotations.executor_backend,
    hub_graph.annotations_are_known,
    hub_graph.failover_discovers_containers,
    hub_graph.priority_class_needs_grove,
    hub_graph.has_components,
)
GRAPH_AFTER_COMPONENTS = (hub_graph.topology_is_complete, hub_graph.transfer_policy_fits)

COMPONENT: HubRules = (
    hub_experimental.elastic_parallelism_has_command,
    hub_component.min_available_needs_grove,
    hub_component.shared_memory_is_not_negative,
    hub_component.endpoint_picker,
    hub_component.sidecar_exists,
    hub_experimental.memory_service,
    hub_experimental.memory_clients,
    hub_experimental.failover,
    hub_experimental.scaling_group_needs_grove,
    hub_experimental.checkpoint,
    hub_experimental.checkpoint_is_possible,
    hub_component.image_is_given,
    orchestrator.multinode_without_grove,
)
GRAPH_COMPONENT = (
    hub_component.name_fits_grove,
    hub_experimental.memory_pods_need_grove,
    hub_experimental.power_limit,
    *COMPONENT,
    hub_component.runtime_version_is_known,
)

ALPHA_COMPONENT: ComponentRules = (
    known_annotations.component_executor_backend,
    alpha_component.dynamo_namespace_is_ignored,
    alpha_component.autoscaling_is_ignored,
    alpha_component.mounts_have_mount_point,
    alpha_component.ingress_has_host,
    hub_alpha.picker_has_one_config,
    alpha_component.sidecar_name_is_free,
    hub_alpha.shadows_fit_mode,
    hub_alpha.image_is_given,
)
ALPHA_SERVICE = (*ALPHA_COMPONENT, hub_alpha.runtime_version_is_known)

MODEL = (model.model_is_named, model.adapter_has_source_or_file)
REQUEST = (request.hardware_is_known, request.thorough_search_has_backend, request.runtime_version_is_known)
CHECKPOINT = (hub_checkpoint.checkpoints_are_enabled, hub_checkpoint.job_is_wired_for_memory_service)


def judge_graph(review: Review) -> None:
    hub_judges.judge_graph(review, GRAPH, GRAPH_COMPONENT, GRAPH_AFTER_COMPONENTS, ALPHA_SERVICE)


def judge_component(review: Review) -> None:
    hub_judges.judge_component(review, COMPONENT, ALPHA_COMPONENT)


DEFAULTS = {
    ("v1beta1", "DynamoGraphDeployment"): (defaults.component_counts, defaults.origin_version),
    ("v1beta1", "DynamoComponentDeployment"): (defaults.component_name,),
    ("v1beta1", "DynamoGraphDeploymentRequest"): (defaults.planner_image,),
}
JUDGES = {
    ("v1beta1", "DynamoGraphDeployment"): judge_graph,
    ("v1beta1", "DynamoComponentDeployment"): judge_component,
    ("v1beta1", "DynamoGraphDeploymentScalingAdapter"): hub_judges.judge_scaling_adapter,
    ("v1beta1", "DynamoGraphDeploymentRequest"): hub_judges.judge_by(REQUEST),
    ("v1alpha1", "DynamoModel"): hub_judges.judge_by(MODEL),
    ("v1alpha1", "DynamoCheckpoint"): hub_judges.judge_by(CHECKPOINT),
}
