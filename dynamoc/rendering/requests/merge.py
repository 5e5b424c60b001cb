"""One object over another by the schema of their kind, as a server-side apply of both would merge them.

Mappings are merged field by field, lists with keys item by item, other lists and scalars are replaced.
Source: sigs.k8s.io/structured-merge-diff typed/merge.go; controller/profiling_job_overrides.go mergeNamedSlice.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dynamoc.documents.findings.finding import Path, Refusal, format_path
from dynamoc.documents.schema.schemas import Nodes, load
from dynamoc.kube.merge import Tree

_ABSENT: Any = object()
_CLASSES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int, float),
    "number": (int, float),
    "boolean": (bool,),
}
#: fields of ObjectMeta that an override may have
_MAPS = ("labels", "annotations")


class StructuralMerge:
    """Merges objects of one kind and version; Refusal where one does not fit its schema."""

    def __init__(self, release: str, api_version: str, kind: str) -> None:
        schema = load(release)
        index = schema["kinds"].get(api_version, {}).get(kind)
        if index is None:
            raise Refusal("request/override", f"Release {release} has no {kind} in {api_version}.", ("apiVersion",))
        self._nodes: Nodes = schema["nodes"]
        self._root: Tree = self._nodes[index]

    def merged(self, base: Tree, override: Tree) -> Tree:
        """`override` over `base`; neither is changed."""
        apart = ("metadata", "apiVersion", "kind", "status")
        left, right = ({key: item for key, item in value.items() if key not in apart} for value in (base, override))
        merged: Tree = self._value(left, right, self._root, ())
        metadata = dict(base.get("metadata") or {})
        for name in _MAPS:
            more = (override.get("metadata") or {}).get(name)
            if more is not None:
                metadata[name] = {**(metadata.get(name) or {}), **_texts(more, ("metadata", name))}
        return {"apiVersion": base["apiVersion"], "kind": base["kind"], "metadata": metadata, **merged}

    def field(self, node: Tree, key: str) -> Tree | None:
        """The schema of a field of a mapping, None without one."""
        index: int | None = (node.get("props") or {}).get(key, node.get("extra"))
        return None if index is None else self._nodes[index]

    @property
    def root(self) -> Tree:
        return self._root

    def items(self, node: Tree) -> Tree | None:
        found: Tree | None = self._nodes[node["items"]] if "items" in node else None
        return found

    def _value(self, base: Any, override: Any, node: Tree | None, path: Path) -> Any:
        kind = None if node is None else node.get("type")
        if kind == "object":
            assert node is not None
            return self._mapping(base, override, node, path)
        if kind == "array":
            assert node is not None
            return self._list(base, override, node, path)
        for value in (base, override):
            if value is not _ABSENT and value is not None and kind in _CLASSES:
                _check_class(value, kind, path)
        if kind is None and base.__class__ is dict and override.__class__ is dict and "quantity" not in (node or {}):
            return self._mapping(base, override, {"keep": True}, path)
        return base if override is _ABSENT else override

    def _mapping(self, base: Any, override: Any, node: Tree, path: Path) -> Tree:
        if "atomic" in node and override is not _ABSENT and override is not None:
            base = _ABSENT
        for value in (base, override):
            if value is not _ABSENT and value is not None and value.__class__ is not dict:
                raise _misfit(value, "a mapping", path)
        left = {} if base is _ABSENT or base is None else base
        right = {} if override is _ABSENT or override is None else override
        out = {}
        for key in (*left, *(key for key in right if key not in left)):
            child = self.field(node, key)
            if child is None and "keep" not in node and not ("embedded" in node and key in ("apiVersion", "kind")):
                message = f"`{format_path((*path, key))}` is not a field of the schema."
                raise Refusal("request/override", message, (*path, key))
            out[key] = self._value(left.get(key, _ABSENT), right.get(key, _ABSENT), child, (*path, key))
        return out

    def _list(self, base: Any, override: Any, node: Tree, path: Path) -> list[Any]:
        for value in (base, override):
            if value is not _ABSENT and value is not None and value.__class__ is not list:
                raise _misfit(value, "a list", path)
        left = [] if base is _ABSENT or base is None else base
        right = left if override is _ABSENT or override is None else override
        child = self._nodes[node["items"]]
        if "keys" not in node and "set" not in node:
            checked = [self._value(_ABSENT, item, child, (*path, index)) for index, item in enumerate(right)]
            if right is not left:
                for index, item in enumerate(left):
                    self._value(_ABSENT, item, child, (*path, index))
            return checked
        if override is _ABSENT or override is None:
            right = []
        return self._keyed(_Keyed(left, node, path), _Keyed(right, node, path), child, path)

    def _keyed(self, left: _Keyed, right: _Keyed, child: Tree, path: Path) -> list[Any]:
        """Items by their keys: those of both in the order of `right`, the others where they were."""
        out: list[Any] = []
        for key, from_left in _order(left.keys, right.keys):
            mine = left.items.get(key, _ABSENT)
            theirs = _ABSENT if from_left else right.items[key]
            index = (left if from_left else right).keys.index(key)
            out.append(self._value(mine, theirs, child, (*path, index)))
        return out


class _Keyed:
    """The items of a list by what distinguishes them. Refusal where two are alike, or one lacks a key."""

    def __init__(self, values: list[Any], node: Tree, path: Path) -> None:
        self.keys: list[str] = []
        self.items: dict[str, Any] = {}
        defaults = {"protocol": "TCP"}
        for index, item in enumerate(values):
            if "keys" in node and item.__class__ is not dict:
                raise _misfit(item, "a mapping", (*path, index))
            names = node.get("keys") or ()
            missing = [name for name in names if name not in item and name not in defaults]
            if missing and len(missing) == len(names):
                message = f"`{format_path((*path, index))}` has no `{missing[0]}`."
                raise Refusal("request/override", message, (*path, index))
            mark = repr([item.get(name, defaults.get(name)) for name in names]) if names else repr(item)
            if mark in self.items:
                raise Refusal(
                    "request/override", f"`{format_path((*path, index))}` is in the list twice.", (*path, index)
                )
            self.keys.append(mark)
            self.items[mark] = item


def _order(left: list[str], right: list[str]) -> list[tuple[str, bool]]:
    """The keys of two lists as they follow each other in the merged one, and whether only `left` has the item.

    What both have is in the order of `right`; what only one has stays beside its neighbours (mergeListItems).
    """
    known, given = set(left), set(right)
    shared = [key for key in right if key in known]
    merged: set[str] = set()
    out: list[tuple[str, bool]] = []
    i = j = 0
    while i < len(left) or j < len(right):
        if i < len(left):
            key = left[i]
            if j < len(right) and key != right[j] and key in given and shared and shared[0] != key:
                i += 1
                continue
            if key not in given:
                out.append((key, True))
                i += 1
                continue
            if key in merged or (j < len(right) and key == right[j]):
                i += 1
        if j < len(right):
            key = right[j]
            out.append((key, False))
            merged.add(key)
            if shared and shared[0] == key:
                del shared[0]
            j += 1
    return out


def _check_class(value: Any, kind: str, path: Path) -> None:
    if value.__class__ not in _CLASSES[kind]:
        raise _misfit(value, f"a{'n' if kind == 'integer' else ''} {kind}", path)


def _misfit(value: Any, wanted: str, path: Path) -> Refusal:
    return Refusal("request/override", f"`{format_path(path)}` must be {wanted}, not {value!r:.60}.", path)


def _texts(value: Any, path: Path) -> dict[str, str]:
    if value.__class__ is not dict:
        raise _misfit(value, "a mapping", path)
    for key, item in value.items():
        if item.__class__ is not str:
            raise _misfit(item, "a string", (*path, key))
    out: dict[str, str] = value
    return out


def merged_by_name(base: Iterable[Tree], override: Iterable[Tree]) -> list[Tree]:
    """`base` with each item of `override` in the place of the last one with its name, or at the end."""
    result = list(base)
    places = {item.get("name", ""): index for index, item in enumerate(result)}
    for item in override:
        name = item.get("name", "")
        if name in places:
            result[places[name]] = item
        else:
            places[name] = len(result)
            result.append(item)
    return result


def added_by_name(base: Iterable[Tree], more: Iterable[Tree]) -> list[Tree]:
    """`base` with the items of `more` whose names it lacks, each once."""
    result = list(base)
    names = {item.get("name", "") for item in result}
    for item in more:
        if item.get("name", "") not in names:
            names.add(item.get("name", ""))
            result.append(item)
    return result


def without_mounts(mounts: Iterable[Tree], name: str, path: str | None = None) -> list[Tree]:
    """The mounts of other volumes, and at other paths than `path`."""
    return [item for item in mounts if item.get("name") != name and (path is None or item.get("mountPath") != path)]
