"""From a name to what has it, and from a line of what was rendered to the line of the input behind it."""

from __future__ import annotations

from collections.abc import Iterable

from lsprotocol.types import Location, Position

from dynamoc.lsp.documents import Document
from dynamoc.lsp.outline import Part
from dynamoc.lsp.references import (
    ADAPTER,
    CLAIM,
    COMPONENT,
    GRAPH,
    VOLUME,
    Definition,
    Reference,
    claims,
    components,
    may_be_together,
    object_definition,
    references,
    volumes,
)


def reference_at(document: Document, position: Position) -> Reference | None:
    line, column = document.lines.point(position)
    for reference in references(document.outline.part_at(line)):
        span = reference.span
        if span.line == line and span.start <= column <= span.end:
            return reference
    return None


def word_for(reference: Reference) -> str:
    """What every document has that may define what is named: adapters get their names from graphs."""
    return GRAPH if reference.kind == ADAPTER else reference.name


def definitions(document: Document, reference: Reference, others: Iterable[Document]) -> list[Location]:
    """In the document itself if it is there, otherwise in other ones."""
    part_of_reference = document.outline.part_at(reference.span.line)
    own = _in_own(part_of_reference, reference)
    if own:
        return [_location(document, each) for each in own]
    for candidate in (document, *others):
        parts = (each for each in candidate.outline.parts if may_be_together(each, part_of_reference))
        found = [each for part in parts for each in _in_part(part, reference)]
        if found:
            return [_location(candidate, each) for each in found]
    return []


def _in_own(part: Part, reference: Reference) -> list[Definition]:
    """What only the document of the reference can define."""
    found: list[Definition] = []
    if reference.kind == VOLUME:
        found = volumes(part, reference.path)
    elif reference.kind == COMPONENT:
        found = components(part)
    elif reference.kind == CLAIM:
        found = claims(part)
    return [each for each in found if each.name == reference.name and each.span != reference.span][:1]


def _in_part(part: Part, reference: Reference) -> list[Definition]:
    if reference.kind == COMPONENT:
        found = components(part) if part.value("metadata", "name") == reference.graph else []
    elif reference.kind == ADAPTER:
        return [each for each in components(part) if adapter_of(part, each.name) == reference.name]
    else:
        one = object_definition(part)
        found = [one] if one is not None and one.kind == reference.kind else []
        found += claims(part) if reference.kind == CLAIM else []
    return [each for each in found if each.name == reference.name and each.span != reference.span]


def adapter_of(part: Part, component: str) -> str:
    """The name of the scaling adapter of a component, as the operator makes it."""
    return f"{part.value('metadata', 'name') or ''}-{component.lower()}"


def _location(document: Document, found: Definition) -> Location:
    span = found.span
    return Location(document.uri, document.lines.range(span.line, span.start, span.end))
