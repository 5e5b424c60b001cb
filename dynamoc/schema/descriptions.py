"""What the fields of schemas mean, in words of this project: `descriptions.toml`.

A text belongs to a field of a parent, `multinode.nodeCount`, or to all fields of a name. The parent is the field above,
or the kind.
"""

from __future__ import annotations

import os
import tomllib
from functools import cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Tree = dict[str, Any]

_FILE = os.path.join(os.path.dirname(__file__), "descriptions.toml")


def described(schema: Tree, kind: str) -> Tree:
    """A copy of a structural schema with a description for each field; those that it has already are better."""
    return _described(schema, kind, _texts())


def description(parent: str, field: str) -> str | None:
    """The text of a field; None where there is none."""
    return _found(parent, field, _texts())


@cache
def _texts() -> dict[str, str]:
    with open(_FILE, "rb") as file:
        loaded = tomllib.load(file)
    texts: dict[str, str] = dict(loaded["fields"])
    for parent, fields in loaded["of"].items():
        texts |= {f"{parent}.{name}": text for name, text in fields.items()}
    return texts


def _found(parent: str, field: str, texts: dict[str, str]) -> str | None:
    return texts.get(f"{parent}.{field}") or texts.get(field)


def _described(schema: Tree, parent: str, texts: dict[str, str]) -> Tree:
    copy = dict(schema)
    if "properties" in schema:
        copy["properties"] = {
            name: _with_text(_described(part, name, texts), _found(parent, name, texts))
            for name, part in schema["properties"].items()
        }
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            copy[key] = _described(schema[key], parent, texts)
    return copy


def _with_text(schema: Tree, text: str | None) -> Tree:
    return schema if text is None or "description" in schema else {"description": text, **schema}
