"""v1alpha1 `resources` (cpu, memory, gpu, custom) as Kubernetes resource requirements, and back.

Facts: api/v1alpha1/shared_spec_conversion.go (resourcesToNative, resourcesFromNative) of release 1.4.
"""

from __future__ import annotations

from dynamoc.golang.quantity import canonical_as_read, compare

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Tree = dict[str, Any]

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
    for name, quantity in named:
        try:
            out[name] = canonical_as_read(quantity)
        except ValueError:
            continue
    return out


def _item(quantities: dict[str, str]) -> Tree:
    out: Tree = {}
    custom: dict[str, str] = {}
    for name, quantity in quantities.items():
        if name in ALPHA_KEYS:
            out[ALPHA_KEYS[name]] = quantity
        else:
            custom[name] = quantity
    if custom:
        out["custom"] = custom
    return out
