"""Words for what is wrong, and what to write instead: the hint and the change, None where there are two remedies."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from typing import Any

from dynamoc.documents.findings.edits import Change, other_case
from dynamoc.documents.findings.finding import Path
from dynamoc.documents.schema.problem import QUOTE_HINT, UNKNOWN_FIELD, Problem
from dynamoc.documents.schema.schemas import Node, Nodes
from dynamoc.documents.schema.suggestions import (
    best_hint,
    certain_name,
    certain_quantity,
    nearest,
    one_letter_off,
    value_hint,
)
from dynamoc.reference.slugs import ErrorSlug, Severity

Remedy = tuple[str, Change | None]


_BOOLEANS = {**dict.fromkeys(("true", "yes", "on"), "true"), **dict.fromkeys(("false", "no", "off"), "false")}
_TYPE_WORDS = {
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "object": "a mapping",
    "array": "a list",
}
_LIMIT_WORDS = {
    "minimum": "must be at least {limit}, but is {value}",
    "maximum": "must be at most {limit}, but is {value}",
    "minLength": "must have at least {limit} characters, but has {size}",
    "maxLength": "must have at most {limit} characters, but has {size}",
    "minItems": "must have at least {limit} items, but has {size}",
    "maxItems": "must have at most {limit} items, but has {size}",
    "minProperties": "must have at least {limit} entries, but has {size}",
    "maxProperties": "must have at most {limit} entries, but has {size}",
}
_ENDS = "with a letter or digit at both ends"
_PATTERN_WORDS = {
    "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$": f"consist of lower-case letters, digits and `-`, {_ENDS}",
    "^[a-z0-9]([a-z0-9-]*[a-z0-9])?$": f"consist of lower-case letters, digits and `-`, {_ENDS}",
    "^[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?$": f"consist of letters, digits and `-`, {_ENDS}",
    r"^(0|[1-9][0-9]{0,3})\.(0|[1-9][0-9]{0,3})\.(0|[1-9][0-9]{0,3})$": "be a version of three numbers such as 1.4.0",
    r"^(([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)(\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*/)?"
    r"([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)$": "be a label key such as topology.kubernetes.io/zone",
}
_SLUGS: dict[str, ErrorSlug] = {
    "minimum": "schema/range",
    "maximum": "schema/range",
    "format": "schema/range",
    "pattern": "schema/pattern",
    "enum": "schema/enum",
}


def name_of(path: Path) -> str:
    """The last field of a path, with the indices behind it: `envs[0]`, `replicas`."""
    text = ""
    for step in reversed(path):
        if isinstance(step, str):
            return f"`{step}{text}`"
        text = f"[{step}]{text}"
    return "the document"


def shown(value: Any) -> str:
    """A short description of a value that was found."""
    if value is None:
        return "null"
    if value.__class__ is bool:
        return "true" if value else "false"
    if isinstance(value, str):
        return "an empty string" if value == "" else f'the string "{_cut(value)}"'
    if isinstance(value, dict):
        return "a mapping" + (f" of {_names(value)}" if value else " without entries")
    if isinstance(value, list):
        return f"a list of {len(value)}" if value else "an empty list"
    return f"the number {value}"


def _cut(text: str) -> str:
    line = text.replace("\n", "\\n")
    return line if len(line) <= 40 else line[:37] + "..."


def _names(value: dict[str, Any]) -> str:
    names = [f"`{name}`" for name in list(value)[:3]]
    return ", ".join(names) + (", ..." if len(value) > 3 else "")


def unknown_field(key: str, node: Node, nodes: Nodes | list[Node], path: Path, severity: Severity) -> Problem:
    parent = path[:-1]
    where = f"in {name_of(parent)}" if parent else "at the top of the document"
    message = f"The field `{key}` does not exist {where}: the API server would drop it."
    return Problem(UNKNOWN_FIELD, path, message, best_hint(key, node, nodes), severity)


def variable_hint(key: str, value: Any, hint: str | None) -> str | None:
    """For a variable that is written as `NAME: value`; the hint that there is for a misspelt field."""
    if hint is not None and not hint.startswith("known fields"):
        return hint
    return f'write `name: {key}` and, on the next line, `value: "{value}"`'


def renaming(key: str, node: Node, fits: Callable[[str], bool]) -> Change | None:
    """A change of an unknown field's name, where one field only can be meant; one of the other API version must fit."""
    known = node.get("props", {})
    name = certain_name(key, known)
    if name is None:
        return None
    is_misspelt = name.lower() == key.lower() or one_letter_off(key, known) is not None
    return Change("rename", name) if is_misspelt or fits(name) else None


#: how many fields a hint lists
_SOME = 5
#: fields whose quantities count bytes
_IN_BYTES = (("memory",), ("size",), ("storage",))


def wrong_type(value: Any, node: Node, path: Path, nodes: Nodes | list[Node] | None = None) -> Problem:
    if "type" in node:
        wanted = _TYPE_WORDS[node["type"]]
    else:
        wanted = "a quantity such as 8Gi or 500m" if "quantity" in node else "an integer or a string"
    message = f"{_start(path)} must be {wanted}, but is {shown(value)}."

    found = None if nodes is None else shape(value, node, nodes, path)
    if found is not None:
        return Problem("schema/type", path, message, found[0], change=found[1])
    if node.get("type") == "string" and path[-1:] in _IN_BYTES and type(value) is int:
        # In quotes it would be a number of bytes.
        return Problem("schema/type", path, message, f'write a unit: "{value}Gi", or "{value}Mi"')
    hint, change = _type_hint(value, node), retyped(value, node.get("type"))
    if change is not None and change.kind == "quote" and not matches(str(value), node):
        # In quotes it would be refused for what it says.
        meant = next((text for text in (f"{value}.0", f"{value}.0.0") if matches(text, node)), None)
        hint, change = f'write "{meant}"' if meant else None, None
    return Problem("schema/type", path, message, hint, change=change)


def matches(text: str, node: Node) -> bool:
    """Whether a text fits the pattern of a field, where it has one."""
    return "pattern" not in node or re.search(node["pattern"], text) is not None


def retyped(value: Any, wanted: str | None) -> Change | None:
    """A change of the value to another type, where it has one meaning in that."""
    if wanted == "string" and isinstance(value, bool | int | float):
        return Change("quote")
    if not isinstance(value, str) or "$" in value or "{" in value:
        return None
    if wanted == "integer" and value.removeprefix("-").isdigit() and value.isascii():
        return Change("write", int(value), value)
    if wanted == "boolean" and value.lower() in _BOOLEANS:
        return Change("write", _BOOLEANS[value.lower()] == "true", value)
    if wanted == "array" and value and not any(char.isspace() or char == "," for char in value):
        return Change("list")
    return None


def _type_hint(value: Any, node: Node) -> str | None:
    wanted = node.get("type")
    if wanted == "string" and isinstance(value, (bool, int, float)):
        text = str(value).lower() if isinstance(value, bool) else str(value)
        return f'{QUOTE_HINT}"{text}"'
    if isinstance(value, str):
        if wanted == "integer" and value.removeprefix("-").isdigit() and value.isascii():
            return f"write it without quotes: {int(value)}"
        if wanted == "boolean" and value.lower() in _BOOLEANS:
            return f"write it without quotes: {_BOOLEANS[value.lower()]}"
    if wanted == "integer":
        near = int(value) if isinstance(value, float) else None
        return "write a whole number, such as 1" if near is None else f"write {near} or {near + 1}"
    if wanted == "boolean":
        return "write true or false"
    if wanted == "array":
        return "write a list: each item starts with `- `"
    if wanted == "object" and isinstance(value, list):
        return "write a mapping: names as keys, without `- `"
    if wanted == "object" and node.get("props"):
        fields = sorted(node["props"])
        more = " and others" if len(fields) > _SOME else ""
        return f"write a mapping with fields such as {', '.join(fields[:_SOME])}{more}; or remove it"
    if wanted is None and isinstance(value, float):
        return f"write a whole number, such as {int(value)}, or a name"
    return None


def missing(key: str, value: dict[str, Any], path: Path) -> Problem:
    parent = path[:-1]
    empty = " (it is null)" if key in value else ""
    message = f"{_start(parent)} needs `{key}`{empty}." if parent else f"The document needs `{key}`{empty}."
    return Problem("schema/required", path, message, f"add `{key}`")


def broken_limit(limit: str, value: Any, node: Node, path: Path) -> Problem:
    slug = _SLUGS.get(limit, "schema/size")
    hint, change = None, None
    if limit == "enum":
        allowed = [str(item) for item in node["enum"]]
        text = f"must be one of {', '.join(_quoted(item) for item in allowed)}, but is {shown(value)}"
        if isinstance(value, str) and (near := nearest(value, allowed)):
            hint = f"did you mean `{near}`?"
            change = other_case(value, tuple(allowed)) or _corrected(value, allowed)
        elif isinstance(value, str):
            hint = f"write {_quoted(allowed[0])}" if len(allowed) == 1 else "write one of these words"
    elif limit == "pattern" and "quantity" in node:
        text, hint = f"must be a quantity such as 8Gi or 500m, but is {shown(value)}", value_hint(str(value))
        hint = hint or "write a number with an optional suffix, such as 500m, 2 or 16Gi"
        change = _as_quantity(value)
    elif limit == "pattern":
        words = _PATTERN_WORDS.get(node["pattern"], f"match {node['pattern']}")
        text, hint = f"must {words}, but is {shown(value)}", _mended(value, node)
        if hint is None and "such as" in words:
            hint = f"write one such as {words.rpartition('such as ')[2]}"
    elif limit == "format":
        text = f"must fit {node.get('format', 'int64').removeprefix('int')} bits, but is {value}"
    else:
        size = len(value) if isinstance(value, (str, list, dict)) else 0
        text = _LIMIT_WORDS[limit].format(limit=node[limit], value=value, size=size)
        hint = _limit_hint(limit, node, path, size)
    return Problem(slug, path, f"{_start(path)} {text}.", hint, change=change)


def _limit_hint(limit: str, node: Node, path: Path, size: int) -> str | None:
    if path[-2:] == ("multinode", "nodeCount"):
        return "remove `multinode` for a component on one node, or write 2 or more"
    if limit in ("minimum", "maximum"):
        return f"write {node[limit]} or {'more' if limit == 'minimum' else 'less'}"
    if limit == "maxLength" and "components" in path and path[-1] == "name":
        return "shorten it: with Grove, the names of the graph and of a component have 45 characters together"
    if limit == "maxLength":
        return f"shorten it by {size - node[limit]} characters"
    return None


def _mended(value: Any, node: Node) -> str | None:
    """The nearest text that fits a pattern: without a leading `v`, or with `-` for what it does not allow."""
    if not isinstance(value, str):
        return None
    dashed = re.sub(r"[^A-Za-z0-9-]+", "-", value).strip("-")
    guesses = (value.strip(), value.removeprefix("v"), f"{value.removeprefix('v')}.0", dashed, dashed.lower())
    found = next((guess for guess in guesses if guess != value and matches(guess, node)), None)
    return None if found is None else f"write `{found}`"


def _corrected(value: str, allowed: list[str]) -> Change | None:
    name = one_letter_off(value, allowed)
    return None if name is None else Change("write", name, value)


def _as_quantity(value: Any) -> Change | None:
    meant = certain_quantity(value)
    return None if meant is None else Change("write", meant, value)


def _quoted(text: str) -> str:
    return f"`{text}`" if text else '""'


def duplicate(item: Any, keys: list[str] | None, path: Path, number: int, first: Any) -> Problem:
    if keys:
        same = " and ".join(f"`{key}: {item.get(key)}`" for key in keys)
        message = f"{_start(path)} has the same {same} as item {number}; each may occur only once."
    else:
        message = f"{_start(path)} repeats item {number}; each value may occur only once."
    hint = f"remove one of the two, or give it another `{keys[-1]}`" if keys and item != first else "remove it"
    return Problem("schema/duplicate", path, message, hint, change=Change("remove") if item == first else None)


def _start(path: Path) -> str:
    name = name_of(path)
    return name[0].upper() + name[1:] if name[0] != "`" else name


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
        return f"write it as text, in quotes: {_quoted_value(json.dumps(value))}", None
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
        return (
            f"write a list: each variable as an item such as `- {{name: {key}, value: {_quoted_value(value[key])}}}`",
            None,
        )
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
        return f"write `{{name: {name}, value: {_quoted_value(rest)}}}`", None
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


def _quoted_value(value: Any) -> str:
    return f"'{value}'" if isinstance(value, str) and '"' in value else json.dumps(_text(value))
