"""v1alpha1 ⇄ v1beta1 as the conversion webhooks of the operators do it, by the names of the constant `convert`.

That of 1.2 differs from later ones in three things: a checkpoint of v1beta1 has no switch and is on by being there,
mounts of `mainContainer` replace those of `volumeMounts`, and of mounts with a compilation cache the cache comes back
first. Source: api/v1alpha1/shared_spec_conversion.go ConvertFromServiceCheckpointConfig,
mergeExtraPodSpecMainContainer, restoreMainContainerFieldOrigins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from dynamoc.admission.convert import kinds
from dynamoc.admission.convert.kinds import KINDS
from dynamoc.admission.convert.lost_fields import losses_of
from dynamoc.admission.convert.plain import Conversion, Plain
from dynamoc.admission.convert.specs import V1ALPHA1, V1BETA1
from dynamoc.admission.convert.volume_mounts import CACHE
from dynamoc.documents.findings.finding import Path
from dynamoc.kube.merge import Tree, copy_tree
from dynamoc.reference.releases import Release


def to_v1beta1(value: Tree, *, lossless: bool = True) -> Tree:
    """A v1alpha1 document of one of KINDS in v1beta1. Refusal where the operator cannot convert it.

    With `lossless` it is the operator's own answer, annotations that keep what v1beta1 cannot hold included; without,
    it is what a person would write: no such annotations, no zero values, quantities in the words of the source.
    """
    return _convert(value, V1BETA1, lossless)


def to_v1alpha1(value: Tree, *, lossless: bool = True) -> Tree:
    """A v1beta1 document in v1alpha1, as `to_v1beta1` does it."""
    return _convert(value, V1ALPHA1, lossless)


def unmoved(written: Tree, defaulted: Tree) -> Tree | None:
    """The v1alpha1 view of a graph that webhooks defaulted in v1beta1, where they have moved nothing; see `kinds`."""
    return kinds.unmoved(written, defaulted, KINDS[written["kind"]])


def view(value: Tree) -> Tree:
    """A stored v1alpha1 document as it comes back from v1beta1."""
    return to_v1alpha1(to_v1beta1(value))


def losses(value: Tree, target: str) -> list[tuple[Path, str]]:
    """What of a document does not survive its conversion to the apiVersion `target` without annotations, and why."""
    return [(loss.path, loss.reason) for loss in losses_of(Conversion(value, target))]


def _convert(value: Tree, to: str, lossless: bool) -> Tree:
    kind = KINDS[value["kind"]]
    if lossless:
        convert = kinds.to_beta if to == V1BETA1 else kinds.to_alpha
        return kinds.printed(convert(value, kind), kind)

    plain: Tree = Conversion(value, to).build(Plain(value))
    return plain


#: fields of a checkpoint that came with its switch
_LATER = ("enabled", "startupPolicy", "deletionPolicy")


def switchless_to_v1beta1(value: Tree) -> Tree:
    """A v1alpha1 document of one of KINDS in v1beta1, as it reads after the operator's first write: its finalizer.

    Each write goes through v1alpha1, where a compilation cache comes first from then on.
    """
    value = copy_tree(value)
    _put_caches_first(value)
    converted = to_v1beta1(value)
    for before, after in _components(value, converted):
        _switch_checkpoint(after)
        _replace_mounts(before, after)
    return converted


def switchless_to_v1alpha1(value: Tree) -> Tree:
    """A v1beta1 document of one of KINDS in v1alpha1."""
    value = copy_tree(value)
    spec = value.get("spec") or {}
    for component in (spec.get("components") or ()) if value["kind"] == "DynamoGraphDeployment" else (spec,):
        checkpoint = (component.get("experimental") or {}).get("checkpoint")
        if checkpoint is not None:
            checkpoint["enabled"] = True
    return to_v1alpha1(value)


def switchless_unmoved(_written: Tree, _defaulted: Tree) -> Tree | None:
    """None: a compilation cache, and a checkpoint without its switch, are moved each time."""
    return None


def switchless_view(value: Tree) -> Tree:
    """A stored v1alpha1 document as it comes back from v1beta1: that is what the operator takes for its v1alpha1 view.

    Nothing is lost on the way, checkpoints that are off included.
    """
    out = to_v1alpha1(to_v1beta1(value))
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


@dataclass(frozen=True, slots=True)
class Dialect:
    """v1alpha1 and v1beta1 documents, each in the other version.

    unmoved  the v1alpha1 view of a graph that webhooks defaulted in v1beta1, None where they may have moved something
    view     a stored v1alpha1 document as it comes back from v1beta1
    """

    to_v1beta1: Callable[[Tree], Tree]
    to_v1alpha1: Callable[[Tree], Tree]
    unmoved: Callable[[Tree, Tree], Tree | None]
    view: Callable[[Tree], Tree]


_DIALECTS = {
    "switchless": Dialect(switchless_to_v1beta1, switchless_to_v1alpha1, switchless_unmoved, switchless_view),
    "latest": Dialect(to_v1beta1, to_v1alpha1, unmoved, view),
}


def dialect_of(release: Release) -> Dialect:
    """How a release converts. KeyError where it knows one version only."""
    return _DIALECTS[release["convert"]]
