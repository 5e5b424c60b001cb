"""Two trees field by field: what was added, removed, changed, or stands in another order."""

from __future__ import annotations

from dynamoc.compare.list_pairs import is_elements, is_map, is_set, order_note, pair_elements
from dynamoc.compare.result import ADDED, CHANGED, ORDER, REMOVED, REORDERED, Change

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from dynamoc.compare.path import Steps

    SameText = Callable[[str, str], bool]
    """Whether two texts that differ say the same, such as names of two worker generations."""


def compare_trees(old: Any, new: Any, same_text: SameText | None = None) -> list[Change]:
    """The fields that differ, in the order of keys; lists of the new side in their own order."""
    found: list[Change] = []
    _values((), old, new, same_text, found)
    return found


def is_same(old: Any, new: Any) -> bool:
    """Equality by which 1 is not true, as it is to Python."""
    if old.__class__ is str and new.__class__ is str:
        return bool(old == new)
    return old == new and repr(old) == repr(new)


def _values(steps: Steps, old: Any, new: Any, same_text: SameText | None, found: list[Change]) -> None:
    if is_same(old, new):
        return
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted({**old, **new}):
            _member(steps, key, old, new, same_text, found)
    elif isinstance(old, list) and isinstance(new, list):
        _lists(steps, old, new, same_text, found)
    elif not (same_text and isinstance(old, str) and isinstance(new, str) and same_text(old, new)):
        found.append(Change(steps, CHANGED, old, new))


def _member(steps: Steps, key: str, old: Any, new: Any, same_text: SameText | None, found: list[Change]) -> None:
    left, right = old.get(key), new.get(key)
    if left is right:
        return
    below = (*steps, key)
    # A list or a map that comes or goes is told element by element, as one that grows or shrinks.
    if left is None and (is_elements(right) or is_map(key, right)):
        left = type(right)()
    if right is None and (is_elements(left) or is_map(key, left)):
        right = type(left)()
    if left is None:
        found.append(Change(below, ADDED, new=right))
    elif right is None:
        found.append(Change(below, REMOVED, left))
    else:
        _values(below, left, right, same_text, found)


def _lists(steps: Steps, old: list[Any], new: list[Any], same_text: SameText | None, found: list[Change]) -> None:
    name = steps[-1] if steps and isinstance(steps[-1], str) else ""
    if any(not isinstance(item, dict) for item in (*old, *new)):
        found += _scalars(steps, name, old, new, same_text)
        return
    pairs = pair_elements(name, old, new)
    for i, j, step in pairs:
        below = (*steps, step)
        if i is None:
            assert j is not None
            found.append(Change(below, ADDED, new=new[j]))
        elif j is None:
            found.append(Change(below, REMOVED, old[i]))
        else:
            _values(below, old[i], new[j], same_text, found)
    found += _order(steps, name, [(i, j) for i, j, _ in pairs if i is not None and j is not None], old, new)


def _order(steps: Steps, name: str, pairs: list[tuple[int, int]], old: list[Any], new: list[Any]) -> Iterator[Change]:
    """What both sides have, in another order. Elements that came or went move nobody."""
    before = [i for i, _ in pairs]
    if before == sorted(before):
        return
    counts, note = order_note(name, old, new)
    change = Change(
        steps, REORDERED, [_label(old[i]) for i in sorted(before)], [_label(old[i]) for i in before], note=note
    )
    if not counts:
        change.effect = ORDER
    yield change


def _label(item: dict[str, Any]) -> Any:
    return next((item[key] for key in ("name", "mountPath", "containerPort", "key") if key in item), item)


def _scalars(steps: Steps, name: str, old: list[Any], new: list[Any], same_text: SameText | None) -> Iterator[Change]:
    if is_set(name):
        for item in old:
            if item not in new:
                yield Change((*steps, ("", str(item))), REMOVED, item)
        for item in new:
            if item not in old:
                yield Change((*steps, ("", str(item))), ADDED, new=item)
    elif not (same_text and len(old) == len(new) and all(map(_same(same_text), old, new))):
        # An argument's place is its meaning: the list changes as a whole.
        yield Change(steps, CHANGED, old, new)


def _same(same_text: SameText) -> Callable[[Any, Any], bool]:
    return lambda old, new: old == new or (isinstance(old, str) and isinstance(new, str) and same_text(old, new))
