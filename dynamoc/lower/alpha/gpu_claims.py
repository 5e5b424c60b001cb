"""The claim through which the containers of a v1alpha1 component's pod share GPUs, as of release 1.1.

Source: internal/dra/dra.go ExtractGPUParams, GenerateResourceClaimTemplate.
"""

from __future__ import annotations

from dynamoc.diagnostics.finding import Refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.model.graph import Component
    from dynamoc.model.operator import Operator

    Tree = dict[str, Any]


def gpu_claim_template(
    component: Component, owner: str, namespace: str, operator: Operator, *, name: str | None = None
) -> list[Tree]:
    """The ResourceClaimTemplate of a component with GPU memory service, else none; none without GPUs.

    `name` is the component's own by default. Raises `Refusal` if resource claims are not available.
    """
    service = component.spec.get("gpuMemoryService") or {}
    if not service.get("enabled"):
        return []
    from dynamoc.lower.gpu_claims import claim_template
    from dynamoc.rules.dra import claim_template_name

    path = (*component.path, "gpuMemoryService")
    if not operator.capabilities.dra:
        raise Refusal(
            "dra/not-available",
            "gpuMemoryService needs resource claims (resource.k8s.io, Kubernetes 1.32), but they are not "
            "available; the operator creates no pods.",
            path,
            "Remove gpuMemoryService, or render for a cluster with resource claims.",
        )
    template = claim_template_name(owner, component.name if name is None else name)
    return claim_template(template, namespace, service, _gpus(component.resources), operator, path)


def _gpus(resources: Tree | None) -> int:
    """limits.gpu, else requests.gpu, as strconv.Atoi reads it; 0 where it doesn't."""
    from dynamoc.rules.backends.command import parse_int64

    for part in ("limits", "requests"):
        text = ((resources or {}).get(part) or {}).get("gpu")
        if text:
            return parse_int64(text) or 0
    return 0
