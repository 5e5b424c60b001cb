"""Boxes, groups of boxes and lines between boxes, drawn as DOT, Mermaid or SVG."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html import escape
from itertools import count
from typing import Any

from dynamoc.analysis.compare.pod_counts import Claims, Template, templates_of
from dynamoc.analysis.requires.needs import CLAIM, CLAIM_TEMPLATE, SECRET
from dynamoc.analysis.requires.pods import PodSpec, pod_references
from dynamoc.analysis.requires.workload_pods import Count
from dynamoc.documents.findings.text import one_line
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import entries, mapping, text

Key = tuple[str, ...]


@dataclass(eq=False, slots=True)
class Box:
    """One box: `lines` of text, the first of them its name; `shape` is `pods`, `service`, `claim` or `secret`."""

    key: Key
    lines: list[str]
    shape: str


Labelled = dict[tuple[str, str, str], dict[int, Box]]
"""The boxes of pods, by namespace and each of their labels, with the numbers that they were drawn as."""


@dataclass(eq=False)
class Group:
    """A frame with a title around boxes and further frames, in the order in which they were added."""

    title: str = ""
    boxes: dict[Key, Box] = field(default_factory=dict, init=False)
    groups: dict[Key, Group] = field(default_factory=dict, init=False)

    def group(self, key: Key, title: str) -> Group:
        """The frame of this key, a new one the first time."""
        return self.groups.setdefault(key, Group(title))

    def box(self, box: Box) -> Box:
        """The box of the same key, this one the first time."""
        return self.boxes.setdefault(box.key, box)

    def walk(self) -> Iterator[Box]:
        for group in self.groups.values():
            yield from group.walk()
        yield from self.boxes.values()


@dataclass(eq=False)
class Picture(Group):
    """The outermost frame, and all lines: each from one box to what it uses."""

    edges: list[tuple[Box, Box]] = field(default_factory=list, init=False)


#: what pods name and a reader wants to see, with the word for it
_DRAWN = {CLAIM: "claim", SECRET: "secret", CLAIM_TEMPLATE: "device claim"}
_GRAPH = "nvidia.com/dynamo-graph-deployment-name"


def picture_of(objects: list[Tree], claims: Claims) -> Picture:
    """The picture of rendered objects, in their order; `claims` are the GPUs of claim templates."""
    picture, counted = Picture(), Count(claims)
    drawn: list[tuple[Tree, Template, Box]] = []
    for value in objects:
        drawn += [(value, template, _draw_pods(picture, counted, value, template)) for template in templates_of(value)]
    labelled: Labelled = {}
    for number, (value, template, box) in enumerate(drawn):
        namespace = text(mapping(value, "metadata").get("namespace"))
        for key, label in _labels(value, template).items():
            labelled.setdefault((namespace, key, str(label)), {})[number] = box
    for value in objects:
        if value.get("kind") == "Service":
            _draw_service(picture, value, labelled)
    for value, template, box in drawn:
        _draw_needs(picture, value, template, box)
    return picture


def _draw_pods(picture: Picture, counted: Count, value: Tree, template: Template) -> Box:
    metadata = mapping(value, "metadata")
    name, namespace = text(metadata.get("name")), text(metadata.get("namespace"))
    graph = text(mapping(metadata, "labels").get(_GRAPH)) or name
    outer = picture.group(("graph", namespace, graph), f"{graph} ({namespace})" if namespace else graph)
    component = template.component or template.name.removesuffix("-ldr").removesuffix("-wkr")
    if component == "pods":
        component = name
    inner = outer.group(("component", component), component)
    if template.unit:
        unit = template.unit if value.get("kind") != "LeaderWorkerSet" else name
        inner = inner.group(("gang", unit), f"gang {unit}" + (f" x {template.units}" if template.units > 1 else ""))
    gpus = counted.gpus(value, template)
    lines = [_role(template, name, component), _amount(template, gpus)]
    return inner.box(Box((value["kind"], namespace, name, template.name), lines, "pods"))


def _role(template: Template, name: str, component: str) -> str:
    if template.name.endswith("-ldr") or template.name == "leader":
        return "leader"
    if template.name.endswith("-wkr") or (template.name == "worker" and template.unit):
        return "workers"
    return name if template.name == "pods" and name != component else "pods"


def _amount(template: Template, gpus: int) -> str:
    each, units = template.each, template.units
    pods = f"{each} pod{'s' * (each != 1)}" if template.unit else f"{units} pod{'s' * (units != 1)}"
    if template.shared:
        return f"{pods}, {template.shared} GPUs shared"
    return f"{pods} x {gpus} GPU{'s' * (gpus != 1)}" if gpus else pods


def _draw_service(picture: Picture, service: Tree, labelled: Labelled) -> None:
    metadata, spec = mapping(service, "metadata"), mapping(service, "spec")
    selector = mapping(spec, "selector")
    namespace, name = text(metadata.get("namespace")), text(metadata.get("name"))
    candidates = [labelled.get((namespace, key, str(wanted)), {}) for key, wanted in selector.items()]
    fewest = min(candidates, key=len, default={})
    found = [box for number, box in fewest.items() if all(number in other for other in candidates)]
    if not found:
        return
    ports = [str(port.get("port")) for _, port in entries(spec, "ports")]
    box = picture.box(Box(("Service", namespace, name), [name, f"Service :{', '.join(ports)}"], "service"))
    for pods in found:
        picture.edges.append((box, pods))


def _labels(value: Tree, template: Template) -> Tree:
    """The labels of pods."""
    holder: Any = value
    for step in template.path[:-1]:
        holder = holder[step]
    return {**dict(template.labels), **mapping(holder, "metadata", "labels")}


def _draw_needs(picture: Picture, value: Tree, template: Template, box: Box) -> None:
    namespace = text(mapping(value, "metadata").get("namespace"))
    seen: set[tuple[str, str]] = set()
    for reference in pod_references(PodSpec(template.path, template.spec, template.path, {})):
        kind = (reference.group, reference.kind)
        if kind not in _DRAWN or (reference.kind, reference.name) in seen:
            continue
        seen.add((reference.kind, reference.name))
        needed = Box((reference.kind, namespace, reference.name), [reference.name, _DRAWN[kind]], _SHAPES[kind])
        picture.edges.append((box, picture.box(needed)))


_SHAPES = {CLAIM: "claim", SECRET: "secret", CLAIM_TEMPLATE: "claim"}

Place = tuple[float, float, float]
"""x, y and width of a box."""

_DRAWINGS_SHAPES = {"pods": "box", "service": "ellipse", "claim": "cylinder", "secret": "note"}


@dataclass(eq=False, slots=True)
class _Language:
    """How a language says the beginning of a frame, by its number and title, its end, a box, and a line."""

    begin: Callable[[int, str], list[str]]
    end: str
    box: Callable[[Box], str]
    edge: str


def _drawn(picture: Picture, language: _Language) -> list[str]:
    names = {box.key: f"n{number}" for number, box in enumerate(picture.walk())}
    frames = count()
    lines: list[str] = []

    def draw(group: Group, space: str) -> None:
        for inner in group.groups.values():
            lines.extend(space + line for line in language.begin(next(frames), inner.title))
            draw(inner, f"{space}  ")
            lines.append(space + language.end)
        lines.extend(f"{space}{names[box.key]}{language.box(box)}" for box in group.boxes.values())

    draw(picture, "  ")
    return lines + [language.edge.format(names[source.key], names[target.key]) for source, target in picture.edges]


def dot(picture: Picture) -> str:
    """A directed graph from left to right."""
    language = _Language(
        lambda number, title: [f"subgraph cluster_{number} {{", f"  label={_text([title])};"],
        "}",
        lambda box: f" [shape={_DRAWINGS_SHAPES[box.shape]}, label={_text(box.lines)}];",
        "  {} -> {};",
    )
    head = ["digraph dynamo {", "  rankdir=LR;", '  node [fontname="sans-serif"];', '  fontname="sans-serif";']
    return "\n".join([*head, *_drawn(picture, language), "}"]) + "\n"


def _text(lines: list[str]) -> str:
    escaped = (one_line(line).replace("\\", "\\\\").replace('"', '\\"') for line in lines)
    return '"' + "\\n".join(escaped) + '"'


_MERMAID_SHAPES = {"pods": ('["', '"]'), "service": ('(["', '"])'), "claim": ('[("', '")]'), "secret": ('{{"', '"}}')}


def mermaid(picture: Picture) -> str:
    """A flowchart from left to right."""
    language = _Language(
        lambda number, title: [f'subgraph g{number}["{_mermaid_text(title)}"]'], "end", _box, "  {} --> {}"
    )
    return "\n".join(["flowchart LR", *_drawn(picture, language)]) + "\n"


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
        lines = [self._line(*edge) for edge in self.picture.edges]
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


#: by the name of the format
WRITERS = {"mermaid": mermaid, "dot": dot, "svg": svg}
