"""Fields of a component that both versions have, under the same or another name, and resources in both forms.

Facts: api/v1alpha1/shared_spec_conversion.go of release 1.4.
"""

from __future__ import annotations

from dynamoc.admission.convert import volume_mounts
from dynamoc.kube import quantity
from dynamoc.kube.merge import Tree
from dynamoc.kube.quantity import canonical_as_read, compare
from dynamoc.reference.features import beta_names

# Same name, same meaning, same shape.
SAME = tuple(beta_names("component"))

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


GPU = "nvidia.com/gpu"
LISTS = ("requests", "limits")
# v1alpha1 key -> resource name; every other resource name stands under `custom` in v1alpha1.
RESOURCE_NAMES = {"cpu": "cpu", "memory": "memory", "gpu": GPU}
ALPHA_KEYS = {name: key for key, name in RESOURCE_NAMES.items()}


def to_requirements(resources: Tree) -> Tree:
    """ResourceRequirements. A quantity that does not parse is left out, as the operator leaves it out."""
    out: Tree = {}
    for key in LISTS:
        quantities = _quantities(resources.get(key) or {})
        if quantities:
            out[key] = quantities
    if resources.get("claims"):
        out["claims"] = resources["claims"]
    return out


def from_requirements(requirements: Tree) -> Tree | None:
    """v1alpha1 resources, or None where there are no requirements."""
    out: Tree = {}
    for key in LISTS:
        quantities = requirements.get(key)
        if quantities:
            out[key] = _item(quantities)
    if requirements.get("claims"):
        out["claims"] = requirements["claims"]
    return out or None


def survives(resources: Tree) -> bool:
    """Whether v1beta1 can hold these resources, to the letter of each quantity."""
    return from_requirements(to_requirements(resources)) == resources


def equal(left: Tree, right: Tree) -> bool:
    """Whether two ResourceRequirements ask for the same, however the quantities are spelled."""
    return left.get("claims") == right.get("claims") and all(
        _same_quantities(left.get(key) or {}, right.get(key) or {}) for key in LISTS
    )


def alpha_path(item: Tree, name: str) -> tuple[str, ...] | None:
    """Where v1alpha1 `requests` or `limits` say how much of a resource; None where they don't."""
    if name in (item.get("custom") or {}):
        return ("custom", name)
    if "gpu" in item and name == (item.get("gpuType") or GPU):
        return ("gpu",)
    key = ALPHA_KEYS.get(name, "gpu")
    return (key,) if key != "gpu" and key in item else None


def _same_quantities(left: dict[str, str], right: dict[str, str]) -> bool:
    return left.keys() == right.keys() and all(same(quantity, right[name]) for name, quantity in left.items())


def same(left: str, right: str) -> bool:
    """Whether two quantities are the same amount."""
    try:
        return left == right or compare(left, right) == 0
    except ValueError:
        return False


def is_quantity(text: str) -> bool:
    """Whether the operator can read an amount."""
    try:
        canonical_as_read(text)
    except ValueError:
        return False
    return True


def _quantities(item: Tree) -> dict[str, str]:
    named = [(RESOURCE_NAMES[key], item[key]) for key in ("cpu", "memory") if key in item]
    if "gpu" in item:
        named.append((item.get("gpuType") or GPU, item["gpu"]))
    # `custom` comes last and wins over cpu, memory and gpu of the same name, where it parses.
    named.extend((item.get("custom") or {}).items())
    out = {}
    for name, amount in named:
        try:
            out[name] = canonical_as_read(amount)
        except ValueError:
            continue
    return out


def _item(quantities: dict[str, str]) -> Tree:
    out: Tree = {}
    custom: dict[str, str] = {}
    for name, amount in quantities.items():
        if name in ALPHA_KEYS:
            out[ALPHA_KEYS[name]] = amount
        else:
            custom[name] = amount
    if custom:
        out["custom"] = custom
    return out
