"""YAML documents as nodes, of ruamel.yaml or our own, which keep the style of each scalar, flow maps and anchors.

Comments are apart (`dynamoc.convert.comments`): ruamel hangs a comment on whatever stands before it, so that it would
stay behind when the field below it moves.
"""

from __future__ import annotations

from dynamoc.convert.comments import Entry
from dynamoc.source.scalars import key_text, resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from dynamoc.diagnostics.finding import Path

    # ruamel declares its attributes on the kinds of nodes only.
    AnyNode = Any

#: the kinds of nodes, as ruamel.yaml names them
SCALAR, MAPPING, SEQUENCE = "scalar", "mapping", "sequence"
_MERGE = "<<"


class Layout:
    """Spaces before a nested map, and before the dash of a list below its key."""

    __slots__ = ("dash", "step")

    def __init__(self, step: int, dash: int) -> None:
        self.step = step
        self.dash = dash


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
    """A block list's item starts at its dash, all of which stand in one column; a flow list's where it stands."""
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
