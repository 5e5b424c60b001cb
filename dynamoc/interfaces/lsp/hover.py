"""What a field means, and what the operator makes of its value.

The outline that editors show: documents, and the components in them.
"""

from __future__ import annotations

from dataclasses import dataclass

from lsprotocol.types import DocumentSymbol, Hover, MarkupContent, MarkupKind, Position, Range, SymbolKind

from dynamoc.interfaces.lsp.documents import Document
from dynamoc.interfaces.lsp.outline import Part
from dynamoc.interfaces.lsp.references import components, object_definition
from dynamoc.interfaces.lsp.schemas import Schemas, documentation, type_of
from dynamoc.interfaces.lsp.spans import Entry, Span


@dataclass(frozen=True)
class Subject:
    """The field under a position: where it is, its line, and what the schema says of it.

    is_leaf  whether it has a value of its own, of which the operator makes something
    """

    path: tuple[str | int, ...]
    line: int
    range: Range
    text: str
    is_leaf: bool


def subject_at(document: Document, position: Position, release: str) -> Subject | None:
    """None where there is no field that the release has."""
    line, column = document.lines.point(position)
    if document.is_template:
        return None
    entry = document.outline.entry_at(line, column)
    if entry is None:
        return None
    schemas = Schemas(release, document.outline.part_at(line))
    schema = schemas.at(entry.path)
    if schema is None:
        return None
    head = f"**{_name(entry)}** ({type_of(schema)})"
    lead = "The operator knows" if schemas.takes_others(entry.path) else "One of"
    text = documentation(schema, schemas.values(entry.path) or None, lead)
    span = _span(entry, line, column)
    where = document.lines.range(line, span.start, span.end)
    is_leaf = entry.value is not None or not any(key in schema for key in ("properties", "items"))
    return Subject(entry.path, entry.line, where, f"{head}\n\n{text}".rstrip(), is_leaf)


def hover_of(subject: Subject, fate: list[str], release: str) -> Hover:
    text = subject.text
    if fate:
        effects = "\n".join(f"- {line}" for line in fate)
        text += f"\n\n---\n\nIn release {release}, this value\n\n{effects}"
    return Hover(MarkupContent(MarkupKind.Markdown, text), subject.range)


def _name(entry: Entry) -> str:
    names = [str(step) for step in entry.path if isinstance(step, str)]
    return names[-1] if names else "item"


def _span(entry: Entry, line: int, column: int) -> Span:
    for span in (entry.key, entry.value):
        if span is not None and span.line == line and span.start <= column <= span.end:
            return span
    raise AssertionError("the entry is at the position")


def symbols(document: Document) -> list[DocumentSymbol]:
    """One for each document of the text that has a kind and a name."""
    found = []
    for part in document.outline.parts:
        own = object_definition(part)
        if own is None or document.is_template or document.is_large:
            continue
        where = document.lines.range(own.span.line, own.span.start, own.span.end)
        texts = document.lines.texts
        whole = Range(Position(part.first, 0), document.lines.position(part.last, len(texts[part.last])))
        title = f"{own.kind}/{own.name}"
        found.append(DocumentSymbol(title, SymbolKind.Object, whole, where, children=_components(document, part)))
    return found


def _components(document: Document, part: Part) -> list[DocumentSymbol]:
    found = []
    for each in components(part):
        where = document.lines.range(each.span.line, each.span.start, each.span.end)
        found.append(DocumentSymbol(each.name, SymbolKind.Module, where, where))
    return found
