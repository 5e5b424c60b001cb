"""What the `experimental` block of a v1beta1 component asks for.

All functions take the canonical spec, so that they serve graphs, DynamoComponentDeployments and names alike.
Source: api/v1beta1/dynamocomponentdeployment_types.go of release 1.4.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.release.registry import Release

    Tree = dict[str, Any]

INTRA_POD, INTER_POD = "IntraPod", "InterPod"
WAIT_FOR_CHECKPOINT, IMMEDIATE = "WaitForCheckpoint", "Immediate"


def gpu_memory_service(spec: Tree) -> Tree | None:
    return _block(spec, "gpuMemoryService")


def is_inter_pod_gms(spec: Tree) -> bool:
    """A GMS pod of its own for each rank, instead of a sidecar in the engine's pod."""
    return (gpu_memory_service(spec) or {}).get("mode") == INTER_POD


def is_intra_pod_gms(spec: Tree) -> bool:
    """Anything but the mode InterPod, no mode included."""
    return gpu_memory_service(spec) is not None and not is_inter_pod_gms(spec)


def is_intra_pod_failover(spec: Tree) -> bool:
    """Two engines in one pod. The block's presence turns it on; the mode is IntraPod where none is given."""
    failover = _block(spec, "failover")
    return failover is not None and failover.get("mode", "") in ("", INTRA_POD)


def is_inter_pod_failover(spec: Tree) -> bool:
    """Shadow engines in pods of their own."""
    return (_block(spec, "failover") or {}).get("mode") == INTER_POD


def engine_pods(spec: Tree) -> int:
    """Engine pods of each rank of the inter-pod layout: the primary, and at least one shadow with failover."""
    if not is_inter_pod_failover(spec):
        return 1
    return 1 + max(1, int(spec["experimental"]["failover"].get("numShadows", 0)))


def uses_scaling_group(spec: Tree) -> bool:
    """Whether Grove gets a PodCliqueScalingGroup for the component, instead of a lone PodClique."""
    return node_count(spec) > 1 or is_inter_pod_gms(spec) or forces_scaling_group(spec)


def forces_scaling_group(spec: Tree) -> bool:
    return bool((_block(spec, "grove") or {}).get("forceScalingGroup"))


def node_count(spec: Tree) -> int:
    multinode = spec.get("multinode")
    count: int = 1 if multinode is None else multinode.get("nodeCount", 0)
    return count


def enabled_checkpoint(spec: Tree, release: Release) -> Tree | None:
    """The `checkpoint` block where it is on; in 1.2, which has no switch, where it is there."""
    checkpoint = _block(spec, "checkpoint")
    if checkpoint is None or not release.has("snapshots/switched"):
        return checkpoint
    return checkpoint if checkpoint.get("enabled") else None


def _block(spec: Tree, name: str) -> Tree | None:
    block: Tree | None = (spec.get("experimental") or {}).get(name)
    return block
