"""v1alpha1 `volumeMounts` (name, mountPoint, useAsCompilationCache) and a container's mounts; status in both versions.

v1beta1 has one `compilationCache`; v1alpha1 marks mounts. The first marked mount is the cache, further marks are lost.
Facts: api/v1alpha1/shared_spec_conversion.go, section "Volume mounts and compilation cache", and
{dynamographdeployment,dynamocomponentdeployment}_conversion.go of release 1.4.
"""

from __future__ import annotations

from dynamoc.kube.merge import Tree
from dynamoc.reference.features import beta_names

Key = tuple[str, str]

CACHE = "useAsCompilationCache"


def flat_key(mount: Tree) -> Key:
    return mount.get("name", ""), mount.get("mountPoint", "")


def native_key(mount: Tree) -> Key:
    return mount.get("name", ""), mount.get("mountPath", "")


def to_native(mounts: list[Tree]) -> list[Tree]:
    return [_renamed(mount, "mountPoint", "mountPath") for mount in mounts]


def from_native(mounts: list[Tree]) -> list[Tree]:
    return [_renamed(mount, "mountPath", "mountPoint") for mount in mounts]


def _renamed(mount: Tree, old: str, new: str) -> Tree:
    out = {}
    if "name" in mount:
        out["name"] = mount["name"]
    if old in mount:
        out[new] = mount[old]
    return out


def first_cache(mounts: list[Tree]) -> Tree | None:
    return next((mount for mount in mounts if mount.get(CACHE)), None)


def cache_from_flat(mounts: list[Tree]) -> Tree | None:
    """v1beta1 `compilationCache` of v1alpha1 mounts."""
    mount = first_cache(mounts)
    return None if mount is None else _present(pvcName=mount.get("name"), mountPath=mount.get("mountPoint"))


def flat_from_cache(cache: Tree | None) -> list[Tree]:
    if cache is None:
        return []
    return [_present(name=cache.get("pvcName"), mountPoint=cache.get("mountPath")) | {CACHE: True}]


def cache_key(cache: Tree | None) -> Key | None:
    return None if cache is None else (cache.get("pvcName", ""), cache.get("mountPath", ""))


def _present(**fields: str | None) -> Tree:
    return {key: value for key, value in fields.items() if value}


def survive(mounts: list[Tree]) -> bool:
    """Whether v1beta1 can hold these mounts."""
    return sum(1 for mount in mounts if mount.get(CACHE)) <= 1


def need_pod_template(mounts: list[Tree]) -> bool:
    """A cache alone makes no pod template."""
    return any(not mount.get(CACHE) for mount in mounts)


def with_missing(mounts: list[Tree], more: list[Tree]) -> list[Tree]:
    out = list(mounts)
    seen = {flat_key(mount) for mount in out}
    for mount in more:
        if flat_key(mount) not in seen:
            seen.add(flat_key(mount))
            out.append(mount)
    return out


def without_caches(native: list[Tree], flat: list[Tree]) -> list[Tree]:
    """Container mounts that no mark in `flat` calls a cache."""
    caches = {flat_key(mount) for mount in flat if mount.get(CACHE)}
    return [mount for mount in native if native_key(mount) not in caches]


def find_native(mounts: list[Tree], mount: Tree) -> Tree | None:
    """The mount with the same name and path, else the only one with the same name."""
    key = native_key(mount)
    same_name = []
    for candidate in mounts:
        if native_key(candidate) == key:
            return candidate
        if candidate.get("name", "") == key[0]:
            same_name.append(candidate)
    return same_name[0] if len(same_name) == 1 else None


def restore_caches(
    current: list[Tree], saved: list[Tree], beta: Tree, main: Tree | None, projected: bool
) -> list[Tree]:
    """`current` with the marks of `saved` that v1beta1 could not hold, unless v1beta1 has been edited since.

    `main` is the v1beta1 main container; `projected` says whether `saved` alone would have made a pod template.
    """
    caches = [mount for mount in saved if mount.get(CACHE)]
    if len(caches) < 2 or cache_key(beta.get("compilationCache")) != flat_key(caches[0]):
        return current
    first, *others = caches
    native = (main or {}).get("volumeMounts") or []
    if current != with_missing([first], from_native(native)):
        return current
    # A second mark has no field in v1beta1: its mount stands for it, where there is a container to show the mount.
    if main is not None or projected:
        paths = {native_key(mount) for mount in native}
        others = [mount for mount in others if flat_key(mount) in paths]
    return with_missing([], [first, *others, *current])


def restore_origins(current: list[Tree], saved: list[Tree], saved_main: list[Tree]) -> list[Tree]:
    """The service's own mounts where `saved_main` was in `mainContainer` already."""
    out = [mount for mount in saved if not mount.get(CACHE)]
    elsewhere = {native_key(mount) for mount in saved_main}
    places: dict[Key, int] = {}
    for place, mount in enumerate(out):
        places.setdefault(flat_key(mount), place)
    for mount in current:
        key = flat_key(mount)
        twin = places.get(key)
        if mount.get(CACHE) and twin is not None:
            out[twin] = out[twin] | {CACHE: True}
        elif mount.get(CACHE) or (key not in elsewhere and twin is None):
            places.setdefault(key, len(out))
            out.append(mount)
    return out


# v1alpha1 field -> v1beta1 field; fields that aren't listed have one name.
GRAPH_FIELDS = beta_names("status")
COMPONENT_FIELDS = beta_names("status-component")
ROLLING_UPDATE_FIELDS = beta_names("status-update")


def graph_to_beta(alpha: Tree) -> Tree:
    beta = renamed(alpha, GRAPH_FIELDS)
    if "components" in beta:
        beta["components"] = {name: replicas_to_beta(item) for name, item in beta["components"].items()}
    if "rollingUpdate" in beta:
        beta["rollingUpdate"] = renamed(beta["rollingUpdate"], ROLLING_UPDATE_FIELDS)
    return beta


def graph_to_alpha(beta: Tree, saved: Tree | None) -> Tree:
    alpha = renamed(beta, inverse(GRAPH_FIELDS))
    if "services" in alpha:
        kept = (saved or {}).get("services") or {}
        alpha["services"] = {name: replicas_to_alpha(item, kept.get(name)) for name, item in alpha["services"].items()}
    if "rollingUpdate" in alpha:
        alpha["rollingUpdate"] = renamed(alpha["rollingUpdate"], inverse(ROLLING_UPDATE_FIELDS))
    return alpha


def graph_leftovers(alpha: Tree) -> Tree:
    services = {name: _names(item) for name, item in (alpha.get("services") or {}).items() if _names_lost(item)}
    return {"services": services} if services else {}


def component_to_beta(alpha: Tree) -> Tree:
    beta = renamed({key: value for key, value in alpha.items() if key != "podSelector" and value}, COMPONENT_FIELDS)
    if "component" in beta:
        beta["component"] = replicas_to_beta(beta["component"])
    return beta


def component_to_alpha(beta: Tree, saved: Tree | None) -> Tree:
    alpha = renamed(beta, inverse(COMPONENT_FIELDS))
    if "service" in alpha:
        alpha["service"] = replicas_to_alpha(alpha["service"], (saved or {}).get("service"))
    if saved and "podSelector" in saved:
        alpha["podSelector"] = saved["podSelector"]
    return alpha


def component_leftovers(alpha: Tree) -> Tree:
    out = {"podSelector": alpha["podSelector"]} if "podSelector" in alpha else {}
    if "service" in alpha and _names_lost(alpha["service"]):
        out["service"] = _names(alpha["service"])
    return out


def replicas_to_beta(alpha: Tree) -> Tree:
    beta = {key: value for key, value in alpha.items() if key != "componentName"}
    names = _beta_names(alpha)
    if names:
        beta["componentNames"] = names
    return beta


def replicas_to_alpha(beta: Tree, saved: Tree | None) -> Tree:
    alpha = dict(beta)
    names = beta.get("componentNames") or []
    if names:
        alpha["componentName"] = names[-1]
    if saved and _names_lost(saved) and names == _beta_names(saved):
        for key in ("componentName", "componentNames"):
            alpha.pop(key, None)
        alpha |= _names(saved)
    return alpha


def _names(alpha: Tree) -> Tree:
    return {key: alpha[key] for key in ("componentName", "componentNames") if key in alpha}


def _beta_names(alpha: Tree) -> list[str]:
    name = alpha.get("componentName")
    return alpha.get("componentNames") or ([name] if name else [])


def _names_lost(alpha: Tree) -> bool:
    """v1beta1 has only the list, whose last entry v1alpha1 also says as `componentName`."""
    names, name = alpha.get("componentNames"), alpha.get("componentName", "")
    return bool(names[-1] != name) if names else name != ""


def renamed(tree: Tree, names: dict[str, str]) -> Tree:
    return {names.get(key, key): value for key, value in tree.items()}


def inverse(names: dict[str, str]) -> dict[str, str]:
    return {new: old for old, new in names.items()}
