"""Schemas in words."""

from __future__ import annotations

import json

from dynamoc.lsp.schemas import Schema

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
