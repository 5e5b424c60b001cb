"""v1alpha1 and v1beta1 documents, each in the other version, as the conversion webhook of operator 1.2 makes them.

It differs from later ones in three things: a checkpoint of v1beta1 has no switch and is on by being there, mounts of
`mainContainer` replace those of `volumeMounts`, and of mounts with a compilation cache the cache comes back first.
Source: api/v1alpha1/shared_spec_conversion.go ConvertFromServiceCheckpointConfig, mergeExtraPodSpecMainContainer,
restoreMainContainerFieldOrigins.
"""

from __future__ import annotations

from dynamoc.convert import KINDS as KINDS
from dynamoc.convert import to_v1alpha1 as later_to_v1alpha1
from dynamoc.convert import to_v1beta1 as later_to_v1beta1
from dynamoc.convert.volume_mounts import CACHE
from dynamoc.tree import copy_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Tree = dict[str, Any]

#: fields of a checkpoint that came with 1.3
_LATER = ("enabled", "startupPolicy", "deletionPolicy")


def to_v1beta1(value: Tree) -> Tree:
    """A v1alpha1 document of one of KINDS in v1beta1, as it reads after the operator's first write: its finalizer.

    Each write goes through v1alpha1, where a compilation cache comes first from then on.
    """
    value = copy_tree(value)
    _put_caches_first(value)
    converted = later_to_v1beta1(value)
    for before, after in _components(value, converted):
        _switch_checkpoint(after)
        _replace_mounts(before, after)
    return converted


def to_v1alpha1(value: Tree) -> Tree:
    """A v1beta1 document of one of KINDS in v1alpha1."""
    value = copy_tree(value)
    spec = value.get("spec") or {}
    for component in (spec.get("components") or ()) if value["kind"] == "DynamoGraphDeployment" else (spec,):
        checkpoint = (component.get("experimental") or {}).get("checkpoint")
        if checkpoint is not None:
            checkpoint["enabled"] = True
    return later_to_v1alpha1(value)


def unmoved(_written: Tree, _defaulted: Tree) -> Tree | None:
    """None: a compilation cache, and a checkpoint without its switch, are moved each time."""
    return None


def view(value: Tree) -> Tree:
    """A stored v1alpha1 document as it comes back from v1beta1: that is what the operator takes for its v1alpha1 view.

    Nothing is lost on the way, checkpoints that are off included.
    """
    out = later_to_v1alpha1(later_to_v1beta1(value))
    _put_caches_first(out)
    return out


def _put_caches_first(alpha: Tree) -> None:
    spec = alpha.get("spec") or {}
    services = spec.get("services") or {}
    for service in services.values() if alpha["kind"] == "DynamoGraphDeployment" else (spec,):
        mounts = (service or {}).get("volumeMounts") or []
        own = (((service or {}).get("extraPodSpec") or {}).get("mainContainer") or {}).get("volumeMounts")
        if not own and sum(1 for mount in mounts if mount.get(CACHE)) == 1:
            mounts.sort(key=lambda mount: not mount.get(CACHE))


def _components(alpha: Tree, beta: Tree) -> Iterator[tuple[Tree, Tree]]:
    """The specs of components in both versions."""
    before, after = alpha.get("spec") or {}, beta.get("spec") or {}
    if alpha["kind"] == "DynamoComponentDeployment":
        yield before, after
    elif alpha["kind"] == "DynamoGraphDeployment":
        services = before.get("services") or {}
        for component in after.get("components") or ():
            yield services.get(component.get("name", "")) or {}, component


def _switch_checkpoint(component: Tree) -> None:
    """A checkpoint that is off is left out; one that is on is there."""
    experimental = component.get("experimental") or {}
    checkpoint = experimental.get("checkpoint")
    if checkpoint is None:
        return
    if checkpoint.get("enabled"):
        for field in _LATER:
            checkpoint.pop(field, None)
        return
    del experimental["checkpoint"]
    if not experimental:
        del component["experimental"]


def _replace_mounts(service: Tree, component: Tree) -> None:
    wanted = ((service.get("extraPodSpec") or {}).get("mainContainer") or {}).get("volumeMounts")
    if not wanted or not service.get("volumeMounts"):
        return
    for container in ((component.get("podTemplate") or {}).get("spec") or {}).get("containers") or ():
        if container.get("name") == "main":
            container["volumeMounts"] = copy_tree(wanted)
