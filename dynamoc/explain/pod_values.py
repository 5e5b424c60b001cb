"""What a pod holds, looked at after each rule: only what changed since the last look is told.

Most rules change little, and most of the time of an explanation went into finding that out. So ids of all that a pod
holds are kept in one list, which is quick to compare, and containers are looked at one by one only where they differ.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate, chain, compress, count
from operator import attrgetter, ne

from dynamoc.explain.traced import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Path
    from dynamoc.rules.draft import Pod

    Slot = tuple[Any, Any, Any]
    """A scalar in its container: the container, the key or index, the scalar."""

_VALUES = attrgetter("values")
_ROOTS = ("main", "spec", "volumes", "shared_mounts")


class Look:
    """What is another than at the look before.

    changed  scalars by path, in the order of the pod: of containers that are new or changed, where they are not as
             before
    old      what was at paths of these containers before
    gone     of these, what does not stand anywhere in the pod any more
    held     ids of all scalars that stood in the pod before
    """

    __slots__ = ("changed", "gone", "held", "old", "seen")

    def __init__(self, seen: list[_Seen], held: set[int]) -> None:
        self.seen = seen
        self.changed: dict[Path, Slot] = {}
        self.old: dict[Path, Any] = {}
        self.gone: dict[Path, Any] = {}
        self.held = held

    @property
    def trees(self) -> list[Any]:
        """The containers that are new or changed."""
        return [seen.tree for seen in self.seen]


class _Seen:
    """A dict or list at a look: its path, what it holds, scalars in it, and containers, last first."""

    __slots__ = ("children", "path", "scalars", "tree", "values")

    def __init__(self, tree: Any, path: Path) -> None:
        self.tree = tree
        self.path = path
        self.values = tree.values() if tree.__class__ is dict else tree
        self.scalars: list[Path] = []
        self.children: list[tuple[Any, Path]] = []


class PodValues:
    """The scalars of one pod by path, as of the last look. Items of lists are known by name, so that they may move."""

    __slots__ = ("_held", "_ids", "_lengths", "_order", "_roots", "_seen", "_values", "pod")

    def __init__(self, pod: Pod) -> None:
        self.pod = pod
        self._values: dict[Path, Any] = {}
        # The containers, in the order of the pod, and by their ids.
        self._order: list[_Seen] = []
        self._seen: dict[int, _Seen] = {}
        self._roots: list[int] = []
        self._held: list[Any] = []
        self._lengths: list[int] = []
        self._ids: list[int] = []

    def look(self) -> Look | None:
        """What changed since the last look, None where nothing did. `settle` must follow."""
        pod = self.pod
        roots = [pod.main, pod.spec, pod.volumes, pod.shared_mounts]
        lengths = list(map(len, self._held))
        ids = list(map(id, chain.from_iterable(self._held)))
        is_known = list(map(id, roots)) == self._roots
        if is_known and ids == self._ids and lengths == self._lengths:
            return None
        places = self._differing(lengths, ids)
        found = self._nearby(places) if is_known else None
        left, rebuilt = found or self._everywhere(roots, places)
        if not left and not rebuilt:
            self._note(roots)
            return None
        return self._compared(left, rebuilt)

    def settle(self, look: Look) -> None:
        """Take what the containers of a look hold now for what was there at the look."""
        values = self._values
        for path, (tree, key, _) in look.changed.items():
            values[path] = tree[key]
        pod = self.pod
        self._note([pod.main, pod.spec, pod.volumes, pod.shared_mounts])

    def _compared(self, left: list[_Seen], rebuilt: list[_Seen]) -> Look:
        values = self._values
        look = Look(rebuilt, set(map(id, values.values())))
        old, changed = look.old, look.changed
        for seen in left:
            for path in seen.scalars:
                if path in values:
                    old[path] = values.pop(path)
        for seen in rebuilt:
            tree = seen.tree
            for path in seen.scalars:
                key = path[-1]
                item = values[path] = tree[key]
                if path not in old or old[path] is not item:
                    changed[path] = (tree, key, item)
        gone = {path: item for path, item in old.items() if values.get(path) is not item}
        if gone:
            kept = set(map(id, values.values()))
            look.gone = {path: item for path, item in gone.items() if id(item) not in kept}
        return look

    def _note(self, roots: list[Any]) -> None:
        self._roots = list(map(id, roots))
        self._held = list(map(_VALUES, self._order))
        self._lengths = list(map(len, self._held))
        self._ids = list(map(id, chain.from_iterable(self._held)))

    def _differing(self, lengths: list[int], ids: list[int]) -> list[int]:
        """The places in the order of the containers that hold something else than at the last look."""
        before, known = self._lengths, self._ids
        ends = list(accumulate(before))
        found = list(compress(count(), map(ne, lengths, before)))
        start = first = 0
        # Of the containers in between, those that are as long as before, all ids are compared at once.
        for place in (*found, len(lengths)):
            end = ends[place - 1] if place else 0
            new, old = ids[start : start + end - first], known[first:end]
            if new != old:
                positions = compress(count(first), map(ne, new, old))
                found += dict.fromkeys(bisect_right(ends, position) for position in positions)
            if place < len(lengths):
                start += end - first + lengths[place]
                first = ends[place]
        return sorted(found)

    def _nearby(self, places: list[int]) -> tuple[list[_Seen], list[_Seen]] | None:
        """The containers before and after a change, those at these places of the order.

        None where more happened than that containers came behind others.
        """
        left = [self._order[place] for place in places]
        rebuilt: list[_Seen] = []
        added: list[list[_Seen]] = []
        taken: set[int] = set()
        for seen in left:
            fresh = _examine(seen.tree, seen.path)
            more = len(fresh.children) - len(seen.children)
            if more < 0 or not _are_same(fresh.children[more:], seen.children):
                return None
            inner: list[_Seen] = []
            if more and not self._are_new(fresh.children[:more], inner, taken):
                return None
            rebuilt.append(fresh)
            added.append(inner)
        self._replace(places, rebuilt, added)
        if any(added):
            rebuilt = [seen for seen, inner in zip(rebuilt, added, strict=True) for seen in (seen, *inner)]
        return left, rebuilt

    def _are_new(self, children: list[tuple[Any, Path]], found: list[_Seen], taken: set[int]) -> bool:
        """Whether containers, and all in them, are in the pod for the first time, and once.

        They are in `found` then, in the order of the pod; `taken` has their ids.
        """
        waiting = list(children)
        while waiting:
            tree, path = waiting.pop()
            if id(tree) in self._seen or id(tree) in taken:
                return False
            taken.add(id(tree))
            seen = _examine(tree, path)
            found.append(seen)
            waiting += seen.children
        return True

    def _replace(self, places: list[int], rebuilt: list[_Seen], added: list[list[_Seen]]) -> None:
        for place, seen, inner in zip(reversed(places), reversed(rebuilt), reversed(added), strict=True):
            self._order[place] = self._seen[id(seen.tree)] = seen
            if inner:
                end = self._end(place)
                self._order[end:end] = inner
                self._seen.update((id(item.tree), item) for item in inner)

    def _end(self, place: int) -> int:
        """Where the containers end that stand in the one at a place."""
        order, path = self._order, self._order[place].path
        depth = len(path)
        for end in range(place + 1, len(order)):
            other = order[end].path
            if len(other) <= depth or other[:depth] != path:
                return end
        return len(order)

    def _everywhere(self, roots: list[Any], places: list[int]) -> tuple[list[_Seen], list[_Seen]]:
        """The containers before and after a change, those that differ only: at these places, and elsewhere now."""
        order, before = self._order, self._seen
        for place in places:
            del before[id(order[place].tree)]
        self._order, self._seen = [], {}
        rebuilt: list[_Seen] = []
        for name, root in zip(_ROOTS, roots, strict=True):
            self._walk(root, (name,), before, rebuilt)
        gone = set(order).difference(self._order)
        return list(filter(gone.__contains__, order)), rebuilt

    def _walk(self, tree: Any, path: Path, before: dict[int, _Seen], rebuilt: list[_Seen]) -> None:
        waiting, found, order = [(tree, path)], self._seen, self._order
        while waiting:
            tree, path = waiting.pop()
            number = id(tree)
            if number in found:
                # The main container, which is among the containers of the spec in the end.
                continue
            seen = before.get(number)
            if seen is None or (seen.path is not path and seen.path != path):
                seen = _examine(tree, path)
                rebuilt.append(seen)
            found[number] = seen
            order.append(seen)
            if seen.children:
                waiting += seen.children


def _are_same(some: list[tuple[Any, Path]], others: list[tuple[Any, Path]]) -> bool:
    return all(one is other and path == before for (one, path), (other, before) in zip(some, others, strict=True))


def _examine(tree: Any, path: Path) -> _Seen:
    seen = _Seen(tree, path)
    scalars, children = seen.scalars, seen.children
    if tree.__class__ is dict:
        for key, item in tree.items():
            if item.__class__ is dict or item.__class__ is list:
                children.append((item, (*path, key)))
            else:
                scalars.append((*path, key))
    else:
        for index, item in enumerate(tree):
            if item.__class__ is dict or item.__class__ is list:
                children.append((item, (*path, _item_key(item, index, path))))
            else:
                scalars.append((*path, index))
    children.reverse()
    return seen


def _item_key(item: Any, index: int, path: Path) -> str | int:
    if item.__class__ is dict:
        field = "mountPath" if path[-1] == "volumeMounts" else "name"
        name = item.get(field)
        if name.__class__ is str:
            return plain(name)  # type: ignore[no-any-return]
    return index
