"""Loads the generated schemas, one file a release; the form is described in `dynamoc.api.compact`."""

from __future__ import annotations

import os

from dynamoc.kube.json_data import loads
from dynamoc.release.known_releases import ORDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Node = dict[str, Any]

_loaded: dict[str, dict[str, Any]] = {}


class Nodes(dict[int, "Node"]):
    """Nodes by their numbers, each read when it is first asked for: a document meets few of them."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines

    def __missing__(self, number: int) -> Node:
        node: Node = loads(self._lines[number].removesuffix(","))
        self[number] = node
        return node

    def all(self) -> list[Node]:
        """All nodes, in the order of their numbers."""
        return [self[number] for number in range(len(self._lines))]


def load(release: str) -> dict[str, Any]:
    """`{"kinds": {apiVersion: {kind: index}}, "nodes": Nodes}` of a release; KeyError for an unknown one."""
    schema = _loaded.get(release)
    if schema is None:
        if release not in ORDER:
            raise KeyError(f"no schemas for release {release}; known releases: {', '.join(ORDER)}")
        path = os.path.join(os.path.dirname(__file__), "data", f"{release}.json")
        with open(path, encoding="utf-8") as file:
            # The generated file has a node a line, and ends with two lines that have none.
            head, *nodes = file.read().split("\n")[:-2]
        schema = _loaded[release] = {**loads(f"{head}]}}"), "nodes": Nodes(nodes)}
    return schema


def served(release: str, kind: str) -> list[str]:
    """The apiVersions in which a release serves a kind, oldest first; none for a kind it doesn't know."""
    return [version for version, kinds in load(release)["kinds"].items() if kind in kinds]
