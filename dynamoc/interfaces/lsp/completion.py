"""What may be typed at a position: fields and values of the schema, arguments of the inference engines; and hover.

`check/engines.json` has names and listed values as the engines' argument parsers declare them, by the versions that
Dynamo 1.4 installs. Which arguments a component takes: those of its engine, of its wrapper and of Dynamo's runtime.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from functools import cache
from typing import Any

from lsprotocol.types import (
    CompletionItem,
    CompletionItemKind,
    CompletionList,
    DocumentSymbol,
    Hover,
    InsertTextMode,
    MarkupContent,
    MarkupKind,
    Position,
    Range,
    SymbolKind,
    TextEdit,
)

from dynamoc.analysis import check
from dynamoc.analysis.check.arguments import Arguments
from dynamoc.interfaces.lsp.documents import Document
from dynamoc.interfaces.lsp.outline import Part
from dynamoc.interfaces.lsp.references import components, object_definition
from dynamoc.interfaces.lsp.schemas import Schema, Schemas, Spot, documentation, spot_at, type_of
from dynamoc.interfaces.lsp.spans import Entry, Path, Span

_FILE = os.path.join(os.path.dirname(check.__file__), "engines.json")
_GROUPS = {
    "vllm": ("vllm", "dynamo.vllm", "runtime"),
    "sglang": ("sglang", "dynamo.sglang", "runtime"),
    "trtllm": ("dynamo.trtllm", "runtime"),
}
_LISTS = ("command", "args")
#: the images of Dynamo's runtimes, for components that leave the command to theirs
_IMAGES = {"vllm-runtime": "vllm", "sglang-runtime": "sglang", "tensorrtllm-runtime": "trtllm"}


@dataclass(frozen=True)
class Argument:
    """A name, or a value of one, as it is written in a list; `detail` says whose it is."""

    text: str
    detail: str
    documentation: str = ""


@cache
def _groups() -> dict[str, Any]:
    with open(_FILE, encoding="utf-8") as file:
        loaded: dict[str, Any] = json.load(file)
    return loaded


def arguments_for(part: Part, path: Path, word: str) -> list[Argument]:
    """What an item of `command` or `args` may be: values behind a name that lists them, names otherwise.

    None for a container that runs no engine that is known.
    """
    if len(path) < 2 or path[-2] not in _LISTS or not isinstance(path[-1], int):
        return []
    engine = engine_of(part, path[:-2])
    if engine is None:
        return []
    before = _text(part, (*path[:-1], path[-1] - 1))
    name, equals, _ = word.partition("=")
    if equals:
        return [Argument(f"{name}={each}", f"value of {name}") for each in _values(engine, name)]
    if before and not word.startswith("-") and (values := _values(engine, before)):
        return [Argument(each, f"value of {before}") for each in values]
    if word and not word.startswith("-"):
        return []
    there = {text.partition("=")[0] for text in _texts(part, path[:-2])}
    return [each for each in _names(engine) if each.text not in there]


def engine_of(part: Part, container: Path) -> str | None:
    """`vllm`, `sglang` or `trtllm`: by the command, by the graph, or by the image."""
    found = Arguments({name: _texts(part, container, (name,)) for name in _LISTS}).engine
    if found is not None:
        return found
    if any(text.startswith("dynamo.") for text in _texts(part, container)):
        # A frontend, a router or a planner.
        return None
    framework = part.value("spec", "backendFramework")
    if framework in _GROUPS:
        return framework
    image = _text(part, (*container, "image")).rpartition("/")[2]
    return next((engine for name, engine in _IMAGES.items() if image.startswith(name)), None)


def _names(engine: str) -> list[Argument]:
    found: dict[str, Argument] = {}
    for group in (_groups()[name] for name in _GROUPS[engine]):
        whose = f"{group['source']} {group['version']}"
        for name, about in group["arguments"].items():
            values = about.get("values")
            text = "A switch, without a value." if about.get("switch") else ""
            text = "One of " + ", ".join(f"`{each}`" for each in values) + "." if values else text
            found.setdefault(name, Argument(name, whose, text))
    return [found[name] for name in sorted(found)]


def _values(engine: str, name: str) -> list[str]:
    for group in (_groups()[each] for each in _GROUPS[engine]):
        about = group["arguments"].get(name)
        if about is not None:
            return list(about.get("values", ()))
    return []


def _text(part: Part, path: Path) -> str:
    return part.value(*path) or ""


def _texts(part: Part, container: Path, lists: tuple[str, ...] = _LISTS) -> list[str]:
    return [each.value.text for name in lists for each in part.children((*container, name)) if each.value]


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


@dataclass(frozen=True)
class Subject:
    """The field under a position: where it is, its line, and what the schema says of it.

    is_leaf  whether it has a value, of which the operator makes something
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
