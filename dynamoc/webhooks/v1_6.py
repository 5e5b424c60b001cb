"""The webhooks of operator 1.6: those of 1.5, with pod templates of roles, runtime sidecars, and minima of Grove.

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
    hub_minimum,
    hub_roles,
    hub_templates,
    orchestrator,
    v1_5,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.webhooks.hub_judges import GraphRules, HubRules
    from dynamoc.webhooks.review import Review

GRAPH: GraphRules = (*v1_5.GRAPH, hub_minimum.minima_are_said_in_one_way, hub_templates.planner_knows_roles)

COMPONENT: HubRules = (
    hub_templates.lpx_is_not_rendered,
    hub_experimental.elastic_parallelism_has_command,
    hub_roles.component_override,
    hub_component.min_available_needs_grove,
    hub_minimum.minimum_is_deprecated,
    hub_minimum.minimum_fits_replicas,
    hub_roles.roles_are_complete,
    hub_templates.role_templates_are_complete,
    hub_component.shared_memory_is_not_negative,
    hub_roles.multinode_is_for_workers,
    hub_component.legacy_picker_is_one_pod,
    hub_templates.sidecar_exists,
    hub_templates.runtime_sidecar_fits,
    hub_experimental.memory_service,
    hub_experimental.memory_clients,
    hub_experimental.failover,
    hub_experimental.scaling_group_needs_grove,
    hub_experimental.checkpoint,
    hub_experimental.checkpoint_is_of_workers,
    hub_component.picker_fits_runtime,
    hub_templates.image_is_given,
    orchestrator.multinode_without_grove,
)
GRAPH_COMPONENT = (
    hub_component.name_fits_grove,
    hub_experimental.memory_pods_need_grove,
    hub_experimental.power_limit,
    *COMPONENT,
    hub_templates.runtime_version_is_known,
)
LONE_COMPONENT = (*COMPONENT, hub_component.picker_version_is_known)
GRAPH_AFTER_COMPONENTS = (
    hub_graph.topology_is_complete,
    hub_roles.topology_is_said_once,
    hub_graph.transfer_policy_fits,
)
# A v1alpha1 service with templates of roles, or with Dynamo beside its engine, tells its version there.
ALPHA_SERVICE = (*v1_5.ALPHA_COMPONENT, hub_alpha.runtime_version_is_known)


def judge_graph(review: Review) -> None:
    hub_judges.judge_graph(review, GRAPH, GRAPH_COMPONENT, GRAPH_AFTER_COMPONENTS, ALPHA_SERVICE)


def judge_component(review: Review) -> None:
    hub_judges.judge_component(review, LONE_COMPONENT, v1_5.LONE_ALPHA_COMPONENT)


DEFAULTS = {
    **v1_5.DEFAULTS,
    ("v1beta1", "DynamoGraphDeployment"): (
        defaults.workload_provider,
        defaults.origin_version,
        defaults.component_counts,
        defaults.component_parts,
    ),
}
JUDGES = {
    **v1_5.JUDGES,
    ("v1beta1", "DynamoGraphDeployment"): judge_graph,
    ("v1beta1", "DynamoComponentDeployment"): judge_component,
}
