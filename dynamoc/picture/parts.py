"""Boxes, groups of boxes, and lines between boxes."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Key = tuple[str, ...]


class Box:
    """One box: `lines` of text, the first of them its name; `shape` is `pods`, `service`, `claim` or `secret`."""

    __slots__ = ("key", "lines", "shape")

    def __init__(self, key: Key, lines: list[str], shape: str) -> None:
        self.key = key
        self.lines = lines
        self.shape = shape


class Edge:
    """A line from one box to what it uses."""

    __slots__ = ("source", "target")

    def __init__(self, source: Box, target: Box) -> None:
        self.source = source
        self.target = target


class Group:
    """A frame with a title around boxes and further frames, in the order in which they were added."""

    def __init__(self, title: str = "") -> None:
        self.title = title
        self.boxes: dict[Key, Box] = {}
        self.groups: dict[Key, Group] = {}

    def group(self, key: Key, title: str) -> Group:
        """The frame of this key, a new one the first time."""
        return self.groups.setdefault(key, Group(title))

    def box(self, box: Box) -> Box:
        """The box of the same key, this one the first time."""
        return self.boxes.setdefault(box.key, box)

    def walk(self) -> Iterator[Box]:
        for group in self.groups.values():
            yield from group.walk()
        yield from self.boxes.values()


class Picture(Group):
    """The outermost frame, and all lines."""

    def __init__(self) -> None:
        super().__init__()
        self.edges: list[Edge] = []
