"""Templates of the claims through which the pods of a component share GPUs.

Source: controller/dgd_gms_resource_claims_reconciler.go, internal/dra/dra.go of release 1.4.
"""

from __future__ import annotations

from dynamoc.diagnostics.finding import Refusal
from dynamoc.lower.metadata import metadata
from dynamoc.model.experimental import gpu_memory_service, is_inter_pod_failover
from dynamoc.rules.dra import DEFAULT_DEVICE_CLASS, claim_template_name, device_requests, scalar_gpus
from dynamoc.tracing import HUB, builder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Path
    from dynamoc.model.graph import Component, Graph
    from dynamoc.model.operator import Operator

    Tree = dict[str, Any]


def gpu_claim_templates(graph: Graph, operator: Operator) -> list[Tree]:
    """One ResourceClaimTemplate per component with GPU memory service, in any mode.

    Raises `Refusal` if resource claims are not available.
    """
    objects: list[Tree] = []
    for component in graph.components:
        service = gpu_memory_service(component.spec)
        path = (*component.path, "experimental")
        if not operator.capabilities.dra:
            if service is not None or is_inter_pod_failover(component.spec):
                raise Refusal(
                    "dra/not-available",
                    "GPU memory service needs resource claims (resource.k8s.io/v1, Kubernetes 1.34), but they "
                    "are not available; the operator creates no pods of this graph.",
                    (*path, "gpuMemoryService"),
                    "Set dra.enabled in the operator's configuration, or remove gpuMemoryService.",
                )
            continue
        if service is not None:
            name = claim_template_name(graph.name, component.name)
            gpus = main_gpus(component)
            objects += claim_template(name, graph.namespace, service, gpus, operator, (*path, "gpuMemoryService"))
    return objects


@builder(
    "lower/gpu_claims/claim-template", source="internal/dra/dra.go GenerateResourceClaimTemplate", generations=(HUB,)
)
def claim_template(name: str, namespace: str, service: Tree, gpus: int, operator: Operator, path: Path) -> list[Tree]:
    """A ResourceClaimTemplate for the GPUs of a gpuMemoryService; none without GPUs."""
    if gpus <= 0:
        return []
    device_class = service.get("deviceClassName") or DEFAULT_DEVICE_CLASS
    if not operator.cluster.exists("DeviceClass", None, device_class):
        operator.unknown(
            "DeviceClass",
            None,
            device_class,
            "without it the operator creates no pods of this graph",
            (*path, "deviceClassName") if "deviceClassName" in service else path,
        )
    return [
        {
            "apiVersion": "resource.k8s.io/v1",
            "kind": "ResourceClaimTemplate",
            "metadata": metadata(name, namespace),
            "spec": device_requests("gpus", device_class, gpus),
        }
    ]


def main_gpus(component: Component) -> int:
    """The GPUs that the container `main` counts as a resource."""
    return scalar_gpus((component.main or {}).get("resources"), (*component.main_path, "resources"))
