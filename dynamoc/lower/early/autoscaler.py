"""HorizontalPodAutoscalers, which releases up to 0.6 make for components that ask for autoscaling."""

from __future__ import annotations

from dynamoc.lower.metadata import int32, metadata
from dynamoc.tracing import builder
from dynamoc.tree import copy_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.model.graph import Component
    from dynamoc.model.operator import Operator

    Tree = dict[str, Any]


def is_wanted(component: Component) -> bool:
    return bool((component.spec.get("autoscaling") or {}).get("enabled"))


@builder("lower/early/autoscaler/autoscaler", source="controller/dynamocomponentdeployment_controller.go generateHPA")
def autoscaler(name: str, namespace: str, component: Component, operator: Operator) -> Tree:
    """Scales the Deployment of its name, by CPU use unless the user gives metrics. `behavior` is not passed on.

    Metadata holds neither labels nor annotations yet.
    """
    wanted = component.spec["autoscaling"]
    if wanted.get("behavior") is not None:
        operator.warn(
            "autoscaling/behavior-ignored",
            "The operator ignores autoscaling.behavior: the HorizontalPodAutoscaler gets the Kubernetes default.",
            (*component.path, "autoscaling", "behavior"),
            "Remove it, or create your own HorizontalPodAutoscaler.",
        )
    return {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": metadata(name, namespace),
        "spec": {
            "minReplicas": int32(wanted.get("minReplicas", 0)),
            "maxReplicas": int32(wanted.get("maxReplicas", 0)),
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": name},
            "metrics": copy_tree(wanted.get("metrics")) or [_cpu(operator.release["autoscaling/cpu-utilization"])],
        },
    }


def _cpu(percent: int) -> Tree:
    target = {"type": "Utilization", "averageUtilization": percent}
    return {"type": "Resource", "resource": {"name": "cpu", "target": target}}


def warn_of_no_autoscaler(component: Component, operator: Operator, workload: str) -> None:
    """Warns that only Deployments are scaled."""
    if is_wanted(component):
        operator.warn(
            "autoscaling/ignored",
            f"The operator ignores autoscaling of {component.name}: {workload} get no HorizontalPodAutoscaler.",
            (*component.path, "autoscaling"),
            "Set replicas, or scale the component yourself.",
        )
