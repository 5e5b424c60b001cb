"""Sync waves of Argo CD: it applies a wave when all objects of the waves before are healthy.

Source: argo-cd.readthedocs.io/en/stable/user-guide/sync-waves.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Tree = dict[str, Any]

ANNOTATION = "argocd.argoproj.io/sync-wave"
#: kinds that run pods, and kinds that need them; all others are of wave 0
_PODS = frozenset(("DaemonSet", "Deployment", "Job", "LeaderWorkerSet", "PodCliqueSet", "PodGangSet", "StatefulSet"))
_BEHIND = frozenset(
    (
        "DynamoGraphDeploymentScalingAdapter",
        "HTTPRoute",
        "HorizontalPodAutoscaler",
        "InferencePool",
        "Ingress",
        "ScaledObject",
        "VirtualService",
    )
)


def with_sync_wave(item: Tree) -> Tree:
    """The object with its wave, unless it has one: none for what pods need, 1 what runs pods, 2 what leads to them."""
    wave = 1 if item["kind"] in _PODS else 2 if item["kind"] in _BEHIND else 0
    metadata = item["metadata"]
    annotations = metadata.get("annotations") or {}
    if not wave or ANNOTATION in annotations:
        return item
    return {**item, "metadata": {**metadata, "annotations": {**annotations, ANNOTATION: str(wave)}}}
