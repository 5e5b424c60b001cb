"""The outline that editors show: documents, and the components in them."""

from __future__ import annotations

from lsprotocol.types import DocumentSymbol, Position, Range, SymbolKind

from dynamoc.lsp.documents import Document
from dynamoc.lsp.outline import Part
from dynamoc.lsp.references import components, object_definition


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
