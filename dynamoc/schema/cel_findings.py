"""The findings of the CRDs' validation rules; only imported once one is broken."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from dynamoc.diagnostics.catalog.slugs import ErrorSlug

#: by the name of the rule's function in `dynamoc.schema.cel`
SLUGS: dict[str, ErrorSlug] = {
    "checkpoint_has_reference_or_identity": "cel/checkpoint-has-reference-or-identity",
    "checkpoint_has_reference_or_job": "cel/checkpoint-has-reference-or-job",
    "checkpoint_is_identified": "cel/checkpoint-is-identified",
    "checkpoint_job_needs_auto_mode": "cel/checkpoint-job-needs-auto-mode",
    "client_containers_need_intra_pod": "cel/client-containers-need-intra-pod",
    "client_containers_need_intra_pod_mode": "cel/client-containers-need-intra-pod-mode",
    "client_pods_are_not_supported": "cel/client-pods-are-not-supported",
    "client_pods_need_inter_pod": "cel/client-pods-need-inter-pod",
    "client_pods_need_inter_pod_mode": "cel/client-pods-need-inter-pod-mode",
    "component_names_differ": "cel/component-names-differ",
    "component_type_is_kept": "cel/component-type-is-kept",
    "epp_config_needs_type_epp": "cel/epp-config-needs-type-epp",
    "epp_has_one_config": "cel/epp-has-one-config",
    "executor_is_mp_or_ray": "cel/executor-is-mp-or-ray",
    "identity_is_kept": "cel/identity-is-kept",
    "init_container_has_an_image": "cel/init-container-has-an-image",
    "label_key_prefix_is_short": "cel/label-key-prefix-is-short",
    "lpx_is_of_type_lpx": "cel/lpx-is-of-type-lpx",
    "min_available_fits_replicas": "cel/min-available-fits-replicas",
    "min_available_fits_replicas_or_lpx": "cel/min-available-fits-replicas-or-lpx",
    "min_available_is_kept": "cel/min-available-is-kept",
    "one_epp_at_most": "cel/one-epp-at-most",
    "partitions_are_listed": "cel/partitions-are-listed",
    "preferred_topology_has_a_weight": "cel/preferred-topology-has-a-weight",
    "restart_is_unset_at_creation": "cel/restart-is-unset-at-creation",
    "shared_memory_has_a_size": "cel/shared-memory-has-a-size",
    "shared_memory_is_disabled_or_sized": "cel/shared-memory-is-disabled-or-sized",
    "sidecar_has_an_image": "cel/sidecar-has-an-image",
    "spec_is_kept": "cel/spec-is-kept",
    "templates_are_of_one_kind": "cel/templates-are-of-one-kind",
    "topology_has_a_label_key": "cel/topology-has-a-label-key",
    "topology_has_one_source": "cel/topology-has-one-source",
    "type_is_kept": "cel/type-is-kept",
    "volume_to_create_is_complete": "cel/volume-to-create-is-complete",
    "weight_needs_preferred_topology": "cel/weight-needs-preferred-topology",
}


def slug(rule: Callable[..., bool]) -> ErrorSlug:
    """The name of a rule's finding."""
    return SLUGS[rule.__name__]
