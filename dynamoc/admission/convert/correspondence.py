"""Which field of one version says what which field of the other says.

Both trees are minimal trees of one object, one in v1alpha1 and one in v1beta1, and one was made from the other. The
pairs follow from the two trees alone, so they serve both directions: they carry comments and spelling along when a file
is rewritten, they lead a finding about a converted document back to its lines, and a field without one has been lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from dynamoc.admission.convert import shared_fields
from dynamoc.admission.convert.alpha_leftovers import ORIGINS
from dynamoc.admission.convert.pod_template import MAIN, PROBES, SIDECAR, SIDECAR_FIELDS
from dynamoc.admission.convert.request_spec import request_pairs
from dynamoc.admission.convert.shared_fields import CHECKPOINT, SAME, SWITCHED
from dynamoc.admission.convert.specs import SPEC_FIELDS, TOPOLOGY_FIELDS
from dynamoc.admission.convert.volume_mounts import CACHE, first_cache, flat_key, native_key
from dynamoc.documents.findings.finding import Path
from dynamoc.kube.merge import MISSING, Pairs, Tree, at, content


def get(tree: Any, path: Path) -> Any:
    """The value at a path, or a value that equals no other."""
    return at(tree, path, MISSING)


def pairs(alpha: Tree, beta: Tree) -> Pairs:
    """All pairs of two versions of an object."""
    out = Pairs(alpha, beta)
    for key in ("apiVersion", "kind"):
        out.add((key,), (key,))
    out.add_below(("metadata",), ("metadata",))
    out.add_below(("status",), ("status",))
    spec: Path = ("spec",)
    out.add(spec, spec)
    if alpha["kind"] == "DynamoGraphDeployment":
        _graph(out)
    elif alpha["kind"] == "DynamoComponentDeployment":
        out.add((*spec, "backendFramework"), (*spec, "backendFramework"))
        out.add((*spec, "serviceName"), (*spec, "name"))
        _component(out, spec, spec)
    elif alpha["kind"] == "DynamoGraphDeploymentRequest":
        request_pairs(out)
    else:
        out.add((*spec, "replicas"), (*spec, "replicas"))
        out.add_below((*spec, "dgdRef"), (*spec, "dgdRef"))
        out.add((*spec, "dgdRef", "serviceName"), (*spec, "dgdRef", "componentName"))
    return out


def _graph(out: Pairs) -> None:
    for old, new in SPEC_FIELDS.items():
        out.add_below(("spec", old), ("spec", new))
    for old, new in TOPOLOGY_FIELDS.items():
        out.add(("spec", "topologyConstraint", old), ("spec", "topologyConstraint", new))
    services, components = ("spec", "services"), ("spec", "components")
    out.add(services, components)
    for index, component in enumerate(out.values(services, components)[1] or []):
        name = component.get("name", "")
        alpha, beta = (*services, name), (*components, index)
        if out.add(alpha, beta):
            out.add_same((*alpha, "serviceName"), (*beta, "name"))
            out.add(alpha, (*beta, "name"))
            _component(out, alpha, beta)


def _component(out: Pairs, alpha: Path, beta: Path) -> None:
    for key in SAME:
        out.add_below((*alpha, key), (*beta, key))
    out.add((*alpha, "componentType"), (*beta, "type"))
    out.add_same((*alpha, "subComponentType"), (*beta, "type"))
    _memory(out, (*alpha, "sharedMemory"), (*beta, "sharedMemorySize"))
    _switches(out, alpha, beta)
    _cache(out, (*alpha, "volumeMounts"), (*beta, "compilationCache"))
    _pod(out, alpha, beta)


def _memory(out: Pairs, alpha: Path, beta: Path) -> None:
    memory, _ = out.values(alpha, beta)
    if out.add(alpha, beta):
        out.add((*alpha, "disabled" if memory.get("disabled") else "size"), beta)


def _switches(out: Pairs, alpha: Path, beta: Path) -> None:
    for key in ("scalingAdapter", *SWITCHED):
        old, new = (*alpha, key), (*beta, key) if key not in SWITCHED else (*beta, "experimental", key)
        if out.add(old, new):
            feature = out.values(old, new)[0]
            out.add((*old, "enabled"), new)
            for field in feature:
                out.add_below((*old, field), (*new, field))
    out.add_below((*alpha, CHECKPOINT), (*beta, "experimental", CHECKPOINT))


def _cache(out: Pairs, alpha: Path, beta: Path) -> None:
    mounts, cache = out.values(alpha, beta)
    first = first_cache(mounts or [])
    if first is None or cache is None:
        return
    mount = (*alpha, mounts.index(first))
    out.add(mount, beta)
    out.add((*mount, CACHE), beta)
    out.add((*mount, "name"), (*beta, "pvcName"))
    out.add((*mount, "mountPoint"), (*beta, "mountPath"))


def _pod(out: Pairs, alpha: Path, beta: Path) -> None:
    extra, template = (*alpha, "extraPodSpec"), (*beta, "podTemplate")
    spec = (*template, "spec")
    metadata = (*alpha, "extraPodMetadata")
    out.add(metadata, (*template, "metadata"))
    for key in ("annotations", "labels"):
        out.add_below((*metadata, key), (*template, "metadata", key))
    out.add(extra, spec)
    fields, pod = out.values(extra, spec)
    for key in fields or {}:
        if key not in ("containers", "mainContainer"):
            out.add_below((*extra, key), (*spec, key))
    containers = (pod or {}).get("containers") or []
    names = [container.get("name", "") for container in containers]
    main = names.index(MAIN) if MAIN in names else None
    if main is not None:
        _main(out, alpha, (*spec, "containers", main))
    _others(out, extra, spec, containers, main)
    if SIDECAR in names:
        _sidecar(out, (*alpha, "frontendSidecar"), (*spec, "containers", names.index(SIDECAR)))
    out.add((*alpha, "frontendSidecar"), (*beta, "frontendSidecar"))


def _others(out: Pairs, extra: Path, spec: Path, containers: list[Tree], main: int | None) -> None:
    """Sidecars, in order. v1alpha1 may hold one called main, which goes nowhere."""
    old, new = (*extra, "containers"), (*spec, "containers")
    out.add(old, new)
    left = _Left(content(container) if place != main else "" for place, container in enumerate(containers))
    for index, container in enumerate(out.values(old, new)[0] or []):
        twin = left.take(content(container))
        if twin is not None:
            out.add_below((*old, index), (*new, twin))


def _sidecar(out: Pairs, alpha: Path, beta: Path) -> None:
    sidecar, container = out.values(alpha, beta)
    made = sidecar is not None and all(
        sidecar.get(key) == container.get(field) for key, field in SIDECAR_FIELDS.items()
    )
    if not made:
        return
    out.add(alpha, beta)
    for key, field in SIDECAR_FIELDS.items():
        out.add_below((*alpha, key), (*beta, field))
    _secret(out, (*alpha, "envFromSecret"), (*beta, "envFrom"))


def _secret(out: Pairs, alpha: Path, beta: Path) -> None:
    out.add_same(alpha, (*beta, 0, "secretRef", "name"))


def _main(out: Pairs, alpha: Path, beta: Path) -> None:
    own = (*alpha, "extraPodSpec", "mainContainer")
    out.add(own, beta)
    if not out.add(own, (*beta, "name")) and len(out.values(alpha, beta)[1] or ()) > 1:
        # The service itself stands for a container whose fields are all the service's.
        out.add(alpha, (*beta, "name"))
    for key in out.values(own, beta)[0] or {}:
        if key != "name" and key not in ORIGINS.values():
            out.add_same((*own, key), (*beta, key))
    if out.values((*own, "envFrom"), beta)[0] is None:
        _secret(out, (*alpha, "envFromSecret"), (*beta, "envFrom"))
    _env(out, [(*own, "env"), (*alpha, "envs")], (*beta, "env"))
    for key in PROBES:
        _overlay(out, [(*own, key), (*alpha, key)], (*beta, key))
    _mounts(out, (*own, "volumeMounts"), (*alpha, "volumeMounts"), (*beta, "volumeMounts"))
    _overlay(out, [(*own, "resources")], (*beta, "resources"))
    _resources(out, (*alpha, "resources"), (*beta, "resources"))


def _overlay(out: Pairs, sources: list[Path], beta: Path) -> None:
    """Trees merged over one another, the winner first; a pair for each leaf that won."""
    merged = out.values((), beta)[1]
    held = [source for source in sources if out.values(source, beta)[0] is not None]
    whole = next((source for source in held if out.add_same(source, beta)), None)
    if whole is not None or not isinstance(merged, dict):
        return
    for source in held:
        out.add(source, beta)
    for key in merged:
        _overlay(out, [(*source, key) for source in held], (*beta, key))


def _env(out: Pairs, sources: list[Path], beta: Path) -> None:
    """Variables by value, those of the main container first: it wins where both name one."""
    left = _Left(map(content, out.values((), beta)[1] or []))
    for source in sources:
        if not out.add_same(source, beta):
            out.add(source, beta)
        for index, variable in enumerate(out.values(source, beta)[0] or []):
            twin = left.take(content(variable))
            if twin is not None:
                out.add_below((*source, index), (*beta, twin))


class _Left:
    """Elements of a list by a key, each to be taken once, the first first.

    taken  places that were taken, also those of another key
    """

    def __init__(self, keys: Iterable[Any], taken: set[int] | None = None) -> None:
        self.taken: set[int] = set() if taken is None else taken
        self._places: dict[Any, list[int]] = {}
        for place, key in enumerate(keys):
            self._places.setdefault(key, []).append(place)
        for places in self._places.values():
            places.reverse()

    def take(self, key: Any) -> int | None:
        places = self._places.get(key, [])
        while places:
            place = places.pop()
            if place not in self.taken:
                self.taken.add(place)
                return place
        return None


def _mounts(out: Pairs, own: Path, flat: Path, beta: Path) -> None:
    mounts = out.values((), beta)[1] or []
    left = _Left(map(content, mounts))
    out.add(own, beta)
    out.add(flat, beta)
    for index, mount in enumerate(out.values(own, beta)[0] or []):
        twin = left.take(content(mount))
        if twin is not None:
            out.add_below((*own, index), (*beta, twin))
    rest = _Left((native_key(mount) for mount in mounts), left.taken)
    for index, mount in enumerate(out.values(flat, beta)[0] or []):
        twin = rest.take(flat_key(mount))
        if twin is not None:
            out.add((*flat, index), (*beta, twin))
            out.add((*flat, index, "name"), (*beta, twin, "name"))
            out.add((*flat, index, "mountPoint"), (*beta, twin, "mountPath"))


def _resources(out: Pairs, alpha: Path, beta: Path) -> None:
    out.add(alpha, beta)
    out.add_same((*alpha, "claims"), (*beta, "claims"))
    for key in shared_fields.LISTS:
        item, quantities = out.values((*alpha, key), (*beta, key))
        out.add((*alpha, key), (*beta, key))
        out.add((*alpha, key, "custom"), (*beta, key))
        for name, quantity in (quantities or {}).items():
            path = shared_fields.alpha_path(item or {}, name)
            if path is not None and shared_fields.same(get(item, path), quantity):
                out.add((*alpha, key, *path), (*beta, key, name))
                if path == ("gpu",):
                    out.add((*alpha, key, "gpuType"), (*beta, key, name))


def leaves(tree: Any, path: Path = ()) -> Iterator[Path]:
    """Paths of scalars, and of maps and lists without anything in them."""
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    if not items or not tree:
        yield path
        return
    for step, item in items:
        yield from leaves(item, (*path, step))
