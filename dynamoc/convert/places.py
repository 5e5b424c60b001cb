"""YAML documents as nodes of our own: composed by libyaml, a tenth of the work of ruamel.yaml."""

from __future__ import annotations

from dynamoc.convert.nodes import MAPPING, SCALAR, SEQUENCE
from dynamoc.source.libyaml import (
    AliasEvent,
    EventParser,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Node:
    """A node of a document, or of one that is to be written, which has no marks.

    id          its kind, as ruamel.yaml names it
    value       text, pairs of nodes, or nodes
    style       of a scalar: the first character of quoted texts and blocks, "" or None for others
    flow_style  whether a map or list is written in brackets; true for scalars, which stand on the line of their key
    tag         as it is written, None without
    folds       the lines of a folded text, where that is written
    """

    __slots__ = ("anchor", "end_mark", "flow_style", "folds", "id", "start_mark", "style", "tag", "value")

    def __init__(
        self,
        id: str,
        value: Any,
        start_mark: Any = None,
        end_mark: Any = None,
        *,
        style: str | None = None,
        flow_style: bool = True,
        anchor: str | None = None,
        tag: str | None = None,
    ) -> None:
        self.id = id
        self.value = value
        self.start_mark = start_mark
        self.end_mark = end_mark
        self.style = style
        self.flow_style = flow_style
        self.anchor = anchor
        self.tag = tag
        self.folds: list[str] = []


def compose(text: str) -> Node:
    """The nodes of the one document of a text."""
    get = EventParser(text).get_event
    anchors: dict[str | None, Node] = {}
    # Of the stream and of the document.
    get(), get()
    return _node(get(), get, anchors)


def _node(event: Any, get: Any, anchors: dict[str | None, Node]) -> Node:
    kind = event.__class__
    if kind is AliasEvent:
        return anchors[event.anchor]
    start, end, anchor, tag = event.start_mark, event.end_mark, event.anchor, event.tag
    if kind is ScalarEvent:
        node = Node(SCALAR, event.value, start, end, style=event.style, anchor=anchor, tag=tag)
    else:
        name = MAPPING if kind is MappingStartEvent else SEQUENCE
        node = Node(name, [], start, end, flow_style=event.flow_style, anchor=anchor, tag=tag)
    if anchor is not None:
        anchors[anchor] = node
    if kind is MappingStartEvent:
        while (inner := get()).__class__ is not MappingEndEvent:
            node.value.append((_node(inner, get, anchors), _node(get(), get, anchors)))
        node.end_mark = inner.end_mark
    elif kind is not ScalarEvent:
        while (inner := get()).__class__ is not SequenceEndEvent:
            node.value.append(_node(inner, get, anchors))
        node.end_mark = inner.end_mark
    return node
