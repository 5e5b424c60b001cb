"""A component gets another name, with all that refers to it by the old one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from lsprotocol.types import Position, TextEdit, WorkspaceEdit

from dynamoc.lsp.definition import reference_at
from dynamoc.lsp.documents import Document
from dynamoc.lsp.outline import Part
from dynamoc.lsp.references import ADAPTER, COMPONENT, GRAPH, components, may_be_together, references
from dynamoc.lsp.spans import Span

#: the names that v1beta1 takes; a quoted name stays quoted
_NAME = re.compile(r"[A-Za-z0-9](?:[-A-Za-z0-9]*[A-Za-z0-9])?")
_LONGEST = 63


class BadName(Exception):
    """The component cannot have this name; the message says why."""


class Component:
    """A component under the cursor: its graph, its name, and where that is written."""

    def __init__(self, graph: str, name: str, span: Span) -> None:
        self.graph = graph
        self.name = name
        self.span = span


def component_at(document: Document, position: Position) -> Component | None:
    """The component whose name is at a position, or a reference to it."""
    if document.is_template:
        return None
    line, column = document.lines.point(position)
    part = document.outline.part_at(line)
    for each in components(part):
        if each.span.line == line and each.span.start <= column <= each.span.end:
            return Component(part.value("metadata", "name") or "", each.name, each.span)
    reference = reference_at(document, position)
    if reference is None or reference.kind != COMPONENT:
        return None
    return Component(reference.graph, reference.name, reference.span)


def renamed(document: Document, component: Component, name: str, others: Iterable[Document]) -> WorkspaceEdit:
    """The edits in all documents. Raises BadName.

    Where other files have a graph of the same name, such as those of other clusters, only this one is changed: what
    else names the component may mean theirs.
    """
    if _NAME.fullmatch(name) is None or len(name) > _LONGEST:
        raise BadName(f"`{name}` is not a name of a component: write letters, digits and dashes, at most {_LONGEST}.")
    found = [document, *others]
    own = document.outline.part_at(component.span.line)
    graphs = [each for each in found if any(_is_graph(part, component, own) for part in each.outline.parts)]
    if len(graphs) > 1:
        if graphs[0] is not document:
            raise BadName(f"{len(graphs)} files have a graph {component.graph}; rename the component there.")
        found = [document]
    changes = {}
    for each in found:
        parts = [part for part in each.outline.parts if may_be_together(part, own)]
        edits = [_edit(each, span, text) for part in parts for span, text in _spans(part, component, name)]
        if edits:
            changes[each.uri] = edits
    return WorkspaceEdit(changes=changes)


def _is_graph(part: Part, component: Component, own: Part) -> bool:
    is_named = part.value("kind") == GRAPH and part.value("metadata", "name") == component.graph
    return is_named and may_be_together(part, own)


def _spans(part: Part, component: Component, name: str) -> Iterator[tuple[Span, str]]:
    """Where a document has the name, with what it becomes there."""
    if part.value("kind") == GRAPH and part.value("metadata", "name") == component.graph:
        for each in components(part):
            if each.name == name and name != component.name:
                raise BadName(f"{component.graph} has a component `{name}` already.")
            if each.name == component.name:
                yield each.span, name
        entry = part.entry(("spec", "services", component.name, "serviceName"))
        if entry is not None and entry.value is not None and entry.value.text == component.name:
            yield entry.value, name
    old_adapter = f"{component.graph}-{component.name.lower()}"
    for reference in references(part):
        if reference.kind == COMPONENT and (reference.graph, reference.name) == (component.graph, component.name):
            yield reference.span, name
        elif reference.kind == ADAPTER and reference.name == old_adapter:
            yield reference.span, f"{component.graph}-{name.lower()}"


def _edit(document: Document, span: Span, text: str) -> TextEdit:
    return TextEdit(document.lines.range(span.line, span.start, span.end), text)
