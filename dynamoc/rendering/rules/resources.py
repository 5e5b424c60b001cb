"""Resources and GPUs of the container `main`, as resources or, since 1.4, by resource claims.

Source: internal/dra/dra.go ResolveGPUCount, internal/dynamo/graph.go ResolveContainerGPUs of release 1.4.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from dynamoc.admission.operator import Operator
from dynamoc.documents.findings.finding import Path, Refusal
from dynamoc.documents.schema.suggestions import value_hint
from dynamoc.kube import quantity
from dynamoc.kube.merge import Tree
from dynamoc.kube.quantity import canonical_as_read
from dynamoc.rendering.rules.command import parse_int64
from dynamoc.rendering.rules.draft import Pod, rule
from dynamoc.rendering.rules.memory import exact_request, is_gpu_resource, scalar_gpus

#: names of resources to their fields in v1alpha1
_FIELDS = {"cpu": "cpu", "memory": "memory", "nvidia.com/gpu": "gpu"}


@rule("resources/service", source="internal/controller_common/resource.go GetResourcesConfig")
def service_resources(pod: Pod) -> None:
    """Puts the component's `resources` over those of mainContainer, key by key; claims are appended.

    `gpuType` names the resource that `gpu` counts, `nvidia.com/gpu` without it. Up to 1.0 `requests.gpu` has no effect:
    Kubernetes uses the limit as the request for GPUs.
    """
    resources = pod.component.resources
    if resources is None:
        return
    path = (*pod.component.path, "resources")
    target = pod.main.setdefault("resources", {})
    requests_gpus = pod.release.has("resources/gpu-request")
    for part in ("limits", "requests"):
        with_gpu = part == "limits" or requests_gpus
        items = resource_list(resources.get(part), path=(*path, part), with_gpu=with_gpu)
        if items:
            _tell_overridden(pod, part, items)
            target.setdefault(part, {}).update(items)
    if resources.get("claims"):
        target.setdefault("claims", []).extend(resources["claims"])
    if requests_gpus:
        return
    if "gpu" in (resources.get("requests") or {}) and "gpu" not in (resources.get("limits") or {}):
        pod.operator.warn(
            "resources/gpu-request-ignored",
            "The operator ignores requests.gpu, so this container gets no GPU.",
            (*path, "requests", "gpu"),
            "Set limits.gpu.",
        )
    elif gpu_count(resources, "requests") not in (0, gpu_count(resources, "limits")):
        pod.operator.warn(
            "resources/gpu-request-ignored",
            "The operator ignores requests.gpu: the container gets the GPUs of limits.gpu, "
            f"{resources['limits']['gpu']}.",
            (*path, "requests", "gpu"),
            "Write the same number in both, or remove requests.gpu.",
            others=((*path, "limits", "gpu"),),
        )


def _tell_overridden(pod: Pod, part: str, items: dict[str, str]) -> None:
    own = pod.main["resources"].get(part) or {}
    for name in own.keys() & items.keys():
        if own[name] != items[name]:
            pod.operator.warn(
                "resources/overridden",
                f"The {part} of {name} are {items[name]}, as `resources` of {pod.component.name} sets; the "
                f"{own[name]} of the container have no effect.",
                (*pod.component.main_path, "resources", part, name),
                "Set it in only one of the two places.",
                others=((*pod.component.path, "resources", part, _FIELDS.get(name, "custom")),),
            )


def resource_list(item: Tree | None, *, path: Path, with_gpu: bool) -> dict[str, str]:
    """cpu, memory, gpu and custom of a v1alpha1 ResourceItem as a Kubernetes ResourceList.

    Raises `Refusal` for text that is not a quantity: the operator admits it and then fails to render the pod.
    """
    if not item:
        return {}
    named = [("cpu", "cpu"), ("memory", "memory")]
    if with_gpu:
        named.append((item.get("gpuType") or "nvidia.com/gpu", "gpu"))
    result = {name: _quantity(item[field], (*path, field)) for name, field in named if item.get(field)}
    for name, text in (item.get("custom") or {}).items():
        result[name] = _quantity(text, (*path, "custom", name))
    return result


def _quantity(text: str, path: Path) -> str:
    try:
        return canonical_as_read(text)
    except ValueError:
        raise Refusal(
            "resources/not-a-quantity",
            f'"{text}" is not a Kubernetes quantity; the operator fails to render the pod.',
            path,
            value_hint(text) or "Write a number with an optional suffix, such as 500m, 2, 16Gi.",
        ) from None


def gpu_count(resources: Tree | None, *parts: str) -> int:
    """The GPUs that the first of `parts` (limits, requests) names as a plain integer, else 0."""
    for part in parts:
        number = parse_int64(((resources or {}).get(part) or {}).get("gpu", ""))
        if number is not None:
            return number
    return 0


def node_gpus(pod: Pod, *parts: str) -> int:
    """GPUs of one node of a replica, as the flags for multinode need them.

    From `parts` of a v1alpha1 component's own resources, or from the container `main`, which may also have claims.
    """
    if pod.release.has("gpus/of-claims"):
        return container_gpus(pod)
    if pod.release.has("gpus/of-main-container"):
        return requested_gpus((pod.component.main or {}).get("resources"))
    return gpu_count(pod.component.resources, *parts)


#: `device.driver == "gpu.nvidia.com"` at the start of an expression or behind `&&`
_DRIVER = r"""(?:^|&&)[\t\n\f\r ]*\(*[\t\n\f\r ]*device\.driver[\t\n\f\r ]*==[\t\n\f\r ]*["']([^"']+)["']"""


def container_gpus(pod: Pod) -> int:
    """GPUs of one pod, as flags for several nodes and mpirun need them.

    Claims count only where no GPU is asked for as a resource. Claims and device classes that are not given are unknown;
    a claim then does not count, a class by its name. Raises `Refusal` where the operator cannot find a number.
    """
    component = pod.component
    path = (*component.main_path, "resources")
    resources = (component.main or {}).get("resources") or {}
    count = scalar_gpus(resources, path)
    claims = resources.get("claims") or []
    if count > 0 or not claims:
        return count
    search = _Search(pod.operator, pod.namespace, (*path, "claims"))
    pod_claims = {claim.get("name", ""): claim for claim in (component.pod_spec or {}).get("resourceClaims") or ()}
    distinct = dict.fromkeys((claim.get("name", ""), claim.get("request", "")) for claim in claims)
    return sum(search.claim(pod_claims.get(name), name, request) for name, request in distinct)


def requested_gpus(resources: Tree | None) -> int:
    """GPUs that requests, else limits, count: `nvidia.com/gpu`, else what its name shows to be a GPU.

    Of several such names the operator takes any; the first is as good.
    Source: internal/dynamo/backend_vllm.go getGPUQuantity of releases 1.2 and 1.3.
    """
    for part in ("requests", "limits"):
        amounts = (resources or {}).get(part) or {}
        names = [name for name in ("nvidia.com/gpu", *sorted(amounts)) if name in amounts and _names_gpu(name)]
        if names:
            return quantity.value(amounts[names[0]])
    return 0


def _names_gpu(name: str) -> bool:
    name = name.lower()
    if name == "gpu" or name.endswith("/gpu") or name.startswith("mig-"):
        return True
    return ".com/gpu" in name or "/mig-" in name


@dataclass(eq=False, slots=True)
class _Search:
    """Looks claims and device classes up in what is known of the cluster."""

    _operator: Operator
    _namespace: str
    _path: Path
    _classes: dict[str, Tree | None] = field(default_factory=dict, init=False)

    def claim(self, pod_claim: Tree | None, name: str, request: str) -> int:
        """GPUs of one request of a claim, or of all of them where none is named."""
        if pod_claim is None:
            raise self._refusal(f"the claim {name} is not among the pod's resourceClaims")
        spec = self._claim_spec(pod_claim, name)
        if spec is None:
            return 0
        requests = (spec.get("devices") or {}).get("requests") or []
        chosen = [item for item in requests if request in ("", item.get("name", ""))]
        if request and not chosen:
            raise self._refusal(f"the claim {name} has no request {request}")
        return sum(self._request(item) for item in chosen)

    def _claim_spec(self, pod_claim: Tree, name: str) -> Tree | None:
        kind = "ResourceClaimTemplate" if pod_claim.get("resourceClaimTemplateName") else "ResourceClaim"
        target = pod_claim.get("resourceClaimTemplateName") or pod_claim.get("resourceClaimName")
        if not target:
            raise self._refusal(f"the claim {name} refers to neither a ResourceClaim nor a ResourceClaimTemplate")
        found = self._operator.cluster.get(kind, self._namespace, target)
        if found is None:
            effect = "its GPUs are not counted; the operator renders no pods until it exists"
            self._operator.unknown(kind, self._namespace, target, effect, self._path)
            return None
        spec: Tree = found.get("spec") or {}
        return (spec.get("spec") or {}) if kind == "ResourceClaimTemplate" else spec

    def _request(self, request: Tree) -> int:
        exactly = exact_request(request)
        if exactly is not None:
            return self._devices(exactly) if self._is_gpu(exactly) else 0
        options = request.get("firstAvailable") or []
        if not options:
            raise self._refusal(f"the request {request.get('name', '')} sets neither `exactly` nor `firstAvailable`")
        counts = {self._devices(option) if self._is_gpu(option) else None for option in options}
        if len(counts) > 1:
            raise self._refusal(
                f"the alternatives of the request {request.get('name', '')} differ in their number of GPUs"
            )
        return counts.pop() or 0

    def _devices(self, request: Tree) -> int:
        mode, count = request.get("allocationMode") or "ExactCount", request.get("count") or 1
        if mode != "ExactCount":
            raise self._refusal(f"the allocation mode {mode} does not give a fixed number of GPUs")
        if count < 0:
            raise self._refusal(f"{count} is not a number of GPUs")
        return int(count)

    def _is_gpu(self, request: Tree) -> bool:
        """By the driver that selectors ask for, else by the class's extended resource, else by a plain class's name."""
        name = request.get("deviceClassName", "")
        device_class = self._device_class(name)
        spec = (device_class or {}).get("spec") or {}
        selectors = [*(spec.get("selectors") or ()), *(request.get("selectors") or ())]
        drivers = {_is_gpu_name(driver) for driver in _drivers(selectors)}
        if len(drivers) > 1:
            raise self._refusal(f"the device class {name} and the request ask for both GPU and other drivers")
        if drivers:
            return drivers.pop()
        resource = spec.get("extendedResourceName")
        if resource is not None:
            return is_gpu_resource(resource)
        if device_class is None or (not selectors and _is_gpu_name(name)):
            return _is_gpu_name(name)
        raise self._refusal(f"it is unknown whether the device class {name} provides GPUs")

    def _device_class(self, name: str) -> Tree | None:
        if name not in self._classes:
            found = self._classes[name] = self._operator.cluster.get("DeviceClass", None, name)
            if found is None:
                effect = "its name decides whether it counts as a GPU; the operator renders no pods until it exists"
                self._operator.unknown("DeviceClass", None, name, effect, self._path)
        return self._classes[name]

    def _refusal(self, what: str) -> Refusal:
        return Refusal(
            "dra/gpu-count",
            f"The operator cannot count the GPUs of this container, and fails to render it: {what}.",
            self._path,
        )


def _drivers(selectors: list[Tree]) -> list[str]:
    """Drivers that CEL expressions demand; an expression with alternatives says nothing certain."""
    expressions = [(selector.get("cel") or {}).get("expression", "") for selector in selectors]
    return [driver for text in expressions if "||" not in text for driver in re.findall(_DRIVER, text)]


def _is_gpu_name(name: str) -> bool:
    """Source: internal/dra/dra.go looksLikeGPUIdentifier."""
    name = name.lower()
    if name == "gpu" or name.startswith(("gpu.", "gpu/")) or name.endswith("/gpu"):
        return True
    return "/gpu." in name or "/gpu-" in name
