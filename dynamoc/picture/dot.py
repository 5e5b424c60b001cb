"""DOT, the language of Graphviz."""

from __future__ import annotations

from dynamoc.diagnostics.printable import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.picture.parts import Group, Picture

_SHAPES = {"pods": "box", "service": "ellipse", "claim": "cylinder", "secret": "note"}


def dot(picture: Picture) -> str:
    """A directed graph from left to right."""
    names = {box.key: f"n{number}" for number, box in enumerate(picture.walk())}
    frames = iter(range(1_000_000))
    lines = ["digraph dynamo {", "  rankdir=LR;", '  node [fontname="sans-serif"];', '  fontname="sans-serif";']

    def draw(group: Group, depth: int) -> None:
        space = "  " * depth
        for inner in group.groups.values():
            lines.append(f"{space}subgraph cluster_{next(frames)} {{")
            lines.append(f"{space}  label={_text([inner.title])};")
            draw(inner, depth + 1)
            lines.append(f"{space}}}")
        for box in group.boxes.values():
            lines.append(f"{space}{names[box.key]} [shape={_SHAPES[box.shape]}, label={_text(box.lines)}];")

    draw(picture, 1)
    lines += [f"  {names[edge.source.key]} -> {names[edge.target.key]};" for edge in picture.edges]
    return "\n".join([*lines, "}"]) + "\n"


def _text(lines: list[str]) -> str:
    escaped = (one_line(line).replace("\\", "\\\\").replace('"', '\\"') for line in lines)
    return '"' + "\\n".join(escaped) + '"'
