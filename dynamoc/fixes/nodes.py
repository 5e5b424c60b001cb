"""A text of YAML or JSON as nodes that know where they begin and end."""

from __future__ import annotations

from dynamoc.source.libyaml import (
    AliasEvent,
    DocumentStartEvent,
    EventParser,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    YAMLError,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, Literal

    from dynamoc.diagnostics.finding import Path

    Kind = Literal["scalar", "alias", "map", "list"]

_BLOCK_TEXT = ("|", ">")
_NULLS = ("", "~", "null", "Null", "NULL")
_KINDS: dict[type, Kind] = {ScalarEvent: "scalar", AliasEvent: "alias", MappingStartEvent: "map"}


class Node:
    """A value or a key.

    kind        `scalar`, `alias`, `map` or `list`
    start, end  offsets into the text; the end of a collection in block style is that of its last value
    style       of a scalar: `'`, `"`, `|`, `>`, or "" for a plain one; of a collection: `flow` or `block`
    text        of a scalar, as YAML reads it
    is_marked   whether it has an anchor or a tag, or is an alias
    """

    __slots__ = ("end", "is_marked", "kind", "start", "style", "text")

    def __init__(self, event: Any, text: str) -> None:
        self.kind: Kind = _KINDS.get(event.__class__, "list")
        self.start: int = event.start_mark.index
        self.end: int = event.end_mark.index
        self.is_marked = event.anchor is not None or getattr(event, "tag", None) is not None
        self.text: str = getattr(event, "value", "")
        self.style = getattr(event, "style", None) or ""
        if self.kind in ("map", "list"):
            self.style = "flow" if event.flow_style else "block"
        elif self.style in _BLOCK_TEXT:
            self.end = self.start + len(text[self.start : self.end].rstrip())


class Entry:
    """A value with what it is an entry of.

    path    from the root of its document; `document` is the number of that among those that are not empty
    key     None for an item of a list, and for the root
    parent  the entry whose value is the collection, None for the root; `siblings` are all entries of the collection
    """

    __slots__ = ("document", "key", "parent", "path", "siblings", "value")

    def __init__(
        self, document: int, path: Path, key: Node | None, value: Node, parent: Entry | None, siblings: list[Entry]
    ) -> None:
        self.document = document
        self.path = path
        self.key = key
        self.value = value
        self.parent = parent
        self.siblings = siblings

    @property
    def start(self) -> int:
        return self.value.start if self.key is None else self.key.start

    @property
    def is_shared(self) -> bool:
        """Whether the text of the entry may stand for other places as well: an anchor is above it, or in it."""
        entry: Entry | None = self
        while entry is not None:
            if entry.value.is_marked or (entry.key is not None and (entry.key.is_marked or entry.key.text == "<<")):
                return True
            entry = entry.parent
        return False


def entries(text: str) -> list[Entry]:
    """All entries, parents before their children. Raises YAMLError where the text is not YAML."""
    return list(_Reader(text).all())


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._get: Callable[[], Any] = EventParser(text).get_event
        self._found: list[Entry] = []
        self._document = 0

    def all(self) -> Iterator[Entry]:
        while (event := self._get()) is not None:
            if event.__class__ is DocumentStartEvent:
                root = self._value(self._get(), (), None, None, [])
                # Nobody sees a document that is empty.
                self._document += root.value.kind != "scalar" or bool(root.value.style) or root.value.text not in _NULLS
        yield from self._found

    def _value(self, event: Any, path: Path, key: Node | None, parent: Entry | None, siblings: list[Entry]) -> Entry:
        node = Node(event, self._text)
        entry = Entry(self._document, path, key, node, parent, siblings)
        siblings.append(entry)
        self._found.append(entry)
        if event.__class__ is MappingStartEvent:
            self._close(node, self._map(entry, path))
        elif event.__class__ is SequenceStartEvent:
            self._close(node, self._list(entry, path))
        return entry

    def _map(self, entry: Entry, path: Path) -> tuple[list[Entry], Any]:
        children: list[Entry] = []
        while (event := self._get()).__class__ is not MappingEndEvent:
            key = Node(event, self._text)
            if key.kind in ("map", "list"):
                # Nothing in Kubernetes has such a key.
                raise YAMLError("a key is a collection")
            self._value(self._get(), (*path, key.text), key, entry, children)
        return children, event

    def _list(self, entry: Entry, path: Path) -> tuple[list[Entry], Any]:
        children: list[Entry] = []
        while (event := self._get()).__class__ is not SequenceEndEvent:
            self._value(event, (*path, len(children)), None, entry, children)
        return children, event

    def _close(self, node: Node, inside: tuple[list[Entry], Any]) -> None:
        children, end = inside
        if node.style == "flow":
            node.end = end.end_mark.index
        elif children:
            last = children[-1]
            node.end = max(last.value.end, last.key.end if last.key else 0)
