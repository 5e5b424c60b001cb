"""Resources of the container `main`."""

from __future__ import annotations

from dynamoc.diagnostics.finding import Refusal
from dynamoc.golang.quantity import canonical_as_read
from dynamoc.rules.backends.command import parse_int64
from dynamoc.rules.registry import rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Path
    from dynamoc.rules.draft import Pod

    Tree = dict[str, Any]


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

    Raises `Refusal` for text that is no quantity: the operator admits it and then fails to render the pod.
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
        from dynamoc.kube.misspelt import value_hint

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
        from dynamoc.rules.gpu_count import container_gpus

        return container_gpus(pod)
    if pod.release.has("gpus/of-main-container"):
        from dynamoc.rules.gpu_count import requested_gpus

        return requested_gpus((pod.component.main or {}).get("resources"))
    return gpu_count(pod.component.resources, *parts)
