"""What to write instead of a value of the wrong shape: a text for a list, a mapping for a list of entries, ...

Each function gives the hint and the change, which is None where there are two remedies.
"""

from __future__ import annotations

import json

from dynamoc.diagnostics.change import Change

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Path
    from dynamoc.schema.data import Nodes
    from dynamoc.schema.walk import Node

    Remedy = tuple[str, Change | None]

#: characters that mean something to a shell only
_SHELL = frozenset("|&;<>$`\n*?#")
#: longer texts are not written out in a hint
_LONGEST = 200


def shape(value: Any, node: Node, nodes: Nodes | list[Node], path: Path) -> Remedy | None:
    """The remedy for a value whose shape is wrong; None where nothing is certain enough to be written."""
    wanted = node.get("type")
    if wanted == "array":
        item = nodes[node["items"]]
        if isinstance(value, str):
            return _words(value, path) if item.get("type") == "string" else _one_item(value, item, nodes)
        return _entries(value, item) if isinstance(value, dict) else None
    if wanted == "object":
        if isinstance(value, list):
            return _keys(value, node)
        return _holder(value, node, nodes)
    if isinstance(value, list) and len(value) == 1 and not isinstance(value[0], dict | list):
        return f"write it without brackets: {json.dumps(value[0])}", None
    if wanted == "string" and isinstance(value, dict | list):
        return f"write it as text, in quotes: {_quoted(json.dumps(value))}", None
    return None


def _words(value: str, path: Path) -> Remedy | None:
    """A command line as one text: its words, as a shell splits them."""
    if value.endswith("]"):
        return "write a list: put `[` before it", None
    if path[-1:] not in (("command",), ("args",)):
        return ("write a list: put it in brackets, `[ ]`", Change("list")) if value.split() == [value] else None
    if any(char in _SHELL for char in value) or len(value) > _LONGEST:
        start = '["/bin/sh", "-c", "..."]'
        return f"write a list: `{start}` runs a line of a shell, in place of the dots", None
    import shlex

    try:
        words = shlex.split(value)
    except ValueError:
        return None
    if not words:
        return "write an empty list: `[]`", None
    return f"write a list, a word an item: {json.dumps(words, ensure_ascii=False)}", Change("list", words)


def _one_item(value: str, item: Node, nodes: Nodes | list[Node]) -> Remedy | None:
    found = _holder(value, item, nodes)
    return None if found is None else (f"write a list: [{found[0].removeprefix('write ')}]", None)


def _entries(value: dict[str, Any], item: Node) -> Remedy:
    """A mapping where a list is wanted."""
    if not value:
        return "write an empty list: `[]`", None
    props = item.get("props", {})
    scalars = not any(isinstance(each, dict | list) for each in value.values())
    if value.keys() <= props.keys():
        first = next(iter(value))
        return f"write a list: put `- ` before `{first}`, and indent the lines below it by two more", None
    key = next(iter(value))
    if scalars and {"name", "value"} <= props.keys():
        return f"write a list: each variable as an item such as `- {{name: {key}, value: {_quoted(value[key])}}}`", None
    if not scalars and "name" in props:
        return f"write a list: `- name: {key}` instead of `{key}:`, and the same for each entry", None
    if scalars and item.get("type") == "string":
        words = [part for name, each in value.items() for part in (name, _text(each))]
        return f"write a list: {json.dumps(words)}", None
    return "write a list: each item starts with `- `", None


def _keys(value: list[Any], node: Node) -> Remedy:
    """A list where a mapping is wanted."""
    first = value[0] if value else None
    if isinstance(first, dict) and "extra" in node and isinstance(first.get("name"), str):
        return f"write a mapping: `{first['name']}:` instead of `- name: {first['name']}`", None
    return "write a mapping: remove the `- `", None


def _holder(value: Any, node: Node, nodes: Nodes | list[Node]) -> Remedy | None:
    """A scalar where a mapping is wanted that has one field for it."""
    props = node.get("props", {})
    if isinstance(value, str) and {"name", "value"} <= props.keys() and "=" in value:
        name, _, rest = value.partition("=")
        return f"write `{{name: {name}, value: {_quoted(rest)}}}`", None
    required = [name for name in node.get("required", ()) if name in props]
    fitting = [name for name in required or props if _holds(nodes[props[name]], value)]
    if len(fitting) == 1 and (required or len(props) < 3):
        return f"write {{{fitting[0]}: {value if isinstance(value, str) else json.dumps(value)}}}", None
    return (f"write a mapping with {', '.join(sorted(props))}", None) if 0 < len(props) < 5 else None


def _holds(node: Node, value: Any) -> bool:
    wanted = {str: "string", int: "integer", bool: "boolean"}.get(value.__class__)
    return node.get("type") == wanted or ("type" not in node and "quantity" in node and wanted != "boolean")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _quoted(value: Any) -> str:
    return f"'{value}'" if isinstance(value, str) and '"' in value else json.dumps(_text(value))
