"""Annotations that users write, by the release that read them first."""

from __future__ import annotations

ANNOTATIONS: dict[str, tuple[str, ...]] = {
    "1.0": (
        "nvidia.com/dynamo-discovery-backend",
        "nvidia.com/dynamo-operator-origin-version",
        "nvidia.com/vllm-distributed-executor-backend",
    ),
    "1.1": ("nvidia.com/dynamo-kube-discovery-mode",),
    "1.3": (
        "nvidia.com/dynamo-checkpoint-startup-policy",
        "nvidia.com/grove-update-strategy",
        "nvidia.com/volcano-queue",
    ),
    "1.5": ("nvidia.com/workload-provider",),
}
