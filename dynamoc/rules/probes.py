"""Probes of the container `main`."""

from __future__ import annotations

from dynamoc.rules.registry import rule
from dynamoc.tree import copy_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.rules.draft import Pod


@rule("probes/service", source="internal/dynamo/graph.go GenerateBasePodSpec")
def service_probes(pod: Pod) -> None:
    """Replaces liveness and readiness probe whole with those of the component, if it has them."""
    if pod.component.liveness_probe is not None:
        pod.main["livenessProbe"] = copy_tree(pod.component.liveness_probe)
    if pod.component.readiness_probe is not None:
        pod.main["readinessProbe"] = copy_tree(pod.component.readiness_probe)
