"""Plain JSON trees, pairs of paths in two of them, and merging as mergo (Merge with WithOverride) and kubectl do.

What the user wrote goes over the operator's defaults, but Go does not distinguish empty values from absent ones: empty
strings, zeros, `false` and empty lists do not override. Lists replace as a whole, maps merge key by key (there even
empty values override), structs merge field by field. A pointer that the defaults leave nil takes what it is given,
`false` and 0 included; what happens to a pointer set on both sides differs between the versions of mergo:

* v0.3.16 (operator 1.0 and 1.4) merges what is behind it, so that `false` does not override `true`;
* v0.3.6 (operator 0.6) replaces it as a whole, so that a probe of the user leaves nothing of the default probe.

Source: mergo merge.go deepMerge, and the struct definitions of k8s.io/api/core/v1; k8s.io/apimachinery
pkg/util/jsonmergepatch CreateThreeWayJSONMergePatch; RFC 7386.
"""

from __future__ import annotations

from typing import Any

Tree = dict[str, Any]
Path = tuple[str | int, ...]
Chain = tuple[Any, str | int] | None
"""(the chain above, the last step)"""

#: equals no value of a tree
MISSING = object()
_CONTAINERS = (dict, list)


def copy_tree(value: Any) -> Any:
    """A deep copy of a tree of dicts and lists; several times as fast as `copy.deepcopy`."""
    kind = value.__class__
    # Most values are scalars, which need no call.
    if kind is dict:
        return {key: copy_tree(item) if item.__class__ in _CONTAINERS else item for key, item in value.items()}
    if kind is list:
        return [copy_tree(item) if item.__class__ in _CONTAINERS else item for item in value]
    return value


def content(value: Any) -> str:
    """A text that is the same for trees that hold the same, in whatever order their keys are."""
    if value.__class__ is dict:
        return repr(sorted([(key, content(item)) for key, item in value.items()]))
    return repr([content(item) for item in value]) if value.__class__ is list else repr(value)


def is_true(value: Any) -> bool:
    """Whether a value is `true`. `value is True` is wrong for one that knows its origin: it equals True."""
    return value.__class__ is bool and bool(value)


def is_false(value: Any) -> bool:
    """Whether a value is `false`, and not null or missing."""
    return value.__class__ is bool and not value


def at(value: Any, path: Path, default: Any = None) -> Any:
    """The value at a path of a tree, `default` without one."""
    step: Any
    for step in path:
        kind = value.__class__
        if kind is dict:
            if step not in value:
                return default
        elif kind is not list or step.__class__ is not int or not 0 <= step < len(value):
            return default
        value = value[step]
    return value


def unrolled(chain: Chain) -> Path:
    steps: list[str | int] = []
    while chain is not None:
        chain, step = chain
        steps.append(step)
    return tuple(reversed(steps))


# Go maps, where other objects on the way are structs. Lists are never entered, so nothing below one counts.
MAPS = frozenset(("limits", "nodeSelector", "overhead", "requests"))

# Scalars that are no pointers, where zero means absent even if it was written down.
CONTAINER_VALUES = frozenset((
    "image", "imagePullPolicy", "name", "stdin", "stdinOnce", "terminationMessagePath", "terminationMessagePolicy",
    "tty", "workingDir",
))  # fmt: skip
POD_VALUES = frozenset((
    "dnsPolicy", "hostIPC", "hostNetwork", "hostPID", "hostname", "nodeName", "priorityClassName", "restartPolicy",
    "schedulerName", "serviceAccount", "serviceAccountName", "subdomain",
))  # fmt: skip


def merge_container(base: Tree, override: Tree, *, replace_pointers: bool = False) -> Tree:
    """The container `base` with `override` over it: a new tree that shares only untouched parts of `base`.

    `replace_pointers` is what operator 0.6 does.
    """
    structs = frozenset(("resources",))
    return _merge_root(base, override, CONTAINER_VALUES, structs, replace_pointers)


def merge_pod_spec(base: Tree, override: Tree, *, replace_pointers: bool = False) -> Tree:
    """The pod spec `base` with `override` over it: a new tree that shares only untouched parts of `base`.

    `replace_pointers` is what operator 0.6 does.
    """
    return _merge_root(base, override, POD_VALUES, frozenset(), replace_pointers)


def merge_maps(base: dict[str, str] | None, override: dict[str, str] | None) -> dict[str, str]:
    """Labels or annotations: a key of `override` wins, even with an empty value."""
    return {**(base or {}), **(override or {})}


def _merge_root(
    base: Tree, override: Tree, values: frozenset[str], structs: frozenset[str], replace_pointers: bool
) -> Tree:
    merged = dict(base)
    for key, item in override.items():
        if item is None or item == [] or (key in values and not item):
            continue
        old = merged.get(key)
        if old is None:
            merged[key] = copy_tree(item)
        elif key in values:
            merged[key] = item
        elif replace_pointers and item.__class__ is not list and key not in structs and key not in MAPS:
            merged[key] = copy_tree(item)
        else:
            merged[key] = _merge(key, old, item)
    return merged


def _merge(key: str, old: Any, item: Any) -> Any:
    """A value set on both sides, behind whatever pointers."""
    if item.__class__ is dict:
        if key in MAPS:
            return {**old, **item}
        merged = dict(old)
        for name, value in item.items():
            if value is not None and value != []:
                there = merged.get(name)
                merged[name] = copy_tree(value) if there is None else _merge(name, there, value)
        return merged
    if {item.__class__, old.__class__} == {int, str}:
        # An IntOrString merges field by field, and its type "int" is a zero that does not override "string".
        return item if item.__class__ is str else old
    return copy_tree(item) if item else old


_ABSENT: Any = object()


def applied(manifest: Tree, current: Tree, last: Tree) -> Tree:
    """`current` with what `manifest` says, and without what only `last` says, the manifest that was applied before.

    Mappings are merged key by key and everything else is replaced as a whole, lists too. A null deletes.
    """
    merged = {key: item for key, item in current.items() if key not in manifest and key not in last}
    for key, item in manifest.items():
        before = current.get(key, _ABSENT)
        if item is None:
            if key in last and last[key] is None and before is not _ABSENT:
                merged[key] = before
        elif not isinstance(item, dict):
            merged[key] = item
        elif isinstance(before, dict) or last.get(key) != item or _says_something(item):
            merged[key] = applied(item, _mapping(before), _mapping(last.get(key)))
        elif before is not _ABSENT:
            merged[key] = before
    return merged


def _says_something(manifest: Tree) -> bool:
    """Whether anything is left of a mapping without its nulls; an empty one says that it is empty."""
    return not manifest or any(
        _says_something(item) if isinstance(item, dict) else item is not None for item in manifest.values()
    )


def _mapping(value: Any) -> Tree:
    return value if isinstance(value, dict) else {}


class Pairs:
    """Pairs of paths (v1alpha1, v1beta1), the more specific one first where a path has several."""

    def __init__(self, alpha: Tree, beta: Tree) -> None:
        # Values of the trees by path: those above a path are asked for before it.
        self._alpha: dict[Path, Any] = {(): alpha}
        self._beta: dict[Path, Any] = {(): beta}
        self.found: list[tuple[Path, Path]] = []
        # Here the trees hold the same, of the same Go type, so that all below corresponds too.
        self.deep: set[tuple[Path, Path]] = set()

    def add(self, alpha: Path, beta: Path) -> bool:
        """Adds the pair where both trees hold it."""
        if _held(self._alpha, alpha) is MISSING or _held(self._beta, beta) is MISSING:
            return False
        self.found.append((alpha, beta))
        return True

    def add_same(self, alpha: Path, beta: Path) -> bool:
        """Adds the pair, of one Go type, where both trees hold the same."""
        one, two = _held(self._alpha, alpha), _held(self._beta, beta)
        same = one is not MISSING and bool(one == two)
        if same:
            self.found.append((alpha, beta))
            self.deep.add((alpha, beta))
        return same

    def add_below(self, alpha: Path, beta: Path) -> None:
        """Adds the pair, of one Go type, and all that both trees hold below it."""
        if self.add_same(alpha, beta) or not self.add(alpha, beta):
            return
        one, two = self.values(alpha, beta)
        if isinstance(one, dict) and isinstance(two, dict):
            for key in one:
                self.add_below((*alpha, key), (*beta, key))

    def values(self, alpha: Path, beta: Path) -> tuple[Any, Any]:
        """What the trees hold there, None where they hold nothing."""
        one, two = _held(self._alpha, alpha), _held(self._beta, beta)
        return None if one is MISSING else one, None if two is MISSING else two


def _held(known: dict[Path, Any], path: Path) -> Any:
    """`get` from the tree at ()."""
    found = known.get(path, known)
    if found is not known:
        return found
    found, step = _held(known, path[:-1]), path[-1]
    if found.__class__ is dict:
        found = found.get(step, MISSING)
    elif found.__class__ is list and step.__class__ is int and 0 <= step < len(found):
        found = found[step]
    else:
        found = MISSING
    known[path] = found
    return found
