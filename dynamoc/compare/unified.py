"""A comparison as a unified diff of YAML, for pagers and other tools.

Lists stand in the order of the new side, and names of a new worker generation are written as the new ones on both, so
that only what differs is shown.
"""

from __future__ import annotations

from difflib import unified_diff

from dynamoc.compare.list_pairs import is_elements, is_map, is_set, pair_elements
from dynamoc.compare.trees import is_same
from dynamoc.compare.values import one_line
from dynamoc.emit.yaml import dump_yaml
from dynamoc.kube.confidential import masked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from dynamoc.compare.path import Steps
    from dynamoc.compare.result import Comparison, ObjectChange

    Tree = dict[str, Any]
    Changed = frozenset[Steps]


def unified(comparison: Comparison) -> str:
    """One diff an object; what is ignored is not in it. Comments tell of new worker generations."""
    return "".join(_chunks(comparison))


def _chunks(comparison: Comparison) -> Iterator[str]:
    for skipped in comparison.skipped:
        yield f"# not compared: {one_line(skipped.text(), 1000)}\n"
    for generation in comparison.generations:
        names = f"{generation.old or 'none'} -> {generation.new or 'none'}"
        yield f"# new worker generation of {generation.namespace}/{generation.graph}: {names}\n"
    for item in comparison.objects:
        yield object_diff(item)


def object_diff(item: ObjectChange) -> str:
    """The diff of one object, "" where it differs in its worker generation or in the order of lists only."""
    old, new = item.old, item.new
    if old is not None and new is not None:
        old = _aligned((), old, new, frozenset(change.steps for change in item.changes))
    metadata = item.one["metadata"]
    name = f"{item.one['kind']}/{metadata.get('namespace') or ''}/{metadata.get('name', '')}"
    names = ("/dev/null" if old is None else f"old/{name}", "/dev/null" if new is None else f"new/{name}")
    return "".join(row + "\n" for row in unified_diff(_text(old), _text(new), *names, lineterm=""))


def _text(value: Tree | None) -> list[str]:
    return [] if value is None else dump_yaml([masked(value)]).split("\n")[:-1]


def _aligned(steps: Steps, old: Any, new: Any, changed: Changed) -> Any:
    """The old value, arranged as the new one; where nothing is to be told, the new value itself."""
    if is_same(old, new):
        return new
    if isinstance(old, dict) and isinstance(new, dict):
        return _aligned_members(steps, old, new, changed)
    if isinstance(old, list) and isinstance(new, list):
        if all(isinstance(item, dict) for item in (*old, *new)):
            return _aligned_elements(steps, old, new, changed)
        return _aligned_scalars(steps, old, new, changed)
    return old if steps in changed else new


def _aligned_members(steps: Steps, old: Tree, new: Tree, changed: Changed) -> Tree:
    result = {}
    for key in {**old, **new}:
        below = (*steps, key)
        left, right = old.get(key), new.get(key)
        parts: Any = left if right is None else right
        if left is not None and right is not None:
            result[key] = _aligned(below, left, right, changed)
        elif is_elements(parts) or is_map(key, parts):
            aligned = _aligned(below, left or type(parts)(), right or type(parts)(), changed)
            if aligned:
                result[key] = aligned
        elif (left is not None) == (below in changed):
            # Gone, and told; or come, and not told.
            result[key] = right if left is None else left
    return result


def _aligned_elements(steps: Steps, old: list[Tree], new: list[Tree], changed: Changed) -> list[Tree]:
    name = steps[-1] if isinstance(steps[-1], str) else ""
    result: list[Tree] = []
    places: dict[int, int] = {}
    for i, j, step in pair_elements(name, old, new):
        below = (*steps, step)
        if i is not None and j is not None:
            places[i] = len(result)
            result.append(_aligned(below, old[i], new[j], changed))
        elif j is not None and below not in changed:
            result.append(new[j])
        elif i is not None and below in changed:
            # Behind the element that it stood behind.
            at = max((place + 1 for before, place in places.items() if before < i), default=0)
            result.insert(at, old[i])
            places = {before: place + (place >= at) for before, place in places.items()}
            places[i] = at
    return result


def _aligned_scalars(steps: Steps, old: list[Any], new: list[Any], changed: Changed) -> list[Any]:
    name = steps[-1] if isinstance(steps[-1], str) else ""
    if not is_set(name):
        return old if steps in changed else new
    told = [item for item in old if item not in new and (*steps, ("", str(item))) in changed]
    return [item for item in new if item in old or (*steps, ("", str(item))) not in changed] + told
