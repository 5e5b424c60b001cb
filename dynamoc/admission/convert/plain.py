"""A document in the other version as a person would write it: without annotations that keep what is lost.

Values keep the spelling that they have in the source (`2000m` stays `2000m`), and keys follow the order there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from dynamoc.admission.convert import kinds, shared_fields
from dynamoc.admission.convert.correspondence import get, leaves, pairs
from dynamoc.admission.convert.kinds import KINDS
from dynamoc.admission.convert.pod_template import MAIN, containers_of, find_container
from dynamoc.admission.convert.request import KIND
from dynamoc.admission.convert.specs import V1BETA1, read
from dynamoc.admission.convert.volume_mounts import CACHE, cache_key, flat_key, native_key
from dynamoc.documents.findings.finding import Path
from dynamoc.kube.merge import MISSING, Tree


class Maker(Protocol):
    """Makes the nodes of the written document; `take` copies one of the source, all below it included."""

    def take(self, path: Path) -> Any: ...
    def scalar(self, value: Any) -> Any: ...
    def mapping(self, items: list[tuple[str, Any]], origins: list[Path]) -> Any: ...
    def sequence(self, items: list[Any], origins: list[Path]) -> Any: ...


# Where these are at the head of a map, whatever the source says.
_FIRST = {"apiVersion": -4, "kind": -3, "name": -2, "type": -1}


class Conversion:
    """One document on its way to another version.

    source   the document as given
    before   its minimal tree
    after    the minimal tree of the other version
    """

    def __init__(self, source: Tree, to: str, *, lossless: bool = False) -> None:
        kind = KINDS[source["kind"]]
        self.source = source
        self.to = to
        self.before = read(source, kind.name)
        convert = kinds.to_beta if to == V1BETA1 else kinds.to_alpha
        self.after = convert(_with_backend(source, to), kind, lossless=lossless)
        forward = to == V1BETA1
        if not (forward or lossless):
            _keep_mounts(self.before.get("spec") or {}, self.after.get("spec") or {})
        found = pairs(self.before, self.after) if forward else pairs(self.after, self.before)
        self._deep = found.deep if forward else {(beta, alpha) for alpha, beta in found.deep}
        self._homes: dict[Path, list[Path]] = {}
        self._origins: dict[Path, list[Path]] = {}
        for alpha, beta in found.found:
            here, there = (alpha, beta) if forward else (beta, alpha)
            self._homes.setdefault(here, []).append(there)
            self._origins.setdefault(there, []).append(here)
        self._back: Tree | None = None
        self._positions: dict[Path, int] = {}
        _number(source, (), self._positions)

    def home(self, path: Path) -> Path | None:
        """Where the field of the source is in the result; None where it has been lost."""
        for depth in range(len(path), 0, -1):
            for home in self._homes.get(path[:depth], ()):
                if depth == len(path) or (path[:depth], home) in self._deep:
                    return home + path[depth:]
        return None

    def origins(self, path: Path) -> list[Path]:
        """The fields of the source that a field of the result comes from; none where conversion made it up."""
        found = list(self._origins.get(path, ()))
        for depth in range(len(path) - 1, 0, -1):
            above = self._origins.get(path[:depth], ())
            found += [origin + path[depth:] for origin in above if (origin, path[:depth]) in self._deep]
        return found

    def position(self, path: Path) -> int:
        """A number that orders the fields of the source as they stand there."""
        return self._positions.get(path, len(self._positions))

    def lost(self) -> list[Path]:
        """Fields of the source that nothing stands for in the result: the highest paths below which all is lost."""
        fields = [path for path in leaves(self.before) if path[0] != "status"]
        gone = {path for path in fields if self.home(path) is None}
        kept = {path[:depth] for path in fields if path not in gone for depth in range(len(path))}
        return sorted({self._top(path, kept) for path in gone}, key=self.position)

    def _top(self, path: Path, kept: set[Path]) -> Path:
        above = (path[:depth] for depth in range(1, len(path) + 1))
        return next(part for part in above if part not in kept and self.home(part) is None)

    def keeps(self, path: Path) -> bool:
        """Whether a field comes back with the annotations of a lossless conversion."""
        if self._back is None:
            convert = kinds.to_alpha if self.to == V1BETA1 else kinds.to_beta
            self._back = convert(self.after, KINDS[self.source["kind"]])
        kept = get(self._back, path)
        return kept is not MISSING and bool(kept == get(self.before, path))

    def unknown(self) -> list[Path]:
        """Fields of the source that the operator does not know, unless they are in something that is kept whole."""
        return [path for path in _unread(self.source, self.before, ()) if path[0] != "status" and not self.home(path)]

    def reordered(self) -> bool:
        """Whether v1alpha1 loses the order of the components."""
        components = self.before.get("spec", {}).get("components") or []
        names = [component.get("name", "") for component in components]
        return names != sorted(names)

    def mounted(self) -> list[Path]:
        """Compilation caches that v1alpha1 also mounts into the main container, where v1beta1 does not."""
        if self.to == V1BETA1:
            return []
        spec = self.before.get("spec") or {}
        found: list[tuple[Path, Tree]] = [(("spec",), spec)]
        for index, component in enumerate(spec.get("components") or []):
            found.append((("spec", "components", index), component))
        return [(*path, "compilationCache") for path, component in found if _gains_mount(component)]

    def build(self, maker: Maker) -> Any:
        """The result, made of pieces of the source as far as they say the same there."""
        first: dict[Path, int] = {}
        for here, origins in self._origins.items():
            place = min(map(self.position, origins))
            for depth in range(1, len(here) + 1):
                first[here[:depth]] = min(place, first.get(here[:depth], place))
        return self._build(self.after, (), maker, first)

    def _build(self, value: Any, path: Path, maker: Maker, first: dict[Path, int]) -> Any:
        origins = self.origins(path)
        for origin in origins:
            if self._says_the_same(origin, path, value):
                return maker.take(origin)
        if isinstance(value, dict):
            keys = sorted(value, key=lambda key: (_FIRST.get(key, 0), first.get((*path, key), len(self._positions))))
            items = [(key, self._build(value[key], (*path, key), maker, first)) for key in keys]
            return maker.mapping(items, origins)
        if isinstance(value, list):
            elements = [self._build(item, (*path, index), maker, first) for index, item in enumerate(value)]
            return maker.sequence(elements, origins)
        return maker.scalar(value)

    def _says_the_same(self, origin: Path, path: Path, value: Any) -> bool:
        """Whether the source's own words can stand for a value of the result."""
        if isinstance(value, dict | list):
            return (origin, path) in self._deep
        given = get(self.source, origin)
        if type(given) is not type(value):
            # A quantity may be a number where v1beta1 has it, and is text in some fields of v1alpha1.
            return False
        return bool(given == value) or (isinstance(value, str) and shared_fields.same(given, value))


@dataclass(eq=False, slots=True)
class Plain:
    """Makes plain data of plain data."""

    source: Tree

    def take(self, path: Path) -> Any:
        return get(self.source, path)

    def scalar(self, value: Any) -> Any:
        return value

    def mapping(self, items: list[tuple[str, Any]], _origins: list[Path]) -> Any:
        return dict(items)

    def sequence(self, items: list[Any], _origins: list[Path]) -> Any:
        return items


def _with_backend(source: Tree, to: str) -> Tree:
    """A request with the backend that v1beta1 means by none: v1alpha1 demands one."""
    spec = source.get("spec")
    if source["kind"] != KIND or to == V1BETA1 or spec.__class__ is not dict or spec.get("backend"):
        return source
    return {**source, "spec": {**spec, "backend": "auto"}}


def _gains_mount(beta: Tree) -> bool:
    key = cache_key(beta.get("compilationCache"))
    main = find_container(containers_of(beta.get("podTemplate")), MAIN) or {}
    mounts = [native_key(mount) for mount in main.get("volumeMounts") or []]
    return key is not None and "podTemplate" in beta and key not in mounts


def _number(tree: Any, path: Path, places: dict[Path, int]) -> None:
    places[path] = len(places)
    steps = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for step, item in steps:
        _number(item, (*path, step), places)


def _unread(given: Any, read: Any, path: Path) -> Iterator[Path]:
    if isinstance(given, dict) and isinstance(read, dict):
        for key, value in given.items():
            if key in read:
                yield from _unread(value, read[key], (*path, key))
            elif not _says_nothing(value):
                yield (*path, key)
    elif isinstance(given, list) and isinstance(read, list):
        for index, value in enumerate(given):
            yield from _unread(value, read[index], (*path, index))


def _says_nothing(value: Any) -> bool:
    """Whether it is a zero value to Go, whatever the field's type."""
    if isinstance(value, dict | list):
        return all(map(_says_nothing, value.values() if isinstance(value, dict) else value))
    return not value or value == "0s" or (isinstance(value, str) and shared_fields.same(value, "0"))


def _keep_mounts(beta: Tree, alpha: Tree) -> None:
    """Mounts of main containers as v1alpha1 can say them, so that the operator mounts the same in the same order."""
    services = alpha.get("services")
    if services is None:
        _keep_options(beta, alpha)
    for component in beta.get("components") or []:
        _keep_options(component, (services or {})[component.get("name", "")])


def _keep_options(beta: Tree, alpha: Tree) -> None:
    """Moves mounts into `mainContainer` where they say more than `volumeMounts` can, and the cache to its place."""
    main = find_container(containers_of(beta.get("podTemplate")), MAIN) or {}
    extra = alpha.get("extraPodSpec") or {}
    own = extra.get("mainContainer") or {}
    native = main.get("volumeMounts") or []
    cache = cache_key(beta.get("compilationCache"))
    mounts = [mount for mount in native if native_key(mount) != cache]
    if "volumeMounts" in own or all(mount.keys() <= {"name", "mountPath"} for mount in mounts):
        _place_cache(alpha.get("volumeMounts") or [], [native_key(mount) for mount in native])
        return
    alpha["extraPodSpec"] = extra | {"mainContainer": own | {"volumeMounts": mounts}}
    alpha["volumeMounts"] = [mount for mount in alpha["volumeMounts"] if mount.get(CACHE)]
    if not alpha["volumeMounts"]:
        del alpha["volumeMounts"]


def _place_cache(flat: list[Tree], native: list[tuple[str, str]]) -> None:
    """The cache where the container mounts it, else last: the operator's conversion puts it first."""
    places = {key: place for place, key in reversed(list(enumerate(native)))}
    flat.sort(key=lambda mount: places.get(flat_key(mount), len(native)))
