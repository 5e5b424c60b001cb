"""What may be typed at a position, from the schema of the document's kind and version in the chosen release."""

from __future__ import annotations

from typing import Any

from lsprotocol.types import (
    CompletionItem,
    CompletionItemKind,
    CompletionList,
    InsertTextMode,
    MarkupContent,
    MarkupKind,
    Position,
    TextEdit,
)

from dynamoc.lsp.documents import Document
from dynamoc.lsp.engine_arguments import Argument, arguments_for
from dynamoc.lsp.schemas import Schema, Schemas
from dynamoc.lsp.spot import Spot, spot_at
from dynamoc.lsp.words import documentation, type_of

_HEAD = ("apiVersion", "kind")


def completions(document: Document, position: Position, release: str) -> CompletionList:
    """Nothing in templates, and nothing where no schema says what belongs there."""
    line, column = document.lines.point(position)
    spot = None if document.is_template or document.is_large else spot_at(document.lines.texts, line, column)
    items = [] if spot is None else list(_items(document, spot, line, release))
    return CompletionList(is_incomplete=False, items=items)


def _items(document: Document, spot: Spot, line: int, release: str) -> list[CompletionItem]:
    schemas = Schemas(release, spot.part)
    if spot.is_key and not spot.is_item:
        return _fields(document, spot, line, schemas)
    if spot.is_item:
        schema = schemas.at(spot.path)
        if schema is not None and "properties" in schema:
            return _fields(document, spot, line, schemas) if spot.is_key else []
    found = [_value(document, spot, line, text) for text in schemas.values(spot.path) if _may_be_meant(spot)]
    arguments = arguments_for(spot.part, spot.path, spot.word) if schemas.is_known else []
    return found + [_argument(document, spot, line, each) for each in arguments]


def _may_be_meant(spot: Spot) -> bool:
    """Whether a document is one of dynamoc's, where only its kind or version could say so."""
    if spot.path not in (("apiVersion",), ("kind",)):
        return True
    said = (spot.word, spot.part.value("kind") or "", spot.part.value("apiVersion") or "")
    return any(text.startswith(("Dyn", "nvidia.com/", "nv")) for text in said)


def _fields(document: Document, spot: Spot, line: int, schemas: Schemas) -> list[CompletionItem]:
    fields, required = schemas.fields(spot.path)
    return [
        _field(document, spot, line, name, fields[name], name in required)
        for name in sorted(fields, key=lambda name: (name not in required, name))
        if name not in spot.names
    ]


def _field(document: Document, spot: Spot, line: int, name: str, schema: Schema, is_required: bool) -> CompletionItem:
    is_nested = "properties" in schema or schema.get("type") in ("object", "array")
    text = name + ("" if spot.colon else ":" if is_nested and not spot.quote else ": ") * (not spot.quote)
    return _item(
        document,
        spot,
        line,
        label=name,
        text=text,
        kind=CompletionItemKind.Field,
        detail=type_of(schema) + (", required" if is_required else ""),
        documentation=_markdown(documentation(schema)),
        sort_text=f"{'0' if is_required else '1'}{name}",
    )


def _value(document: Document, spot: Spot, line: int, value: str) -> CompletionItem:
    kind = CompletionItemKind.Keyword if value in ("true", "false") else CompletionItemKind.EnumMember
    return _item(document, spot, line, label=value, text=" " * spot.colon + value, kind=kind)


def _argument(document: Document, spot: Spot, line: int, argument: Argument) -> CompletionItem:
    return _item(
        document,
        spot,
        line,
        label=argument.text,
        text=argument.text,
        kind=CompletionItemKind.Property if argument.text.startswith("--") else CompletionItemKind.EnumMember,
        detail=argument.detail,
        documentation=_markdown(argument.documentation),
    )


def _item(document: Document, spot: Spot, line: int, *, label: str, text: str, **others: Any) -> CompletionItem:
    """An item that replaces the whole word, which editors also filter by."""
    where = document.lines.range(line, spot.start, spot.end)
    return CompletionItem(
        label=label,
        text_edit=TextEdit(where, text),
        filter_text=text if text.startswith(" ") else label,
        insert_text_mode=InsertTextMode.AsIs,
        **others,
    )


def _markdown(text: str) -> MarkupContent | None:
    return MarkupContent(MarkupKind.Markdown, text) if text else None
