"""YAML documents as nodes, ruamel.yaml's or our own, which keep styles, flow maps and anchors; comments beside them.

Ours are composed by libyaml, a tenth of the work of ruamel.yaml, which moreover attaches a comment to what comes
before it, so that it would stay behind when the field below it moves.

A comment belongs to an entry, a key of a map or an item of a list. One on separate lines belongs to the entry that
follows, unless it is deeper than that one: then it ends the list or map before. A comment behind something belongs
to that. Blank lines count as comments without a text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

from yaml.events import AliasEvent, MappingEndEvent, MappingStartEvent, ScalarEvent, SequenceEndEvent

from dynamoc.documents.findings.finding import Path
from dynamoc.documents.source.events import EventParser
from dynamoc.documents.source.scalars import key_text, resolve

# ruamel declares its attributes on the kinds of nodes only.
AnyNode = Any

BEFORE = "before"
BEHIND = "behind"
AFTER = "after"


@dataclass(eq=False, slots=True)
class Entry:
    """Where an entry of a document stands.

    line, column    its key or its dash, counted from 0
    behind          the line at whose end a comment on the entry can stand
    """

    path: Path
    line: int
    column: int
    behind: int


@dataclass(eq=False, slots=True)
class Comment:
    """A comment, `#` included, or "" for a blank line, and its place beside an entry.

    Behind an entry, its text begins with the blanks in front of it.
    """

    path: Path
    side: str
    text: str


def collect(lines: list[str], entries: list[Entry], opaque: Callable[[int, int], bool]) -> list[Comment]:
    """All comments of a document. `opaque(line, column)` says what lies inside of a scalar."""
    found: list[Comment] = []
    for number, line in enumerate(lines):
        column = _comment_column(line, number, opaque)
        text = line[column:].rstrip() if column is not None else ""
        if column is None and (line.strip() or opaque(number, 0)):
            continue
        if column is not None and line[:column].strip():
            gap = len(line[:column]) - len(line[:column].rstrip())
            found.append(Comment(_comment_behind(entries, number, column), BEHIND, " " * gap + text))
        else:
            found.append(_own_line(entries, number, column, text))
    while found and not found[-1].text:
        found.pop()
    return found


def _comment_column(line: str, number: int, opaque: Callable[[int, int], bool]) -> int | None:
    column = line.find("#")
    while column >= 0:
        if (column == 0 or line[column - 1] in " \t") and not opaque(number, column):
            return column
        column = line.find("#", column + 1)
    return None


def _comment_behind(entries: list[Entry], number: int, column: int) -> Path:
    """The innermost entry that starts before, on this line or above."""
    before = [entry for entry in entries if (entry.line, entry.column) < (number, column)]
    return before[-1].path if before else ()


def _own_line(entries: list[Entry], number: int, column: int | None, text: str) -> Comment:
    following = next((entry for entry in entries if entry.line > number), None)
    if following is not None and (column is None or column <= following.column):
        return Comment(following.path, BEFORE, text)
    above = [entry for entry in entries if entry.line < number]
    if column is not None:
        above = [entry for entry in above if entry.column <= column]
    if not above:
        return Comment(() if following is None else following.path, BEFORE, text)
    return Comment(above[-1].path if column else (), AFTER, text)


def place(lines: list[str], entries: list[Entry], comments: Iterable[Comment], *, blanks: bool = True) -> list[str]:
    """The lines with the comments beside the entries of the same paths; a path without an entry is the document's."""
    by_path = {entry.path: index for index, entry in enumerate(entries)}
    above: dict[int, list[str]] = {}
    below: dict[int, list[str]] = {}
    out = list(lines)
    for comment in comments:
        index = by_path.get(comment.path)
        entry = None if index is None else entries[index]
        if entry is None or index is None:
            where = below.setdefault(len(lines) - 1, []) if comment.side == AFTER else above.setdefault(0, [])
            where.append(comment.text.strip())
        elif comment.side == BEHIND and " #" not in out[entry.behind]:
            out[entry.behind] += comment.text
        elif comment.side == AFTER:
            below.setdefault(_last_line(entries, index, len(lines)), []).append(_indented(entry, comment, lines))
        elif comment.text.strip() or (blanks and not _is_first(entries, index)):
            above.setdefault(entry.line, []).append(_indented(entry, comment, lines))
    return [text for number, line in enumerate(out) for text in (*above.get(number, ()), line, *below.get(number, ()))]


def _indented(entry: Entry, comment: Comment, lines: list[str]) -> str:
    """In line with the entry, or with the line that holds it inside of a flow map or list."""
    line = lines[entry.line]
    column = min(entry.column, len(line) - len(line.lstrip(" ")))
    return " " * column + comment.text.strip() if comment.text else ""


def _last_line(entries: list[Entry], index: int, count: int) -> int:
    path = entries[index].path
    for entry in entries[index + 1 :]:
        if entry.path[: len(path)] != path:
            return entry.line - 1
    return count - 1


def _is_first(entries: list[Entry], index: int) -> bool:
    """Whether nothing but the opening of its map or list is above the entry."""
    return index == 0 or entries[index - 1].path == entries[index].path[:-1]


#: the kinds of nodes, as ruamel.yaml names them
SCALAR, MAPPING, SEQUENCE = "scalar", "mapping", "sequence"
_MERGE = "<<"


@dataclass(eq=False, slots=True)
class Layout:
    """Spaces before a nested map, and before the dash of a list below its key."""

    step: int
    dash: int


def layout(root: AnyNode) -> Layout:
    """The layout that most of the document has."""
    steps: dict[int, int] = {}
    dashes: dict[int, int] = {}
    for node in every(root, set()):
        if node.id != MAPPING or node.flow_style:
            continue
        for key, child in node.value:
            if child.id == SCALAR or child.flow_style or child.anchor or not child.value:
                continue
            counts = steps if child.id == MAPPING else dashes
            deeper = child.start_mark.column - key.start_mark.column
            if child.start_mark.line > key.start_mark.line:
                counts[deeper] = counts.get(deeper, 0) + 1
    return Layout(_most(steps, 2), _most(dashes, 0))


def _most(counts: dict[int, int], otherwise: int) -> int:
    return max(counts, key=lambda number: (counts[number], -number)) if counts else otherwise


def inside_scalars(root: AnyNode, lines: list[str]) -> Callable[[int, int], bool]:
    """Tells of a line and column whether it lies in a scalar; the header of a block scalar does not."""
    spans: dict[int, list[tuple[int, int]]] = {}
    for node in every(root, set()):
        if node.id != SCALAR:
            continue
        start, end = node.start_mark, node.end_mark
        block = node.style in ("|", ">")
        body = lines[start.line + 1 : end.line]
        indent = next((len(line) - len(line.lstrip(" ")) for line in body if line.strip()), 0)
        for number in range(start.line, end.line + 1):
            if block and (number in (start.line, end.line) or _stands_before(lines[number], indent)):
                continue
            first = start.column if number == start.line else 0
            last = end.column if number == end.line else len(lines[number]) + 1
            spans.setdefault(number, []).append((first, last))

    def inside(line: int, column: int) -> bool:
        return any(first <= column < last for first, last in spans.get(line, ()))

    return inside


def _stands_before(line: str, indent: int) -> bool:
    return bool(line.strip()) and len(line) - len(line.lstrip(" ")) < indent


def every(node: AnyNode, seen: set[int]) -> Iterator[Any]:
    if id(node) in seen:
        return
    seen.add(id(node))
    yield node
    if node.id == SCALAR:
        return
    for child in node.value:
        for part in child if isinstance(child, tuple) else (child,):
            yield from every(part, seen)


def children(node: AnyNode, value: Any) -> Iterator[tuple[str | int, AnyNode | None, AnyNode]]:
    """Step, key node and value node of each entry; `value` is what the reader makes of the node.

    A merged map (`<<`) gives the keys that the map itself does not have.
    """
    if node.id == SEQUENCE:
        for index, item in enumerate(node.value):
            yield index, None, item
    elif node.id == MAPPING:
        own = [(key, item) for key, item in node.value if key.value != _MERGE or key.style]
        for key, item in own:
            yield _step(key, value), key, item
        taken: set[str | int] = {_step(key, value) for key, _ in own}
        for key, item in node.value:
            if key.value != _MERGE or key.style:
                continue
            for merged in item.value if item.id == SEQUENCE else [item]:
                for step, _, inner in children(merged, value):
                    if step not in taken:
                        taken.add(step)
                        yield step, None, inner


def _step(key: AnyNode, value: Any) -> str:
    text = str(key.value)
    return text if key.style or text in value else key_text(resolve(text))


def index(root: AnyNode, value: Any) -> dict[Path, AnyNode]:
    """Nodes by path."""
    out: dict[Path, AnyNode] = {}

    def walk(node: AnyNode, part: Any, path: Path) -> None:
        out[path] = node
        for step, _, child in children(node, part):
            walk(child, part[step], (*path, step))

    walk(root, value, ())
    return out


def entries(root: AnyNode, value: Any, lines: list[str]) -> list[Entry]:
    """Keys and items in the order of the text; what an alias or a merge repeats does not count again."""
    out: list[Entry] = []
    seen: set[int] = set()

    def walk(node: AnyNode, part: Any, path: Path) -> None:
        if id(node) in seen:
            return
        seen.add(id(node))
        for step, key, child in children(node, part):
            here = (*path, step)
            if key is not None:
                line, column = key.start_mark.line, key.start_mark.column
                out.append(Entry(here, line, column, _behind(key, child)))
            elif isinstance(step, int) and id(child) not in seen:
                line, column = _dash(node, child, lines)
                out.append(Entry(here, line, column, _behind(child, child)))
            if key is not None or isinstance(step, int):
                walk(child, part[step], here)

    walk(root, value, ())
    return sorted(out, key=lambda entry: (entry.line, entry.column))


def _behind(head: AnyNode, value: AnyNode) -> int:
    """The line that a comment on the entry can end: that of its key, or the last one of a scalar or flow value."""
    flow = value.id == SCALAR or value.flow_style
    if flow and getattr(value, "style", None) not in ("|", ">") and value.end_mark.line > head.start_mark.line:
        return _last_content_line(value)
    return int(head.start_mark.line)


def _last_content_line(value: AnyNode) -> int:
    mark = value.end_mark
    return int(mark.line if mark.column else mark.line - 1)


def _dash(node: AnyNode, item: AnyNode, lines: list[str]) -> tuple[int, int]:
    """A block list's item starts at its dash, all of which are in one column; a flow list's at its first character."""
    line, column = item.start_mark.line, item.start_mark.column
    if node.flow_style or not node.value:
        return line, column
    dash = node.start_mark.column
    if node.anchor:
        # The mark of the list is that of its anchor.
        first = node.value[0].start_mark.line
        texts = (lines[number] for number in range(first, -1, -1) if lines[number].lstrip()[:1] == "-")
        dash = next(len(text) - len(text.lstrip()) for text in texts)
    for number in range(min(line, len(lines) - 1), -1, -1):
        if lines[number][dash : dash + 1] == "-" and not lines[number][:dash].strip("- \t"):
            return number, dash
    return line, column


@dataclass(eq=False, slots=True)
class Node:
    """A node of a document, or of one that is to be written, which has no marks.

    id          its kind, as ruamel.yaml names it
    value       text, pairs of nodes, or nodes
    style       of a scalar: the first character of quoted texts and blocks, "" or None for others
    flow_style  whether a map or list is written in brackets; true for scalars, which stand on the line of their key
    tag         as it is written, None without
    folds       the lines of a folded text, where that is written
    """

    id: str
    value: Any
    start_mark: Any = None
    end_mark: Any = None
    _: KW_ONLY
    style: str | None = None
    flow_style: bool = True
    anchor: str | None = None
    tag: str | None = None
    folds: list[str] = field(default_factory=list, init=False)


def compose(text: str) -> Node:
    """The nodes of the one document of a text."""
    get = EventParser(text).get_event
    anchors: dict[str | None, Node] = {}
    # Of the stream and of the document.
    get(), get()
    return _node(get(), get, anchors)


def _node(event: Any, get: Any, anchors: dict[str | None, Node]) -> Node:
    kind = event.__class__
    if kind is AliasEvent:
        return anchors[event.anchor]
    start, end, anchor, tag = event.start_mark, event.end_mark, event.anchor, event.tag
    if kind is ScalarEvent:
        node = Node(SCALAR, event.value, start, end, style=event.style, anchor=anchor, tag=tag)
    else:
        name = MAPPING if kind is MappingStartEvent else SEQUENCE
        node = Node(name, [], start, end, flow_style=event.flow_style, anchor=anchor, tag=tag)
    if anchor is not None:
        anchors[anchor] = node
    if kind is MappingStartEvent:
        while (inner := get()).__class__ is not MappingEndEvent:
            node.value.append((_node(inner, get, anchors), _node(get(), get, anchors)))
        node.end_mark = inner.end_mark
    elif kind is not ScalarEvent:
        while (inner := get()).__class__ is not SequenceEndEvent:
            node.value.append(_node(inner, get, anchors))
        node.end_mark = inner.end_mark
    return node
