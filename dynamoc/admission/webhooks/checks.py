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
    other,
    update_hub,
)
from dynamoc.reference.releases import GONE, ORDER

Check = Callable[..., Any]
#: a check, the release that brought it, and the one that it went with
Rows = tuple[tuple[Check, str] | tuple[Check, str, str], ...]

_GRAPH: Rows = (
    (hub_graph.old_version_is_deprecated, "1.2"),
    (alpha_rules.has_services, "1.0"),
    (hub_roles.origin_version, "1.0"),
    (hub_roles.executor_backend, "1.0"),
    (hub_roles.discovery_mode, "1.1"),
    (alpha_rules.claims_are_complete, "1.0"),
    (alpha_rules.restart_is_complete, "1.0"),
    (alpha_later.constraints_are_complete, "1.1", "1.2"),
    (alpha_later.constraints_are_complete_on_grove, "1.2"),
    (alpha_later.transfer_policy_is_complete, "1.2"),
    (alpha_later.failover_discovers_containers, "1.1"),
)
_COMPONENT: Rows = (
    (alpha_rules.dynamo_namespace_is_ignored, "1.0"),
    (alpha_rules.replicas_are_not_negative, "1.0"),
    (alpha_rules.ingress_has_host, "1.0"),
    (alpha_rules.mounts_have_mount_point, "1.0"),
    (alpha_later.checkpoint_is_complete, "1.2"),
    (alpha_later.clients_have_names, "1.2"),
    (alpha_rules.shared_memory_has_size, "1.0"),
    (alpha_rules.autoscaling_is_ignored, "1.0"),
    (alpha_rules.sidecar_name_is_free, "1.0"),
    (hub_roles.component_executor_backend, "1.0"),
    (alpha_rules.endpoint_picker, "1.0"),
    (defaults.multinode_without_grove, "1.0", "1.2"),
    (alpha_later.service_is_in_the_pod, "1.1", "1.2"),
    (alpha_later.service_is_for_workers, "1.1"),
    (alpha_later.failover_in_the_pod, "1.1", "1.2"),
    (alpha_later.failover, "1.2"),
    (alpha_later.snapshot_without_memory_service, "1.2"),
    (defaults.multinode_without_grove, "1.2"),
)
_SERVICE: Rows = (
    (defaults.multinode_without_grove, "0.4", "1.0"),
    (alpha_later.pods_need_grove, "1.2"),
    (alpha_rules.name_fits_grove, "1.0", "1.2"),
    (alpha_later.name_fits_grove, "1.2"),
    *_COMPONENT,
    (alpha_rules.inference_pool_is_served, "1.0"),
)
_LONE_COMPONENT: Rows = (
    (defaults.lone_multinode_without_grove, "0.4", "1.0"),
    (hub_graph.old_component_is_deprecated, "1.2"),
    *_COMPONENT,
)
_HUB_GRAPH: Rows = (
    (hub_roles.origin_version, "1.3"),
    (hub_roles.executor_backend, "1.3"),
    (hub_graph.annotations_are_known, "1.3"),
    (hub_graph.failover_discovers_containers, "1.3"),
    (hub_roles.workload_provider, "1.5"),
    (hub_roles.graph_override, "1.5"),
    (hub_graph.priority_class_needs_grove, "1.3"),
    (hub_graph.has_components, "1.3"),
    (hub_experimental.minima_are_said_in_one_way, "1.6"),
    (hub_component.planner_knows_roles, "1.6"),
)
_HUB_LAST: Rows = (
    (hub_graph.each_component_is_packed, "1.3", "1.4"),
    (hub_graph.topology_is_complete, "1.4"),
    (hub_roles.topology_is_said_once, "1.5"),
    (hub_graph.transfer_policy_fits, "1.3"),
)
_HUB_COMPONENT: Rows = (
    (hub_component.lpx_is_not_rendered, "1.6"),
    (hub_experimental.elastic_parallelism_has_command, "1.4"),
    (hub_experimental.engines_fit_checkpoint, "1.6"),
    (hub_roles.component_override, "1.5"),
    (hub_component.min_available_needs_grove, "1.3"),
    (hub_experimental.minimum_is_deprecated, "1.6"),
    (hub_experimental.minimum_fits_replicas, "1.6"),
    (hub_roles.roles_are_complete, "1.5"),
    (hub_component.role_templates_are_complete, "1.6"),
    (hub_component.shared_memory_is_not_negative, "1.3"),
    (hub_roles.multinode_is_for_workers, "1.5"),
    (hub_component.endpoint_picker, "1.3", "1.5"),
    (hub_component.picker_is_one_pod, "1.5", "1.6"),
    (hub_component.legacy_picker_is_one_pod, "1.6"),
    (hub_component.component_sidecar_exists, "1.3", "1.6"),
    (hub_component.sidecar_exists_in_template, "1.6"),
    (hub_component.runtime_sidecar_fits, "1.6"),
    (hub_experimental.memory_service, "1.3"),
    (hub_experimental.memory_clients, "1.4"),
    (hub_experimental.failover, "1.3"),
    (hub_experimental.scaling_group_needs_grove, "1.4"),
    (hub_experimental.checkpoint, "1.3"),
    (hub_experimental.checkpoint_without_memory_service, "1.3", "1.4"),
    (hub_experimental.checkpoint_is_of_workers, "1.5"),
    (hub_experimental.checkpoint_is_of_one_pod, "1.4"),
    (hub_experimental.checkpoint_is_of_one_engine, "1.4", "1.6"),
    (hub_component.picker_fits_runtime, "1.5"),
    (hub_component.component_image_is_given, "1.4", "1.6"),
    (hub_component.template_image_is_given, "1.6"),
    (defaults.multinode_without_grove, "1.3"),
)
_HUB_PART: Rows = (
    (hub_component.name_fits_grove, "1.3"),
    (hub_experimental.memory_pods_need_grove, "1.3"),
    (hub_experimental.power_limit, "1.4"),
    *_HUB_COMPONENT,
    (hub_component.runtime_version_is_known, "1.4", "1.6"),
    (hub_component.template_runtime_version_is_known, "1.6"),
)
_HUB_ALONE: Rows = (
    *_HUB_COMPONENT,
    (hub_component.picker_version_is_known, "1.5"),
    (hub_experimental.checkpoint_of_graph, "1.5"),
)
_WRITTEN: Rows = (
    (hub_roles.component_executor_backend, "1.3"),
    (alpha_rules.dynamo_namespace_is_ignored, "1.3"),
    (alpha_rules.autoscaling_is_ignored, "1.3"),
    (alpha_rules.mounts_have_mount_point, "1.3"),
    (alpha_rules.ingress_has_host, "1.3"),
    (hub_graph.picker_has_one_config, "1.3"),
    (alpha_rules.sidecar_name_is_free, "1.3"),
    (hub_graph.shadows_fit_mode, "1.3"),
    (hub_graph.image_is_given, "1.4"),
    (alpha_rules.picker_config_is_named, "1.5"),
    (hub_component.picker_fits_runtime, "1.5"),
)
_REQUEST: Rows = (
    (other.thorough_search_has_backend, "1.0", "1.3"),
    (other.hardware_is_known, "1.0"),
    (other.thorough_search_has_backend, "1.3"),
    (other.runtime_version_is_known, "1.4"),
)
_MODEL: Rows = (
    (other.model_is_named, "1.0"),
    (other.adapter_has_source, "1.0", "1.3"),
    (other.adapter_has_source_or_file, "1.3"),
)
_CHECKPOINT: Rows = (
    (hub_graph.checkpoints_are_enabled, "1.3"),
    (hub_graph.job_is_wired_for_memory_service, "1.3"),
    (hub_graph.memory_service_is_switched_on, "1.2", "1.4"),
)

#: What is checked, by the version that the webhook sees; spans are as above. A `service` and a `graph-component` are
#: parts of a graph, a `component` stands alone; `graph-last` comes after the components; `written` is what was v1alpha1
#: before conversion.
_PARTS: dict[str, tuple[Rows, str] | tuple[Rows, str, str]] = {
    "v1alpha1/graph": (_GRAPH, "0.4", "1.3"),
    "v1alpha1/service": (_SERVICE, "0.4", "1.3"),
    "v1alpha1/component": (_LONE_COMPONENT, "0.4", "1.3"),
    "v1alpha1/scaling-adapter": (((hub_graph.old_version_is_deprecated, "1.2"),), "1.2", "1.3"),
    "v1beta1/graph": (_HUB_GRAPH, "1.3"),
    "v1beta1/graph-component": (_HUB_PART, "1.3"),
    "v1beta1/graph-last": (_HUB_LAST, "1.3"),
    "v1beta1/component": (_HUB_ALONE, "1.3"),
    "v1beta1/scaling-adapter": (((hub_graph.written_adapter_is_deprecated, "1.3"),), "1.3"),
    "written/service": ((*_WRITTEN, (hub_component.runtime_version_is_known, "1.4")), "1.3"),
    "written/component": ((*_WRITTEN, (hub_component.picker_version_is_known, "1.5")), "1.3"),
    "v1beta1/request": (_REQUEST, "1.0"),
    "v1alpha1/model": (_MODEL, "1.0"),
    "v1alpha1/checkpoint": (_CHECKPOINT, "1.2", "1.5"),
}


def checks_of(release: str) -> dict[str, tuple[Check, ...]]:
    """The checks of each part in a release."""
    known = frozenset(ORDER[: ORDER.index(release) + 1])
    return {
        part: tuple(check for check, *span in rows if _is_in(known, *span))
        for part, (rows, *spans) in _PARTS.items()
        if _is_in(known, *spans)
    }


def _is_in(known: frozenset[str], since: str, before: str = "") -> bool:
    """Whether a span holds for the newest of the releases so far."""
    return since in known and before not in known


def changes() -> dict[str, dict[str, tuple[Check, ...]]]:
    """The checks of each part, for the releases that changed them."""
    found: dict[str, dict[str, tuple[Check, ...]]] = {}
    last = dict.fromkeys(_PARTS, GONE)
    for release in ORDER:
        now = dict.fromkeys(_PARTS, GONE) | checks_of(release)
        changed = {part: checks for part, checks in now.items() if checks != last[part]}
        found.update({release: changed} if changed else {})
        last = now
    return found


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
        )
    },
}

#: what an update may not do: a function for each version and kind
UPDATES: dict[str, dict[str, Check]] = {
    "1.0": {
        "v1alpha1/DynamoGraphDeployment": other.judge_graph,
        "v1alpha1/DynamoComponentDeployment": other.judge_component,
        "v1alpha1/DynamoModel": other.judge_model,
        "v1beta1/DynamoGraphDeploymentRequest": other.judge_request_update,
    },
    "1.1": {"v1alpha1/DynamoGraphDeployment": other.judge_graph_and_topology},
    "1.2": {"v1alpha1/DynamoGraphDeployment": other.judge_graph_and_memory_pods},
    "1.3": {
        "v1alpha1/DynamoGraphDeployment": GONE,
        "v1alpha1/DynamoComponentDeployment": GONE,
        "v1beta1/DynamoGraphDeployment": update_hub.judge_graph,
        "v1beta1/DynamoComponentDeployment": update_hub.judge_component,
        "v1beta1/DynamoGraphDeploymentRequest": other.judge_request_ratcheting,
    },
    "1.4": {
        "v1beta1/DynamoGraphDeployment": update_hub.judge_graph_and_images,
        "v1beta1/DynamoComponentDeployment": update_hub.judge_component_and_images,
        "v1beta1/DynamoGraphDeploymentRequest": other.judge_request_and_version,
    },
    "1.5": {
        "v1beta1/DynamoGraphDeployment": update_hub.judge_graph_and_overrides,
        "v1beta1/DynamoComponentDeployment": update_hub.judge_component_and_overrides,
    },
    "1.6": {"v1beta1/DynamoGraphDeployment": update_hub.judge_graph_and_minima},
}
