"""What the operator's webhooks do, by release: defaults, checks of documents, and checks of updates, in their order.

The first releases have no webhooks, and refuse while they reconcile.
Source: internal/webhook/defaulting and internal/webhook/validation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dynamoc.admission.webhooks import (
    alpha_later,
    alpha_rules,
    defaults,
    hub_component,
    hub_experimental,
    hub_graph,
    hub_roles,
    judges,
    update_hub,
)
from dynamoc.admission.webhooks import other as other_other
from dynamoc.admission.webhooks import other as other_update
from dynamoc.reference.releases import GONE

Check = Callable[..., Any]
_GRAPH_1_0 = (
    alpha_rules.has_services,
    hub_roles.origin_version,
    hub_roles.executor_backend,
    alpha_rules.claims_are_complete,
    alpha_rules.restart_is_complete,
)
_COMPONENT_1_0 = (
    alpha_rules.dynamo_namespace_is_ignored,
    alpha_rules.replicas_are_not_negative,
    alpha_rules.ingress_has_host,
    alpha_rules.mounts_have_mount_point,
    alpha_rules.shared_memory_has_size,
    alpha_rules.autoscaling_is_ignored,
    alpha_rules.sidecar_name_is_free,
    hub_roles.component_executor_backend,
    alpha_rules.endpoint_picker,
    defaults.multinode_without_grove,
)
_SERVICE_1_0 = (alpha_rules.name_fits_grove, *_COMPONENT_1_0, alpha_rules.inference_pool_is_served)
_GRAPH_1_1 = (
    alpha_rules.has_services,
    hub_roles.origin_version,
    hub_roles.executor_backend,
    hub_roles.discovery_mode,
    alpha_rules.claims_are_complete,
    alpha_rules.restart_is_complete,
    alpha_later.constraints_are_complete,
    alpha_later.failover_discovers_containers,
)
_COMPONENT_1_1 = (
    *_COMPONENT_1_0,
    alpha_later.service_is_in_the_pod,
    alpha_later.service_is_for_workers,
    alpha_later.failover_in_the_pod,
)
_SERVICE_1_1 = (alpha_rules.name_fits_grove, *_COMPONENT_1_1, alpha_rules.inference_pool_is_served)
_GRAPH_1_2 = (
    hub_graph.old_version_is_deprecated,
    alpha_rules.has_services,
    hub_roles.origin_version,
    hub_roles.executor_backend,
    hub_roles.discovery_mode,
    alpha_rules.claims_are_complete,
    alpha_rules.restart_is_complete,
    alpha_later.constraints_are_complete_on_grove,
    alpha_later.transfer_policy_is_complete,
    alpha_later.failover_discovers_containers,
)
_COMPONENT_1_2 = (
    alpha_rules.dynamo_namespace_is_ignored,
    alpha_rules.replicas_are_not_negative,
    alpha_rules.ingress_has_host,
    alpha_rules.mounts_have_mount_point,
    alpha_later.checkpoint_is_complete,
    alpha_later.clients_have_names,
    alpha_rules.shared_memory_has_size,
    alpha_rules.autoscaling_is_ignored,
    alpha_rules.sidecar_name_is_free,
    hub_roles.component_executor_backend,
    alpha_rules.endpoint_picker,
    alpha_later.service_is_for_workers,
    alpha_later.failover,
    alpha_later.snapshot_without_memory_service,
    defaults.multinode_without_grove,
)
_SERVICE_1_2 = (
    alpha_later.pods_need_grove,
    alpha_later.name_fits_grove,
    *_COMPONENT_1_2,
    alpha_rules.inference_pool_is_served,
)
_LAST_1_3 = (hub_graph.each_component_is_packed, hub_graph.transfer_policy_fits)
_COMPONENT_1_3 = (
    hub_component.min_available_needs_grove,
    hub_component.shared_memory_is_not_negative,
    hub_component.endpoint_picker,
    hub_component.component_sidecar_exists,
    hub_experimental.memory_service,
    hub_experimental.failover,
    hub_experimental.checkpoint,
    hub_experimental.checkpoint_without_memory_service,
    defaults.multinode_without_grove,
)
_GRAPH_COMPONENT_1_3 = (hub_component.name_fits_grove, hub_experimental.memory_pods_need_grove, *_COMPONENT_1_3)
_WRITTEN_1_3 = (
    hub_roles.component_executor_backend,
    alpha_rules.dynamo_namespace_is_ignored,
    alpha_rules.autoscaling_is_ignored,
    alpha_rules.mounts_have_mount_point,
    alpha_rules.ingress_has_host,
    hub_graph.picker_has_one_config,
    alpha_rules.sidecar_name_is_free,
    hub_graph.shadows_fit_mode,
)
_GRAPH_1_3 = (
    hub_roles.origin_version,
    hub_roles.executor_backend,
    hub_graph.annotations_are_known,
    hub_graph.failover_discovers_containers,
    hub_graph.priority_class_needs_grove,
    hub_graph.has_components,
)
_LAST_1_4 = (hub_graph.topology_is_complete, hub_graph.transfer_policy_fits)
_COMPONENT_1_4 = (
    hub_experimental.elastic_parallelism_has_command,
    hub_component.min_available_needs_grove,
    hub_component.shared_memory_is_not_negative,
    hub_component.endpoint_picker,
    hub_component.component_sidecar_exists,
    hub_experimental.memory_service,
    hub_experimental.memory_clients,
    hub_experimental.failover,
    hub_experimental.scaling_group_needs_grove,
    hub_experimental.checkpoint,
    hub_experimental.checkpoint_is_of_one_pod,
    hub_experimental.checkpoint_is_of_one_engine,
    hub_component.component_image_is_given,
    defaults.multinode_without_grove,
)
_GRAPH_COMPONENT_1_4 = (
    hub_component.name_fits_grove,
    hub_experimental.memory_pods_need_grove,
    hub_experimental.power_limit,
    *_COMPONENT_1_4,
    hub_component.runtime_version_is_known,
)
_WRITTEN_1_4 = (
    hub_roles.component_executor_backend,
    alpha_rules.dynamo_namespace_is_ignored,
    alpha_rules.autoscaling_is_ignored,
    alpha_rules.mounts_have_mount_point,
    alpha_rules.ingress_has_host,
    hub_graph.picker_has_one_config,
    alpha_rules.sidecar_name_is_free,
    hub_graph.shadows_fit_mode,
    hub_graph.image_is_given,
)
_GRAPH_1_5 = (
    hub_roles.origin_version,
    hub_roles.executor_backend,
    hub_graph.annotations_are_known,
    hub_graph.failover_discovers_containers,
    hub_roles.workload_provider,
    hub_roles.graph_override,
    hub_graph.priority_class_needs_grove,
    hub_graph.has_components,
)
_LAST_1_5 = (
    hub_graph.topology_is_complete,
    hub_roles.topology_is_said_once,
    hub_graph.transfer_policy_fits,
)
_COMPONENT_1_5 = (
    hub_experimental.elastic_parallelism_has_command,
    hub_roles.component_override,
    hub_component.min_available_needs_grove,
    hub_roles.roles_are_complete,
    hub_component.shared_memory_is_not_negative,
    hub_roles.multinode_is_for_workers,
    hub_component.picker_is_one_pod,
    hub_component.component_sidecar_exists,
    hub_experimental.memory_service,
    hub_experimental.memory_clients,
    hub_experimental.failover,
    hub_experimental.scaling_group_needs_grove,
    hub_experimental.checkpoint,
    hub_experimental.checkpoint_is_of_workers,
    hub_experimental.checkpoint_is_of_one_pod,
    hub_experimental.checkpoint_is_of_one_engine,
    hub_component.picker_fits_runtime,
    hub_component.component_image_is_given,
    defaults.multinode_without_grove,
)
_GRAPH_COMPONENT_1_5 = (
    hub_component.name_fits_grove,
    hub_experimental.memory_pods_need_grove,
    hub_experimental.power_limit,
    *_COMPONENT_1_5,
    hub_component.runtime_version_is_known,
)
_ALONE_1_5 = (hub_component.picker_version_is_known, hub_experimental.checkpoint_of_graph)
_WRITTEN_1_5 = (*_WRITTEN_1_4, hub_graph.picker_config_is_named, hub_graph.picker_fits_runtime)
_GRAPH_1_6 = (*_GRAPH_1_5, hub_experimental.minima_are_said_in_one_way, hub_component.planner_knows_roles)
_COMPONENT_1_6 = (
    hub_component.lpx_is_not_rendered,
    hub_experimental.elastic_parallelism_has_command,
    hub_experimental.engines_fit_checkpoint,
    hub_roles.component_override,
    hub_component.min_available_needs_grove,
    hub_experimental.minimum_is_deprecated,
    hub_experimental.minimum_fits_replicas,
    hub_roles.roles_are_complete,
    hub_component.role_templates_are_complete,
    hub_component.shared_memory_is_not_negative,
    hub_roles.multinode_is_for_workers,
    hub_component.legacy_picker_is_one_pod,
    hub_component.sidecar_exists_in_template,
    hub_component.runtime_sidecar_fits,
    hub_experimental.memory_service,
    hub_experimental.memory_clients,
    hub_experimental.failover,
    hub_experimental.scaling_group_needs_grove,
    hub_experimental.checkpoint,
    hub_experimental.checkpoint_is_of_workers,
    hub_experimental.checkpoint_is_of_one_pod,
    hub_component.picker_fits_runtime,
    hub_component.template_image_is_given,
    defaults.multinode_without_grove,
)
_GRAPH_COMPONENT_1_6 = (
    hub_component.name_fits_grove,
    hub_experimental.memory_pods_need_grove,
    hub_experimental.power_limit,
    *_COMPONENT_1_6,
    hub_component.template_runtime_version_is_known,
)
_CHECKPOINT = (hub_graph.checkpoints_are_enabled, hub_graph.job_is_wired_for_memory_service)

#: What is checked, by the version that the webhook sees. A `service` and a `graph-component` are parts of a graph, a
#: `component` stands alone; `graph-last` comes after the components; `written` is what was v1alpha1 before conversion.
CHECKS: dict[str, dict[str, tuple[Check, ...]]] = {
    "0.4": {
        "v1alpha1/graph": (),
        "v1alpha1/service": (defaults.multinode_without_grove,),
        "v1alpha1/component": (defaults.lone_multinode_without_grove,),
    },
    "1.0": {
        "v1alpha1/graph": _GRAPH_1_0,
        "v1alpha1/service": _SERVICE_1_0,
        "v1alpha1/component": _COMPONENT_1_0,
        "v1alpha1/model": (other_other.model_is_named, other_other.adapter_has_source),
        "v1beta1/request": (other_other.thorough_search_has_backend, other_other.hardware_is_known),
    },
    "1.1": {
        "v1alpha1/graph": _GRAPH_1_1,
        "v1alpha1/service": _SERVICE_1_1,
        "v1alpha1/component": _COMPONENT_1_1,
    },
    "1.2": {
        "v1alpha1/graph": _GRAPH_1_2,
        "v1alpha1/service": _SERVICE_1_2,
        "v1alpha1/component": (hub_graph.old_component_is_deprecated, *_COMPONENT_1_2),
        "v1alpha1/scaling-adapter": (hub_graph.old_version_is_deprecated,),
        "v1alpha1/checkpoint": (hub_graph.memory_service_is_switched_on,),
    },
    "1.3": {
        "v1alpha1/graph": GONE,
        "v1alpha1/service": GONE,
        "v1alpha1/component": GONE,
        "v1alpha1/scaling-adapter": GONE,
        "v1beta1/graph": _GRAPH_1_3,
        "v1beta1/graph-component": _GRAPH_COMPONENT_1_3,
        "v1beta1/graph-last": _LAST_1_3,
        "v1beta1/component": _COMPONENT_1_3,
        "v1beta1/scaling-adapter": (judges.written_adapter_is_deprecated,),
        "written/service": _WRITTEN_1_3,
        "written/component": _WRITTEN_1_3,
        "v1alpha1/model": (other_other.model_is_named, other_other.adapter_has_source_or_file),
        "v1beta1/request": (other_other.hardware_is_known, other_other.thorough_search_has_backend),
        "v1alpha1/checkpoint": (*_CHECKPOINT, hub_graph.memory_service_is_switched_on),
    },
    "1.4": {
        "v1beta1/graph-component": _GRAPH_COMPONENT_1_4,
        "v1beta1/graph-last": _LAST_1_4,
        "v1beta1/component": _COMPONENT_1_4,
        "written/service": (*_WRITTEN_1_4, hub_graph.runtime_version_is_known),
        "written/component": _WRITTEN_1_4,
        "v1beta1/request": (
            other_other.hardware_is_known,
            other_other.thorough_search_has_backend,
            other_other.runtime_version_is_known,
        ),
        "v1alpha1/checkpoint": _CHECKPOINT,
    },
    "1.5": {
        "v1beta1/graph": _GRAPH_1_5,
        "v1beta1/graph-component": _GRAPH_COMPONENT_1_5,
        "v1beta1/graph-last": _LAST_1_5,
        "v1beta1/component": (*_COMPONENT_1_5, *_ALONE_1_5),
        "written/service": (*_WRITTEN_1_5, hub_graph.runtime_version_is_known),
        "written/component": (*_WRITTEN_1_5, hub_graph.picker_version_is_known),
        "v1alpha1/checkpoint": GONE,
    },
    "1.6": {
        "v1beta1/graph": _GRAPH_1_6,
        "v1beta1/graph-component": _GRAPH_COMPONENT_1_6,
        "v1beta1/component": (*_COMPONENT_1_6, *_ALONE_1_5),
    },
}

#: defaults that a document gets, by version and kind
DEFAULTS: dict[str, dict[str, tuple[Check, ...]]] = {
    "1.0": {
        "v1alpha1/DynamoGraphDeployment": (defaults.service_replicas, defaults.origin_version),
        "v1beta1/DynamoGraphDeploymentRequest": (defaults.frontend_image,),
    },
    "1.1": {"v1beta1/DynamoGraphDeploymentRequest": (defaults.planner_image,)},
    "1.2": {"v1beta1/DynamoComponentDeployment": (defaults.component_name,)},
    "1.3": {
        "v1alpha1/DynamoGraphDeployment": GONE,
        "v1beta1/DynamoGraphDeployment": (defaults.component_counts, defaults.origin_version),
    },
    "1.5": {
        "v1beta1/DynamoGraphDeployment": (
            defaults.workload_provider,
            defaults.component_counts,
            defaults.component_parts,
            defaults.origin_version,
        ),
        "v1beta1/DynamoComponentDeployment": (defaults.component_name, defaults.role_replicas),
    },
    "1.6": {
        "v1beta1/DynamoGraphDeployment": (
            defaults.workload_provider,
            defaults.origin_version,
            defaults.component_counts,
            defaults.component_parts,
        ),
    },
}

#: what an update may not do: a function for each version and kind
UPDATES: dict[str, dict[str, Check]] = {
    "1.0": {
        "v1alpha1/DynamoGraphDeployment": other_update.judge_graph,
        "v1alpha1/DynamoComponentDeployment": other_update.judge_component,
        "v1alpha1/DynamoModel": other_update.judge_model,
        "v1beta1/DynamoGraphDeploymentRequest": other_update.judge_request_update,
    },
    "1.1": {"v1alpha1/DynamoGraphDeployment": other_update.judge_graph_and_topology},
    "1.2": {"v1alpha1/DynamoGraphDeployment": other_update.judge_graph_and_memory_pods},
    "1.3": {
        "v1alpha1/DynamoGraphDeployment": GONE,
        "v1alpha1/DynamoComponentDeployment": GONE,
        "v1beta1/DynamoGraphDeployment": update_hub.judge_graph,
        "v1beta1/DynamoComponentDeployment": update_hub.judge_component,
        "v1beta1/DynamoGraphDeploymentRequest": other_update.judge_request_ratcheting,
    },
    "1.4": {
        "v1beta1/DynamoGraphDeployment": update_hub.judge_graph_and_images,
        "v1beta1/DynamoComponentDeployment": update_hub.judge_component_and_images,
        "v1beta1/DynamoGraphDeploymentRequest": other_update.judge_request_and_version,
    },
    "1.5": {
        "v1beta1/DynamoGraphDeployment": update_hub.judge_graph_and_overrides,
        "v1beta1/DynamoComponentDeployment": update_hub.judge_component_and_overrides,
    },
    "1.6": {"v1beta1/DynamoGraphDeployment": update_hub.judge_graph_and_minima},
}
