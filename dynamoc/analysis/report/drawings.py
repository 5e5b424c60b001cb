"""DOT, the language of Graphviz.

Mermaid, which GitHub and GitLab draw in Markdown.

SVG that stands alone: Services on the left, pods in their frames, and what they use on the right.
"""

from __future__ import annotations

from html import escape

from dynamoc.analysis.report.picture import Box, Group, Picture
from dynamoc.documents.findings.text import one_line

Place = tuple[float, float, float]
"""x, y and width of a box."""


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


_MERMAID_SHAPES = {"pods": ('["', '"]'), "service": ('(["', '"])'), "claim": ('[("', '")]'), "secret": ('{{"', '"}}')}


def mermaid(picture: Picture) -> str:
    """A flowchart from left to right."""
    names = {box.key: f"n{number}" for number, box in enumerate(picture.walk())}
    frames = iter(range(1_000_000))
    lines = ["flowchart LR"]

    def draw(group: Group, depth: int) -> None:
        space = "  " * depth
        for inner in group.groups.values():
            lines.append(f'{space}subgraph g{next(frames)}["{_mermaid_text(inner.title)}"]')
            draw(inner, depth + 1)
            lines.append(f"{space}end")
        for box in group.boxes.values():
            lines.append(f"{space}{names[box.key]}{_box(box)}")

    draw(picture, 1)
    lines += [f"  {names[edge.source.key]} --> {names[edge.target.key]}" for edge in picture.edges]
    return "\n".join(lines) + "\n"


def _box(box: Box) -> str:
    start, end = _MERMAID_SHAPES[box.shape]
    return f"{start}{'<br/>'.join(map(_mermaid_text, box.lines))}{end}"


def _mermaid_text(text: str) -> str:
    """Mermaid's own escapes: `#` begins one."""
    text = one_line(text).replace("#", "#35;").replace('"', "#quot;").replace("<", "#lt;").replace(">", "#gt;")
    return text.replace("`", "#96;")


#: of a letter and a line at 13 pixels, wide enough for all fonts
_LETTER, _LINE = 7.6, 17
_PADDING, _GAP, _TITLE, _COLUMN = 10, 14, 24, 110
_STYLE = """
  text { font: 13px system-ui, sans-serif; fill: #1a1a1a; }
  .title { font-weight: 600; } .small { fill: #555; }
  .frame { fill: #00000008; stroke: #999; } .gang { stroke-dasharray: 5 4; }
  .pods { fill: #dff0d8; stroke: #5a8f3c; } .service { fill: #d9e8fb; stroke: #3c6ea8; }
  .claim { fill: #fdf0cf; stroke: #a8842c; } .secret { fill: #f6dada; stroke: #a84848; }
  path { fill: none; stroke: #888; }
  @media (prefers-color-scheme: dark) {
    svg { background: #14171a; } text { fill: #eee; } .small { fill: #b5b5b5; }
    .frame { fill: #ffffff0a; stroke: #777; } .pods { fill: #22401a; } .service { fill: #1b3350; }
    .claim { fill: #453812; } .secret { fill: #4a1f1f; } path { stroke: #8a8a8a; }
  }
"""


def svg(picture: Picture) -> str:
    """The picture, in light and dark colours as the reader's system has them."""
    return _Drawing(picture).text()


class _Drawing:
    def __init__(self, picture: Picture) -> None:
        self.picture = picture
        self.places: dict[tuple[str, ...], Place] = {}
        self.shapes: list[str] = []
        self.width = self.height = 0.0

    def text(self) -> str:
        left = [box for box in self.picture.boxes.values() if box.shape == "service"]
        right = [box for box in self.picture.boxes.values() if box.shape != "service"]
        x = _GAP + self._column(left, _GAP)
        if left:
            x += _COLUMN
        width = max(map(_frame_width, self.picture.groups.values()), default=0.0)
        self.height = max(self.height, self._frames(self.picture, x, _GAP, width))
        x += width
        x += _COLUMN + self._column(right, x + _COLUMN) if right else 0
        self.width = x + _GAP
        lines = [self._line(edge.source, edge.target) for edge in self.picture.edges]
        size = f'width="{self.width:.0f}" height="{self.height + _GAP:.0f}"'
        box = f'viewBox="0 0 {self.width:.0f} {self.height + _GAP:.0f}"'
        head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} {box} role="img">'
        return "\n".join([head, f"<style>{_STYLE}</style>", *self.shapes, *lines, "</svg>"]) + "\n"

    def _column(self, boxes: list[Box], x: float) -> float:
        """Draws boxes one below the other; their width."""
        width, y = max(map(_width, boxes), default=0.0), float(_GAP)
        for box in boxes:
            y = self._box(box, x, y, width) + _GAP
        self.height = max(self.height, y)
        return width

    def _frames(self, group: Group, x: float, y: float, width: float) -> float:
        """Draws frames one below the other; where the next one may begin."""
        for key, inner in group.groups.items():
            at, below = len(self.shapes), y + _TITLE
            for box in inner.boxes.values():
                below = self._box(box, x + _PADDING, below, width - 2 * _PADDING) + _PADDING
            if inner.groups:
                below = self._frames(inner, x + _PADDING, below, width - 2 * _PADDING) - _GAP + _PADDING
            kind = "frame gang" if key[0] == "gang" else "frame"
            size = f'width="{width:.0f}" height="{below - y:.0f}"'
            frame = f'<rect class="{kind}" x="{x:.0f}" y="{y:.0f}" {size} rx="6"/>'
            title = f'<text class="title" x="{x + _PADDING:.0f}" y="{y + 17:.0f}">{_escaped(inner.title)}</text>'
            self.shapes[at:at] = [frame, title]
            y = below + _GAP
        return y

    def _box(self, box: Box, x: float, y: float, width: float) -> float:
        """Draws a box; where it ends."""
        height = len(box.lines) * _LINE + _PADDING
        radius = 16 if box.shape == "service" else 4
        self.places[box.key] = (x, y + height / 2, width)
        self.shapes.append(
            f'<rect class="{box.shape}" x="{x:.0f}" y="{y:.0f}" width="{width:.0f}" height="{height}" rx="{radius}"/>'
        )
        for number, line in enumerate(box.lines):
            style = ' class="small"' if number else ""
            at = y + _LINE * (number + 1) + 1
            self.shapes.append(f'<text{style} x="{x + _PADDING:.0f}" y="{at:.0f}">{_escaped(line)}</text>')
        return y + height

    def _line(self, source: Box, target: Box) -> str:
        x, y, width = self.places[source.key]
        to_x, to_y, _ = self.places[target.key]
        start, middle = x + width, (x + width + to_x) / 2
        return f'<path d="M{start:.0f} {y:.0f}C{middle:.0f} {y:.0f} {middle:.0f} {to_y:.0f} {to_x:.0f} {to_y:.0f}"/>'


def _width(box: Box) -> float:
    return max(map(len, map(one_line, box.lines))) * _LETTER + 2 * _PADDING


def _frame_width(group: Group) -> float:
    inner = [_frame_width(each) for each in group.groups.values()] + [_width(box) for box in group.boxes.values()]
    return max([*inner, len(one_line(group.title)) * (_LETTER + 0.6)]) + 2 * _PADDING


def _escaped(text: str) -> str:
    return escape(one_line(text))
