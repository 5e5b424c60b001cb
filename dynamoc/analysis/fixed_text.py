"""Changes of entries as new text for a part of a file of YAML or JSON, with everything else left as it is."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from yaml.error import YAMLError
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from dynamoc.documents.findings.edits import Change
from dynamoc.documents.findings.finding import Path
from dynamoc.documents.source.events import EventParser
from dynamoc.documents.source.scalars import resolve

Span = tuple[int, int, str]
"""Start, end and new text of a part."""
Kind = Literal["scalar", "alias", "map", "list"]

#: a text that is plain wherever it stands
_PLAIN = re.compile(r"[A-Za-z/][A-Za-z0-9_./-]*")
_EMPTY = {"map": "{}", "list": "[]"}


def span_of(change: Change, entry: Entry, text: str) -> Span | None:
    """The part of the text that a change of an entry replaces; None where the layout does not allow it."""
    if change.kind == "remove":
        return _removal(entry, text)
    if change.kind == "rename":
        return _renaming(entry, change.new)
    node = entry.value
    if node.kind != "scalar" or node.style in ("|", ">"):
        return None
    raw = text[node.start : node.end]
    if change.kind == "quote":
        return None if node.style or not raw else (node.start, node.end, json.dumps(raw))
    if change.kind == "list" and change.new is not None:
        return (node.start, node.end, json.dumps(change.new, ensure_ascii=False))
    if change.kind == "list":
        return (node.start, node.end, f"[{raw if node.style or _PLAIN.fullmatch(raw) else json.dumps(node.text)}]")
    return (node.start, node.end, _written(change.new, node))


def comment_span(start: int, text: str) -> Span:
    """A comment that begins at an offset, with the spaces before it; alone on its line, the whole line."""
    line = text.rfind("\n", 0, start) + 1
    end = _line_end(start, text)
    if not text[line:start].strip():
        return (line, end, "")
    before = start - len(text[line:start]) + len(text[line:start].rstrip())
    return (before, end - len(text[start:end]) + len(text[start:end].rstrip("\r\n")), "")


def _renaming(entry: Entry, name: str) -> Span | None:
    key = entry.key
    taken = any(other.key is not None and other.key.text == name for other in entry.siblings)
    if key is None or key.kind != "scalar" or key.style in ("|", ">") or taken:
        return None
    return (key.start, key.end, _written(name, key))


def _written(value: Any, node: Node) -> str:
    """A value in the style of the node that it replaces."""
    if not isinstance(value, str):
        return json.dumps(value)
    if node.style == "'" and "'" not in value:
        return f"'{value}'"
    is_plain = not node.style and _PLAIN.fullmatch(value) and isinstance(resolve(value), str)
    return value if is_plain or _is_amount(value, node) else json.dumps(value)


def _is_amount(value: str, node: Node) -> bool:
    return not node.style and re.fullmatch(r"[0-9.]+[A-Za-z]+", value) is not None and isinstance(resolve(value), str)


def _removal(entry: Entry, text: str) -> Span | None:
    if entry.parent is None:
        return None
    if len(entry.siblings) == 1:
        return _emptied(entry.parent, text)
    if entry.parent.value.style == "flow":
        return _out_of_flow(entry, text)
    return _out_of_block(entry, text)


def _emptied(holder: Entry, text: str) -> Span | None:
    """A collection without its only entry."""
    node = holder.value
    if node.style == "flow":
        inside = text[node.start + 1 : node.end - 1]
        return None if "#" in inside or "\n" in inside.strip() else (node.start, node.end, _EMPTY[node.kind])
    if holder.parent is None:
        return None
    if holder.key is None:
        return None if _has_comment(node.start, node.end, text) else (node.start, node.end, _EMPTY[node.kind])
    colon = text.find(":", holder.key.end)
    if colon < 0 or _has_comment(colon, node.end, text):
        return None
    return (colon + 1, node.end, f" {_EMPTY[node.kind]}")


def _has_comment(start: int, end: int, text: str) -> bool:
    """Whether a comment may be in a part of the text; a `#` in a value counts as well."""
    return "#" in text[start:end]


def _out_of_flow(entry: Entry, text: str) -> Span | None:
    index = entry.siblings.index(entry)
    if index + 1 < len(entry.siblings):
        start, end = entry.start, entry.siblings[index + 1].start
    else:
        before = entry.siblings[index - 1]
        start = max(before.value.end, before.key.end if before.key else 0)
        end = max(entry.value.end, entry.key.end if entry.key else 0)
    return (
        None if _has_comment(start, entry.start, text) or _has_comment(entry.value.end, end, text) else (start, end, "")
    )


def _out_of_block(entry: Entry, text: str) -> Span | None:
    """The lines of an entry; where another one's dash is before it, the text up to the next entry."""
    start = entry.start if entry.key is not None else _dash(entry, text)
    if start is None:
        return None
    line = text.rfind("\n", 0, start) + 1
    last = max(entry.value.end, entry.key.end if entry.key else 0)
    end = _line_end(last, text)
    is_scalar = entry.value.kind == "scalar" and entry.value.style not in ("|", ">")
    if _has_comment(last if is_scalar else start, end, text):
        return None
    if not text[line:start].strip():
        return (line, end, "")
    if entry.siblings[0] is not entry or text[line:start].strip(" -"):
        return None
    while text[end : end + 1] in (" ", "\n", "\r"):
        end += 1
    return (start, end, "")


def _dash(entry: Entry, text: str) -> int | None:
    """Where the dash of an item is; None where more than spaces are between the two."""
    dash = text.rfind("-", 0, entry.value.start)
    return dash if dash >= 0 and not text[dash + 1 : entry.value.start].strip(" ") else None


def _line_end(at: int, text: str) -> int:
    """Where the line behind a place begins."""
    end = text.find("\n", at)
    return len(text) if end < 0 else end + 1


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


@dataclass(eq=False, slots=True)
class Entry:
    """A value with what it is an entry of.

    path    from the root of its document; `document` is the number of that among those that are not empty
    key     None for an item of a list, and for the root
    parent  the entry whose value is the collection, None for the root; `siblings` are all entries of the collection
    """

    document: int
    path: Path
    key: Node | None
    value: Node
    parent: Entry | None
    siblings: list[Entry]

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
