"""YAML documents as nodes of which only the places matter: composed by libyaml, a tenth of the work of ruamel.yaml."""

from __future__ import annotations

from ruamel.yaml.nodes import MappingNode, ScalarNode, SequenceNode

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


def compose(text: str) -> Any:
    """The nodes of the one document of a text, with styles, anchors and marks, and without tags."""
    get = EventParser(text).get_event
    anchors: dict[str | None, Any] = {}
    # Of the stream and of the document.
    get(), get()
    return _node(get(), get, anchors)


def _node(event: Any, get: Any, anchors: dict[str | None, Any]) -> Any:
    if event.__class__ is AliasEvent:
        return anchors[event.anchor]
    node: Any
    marks = event.start_mark, event.end_mark
    if event.__class__ is ScalarEvent:
        node = ScalarNode(None, event.value, *marks, event.style)
    elif event.__class__ is MappingStartEvent:
        node = MappingNode(None, [], *marks, event.flow_style)
    else:
        node = SequenceNode(None, [], *marks, event.flow_style)
    node.anchor = event.anchor
    if event.anchor is not None:
        anchors[event.anchor] = node
    if event.__class__ is MappingStartEvent:
        while (inner := get()).__class__ is not MappingEndEvent:
            node.value.append((_node(inner, get, anchors), _node(get(), get, anchors)))
        node.end_mark = inner.end_mark
    elif event.__class__ is not ScalarEvent:
        while (inner := get()).__class__ is not SequenceEndEvent:
            node.value.append(_node(inner, get, anchors))
        node.end_mark = inner.end_mark
    return node
