"""What a pod holds, looked at after each rule: only what changed since the last look is told.

Most rules change little, and most of the time of an explanation went into finding that out.
"""

from __future__ import annotations

from itertools import chain

from dynamoc.explain.traced import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Path
    from dynamoc.rules.draft import Pod

    Slot = tuple[Any, Any, Any]
    """A scalar in its container: the container, the key or index, the scalar."""

_ROOTS = ("main", "spec", "volumes", "shared_mounts")


class Look:
    """What is another than at the look before.

    changed  scalars by path, in the order of the pod: of containers that are new or changed, whether they are or not
    old      what was at paths of these containers before
    gone     of these, what does not stand anywhere in the pod any more
    held     ids of all scalars that stood in the pod before
    """

    __slots__ = ("changed", "gone", "held", "old", "seen")

    def __init__(self, seen: list[_Seen]) -> None:
        self.seen = seen
        self.changed: dict[Path, Slot] = {}
        self.old: dict[Path, Any] = {}
        self.gone: dict[Path, Any] = {}
        self.held: set[int] = set()

    @property
    def trees(self) -> list[Any]:
        """The containers that are new or changed."""
        return [seen.tree for seen in self.seen]


class _Seen:
    """A dict or list at a look: its path, ids of what it holds, scalars in it, and containers, last first."""

    __slots__ = ("children", "ids", "path", "scalars", "tree")

    def __init__(self, tree: Any, path: Path, ids: list[int]) -> None:
        self.tree = tree
        self.path = path
        self.ids = ids
        self.scalars: list[Path] = []
        self.children: list[tuple[Any, Path]] = []


class PodValues:
    """The scalars of one pod by path, as of the last look. Items of lists are known by name, so that they may move."""

    __slots__ = ("_held", "_ids", "_lengths", "_rebuilt", "_roots", "_seen", "_values", "pod")

    def __init__(self, pod: Pod) -> None:
        self.pod = pod
        self._values: dict[Path, Any] = {}
        self._seen: dict[int, _Seen] = {}
        self._rebuilt: list[_Seen] = []
        # What each container holds, and the ids of all of it in one list, which is quick to compare.
        self._roots: list[int] = []
        self._held: list[Any] = []
        self._lengths: list[int] = []
        self._ids: list[int] = []

    def look(self) -> Look | None:
        """What changed since the last look, None where nothing did. `settle` must follow."""
        roots = [getattr(self.pod, name) for name in _ROOTS]
        if self._is_same(roots):
            return None
        before, self._seen, self._rebuilt = self._seen, {}, []
        for name, root in zip(_ROOTS, roots, strict=True):
            self._walk(root, (name,), before)
        left = [seen for key, seen in before.items() if self._seen.get(key) is not seen]
        if not left and not self._rebuilt:
            self._note(roots)
            return None
        look = Look(self._rebuilt)
        look.held = set(map(id, self._values.values()))
        for seen in left:
            for path in seen.scalars:
                if path in self._values:
                    look.old[path] = self._values.pop(path)
        for seen in self._rebuilt:
            for path in seen.scalars:
                key = path[-1]
                look.changed[path] = (seen.tree, key, seen.tree[key])
                self._values[path] = seen.tree[key]
        kept = set(map(id, self._values.values()))
        look.gone = {path: item for path, item in look.old.items() if id(item) not in kept}
        return look

    def settle(self, look: Look) -> None:
        """Take what the containers of a look hold now for what was there at the look."""
        for path, (tree, key, _) in look.changed.items():
            self._values[path] = tree[key]
        for seen in look.seen:
            seen.ids = _ids(seen.tree)
        self._note([getattr(self.pod, name) for name in _ROOTS])

    def _is_same(self, roots: list[Any]) -> bool:
        """Whether all containers hold the same as at the last look."""
        return (
            list(map(id, roots)) == self._roots
            and list(map(len, self._held)) == self._lengths
            and list(map(id, chain.from_iterable(self._held))) == self._ids
        )

    def _note(self, roots: list[Any]) -> None:
        self._roots = list(map(id, roots))
        trees = (seen.tree for seen in self._seen.values())
        self._held = [tree.values() if tree.__class__ is dict else tree for tree in trees]
        self._lengths = list(map(len, self._held))
        self._ids = list(map(id, chain.from_iterable(self._held)))

    def _walk(self, tree: Any, path: Path, before: dict[int, _Seen]) -> None:
        waiting, found = [(tree, path)], self._seen
        while waiting:
            tree, path = waiting.pop()
            number = id(tree)
            if number in found:
                # The main container, which is among the containers of the spec in the end.
                continue
            ids = list(map(id, tree.values() if tree.__class__ is dict else tree))
            seen = before.get(number)
            if seen is None or seen.ids != ids or (seen.path is not path and seen.path != path):
                seen = _examine(tree, path, ids)
                self._rebuilt.append(seen)
            found[number] = seen
            if seen.children:
                waiting += seen.children


def _ids(tree: Any) -> list[int]:
    return list(map(id, tree.values() if tree.__class__ is dict else tree))


def _examine(tree: Any, path: Path, ids: list[int]) -> _Seen:
    seen = _Seen(tree, path, ids)
    if tree.__class__ is dict:
        for key, item in tree.items():
            if item.__class__ is dict or item.__class__ is list:
                seen.children.append((item, (*path, key)))
            else:
                seen.scalars.append((*path, key))
    else:
        for index, item in enumerate(tree):
            if item.__class__ is dict or item.__class__ is list:
                seen.children.append((item, (*path, _item_key(item, index, path))))
            else:
                seen.scalars.append((*path, index))
    seen.children.reverse()
    return seen


def _item_key(item: Any, index: int, path: Path) -> str | int:
    if item.__class__ is dict:
        field = "mountPath" if path[-1] == "volumeMounts" else "name"
        name = item.get(field)
        if name.__class__ is str:
            return plain(name)  # type: ignore[no-any-return]
    return index
