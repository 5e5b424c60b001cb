"""What differs between two states of an input document, as edits of which each can be taken or left.

Taking all edits gives the new document, taking none the old one. Elements of lists belong together as they do in a
comparison of objects; a list of scalars changes by runs of elements, as a list of arguments does.
"""

from __future__ import annotations

from dynamoc.compare.list_pairs import pair_elements
from dynamoc.compare.opcodes import opcodes
from dynamoc.compare.result import ADDED, CHANGED, REMOVED, REORDERED, Change
from dynamoc.compare.trees import is_same
from dynamoc.kube.confidential import without_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.compare.list_pairs import Pair
    from dynamoc.compare.path import Step, Steps
    from dynamoc.diagnostics.finding import Path

    Tree = dict[str, Any]
    Taken = frozenset[int]
    """Numbers of edits."""

_MISSING: Any = object()


class Edit:
    """One difference.

    change    what it is; of a list of scalars, the elements that went and those that came
    old, new  where it is written: the path in the old and in the new document, None where that one has nothing
    """

    __slots__ = ("change", "new", "old")

    def __init__(self, change: Change, old: Path | None, new: Path | None) -> None:
        self.change = change
        self.old = old
        self.new = new


class Edits:
    """All edits between two trees, in the order of the new one; what only the old one has comes where it was."""

    def __init__(self, old: Any, new: Any) -> None:
        self.found: list[Edit] = []
        self._root = self._node((), old, new, (), ())

    def applied(self, taken: Taken) -> Any:
        """The old tree with these edits; it shares what has no edits with both trees."""
        return self._root.value(taken)

    def _edit(self, change: Change, old: Path | None, new: Path | None) -> int:
        self.found.append(Edit(change, old, new))
        return len(self.found) - 1

    def _node(self, steps: Steps, old: Any, new: Any, before: Path, after: Path) -> _Node:
        if is_same(old, new):
            return _Node(new)
        if isinstance(old, dict) and isinstance(new, dict):
            return self._mapping(steps, old, new, before, after)
        if isinstance(old, list) and isinstance(new, list):
            if all(isinstance(item, dict) for item in (*old, *new)):
                return self._elements(steps, old, new, before, after)
            return self._scalars(steps, old, new, before, after)
        return _Choice(self._edit(Change(steps, CHANGED, old, new), before, after), old, new)

    def _mapping(self, steps: Steps, old: Tree, new: Tree, before: Path, after: Path) -> _Node:
        found: dict[str, _Node] = {}
        for key in {**new, **old}:
            below = (*steps, key)
            if key not in old:
                found[key] = self._one(Change(below, ADDED, new=new[key]), None, (*after, key))
            elif key not in new:
                found[key] = self._one(Change(below, REMOVED, old[key]), (*before, key), None)
            else:
                found[key] = self._node(below, old[key], new[key], (*before, key), (*after, key))
        return _Mapping(found)

    def _one(self, change: Change, old: Path | None, new: Path | None) -> _Choice:
        """What only one side has."""
        left = _MISSING if old is None else change.old
        right = _MISSING if new is None else change.new
        return _Choice(self._edit(change, old, new), left, right)

    def _elements(self, steps: Steps, old: list[Any], new: list[Any], before: Path, after: Path) -> _Node:
        name = steps[-1] if steps and isinstance(steps[-1], str) else ""
        pairs = pair_elements(name, old, new)
        of_new: dict[int, _Node] = {}
        of_old: dict[int, _Node] = {}
        for i, j, step in pairs:
            node = self._element((*steps, step), (old, i), (new, j), before, after)
            if i is not None:
                of_old[i] = node
            if j is not None:
                of_new[j] = node
        both = [(i, j) for i, j, _ in pairs if i is not None and j is not None]
        order = None
        if [i for i, _ in both] != sorted(i for i, _ in both):
            change = Change(steps, REORDERED, _labels(pairs, 0), _labels(pairs, 1))
            order = self._edit(change, before, after)
        return _Elements([of_old[i] for i in range(len(old))], [of_new[j] for j in range(len(new))], order)

    def _element(
        self, steps: Steps, old: tuple[list[Any], int | None], new: tuple[list[Any], int | None], *paths: Path
    ) -> _Node:
        (left, i), (right, j) = old, new
        before, after = paths
        if i is None:
            assert j is not None
            return self._one(Change(steps, ADDED, new=right[j]), None, (*after, j))
        if j is None:
            return self._one(Change(steps, REMOVED, left[i]), (*before, i), None)
        return self._node(steps, left[i], right[j], (*before, i), (*after, j))

    def _scalars(self, steps: Steps, old: list[Any], new: list[Any], before: Path, after: Path) -> _Node:
        runs: list[_Choice | _Node] = []
        # A value without the argument in front of it does not show that it is secret.
        left, right = without_secrets(old), without_secrets(new)
        for tag, i1, i2, j1, j2 in opcodes(list(map(_content, old)), list(map(_content, new))):
            if tag == "equal":
                runs.append(_Node(new[j1:j2]))
                continue
            how = CHANGED if i1 < i2 and j1 < j2 else ADDED if j1 < j2 else REMOVED
            change = Change(steps, how, left[i1:i2] or None, right[j1:j2] or None)
            number = self._edit(change, (*before, i1) if i1 < i2 else None, (*after, j1) if j1 < j2 else None)
            runs.append(_Choice(number, old[i1:i2], new[j1:j2]))
        return _Runs(runs)


class _Node:
    """A part of both trees; this one is the same in both."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def value(self, _taken: Taken) -> Any:
        return self._value


class _Choice(_Node):
    """The old value, or the new one where its edit is taken; one of them may be missing."""

    def __init__(self, number: int, old: Any, new: Any) -> None:
        self._number = number
        self._old = old
        self._new = new

    def value(self, taken: Taken) -> Any:
        return self._new if self._number in taken else self._old


class _Mapping(_Node):
    def __init__(self, found: dict[str, _Node]) -> None:
        self._found = found

    def value(self, taken: Taken) -> Any:
        values = ((key, node.value(taken)) for key, node in self._found.items())
        return {key: value for key, value in values if value is not _MISSING}


class _Runs(_Node):
    def __init__(self, runs: list[_Choice | _Node]) -> None:
        self._runs = runs

    def value(self, taken: Taken) -> Any:
        return [item for run in self._runs for item in run.value(taken)]


class _Elements(_Node):
    """Elements in the order of one side; those of the other side stand behind their neighbour there."""

    def __init__(self, old: list[_Node], new: list[_Node], order: int | None) -> None:
        self._old = old
        self._new = new
        self._order = order

    def value(self, taken: Taken) -> Any:
        is_new = self._order is None or self._order in taken
        first, second = (self._new, self._old) if is_new else (self._old, self._new)
        # What stands behind a node of the first side, and at the front.
        behind: dict[int | None, list[_Node]] = {None: [], **{id(node): [] for node in first}}
        before = None
        for node in second:
            if id(node) in behind:
                before = id(node)
            else:
                behind[before].append(node)
        merged = [*behind[None], *(each for node in first for each in (node, *behind[id(node)]))]
        values = (node.value(taken) for node in merged)
        return [value for value in values if value is not _MISSING]


def _content(item: Any) -> str:
    return f"{item.__class__.__name__} {item!r}"


def _labels(pairs: list[Pair], side: int) -> list[Step]:
    places = sorted((pair[side], pair[2]) for pair in pairs if pair[0] is not None and pair[1] is not None)
    return [step[1] if isinstance(step, tuple) else step for _, step in places]
