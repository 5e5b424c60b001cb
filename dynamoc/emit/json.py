"""JSON text of objects: two spaces of indent, sorted keys, the same bytes for the same objects."""

from __future__ import annotations

# Python's json package would import re; its C scanner alone is free.
try:
    from _json import encode_basestring as _quote
except ImportError:  # pragma: no cover - other interpreters
    from json.encoder import encode_basestring as _quote

from dynamoc.golang.json_text import float_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def dump_json(value: Any, *, as_list: bool = False) -> str:
    """An object or a list of objects; with `as_list`, objects become the items of a v1 List, as kubectl prints several.

    ValueError for what JSON has no word for: NaN and infinities.
    """
    if as_list:
        value = {"apiVersion": "v1", "items": value, "kind": "List"}
    return _text(value, "\n") + "\n"


def json_line(value: Any) -> str:
    """A value in one line, its keys sorted. ValueError as for `dump_json`."""
    return _text(value, "")


def _text(value: Any, newline: str) -> str:
    """`newline` is a line break and the indent of the line that the value starts on, "" for all in one line."""
    kind = value.__class__
    if kind is str:
        return _quote(value)
    if kind is dict:
        if not value:
            return "{}"
        inner = newline and newline + "  "
        items = [f"{_quote(key)}: {_text(value[key], inner)}" for key in sorted(value)]
        between = f",{inner or ' '}"
        return f"{{{inner}{between.join(items)}{newline}}}"
    if kind is list:
        if not value:
            return "[]"
        inner = newline and newline + "  "
        between = f",{inner or ' '}"
        return f"[{inner}{between.join([_text(item, inner) for item in value])}{newline}]"
    if value is None:
        return "null"
    if kind is bool:
        return "true" if value else "false"
    return float_text(value) if kind is float else str(value)
