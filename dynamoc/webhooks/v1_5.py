"""The webhooks of operator 1.5: those of 1.4, with roles, fragments of Grove's objects, and the native EPP.

Source: internal/webhook/defaulting and internal/webhook/validation; the order is the operator's.
"""

from __future__ import annotations

from dynamoc.webhooks import (
    defaults,
    hub_alpha,
    hub_component,
    hub_experimental,
    hub_graph,
    hub_judges,
    hub_roles,
    known_annotations,
    orchestrator,
    v1_4,
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
    known_annotations.workload_provider,
    hub_roles.graph_override,
    hub_graph.priority_class_needs_grove,
    hub_graph.has_components,
)
GRAPH_AFTER_COMPONENTS = (
    hub_graph.topology_is_complete,
    hub_roles.topology_is_said_once,
    hub_graph.transfer_policy_fits,
)

COMPONENT: HubRules = (
    hub_experimental.elastic_parallelism_has_command,
    hub_roles.component_override,
    hub_component.min_available_needs_grove,
    hub_roles.roles_are_complete,
    hub_component.shared_memory_is_not_negative,
    hub_roles.multinode_is_for_workers,
    hub_component.picker_is_one_pod,
    hub_component.sidecar_exists,
    hub_experimental.memory_service,
    hub_experimental.memory_clients,
    hub_experimental.failover,
    hub_experimental.scaling_group_needs_grove,
    hub_experimental.checkpoint,
    hub_experimental.checkpoint_is_of_workers,
    hub_experimental.checkpoint_is_possible,
    hub_component.picker_fits_runtime,
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
LONE_COMPONENT = (*COMPONENT, hub_component.picker_version_is_known)

ALPHA_COMPONENT: ComponentRules = (*v1_4.ALPHA_COMPONENT, hub_alpha.picker_fits_runtime)
ALPHA_SERVICE = (*ALPHA_COMPONENT, hub_alpha.runtime_version_is_known)
LONE_ALPHA_COMPONENT = (*ALPHA_COMPONENT, hub_alpha.picker_version_is_known)


def judge_graph(review: Review) -> None:
    hub_judges.judge_graph(review, GRAPH, GRAPH_COMPONENT, GRAPH_AFTER_COMPONENTS, ALPHA_SERVICE)


def judge_component(review: Review) -> None:
    hub_judges.judge_component(review, LONE_COMPONENT, LONE_ALPHA_COMPONENT)


DEFAULTS = {
    **v1_4.DEFAULTS,
    ("v1beta1", "DynamoGraphDeployment"): (
        defaults.workload_provider,
        defaults.component_counts,
        defaults.component_parts,
        defaults.origin_version,
    ),
    ("v1beta1", "DynamoComponentDeployment"): (defaults.component_name, defaults.role_replicas),
}
JUDGES = {
    **{key: judge for key, judge in v1_4.JUDGES.items() if key[1] != "DynamoCheckpoint"},
    ("v1beta1", "DynamoGraphDeployment"): judge_graph,
    ("v1beta1", "DynamoComponentDeployment"): judge_component,
}
