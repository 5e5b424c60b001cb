"""The validation rules of the CRDs (x-kubernetes-validations), each as a small function, and their findings.

A rule takes the checked and defaulted value that it is attached to and returns whether the value is allowed. It runs
after the structural checks of the same part, so types can be relied on. Where the expression would fail to evaluate in
the API server (a field is not there, a function has no overload for a type) the function returns False: the API server
refuses the object then, too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dynamoc.documents.findings.finding import Path
from dynamoc.documents.schema.problem import is_quantity
from dynamoc.kube.merge import is_true
from dynamoc.reference.slugs import ErrorSlug

Value = dict[str, Any]


EXECUTOR_ANNOTATION = "nvidia.com/vllm-distributed-executor-backend"


def volume_to_create_is_complete(self: Value) -> bool:
    return not self.get("create") or ("size" in self and "storageClass" in self and "volumeAccessMode" in self)


def checkpoint_is_identified(self: Value) -> bool:
    # `enabled` has a default, model and backendFramework are required fields of the identity.
    return not self["enabled"] or bool(self.get("checkpointRef")) or "identity" in self


def checkpoint_has_reference_or_job(self: Value) -> bool:
    return "job" not in self or not self.get("checkpointRef")


def checkpoint_has_reference_or_identity(self: Value) -> bool:
    return bool(self.get("checkpointRef")) or "identity" in self


def checkpoint_job_needs_auto_mode(self: Value) -> bool:
    return "job" not in self or self.get("mode", "Auto") == "Auto"


def client_containers_need_intra_pod(self: Value) -> bool:
    return not self.get("extraClientContainers") or self.get("mode") == "intraPod"


def client_containers_need_intra_pod_mode(self: Value) -> bool:
    return not self.get("extraClientContainers") or self.get("mode") == "IntraPod"


def client_pods_need_inter_pod(self: Value) -> bool:
    return not self.get("extraClientPods") or self.get("mode") == "interPod"


def client_pods_need_inter_pod_mode(self: Value) -> bool:
    return not self.get("extraClientPods") or self.get("mode") == "InterPod"


def client_pods_are_not_supported(self: Value) -> bool:
    return not self.get("extraClientPods")


def shared_memory_has_a_size(self: Value) -> bool:
    return bool(self.get("disabled")) or _is_positive_quantity(self.get("size"))


def shared_memory_is_disabled_or_sized(self: Value) -> bool:
    return not is_true(self.get("disabled")) or "size" not in self


def _is_positive_quantity(size: Any) -> bool:
    """CEL's `quantity()` takes strings only, and reads them as Go does: without a fraction in the exponent."""
    if size.__class__ is not str or not is_quantity(size) or size[0] == "-":
        return False
    mantissa = size.rstrip("KMGTPEinumk")
    for mark in "eE":
        mantissa, _, exponent = mantissa.partition(mark)
        if "." in exponent:
            return False
    return mantissa.strip("+0.") != ""


def min_available_fits_replicas(self: Value) -> bool:
    if "minAvailable" not in self:
        return True
    replicas: int = self.get("replicas", 1)
    least: int = self["minAvailable"]
    return replicas == 0 or least <= replicas


def min_available_fits_replicas_or_lpx(self: Value) -> bool:
    return (self.get("type") == "lpx" and "replicas" not in self) or min_available_fits_replicas(self)


def lpx_is_of_type_lpx(self: Value) -> bool:
    return ("lpx" in self) == (self.get("type") == "lpx")


def partitions_are_listed(self: Value) -> bool:
    return bool(self["mode"] == "IDs") == ("ids" in self)


def templates_are_of_one_kind(self: Value) -> bool:
    return "podTemplate" not in self or not any("podTemplate" in role for role in self.get("roles", ()))


def epp_has_one_config(self: Value) -> bool:
    return ("configMapRef" in self) != ("config" in self)


def epp_config_needs_type_epp(self: Value) -> bool:
    return "eppConfig" not in self or self.get("type") == "epp"


def one_epp_at_most(self: list[Value]) -> bool:
    return sum(1 for component in self if component.get("type") == "epp") <= 1


def component_names_differ(self: list[Value]) -> bool:
    names = [component["name"].lower() for component in self if "name" in component]
    return len(set(names)) == len(names)


def executor_is_mp_or_ray(self: Value) -> bool:
    return EXECUTOR_ANNOTATION not in self or self[EXECUTOR_ANNOTATION].lower() in ("mp", "ray")


def sidecar_has_an_image(self: Value) -> bool:
    return self["name"] == "main" or bool(self.get("image"))


def init_container_has_an_image(self: Value) -> bool:
    return bool(self.get("image"))


def label_key_prefix_is_short(self: str) -> bool:
    return "/" not in self or len(self.split("/")[0]) <= 253


def topology_has_a_label_key(self: Value) -> bool:
    return "labelKey" in self


def topology_has_one_source(self: Value) -> bool:
    return ("labelKey" in self) != ("clusterTopologyName" in self)


def preferred_topology_has_a_weight(self: Value) -> bool:
    return self.get("enforcement") != "preferred" or "preferredWeight" in self


def weight_needs_preferred_topology(self: Value) -> bool:
    return "preferredWeight" not in self or self.get("enforcement") == "preferred"


def restart_is_unset_at_creation(self: Value) -> bool:
    return "restart" not in self


# The key is the text of the rule in the CRD; tests compare the keys with the texts that occur in the schemas.
RULES: dict[str, Callable[[Any], bool]] = {
    "!has(self.create) || self.create == false"
    " || (has(self.size) && has(self.storageClass) && has(self.volumeAccessMode))": volume_to_create_is_complete,
    "!self.enabled || (has(self.checkpointRef) && size(self.checkpointRef) > 0)"
    " || (has(self.identity) && has(self.identity.model) && has(self.identity.backendFramework))": (
        checkpoint_is_identified
    ),
    "!has(self.job) || !has(self.checkpointRef) || size(self.checkpointRef) == 0": checkpoint_has_reference_or_job,
    "(has(self.checkpointRef) && size(self.checkpointRef) > 0) || has(self.identity)": (
        checkpoint_has_reference_or_identity
    ),
    "!has(self.job) || !has(self.mode) || self.mode == 'Auto'": checkpoint_job_needs_auto_mode,
    "!has(self.extraClientContainers) || size(self.extraClientContainers) == 0 || self.mode == 'intraPod'": (
        client_containers_need_intra_pod
    ),
    "!has(self.extraClientContainers) || size(self.extraClientContainers) == 0 || self.mode == 'IntraPod'": (
        client_containers_need_intra_pod_mode
    ),
    "!has(self.extraClientPods) || size(self.extraClientPods) == 0 || self.mode == 'interPod'": (
        client_pods_need_inter_pod
    ),
    "!has(self.extraClientPods) || size(self.extraClientPods) == 0 || self.mode == 'InterPod'": (
        client_pods_need_inter_pod_mode
    ),
    "!has(self.extraClientPods) || size(self.extraClientPods) == 0": client_pods_are_not_supported,
    "!(has(self.disabled) && self.disabled && has(self.size))": shared_memory_is_disabled_or_sized,
    "(has(self.disabled) && self.disabled)"
    " || (has(self.size) && quantity(self.size).isGreaterThan(quantity('0')))": shared_memory_has_a_size,
    "!has(self.minAvailable) || (has(self.replicas) && self.replicas == 0)"
    " || self.minAvailable <= (has(self.replicas) ? self.replicas : 1)": min_available_fits_replicas,
    "!has(self.minAvailable) || (has(self.type) && self.type == 'lpx' && !has(self.replicas))"
    " || (has(self.replicas) && self.replicas == 0)"
    " || self.minAvailable <= (has(self.replicas) ? self.replicas : 1)": min_available_fits_replicas_or_lpx,
    "has(self.lpx) == (has(self.type) && self.type == 'lpx')": lpx_is_of_type_lpx,
    "(self.mode == 'IDs') == has(self.ids)": partitions_are_listed,
    "!has(self.podTemplate) || !has(self.roles) || self.roles.all(role, !has(role.podTemplate))": (
        templates_are_of_one_kind
    ),
    "has(self.configMapRef) != has(self.config)": epp_has_one_config,
    "!has(self.eppConfig) || (has(self.type) && self.type == 'epp')": epp_config_needs_type_epp,
    "self.filter(c, has(c.type) && c.type == 'epp').size() <= 1": one_epp_at_most,
    "self.all(c1, !has(c1.name)"
    " || self.filter(c2, has(c2.name) && c2.name.lowerAscii() == c1.name.lowerAscii()).size() == 1)": (
        component_names_differ
    ),
    f'!("{EXECUTOR_ANNOTATION}" in self)'
    f' || self["{EXECUTOR_ANNOTATION}"].lowerAscii() in ["mp", "ray"]': executor_is_mp_or_ray,
    'self.name == "main" || (has(self.image) && self.image != "")': sidecar_has_an_image,
    'has(self.image) && self.image != ""': init_container_has_an_image,
    "!self.contains('/') || self.split('/')[0].size() <= 253": label_key_prefix_is_short,
    "has(self.labelKey)": topology_has_a_label_key,
    "(has(self.labelKey) && !has(self.clusterTopologyName))"
    " || (!has(self.labelKey) && has(self.clusterTopologyName))": topology_has_one_source,
    "!has(self.enforcement) || self.enforcement != 'preferred' || has(self.preferredWeight)": (
        preferred_topology_has_a_weight
    ),
    "!has(self.preferredWeight) || (has(self.enforcement) && self.enforcement == 'preferred')": (
        weight_needs_preferred_topology
    ),
    "oldSelf.hasValue() || !has(self.restart)": restart_is_unset_at_creation,
}

#: the names of findings of rules that hold for new objects only
CREATION = frozenset({"cel/restart-is-unset-at-creation"})


def identity_is_kept(self: Value, old: Value) -> bool:
    return "identity" not in old["spec"] or self["spec"].get("identity") == old["spec"]["identity"]


def min_available_is_kept(self: Value, old: Value) -> bool:
    return "minAvailable" not in old or self.get("minAvailable") == old["minAvailable"]


def type_is_kept(self: Value, old: Value) -> bool:
    return "type" not in old or self.get("type") == old["type"]


def component_type_is_kept(self: Value, old: Value) -> bool:
    return "componentType" not in old or self.get("componentType") == old["componentType"]


def spec_is_kept(self: Value, old: Value) -> bool:
    return "spec" not in old or self.get("spec") == old["spec"]


# Rules that compare with the stored object, and the field they are about. The API server skips them at creation.
TRANSITIONS: dict[str, tuple[Callable[[Any, Any], bool], Path]] = {
    "!has(oldSelf.spec.identity) || self.spec.identity == oldSelf.spec.identity": (
        identity_is_kept,
        ("spec", "identity"),
    ),
    "!has(oldSelf.minAvailable) || (has(self.minAvailable) && self.minAvailable == oldSelf.minAvailable)": (
        min_available_is_kept,
        ("minAvailable",),
    ),
    "!has(oldSelf.type) || (has(self.type) && self.type == oldSelf.type)": (type_is_kept, ("type",)),
    "!has(oldSelf.componentType) || (has(self.componentType) && self.componentType == oldSelf.componentType)": (
        component_type_is_kept,
        ("componentType",),
    ),
    "!has(oldSelf.spec) || self.spec == oldSelf.spec": (spec_is_kept, ("spec",)),
}


def slug(rule: Callable[..., bool]) -> ErrorSlug:
    """The name of a rule's finding."""
    return f"cel/{rule.__name__.replace('_', '-')}"
