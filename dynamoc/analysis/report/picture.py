"""What is in a picture, whatever it is drawn with.

Boxes, groups of boxes, and lines between boxes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from dynamoc.analysis.compare.pod_counts import Claims
from dynamoc.analysis.requires.needs import CLAIM, CLAIM_TEMPLATE, SECRET
from dynamoc.analysis.requires.pods import PodSpec, pod_references
from dynamoc.analysis.requires.workload_pods import Count, Template, templates_of
from dynamoc.kube.names import entries, mapping, text

Key = tuple[str, ...]

Tree = dict[str, Any]


@dataclass(eq=False, slots=True)
class Box:
    """One box: `lines` of text, the first of them its name; `shape` is `pods`, `service`, `claim` or `secret`."""

    key: Key
    lines: list[str]
    shape: str


Labelled = dict[tuple[str, str, str], dict[int, Box]]
"""The boxes of pods, by namespace and each of their labels, with the numbers that they were drawn as."""


@dataclass(eq=False, slots=True)
class Edge:
    """A line from one box to what it uses."""

    source: Box
    target: Box


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


class Picture(Group):
    """The outermost frame, and all lines."""

    def __init__(self) -> None:
        super().__init__()
        self.edges: list[Edge] = []


#: what pods name and a reader wants to see, with the word for it
_DRAWN = {CLAIM: "claim", SECRET: "secret", CLAIM_TEMPLATE: "device claim"}
_GRAPH = "nvidia.com/dynamo-graph-deployment-name"


def picture_of(objects: list[Tree], claims: Claims) -> Picture:
    """The picture of rendered objects, in their order; `claims` are the GPUs of claim templates."""
    picture, count = Picture(), Count(claims)
    drawn: list[tuple[Tree, Template, Box]] = []
    for value in objects:
        drawn += [(value, template, _draw_pods(picture, count, value, template)) for template in templates_of(value)]
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


def _draw_pods(picture: Picture, count: Count, value: Tree, template: Template) -> Box:
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
    gpus = count.gpus(value, template)
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
        picture.edges.append(Edge(box, pods))


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
        picture.edges.append(Edge(box, picture.box(needed)))


_SHAPES = {CLAIM: "claim", SECRET: "secret", CLAIM_TEMPLATE: "claim"}
