"""The schema of a field in the release of the settings, in words, and what is being typed at a position."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

from dynamoc.compiler.explain.counterfactual import KUBERNETES, SUB_TYPES
from dynamoc.documents.schema.schemas import description
from dynamoc.interfaces.cli.schema import json_schemas
from dynamoc.interfaces.lsp.outline import Cursor, Frame, Outline, Part, opened
from dynamoc.interfaces.lsp.spans import KEY, Open, Path, open_in
from dynamoc.reference.releases import get_release

Schema: TypeAlias = "dict[str, Any]"
_HEAD = {
    "apiVersion": {"type": "string", "description": "Group and version of the API."},
    "kind": {"type": "string", "description": "What the object is."},
}


@cache
def _documents(release: str) -> dict[tuple[str, str], Schema]:
    """By kind and apiVersion."""
    found = {}
    for (kind, _), schema in json_schemas(release).items():
        version = schema.get("properties", {}).get("apiVersion", {}).get("const")
        if version is not None:
            found[kind, version] = schema
    return found


def kinds(release: str) -> list[tuple[str, str]]:
    """Kinds of the operator with their apiVersions."""
    return [key for key in _documents(release) if key[1].startswith("nvidia.com/")]


class Schemas:
    """The schema of one document. Nothing is known of a kind that the release does not have."""

    def __init__(self, release: str, part: Part) -> None:
        self.release = release
        self.kind = part.value("kind") or ""
        self.version = part.value("apiVersion") or ""
        self._root = _documents(release).get((self.kind, self.version))

    @property
    def is_known(self) -> bool:
        return self._root is not None

    def at(self, path: Path) -> Schema | None:
        """The schema of a field, or of what is in a list; None without one."""
        schema: Any = self._root
        if schema is not None and len(path) > 1 and path[0] == "metadata":
            schema = {**schema, "properties": {**schema["properties"], "metadata": _metadata()}}
        for step in path:
            schema = _below(schema, step) if isinstance(schema, dict) else None
        return schema if isinstance(schema, dict) else None

    def fields(self, path: Path) -> tuple[dict[str, Schema], set[str]]:
        """The fields of a mapping, and which are required. The status is the operator's."""
        schema = _metadata() if path == ("metadata",) and self.is_known else self.at(path)
        if schema is None:
            return {}, set()
        fields = {name: part for name, part in schema.get("properties", {}).items() if path or name != "status"}
        return fields, set(schema.get("required", ()))

    def values(self, path: Path) -> list[str]:
        """The values that a field may have, where they are listed: as they are written."""
        schema = self.at(path)
        if path == ("apiVersion",):
            return sorted({version for kind, version in kinds(self.release) if kind == self.kind or not self.kind})
        if path == ("kind",):
            return sorted({kind for kind, version in kinds(self.release) if version == self.version})
        if schema is None or not path:
            return []
        if schema.get("type") == "boolean":
            return ["true", "false"]
        if "enum" in schema:
            return [str(each) for each in schema["enum"] if each is not None]
        name = str(path[-1])
        if name == "subComponentType":
            return list(SUB_TYPES)
        if name == "componentType":
            return _types(self.release)
        return list(KUBERNETES.get(name, ()))

    def takes_others(self, path: Path) -> bool:
        """Whether a field may have values that `values` does not list."""
        schema = self.at(path)
        return bool(path) and path[-1] == "componentType" and "enum" not in (schema or {})


def _types(release: str) -> list[str]:
    """The types of components in v1alpha1, which no schema lists: those that the operator has defaults for."""
    return [name for name in get_release(release)["component-defaults"] if name not in SUB_TYPES]


def _below(schema: Schema, step: str | int) -> Schema | None:
    if isinstance(step, int):
        return schema.get("items")
    found = schema.get("properties", {}).get(step)
    if found is not None:
        return dict(found)
    extra = schema.get("additionalProperties")
    return extra if isinstance(extra, dict) else None


@cache
def _metadata() -> Schema:
    texts = {"type": "object", "additionalProperties": {"type": "string"}}
    types: dict[str, Schema] = {
        "name": {"type": "string"},
        "namespace": {"type": "string"},
        "labels": texts,
        "annotations": texts,
    }
    described = {name: {**part, "description": description("metadata", name)} for name, part in types.items()}
    return {"type": "object", "properties": described, "required": ["name"]}


_BOUNDS = {"minimum": "at least", "maximum": "at most", "minItems": "at least", "maxItems": "at most"}


def type_of(schema: Schema) -> str:
    """`string`, `list of objects`, `integer or string`."""
    kind = schema.get("type", "")
    if isinstance(kind, list):
        return " or ".join(kind)
    if kind == "array":
        inner = type_of(schema.get("items") or {})
        return f"list of {inner}s" if inner and " " not in inner else "list"
    return str(kind or ("string" if "const" in schema else "any value"))


def documentation(schema: Schema, values: list[str] | None = None, lead: str = "One of") -> str:
    """Description, values, bounds and default of a field, as Markdown. `lead` introduces the values."""
    paragraphs = [str(schema.get("description") or "")]
    listed = values if values is not None else [str(each) for each in schema.get("enum", ())]
    if listed and listed != ["true", "false"]:
        paragraphs.append(f"{lead} " + ", ".join(f"`{each}`" for each in listed) + ".")
    bounds = [f"{word} {schema[key]}" for key, word in _BOUNDS.items() if key in schema]
    if bounds:
        paragraphs.append(f"{', '.join(bounds).capitalize()}{' items' * ('Items' in str(list(schema)))}.")
    default = schema.get("default")
    if default not in (None, ""):
        paragraphs.append(f"Default: `{default if isinstance(default, str) else json.dumps(default)}`.")
    return "\n\n".join(filter(None, paragraphs))


_LEAD = re.compile(r"\s*(?:-\s+)*")
_WORD = re.compile(r"[^\s,\[\]{}\"']*")
_IN_FLOW = re.compile(r"(?:^|[\[{,]|:\s)\s*(?P<quote>[\"']?)(?P<word>(?:(?!:\s)[^\[\]{},\"'])*)$")
_COMMENT = re.compile(r"(?:^|\s)#")


@dataclass(frozen=True)
class Spot:
    """What is typed.

    path    of the mapping whose key is typed, or of the field or item whose value is
    is_key  whether a key is typed; the first word of an item may be a key of a mapping, or the item itself
    is_item whether the word is the first of an item
    word    what is typed so far, from `start` to the cursor; the whole word ends at `end`
    colon   whether a colon is behind the word already, or one directly in front of it
    quote   that the word is in
    names   of the keys that are there, of the mapping or of what the item is in
    part    the document, without the line of the cursor
    """

    path: Path
    is_key: bool
    is_item: bool
    word: str
    start: int
    end: int
    colon: bool
    quote: str
    names: frozenset[str]
    part: Part


def spot_at(lines: list[str], line: int, column: int) -> Spot | None:
    """None where the field is unknown: in comments, and in texts of several lines."""
    text = lines[line]
    before = text[:column]
    if _COMMENT.search(re.sub(r"\"[^\"]*\"|'[^']*'", '""', before)):
        return None
    lead = _LEAD.match(before)
    width = lead.end() if lead else 0
    outline = Outline([*lines[:line], before[:width], *lines[line + 1 :]], line)
    cursor, part = outline.cursor, outline.part_at(line)
    if cursor.inside:
        return None
    if cursor.flow:
        return _in_brackets(text, column, 0, (), cursor.flow, part)
    return _in_block(text, column, width, cursor, part)


def _in_block(text: str, column: int, width: int, cursor: Cursor, part: Part) -> Spot | None:
    before = text[:column]
    frames = list(cursor.frames)
    is_item = _open_items(frames, before[:width])
    key = KEY.match(before, width)
    if key is not None:
        frame = opened(frames, width, is_sequence=False)
        name = key["text"].strip("\"'")
        path = (*frame.path, name)
        return _value(text, column, key.end(), path, part)
    if before[width : width + 1] in ("{", "["):
        at = frames[-1].current if is_item and frames else ()
        return _in_brackets(text, column, width, at, [], part)
    if is_item and before[width : width + 1] in ("-", '"', "'"):
        found = _value(text, column, width, frames[-1].current, part)
        return found and Spot(**{**vars(found), "is_item": True})
    if _WORD.fullmatch(before[width:]) is None or before[width:] == "-":
        return None
    path = frames[-1].current if is_item else opened(frames, width, is_sequence=False).path
    return _key(text, column, width, path, part, is_item=is_item)


def _open_items(frames: list[Frame], lead: str) -> bool:
    """Opens the items whose dashes are in front of a word; whether there is one."""
    dashes = [column for column, char in enumerate(lead) if char == "-"]
    for column in dashes:
        frame = opened(frames, column, is_sequence=True)
        frame.last = int(frame.last) + 1
    return bool(dashes)


def _key(text: str, column: int, start: int, path: Path, part: Part, *, is_item: bool) -> Spot:
    word = _WORD.match(text, start)
    end = max(word.end() if word else column, column)
    written = text[start:end]
    has_colon = written.endswith(":") or text[end : end + 1] == ":"
    names = frozenset(str(each.path[-1]) for each in part.children(path))
    end -= written.endswith(":") and end > column
    return Spot(path, True, is_item, text[start:column], start, end, has_colon, "", names, part)


def _value(text: str, column: int, start: int, path: Path, part: Part) -> Spot | None:
    """The value that begins behind `start`; brackets have separate values."""
    begin = start + len(text[start:column]) - len(text[start:column].lstrip())
    if text[begin : begin + 1] in ("{", "[") and begin < column:
        return _in_brackets(text, column, begin, path, [], part)
    quote = text[begin : begin + 1] if begin < column and text[begin] in "\"'" else ""
    begin += len(quote)
    if quote and quote in text[begin:column]:
        return None
    rest = re.compile(r"[^\"']*" if quote else r"[^#]*?(?=\s+#|\s*$)").match(text, column)
    end = max(rest.end() if rest else column, column)
    colon = start > 0 and begin == start and text[start - 1] == ":"
    names = frozenset(str(each.path[-1]) for each in part.children(path[:-1]))
    return Spot(path, False, False, text[begin:column], begin, end, colon, quote, names, part)


def _in_brackets(text: str, column: int, start: int, path: Path, before: list[Open], part: Part) -> Spot | None:
    match = _IN_FLOW.search(text[start:column]) if start < column or before else None
    word = match["word"].lstrip() if match else ""
    quote = match["quote"] if match else ""
    begin = column - len(word)
    brackets = open_in(text[: begin - len(quote)], start, path, before)
    if not brackets:
        return None
    top = brackets[-1]
    rest = re.compile(r"[^\"']*" if quote else r"[^\s,\]}]*").match(text, column)
    end = rest.end() if rest else column
    behind_key = not top.is_sequence and top.key is not None
    names = frozenset(str(each.path[-1]) for each in part.children(top.path))
    at = top.current if top.is_sequence or behind_key else top.path
    return Spot(
        at, not top.is_sequence and not behind_key, top.is_sequence, word, begin, end, False, quote, names, part
    )
