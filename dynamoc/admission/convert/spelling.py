"""Documents in the styles that most people write, written as ruamel.yaml writes them, without it.

What is rare raises `Unusual`: anchors, tags, lists of lists, folded texts of several paragraphs, characters that need
escapes. `round_trip.py` writes those.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

from dynamoc.admission.convert.correspondence import get
from dynamoc.admission.convert.nodes import MAPPING, SCALAR, SEQUENCE, Layout, Node
from dynamoc.admission.convert.nodes import compose as composed
from dynamoc.documents.emit.yaml import dump_yaml
from dynamoc.documents.findings.finding import Path
from dynamoc.kube.merge import Tree

#: what no plain text starts with
_INDICATORS = frozenset("#,[]{}&*!|>'\"%@`?:-")
#: what cannot be in a plain text in brackets, or means something else to some readers
_BRACKETS = frozenset(",[]{}:?")
#: a key that is longer may need a question mark
_LONGEST_KEY = 100
#: a list may stand so much deeper than its key
_DEEPEST_DASH = 2


class Unusual(Exception):
    """A document that is not written here."""


def compose(text: str) -> Node:
    """The nodes of the one document of a text, none of which is unusual."""
    if not text.replace("\n", "").isprintable() or text.startswith(("---", "%")):
        raise Unusual
    root = composed(text)
    if root.id != MAPPING or root.flow_style:
        raise Unusual
    _judge(root, text.split("\n"))
    return root


def _judge(node: Node, lines: list[str]) -> None:
    if node.anchor is not None or node.tag is not None:
        raise Unusual
    if node.id == SCALAR:
        if node.style == ">":
            node.folds = _folds(node, lines)
    elif node.id == MAPPING:
        for key, item in node.value:
            if key.id != SCALAR or (key.value == "<<" and not key.style):
                raise Unusual
            _judge(key, lines)
            _judge(item, lines)
    else:
        for item in node.value:
            _judge(item, lines)


def _folds(node: Node, lines: list[str]) -> list[str]:
    """The lines of a folded text of one paragraph."""
    found = [line.strip() for line in lines[node.start_mark.line + 1 : node.end_mark.line]]
    if " ".join(found) != node.value.removesuffix("\n") or not all(found):
        raise Unusual
    return found


def serialize(root: Node, layout: Layout) -> str:
    """No line is folded."""
    if layout.dash > _DEEPEST_DASH:
        raise Unusual
    writer = _Writer(layout)
    writer.mapping(root, 0, "")
    return "\n".join(writer.lines) + "\n"


class NodeMaker:
    """Makes the nodes of a converted document: the source's own as far as they can be taken, else new ones."""

    def __init__(self, nodes: dict[Path, Any], source: Tree) -> None:
        self.nodes = nodes
        self._source = source

    def take(self, path: Path) -> Any:
        return self.nodes.get(path) or self.made(get(self._source, path))

    def scalar(self, value: Any) -> Any:
        text = dump_yaml([value])[:-1]
        if value.__class__ is str and text != value:
            return self.text(value, text[0] if text[0] in "\"'" else "|")
        return self.plain(text)

    def text(self, value: str, style: str) -> Any:
        return Node(SCALAR, value, style=style)

    def plain(self, text: str) -> Any:
        return Node(SCALAR, text)

    def mapping(self, items: list[tuple[str, Any]], origins: list[Path]) -> Any:
        return self.holder(MAPPING, [(self.scalar(key), item) for key, item in items], origins)

    def sequence(self, items: list[Any], origins: list[Path]) -> Any:
        return self.holder(SEQUENCE, items, origins)

    def holder(self, kind: str, value: list[Any], origins: list[Path]) -> Any:
        return Node(kind, value, flow_style=self.is_flow(value, origins))

    def is_flow(self, value: list[Any], origins: list[Path]) -> bool:
        first = next((self.nodes[origin] for origin in origins if origin in self.nodes), None)
        return not value or (first is not None and first.id != SCALAR and bool(first.flow_style and first.value))

    def made(self, value: Any) -> Any:
        if isinstance(value, dict):
            return self.mapping([(key, self.made(item)) for key, item in value.items()], [])
        if isinstance(value, list):
            return self.sequence([self.made(item) for item in value], [])
        return self.scalar(value)


class _Writer:
    """Lines of a document; a map or list in another one is at its indent, a number of blanks."""

    def __init__(self, layout: Layout) -> None:
        self._step = layout.step
        self._dash = layout.dash
        self.lines: list[str] = []

    def mapping(self, node: Node, indent: int, lead: str) -> None:
        """A map that is not empty; `lead` is in front of its first line."""
        for key, value in node.value:
            if len(key.value) > _LONGEST_KEY:
                raise Unusual
            head = f"{lead}{_scalar(key)}:"
            if value.id == SCALAR or value.flow_style or not value.value:
                self._leaf(head, value, indent + self._step)
            else:
                self.lines.append(head)
                if value.id == MAPPING:
                    self.mapping(value, indent + self._step, " " * (indent + self._step))
                else:
                    self._sequence(value, indent + self._dash)
            lead = " " * indent

    def _sequence(self, node: Node, column: int) -> None:
        lead, indent = " " * column + "-", column + 2
        for item in node.value:
            if item.id == SCALAR or item.flow_style or not item.value:
                self._leaf(lead, item, indent)
            elif item.id == MAPPING:
                self.mapping(item, indent, f"{lead} ")
            else:
                raise Unusual

    def _leaf(self, head: str, node: Node, indent: int) -> None:
        if node.style == "|":
            self._block(head, node, node.value.removesuffix("\n").split("\n"), indent)
        elif node.folds:
            self._block(head, node, node.folds, indent)
        else:
            self.lines.append(f"{head} {_scalar(node) if node.id == SCALAR else _flow(node)}")

    def _block(self, head: str, node: Node, lines: list[str], indent: int) -> None:
        text = node.value
        if not text or text[0] in " \n" or text.endswith("\n\n") or not _is_printable(text.replace("\n", "")):
            raise Unusual
        self.lines.append(f"{head} {node.style}" if text[-1] == "\n" else f"{head} {node.style}-")
        self.lines += [" " * indent + line if line else "" for line in lines]


def _flow(node: Node) -> str:
    if node.id == SCALAR:
        return _scalar(node, in_brackets=True)
    if node.id == SEQUENCE:
        return f"[{', '.join(map(_flow, node.value))}]"
    if any(len(key.value) > _LONGEST_KEY for key, _ in node.value):
        raise Unusual
    pairs = [f"{_scalar(key, in_brackets=True)}: {_flow(item)}" for key, item in node.value]
    return f"{{{', '.join(pairs)}}}"


def _scalar(node: Node, *, in_brackets: bool = False) -> str:
    text: str = node.value
    if not _is_printable(text):
        raise Unusual
    if node.style == '"':
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if node.style == "'":
        return "'" + text.replace("'", "''") + "'"
    if node.style or not _may_be_plain(text) or (in_brackets and not _BRACKETS.isdisjoint(text)):
        raise Unusual
    return text


def _is_printable(text: str) -> bool:
    return text.isascii() and text.isprintable()


def _may_be_plain(text: str) -> bool:
    if not text or text.startswith(("---", "...")):
        return False
    if text[0] in _INDICATORS and (text[0] != "-" or text[1:2] in ("", " ")):
        return False
    return not (text[-1] in ": " or text[0] == " " or ": " in text or " #" in text)


@dataclass(eq=False, slots=True)
class Segment:
    """A document's text, or the markers between two. `line` is the number of its first line, from 0."""

    text: str
    line: int
    _: KW_ONLY
    is_document: bool


def split(text: str) -> list[Segment]:
    """All segments; their texts together are the text.

    A line that starts with `---` or `...` is a marker wherever it stands, also inside a block scalar. A document that
    starts on the line of its marker keeps it, as does one with directives.
    """
    segments: list[Segment] = []
    lines: list[str] = []
    start = 0

    def close(upto: int) -> None:
        nonlocal lines, start
        if lines:
            segments.append(Segment("".join(lines), start, is_document=True))
        lines, start = [], upto

    for number, line in enumerate(_lines(text)):
        if not (line[:3] in ("---", "...") and line[3:4] in ("", " ", "\t", "\n", "\r")):
            lines.append(line)
            continue
        close(number)
        if _is_bare(line):
            segments.append(Segment(line, number, is_document=False))
            start = number + 1
        else:
            lines.append(line)
    close(start)
    return segments


def _lines(text: str) -> list[str]:
    """Lines with their ends. `str.splitlines` would also cut at form feeds and the like."""
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _is_bare(line: str) -> bool:
    rest = line[3:].strip()
    return not rest or rest.startswith("#")
