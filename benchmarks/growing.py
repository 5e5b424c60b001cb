"""Inputs of any size: each list and map of the API with n entries, and what else may be long."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from dynamoc.documents.schema.schemas import Nodes, load

Tree = dict[str, Any]
Make = Callable[[int], Tree]
"""From a size to a document."""
Steps = tuple[str | int, ...]

RELEASE = "1.4"
KINDS = (
    ("nvidia.com/v1alpha1", "DynamoGraphDeployment"),
    ("nvidia.com/v1beta1", "DynamoGraphDeployment"),
    ("nvidia.com/v1beta1", "DynamoComponentDeployment"),
    ("nvidia.com/v1alpha1", "DynamoModel"),
)
_MAIN = {"name": "main", "image": "registry.example/vllm-runtime:1.4.0"}


def graph(*, services: int = 1, name: str = "web") -> Tree:
    """A graph of v1alpha1."""
    pod = {"mainContainer": {"image": _MAIN["image"]}}
    spec = {f"Worker{at}": {"componentType": "worker", "replicas": 1, "extraPodSpec": pod} for at in range(services)}
    return _object("nvidia.com/v1alpha1", "DynamoGraphDeployment", name, {"services": spec})


def _object(version: str, kind: str, name: str, spec: Tree) -> Tree:
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name}, "spec": spec}


def _base(version: str, kind: str) -> Tree:
    component = {"type": "worker", "podTemplate": {"spec": {"containers": [dict(_MAIN)]}}}
    if kind == "DynamoModel":
        return _object(version, kind, "web", {"modelName": "m", "baseModelName": "m"})
    if kind == "DynamoComponentDeployment":
        return _object(version, kind, "web", {"name": "Worker", **component})
    if version.endswith("v1alpha1"):
        return graph()
    return _object(version, kind, "web", {"components": [{"name": "Worker", **component}]})


def fields(version: str, kind: str) -> Iterator[tuple[str, Make]]:
    """Each list and map of a kind: its path, and documents with n entries of it."""
    nodes = load(RELEASE)["nodes"]
    root = nodes[load(RELEASE)["kinds"][version][kind]]
    for path, node in _growing(nodes, nodes[root["props"]["spec"]], ("spec",)):
        yield _shown(path), _maker(version, kind, nodes, path, node)
    for key in ("labels", "annotations"):
        yield f"metadata.{key}", _maker(version, kind, nodes, ("metadata", key), {"type": "object", "extra": 0})


def _growing(nodes: Nodes, node: Tree, path: Steps) -> Iterator[tuple[Steps, Tree]]:
    if node.get("type") == "array":
        yield path, node
        yield from _growing(nodes, nodes[node["items"]], (*path, 0))
    elif node.get("type") == "object":
        if "extra" in node:
            yield path, node
            key = "Worker0" if path[-1] == "services" else "key"
            yield from _growing(nodes, nodes[node["extra"]], (*path, key))
        for name, index in node.get("props", {}).items():
            yield from _growing(nodes, nodes[index], (*path, name))


def _shown(path: Steps) -> str:
    text = ""
    for step in path:
        text += "[]" if step == 0 else f".{step}" if text else str(step)
    return text


def _maker(version: str, kind: str, nodes: Nodes, path: Steps, node: Tree) -> Make:
    def make(size: int) -> Tree:
        document: Tree = json.loads(json.dumps(_base(version, kind)))
        place: Any = document
        for step, following in zip(path, (*path[1:], None), strict=True):
            empty: Any = [] if following == 0 else {}
            if following is None:
                _fill(place, step, node, nodes, size)
            elif isinstance(place, list):
                place += [] if place else [empty]
                place = place[0]
            else:
                place = place.setdefault(step, empty)
        return document

    return make


def _fill(place: Any, step: str | int, node: Tree, nodes: Nodes, size: int) -> None:
    grown: Any
    if node["type"] == "array":
        grown = [_sample(nodes, nodes[node["items"]], at) for at in range(size)]
    else:
        grown = {f"k{at}": _sample(nodes, nodes[node["extra"]], at) for at in range(size)}
    if isinstance(place, list):
        place[:] = [grown]
    elif isinstance(grown, dict):
        place[step] = {**(place.get(step) or {}), **grown}
    else:
        place[step] = [*(place.get(step) or []), *grown]


def _sample(nodes: Nodes, node: Tree, number: int) -> Any:
    """A value that differs from those of other numbers where that can be."""
    kind = node.get("type")
    if "enum" in node:
        return node["enum"][number % len(node["enum"])]
    if kind == "object":
        wanted = [
            *node.get("required", ()),
            *(key for key in ("name", "key", "value", "mountPath") if key in node.get("props", {})),
        ]
        return {key: _sample(nodes, nodes[node["props"][key]], number) for key in dict.fromkeys(wanted)}
    if kind == "array":
        return []
    if kind in ("integer", "number"):
        return 1024 + number
    if kind == "boolean":
        return True
    return f"x{number}" if kind == "string" else f"{number + 1}"
