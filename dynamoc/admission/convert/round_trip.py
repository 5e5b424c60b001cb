"""Documents as ruamel.yaml writes them, with anchors, tags, folded texts and the like; items of Lists; modelines.

ruamel.yaml takes ten times as long as `spelling.py`, which writes most documents. A modeline names the schema of a
document for yaml-language-server, `# yaml-language-server: $schema=PATH`; the path ends at white space.
Source: https://github.com/redhat-developer/yaml-language-server, "Using inlined schema".
"""

from __future__ import annotations

import io
import os
import re
from dataclasses import dataclass
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.anchor import Anchor
from ruamel.yaml.error import YAMLError as YAMLError
from ruamel.yaml.nodes import MappingNode, ScalarNode, SequenceNode

from dynamoc.admission.convert import spelling
from dynamoc.admission.convert.nodes import MAPPING, Layout, every
from dynamoc.admission.convert.spelling import split
from dynamoc.documents.findings.finding import Findings, Path
from dynamoc.documents.schema.schemas import served
from dynamoc.documents.source.reader import read_text
from dynamoc.kube.merge import Tree
from dynamoc.reference.releases import ORDER

# ruamel declares its attributes on the kinds of nodes only.
AnyNode = Any

_TAG = "tag:yaml.org,2002:"


def compose(text: str) -> AnyNode:
    """The one document of a text, without comments. YAMLError where ruamel cannot read it."""
    root = YAML(typ="safe", pure=True).compose(text)
    if any(isinstance(node, ScalarNode) and node.style == ">" for node in every(root, set())):
        # Only the round-trip scanner knows where lines were folded, and it takes a quarter longer for its comments.
        root = YAML().compose(text)
    seen: set[int] = set()
    for node in every(root, seen):
        node.comment = None
        if isinstance(node.anchor, str):
            name, node.anchor = node.anchor, Anchor()
            node.anchor.value = name
        if isinstance(node, ScalarNode) and node.style == ">":
            node.value = _folds(node.value)
    return root


def serialize(root: AnyNode, layout: Layout) -> str:
    """Lines are never folded but where the source folds them."""
    yaml = YAML()
    yaml.width = 2**31 - 1
    yaml.brace_single_entry_mapping_in_flow_sequence = True
    yaml.indent(mapping=layout.step, sequence=layout.dash + 2, offset=layout.dash)
    stream = io.StringIO()
    yaml.serialize(root, stream)
    return stream.getvalue()


class NodeMaker(spelling.NodeMaker):
    """The same with nodes of ruamel.yaml."""

    def __init__(self, nodes: dict[Path, AnyNode], source: Tree) -> None:
        super().__init__(nodes, source)
        self._resolver = YAML().resolver
        self._used: set[int] = set()

    def take(self, path: Path) -> AnyNode:
        node = self.nodes.get(path)
        if node is None:
            return super().take(path)
        if id(node) in self._used and not node.anchor:
            return _copy(node)
        self._used.update(map(id, every(node, set())))
        return node

    def text(self, value: str, style: str) -> AnyNode:
        return ScalarNode(f"{_TAG}str", value, None, None, style=style)

    def plain(self, text: str) -> AnyNode:
        return ScalarNode(self._resolver.resolve(ScalarNode, text, (True, False)), text, None, None)

    def holder(self, kind: str, value: list[Any], origins: list[Path]) -> AnyNode:
        flow = self.is_flow(value, origins)
        if kind == MAPPING:
            return MappingNode(f"{_TAG}map", value, None, None, flow_style=flow)
        return SequenceNode(f"{_TAG}seq", value, None, None, flow_style=flow)


def _copy(node: AnyNode) -> AnyNode:
    if isinstance(node, ScalarNode):
        return ScalarNode(node.ctag, node.value, None, None, style=node.style)
    if isinstance(node, MappingNode):
        pairs = [(_copy(key), _copy(item)) for key, item in node.value]
        return MappingNode(node.ctag, pairs, None, None, flow_style=node.flow_style)
    return SequenceNode(node.ctag, [_copy(item) for item in node.value], None, None, flow_style=node.flow_style)


def _folds(text: str) -> str:
    """Folded text as ruamel's emitter wants it: `\\a` only in front of the blank that a fold stands for."""
    parts = text.split("\a")
    out = parts[0]
    for part in parts[1:]:
        fold = part[:1] == " " and part[1:2].strip() and out[-1:].strip()
        out += f"\a{part}" if fold else part
    return out


_LINE = re.compile(r"^[ \t]*#[ \t]*yaml-language-server:[ \t]*\$schema=[^\r\n]*", re.MULTILINE)
_MARKER = re.compile(r"---[^\r\n]*(\r\n|\n|\r)")
_MARK = b"\xef\xbb\xbf"


class NoModeline(ValueError):
    """The line cannot lead to the schema; the message says why."""


def modeline(kind: str, version: str, place: str, folder: str) -> str:
    """The line for a document in `folder`, with the schema in the directory, or at the URL, `place`.

    The names of the schemas are those of `dynamoc schema --output-dir`. Raises NoModeline.
    """
    name = f"{kind.lower()}_{version.rpartition('/')[2]}.json"
    if "://" in place:
        path = f"{place.rstrip('/')}/{name}"
    else:
        path = os.path.relpath(os.path.join(place, name), folder or os.curdir).replace(os.sep, "/")
    if re.search(r"\s", path):
        raise NoModeline(f"{path} has a space, at which yaml-language-server ends the path of a schema.")
    return f"# yaml-language-server: $schema={path}"


def with_modelines(data: bytes, place: str, folder: str) -> bytes:
    """A file whose documents of the operator's kinds begin with the line; JSON and UTF-16 stay as they are.

    A line that is there already is replaced. Raises NoModeline.
    """
    mark = _MARK if data.startswith(_MARK) else b""
    try:
        text = data.removeprefix(mark).decode()
    except UnicodeDecodeError:
        return data
    if text.lstrip().startswith("{"):
        return data
    pieces = [_with_line(each.text, place, folder) if each.is_document else each.text for each in split(text)]
    return mark + "".join(pieces).encode()


def _with_line(text: str, place: str, folder: str) -> str:
    documents = read_text(text.encode(), "", Findings(), objects=False)
    value = documents[0].value if len(documents) == 1 else None
    if not isinstance(value, dict) or value.get("apiVersion") not in served(ORDER[-1], str(value.get("kind"))):
        return text
    line = modeline(value["kind"], value["apiVersion"], place, folder)
    found = _LINE.search(text)
    if found is not None and not text[: found.start()].replace("---", "").strip():
        return text[: found.start()] + line + text[found.end() :]
    marker = _MARKER.match(text)
    start = marker.end() if marker else 0
    ends = re.search(r"\r\n|\n|\r", text)
    return text[:start] + line + (ends[0] if ends else "\n") + text[start:]


@dataclass(eq=False, slots=True)
class Item:
    """One item: its lines in the text from `first` up to but without `end`, and the column where its content starts."""

    first: int
    end: int
    column: int
    text: str


def items_of(text: str) -> list[Item] | None:
    """The items of a List in YAML; None where they cannot be cut out: in flow style, or behind a bare dash."""
    lines = text.split("\n")
    root = compose(text)
    keys = [key for key, _ in root.value]
    position = next(index for index, key in enumerate(keys) if key.value == "items")
    sequence = root.value[position][1]
    if not isinstance(sequence.value, list) or sequence.flow_style or sequence.anchor:
        return None
    after = keys[position + 1].start_mark.line if position + 1 < len(keys) else len(lines)
    heads = [(node.start_mark.line, node.start_mark.column) for node in sequence.value]
    ends = [line for line, _ in heads[1:]] + [after]
    found = [
        _item(lines, first, end, column, node)
        for node, (first, column), end in zip(sequence.value, heads, ends, strict=True)
    ]
    whole = [item for item in found if item is not None]
    return whole if len(whole) == len(found) else None


def _item(lines: list[str], first: int, end: int, column: int, node: Any) -> Item | None:
    if node.anchor or node.flow_style or lines[first][:column].strip() != "-":
        return None
    # What stands further left behind the last field belongs to what follows.
    while end - 1 > first and not lines[end - 1][:column].isspace():
        if lines[end - 1].strip() and lines[end - 1].lstrip()[0] != "#":
            return None
        end -= 1
    body = [lines[first][column:]]
    for line in lines[first + 1 : end]:
        head = line[:column].strip()
        if head and line.lstrip()[0] != "#":
            return None
        body.append(line.lstrip() if head else line[column:])
    return Item(first, end, column, "\n".join(body) + "\n")


def with_items(text: str, items: list[Item], replaced: dict[int, str]) -> str:
    """The text of a List with other texts for some of its items, by number."""
    lines = text.split("\n")
    for number in sorted(replaced, reverse=True):
        item = items[number]
        first, *rest = replaced[number].removesuffix("\n").split("\n")
        body = [lines[item.first][: item.column] + first]
        body += [" " * item.column + line if line else line for line in rest]
        lines[item.first : item.end] = body
    return "\n".join(lines)
