"""Annotations that users write, from the release on that reads them."""

from __future__ import annotations

ANNOTATIONS: dict[str, dict[str, bool]] = {
    "1.0": {
        "nvidia.com/dynamo-discovery-backend": True,
        "nvidia.com/dynamo-operator-origin-version": True,
        "nvidia.com/vllm-distributed-executor-backend": True,
    },
    "1.1": {"nvidia.com/dynamo-kube-discovery-mode": True},
    "1.3": {
        "nvidia.com/dynamo-checkpoint-startup-policy": True,
        "nvidia.com/grove-update-strategy": True,
        "nvidia.com/volcano-queue": True,
    },
    "1.5": {"nvidia.com/workload-provider": True},
}
