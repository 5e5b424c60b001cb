"""GPUs by way of Dynamic Resource Allocation: claims instead of `nvidia.com/gpu`, and counting both.

Source: internal/dra/dra.go of release 1.4.
"""

from __future__ import annotations

from dynamoc.diagnostics.finding import Refusal
from dynamoc.golang import quantity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Path

    Tree = dict[str, Any]

#: the claim that all clients of one pod's GPU memory share
SHARED_CLAIM = "intrapod-shared-gpu"
DEFAULT_DEVICE_CLASS = "gpu.nvidia.com"


def is_gpu_resource(name: str) -> bool:
    """`nvidia.com/gpu`, `gpu`, `…/gpu`, a MIG slice, or `gpu.…`, whatever the case (isGPUResourceName)."""
    name = name.lower()
    return name == "gpu" or name.endswith("/gpu") or "/mig-" in name or name.startswith("gpu.")


def scalar_gpus(resources: Tree | None, path: Path) -> int:
    """GPUs that limits, else requests, count; of several GPU resources the first by name.

    Raises `Refusal` for a fraction. Source: ExtractGPUCountFromResourceRequirements.
    """
    for part in ("limits", "requests"):
        amounts = (resources or {}).get(part) or {}
        names = sorted((name for name in amounts if is_gpu_resource(name)), key=str.encode)
        if names:
            amount = amounts[names[0]]
            count = quantity.value(amount)
            if quantity.compare(amount, str(count)):
                raise Refusal(
                    "dra/fractional-gpu",
                    f"{names[0]}: {amount} is not a whole number of GPUs; the operator fails to render the component.",
                    (*path, part, names[0]),
                )
            return count
    return 0


def remove_gpu_resources(container: Tree) -> None:
    """Takes GPUs out of limits and requests: where a claim brings them, the scheduler must not count them twice."""
    resources = container.get("resources") or {}
    for part in ("limits", "requests"):
        amounts = resources.get(part) or {}
        for name in [name for name in amounts if is_gpu_resource(name)]:
            del amounts[name]
        if part in resources and not amounts:
            del resources[part]


def use_shared_claim(container: Tree) -> None:
    """Gives the container the pod's shared claim in place of GPUs of its own."""
    remove_gpu_resources(container)
    claims = container.setdefault("resources", {}).setdefault("claims", [])
    if all(claim.get("name") != SHARED_CLAIM for claim in claims):
        claims.append({"name": SHARED_CLAIM})


def tolerate_gpu_taint(spec: Tree) -> None:
    """The device plugin would add this toleration for `nvidia.com/gpu`; claims go past it."""
    tolerations = spec.setdefault("tolerations", [])
    if all((item.get("key"), item.get("effect")) != ("nvidia.com/gpu", "NoSchedule") for item in tolerations):
        tolerations.append({"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"})


def claim_from_template(spec: Tree, template: str) -> None:
    """Makes the pod's shared claim one made from `template`, in the place of a claim of that name."""
    claim = {"name": SHARED_CLAIM, "resourceClaimTemplateName": template}
    claims = spec.setdefault("resourceClaims", [])
    for index, existing in enumerate(claims):
        if existing.get("name") == SHARED_CLAIM:
            claims[index] = claim
            return
    claims.append(claim)


def claim_template_name(owner: str, component: str) -> str:
    return f"{owner}-{component.lower()}-gpu"


def device_requests(name: str, device_class: str, gpus: int) -> Tree:
    """The spec of a ResourceClaimTemplate for `gpus` devices of one class, under the request name `name`."""
    exactly = {"deviceClassName": device_class, "allocationMode": "ExactCount"}
    # Go leaves a count of zero out.
    count = {"count": gpus} if gpus else {}
    return {"spec": {"devices": {"requests": [{"name": name, "exactly": {**exactly, **count}}]}}}


def exact_request(request: Tree) -> Tree | None:
    """What a device request asks for exactly, None where it lists alternatives.

    resource.k8s.io/v1beta1 has the fields in the request itself; the API server gives the operator v1.
    """
    exactly: Tree | None = request.get("exactly")
    return request if exactly is None and "deviceClassName" in request else exactly
