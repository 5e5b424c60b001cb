"""Fields of a component that both versions have, under the same or another name.

Facts: api/v1alpha1/shared_spec_conversion.go of release 1.4.
"""

from __future__ import annotations

from dynamoc.convert import volume_mounts
from dynamoc.golang import quantity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Tree = dict[str, Any]

# Same name, same meaning, same shape.
SAME = (
    "providerOverride",
    "runtimeVersionOverride",
    "globalDynamoNamespace",
    "replicas",
    "minAvailable",
    "multinode",
    "roles",
    "modelRef",
    "topologyConstraint",
    "eppConfig",
)

# v1alpha1 says prefill and decode as sub types of a worker.
WORKER = "worker"
PROMOTED = ("prefill", "decode")

MODES = {"intraPod": "IntraPod", "interPod": "InterPod"}
_ALPHA_MODES = {beta: alpha for alpha, beta in MODES.items()}

# v1alpha1 field -> field of v1beta1's `experimental`; with an `enabled` that v1beta1 says by presence, or without.
SWITCHED = ("gpuMemoryService", "failover")
CHECKPOINT = "checkpoint"


def copy_same(source: Tree, target: Tree) -> None:
    for key in SAME:
        if key in source:
            target[key] = source[key]


def type_to_beta(alpha: Tree) -> str:
    return str(alpha["subComponentType"] if is_promoted(alpha) else alpha.get("componentType", ""))


def is_promoted(alpha: Tree) -> bool:
    return alpha.get("componentType") == WORKER and alpha.get("subComponentType") in PROMOTED


def type_to_alpha(beta: Tree) -> Tree:
    kind = beta.get("type")
    if kind in PROMOTED:
        return {"componentType": WORKER, "subComponentType": kind}
    return {"componentType": kind} if kind else {}


def fields_to_beta(alpha: Tree) -> Tree:
    """Everything but the name and the pod template."""
    beta: Tree = {}
    copy_same(alpha, beta)
    kind = type_to_beta(alpha)
    if kind:
        beta["type"] = kind
    memory = alpha.get("sharedMemory")
    if memory and (memory.get("disabled") or not is_zero(memory.get("size"))):
        beta["sharedMemorySize"] = "0" if memory.get("disabled") else memory["size"]
    cache = volume_mounts.cache_from_flat(alpha.get("volumeMounts") or [])
    if cache is not None:
        beta["compilationCache"] = cache
    if (alpha.get("scalingAdapter") or {}).get("enabled"):
        beta["scalingAdapter"] = {}
    experimental = _experimental(alpha)
    if experimental:
        beta["experimental"] = experimental
    return beta


def fields_to_alpha(beta: Tree) -> Tree:
    """Everything but the name and what the pod template says."""
    alpha = type_to_alpha(beta)
    copy_same(beta, alpha)
    if "sharedMemorySize" in beta:
        size = beta["sharedMemorySize"]
        alpha["sharedMemory"] = {"disabled": True} if is_zero(size) else {"size": size}
    mounts = volume_mounts.flat_from_cache(beta.get("compilationCache"))
    if mounts:
        alpha["volumeMounts"] = mounts
    if "scalingAdapter" in beta:
        alpha["scalingAdapter"] = {"enabled": True}
    experimental = beta.get("experimental") or {}
    for key in SWITCHED:
        if key in experimental:
            alpha[key] = {"enabled": True} | _with_mode(experimental[key], _ALPHA_MODES)
    if CHECKPOINT in experimental:
        alpha[CHECKPOINT] = experimental[CHECKPOINT]
    return alpha


def _experimental(alpha: Tree) -> Tree:
    out: Tree = {}
    for key in SWITCHED:
        feature = alpha.get(key)
        if feature and feature.get("enabled"):
            out[key] = _with_mode({name: item for name, item in feature.items() if name != "enabled"}, MODES)
    if CHECKPOINT in alpha:
        out[CHECKPOINT] = alpha[CHECKPOINT]
    return out


def _with_mode(feature: Tree, modes: dict[str, str]) -> Tree:
    return feature | {"mode": modes.get(feature["mode"], feature["mode"])} if "mode" in feature else feature


def is_zero(size: str | None) -> bool:
    return size is None or quantity.is_zero(size)
