"""The generated schemas of all releases, and the words for their fields of `descriptions.toml`.

65 documents of 13 MB are 1,700 different parts. `crds.json` has each part once, on its line; inside of a part, a list
of one number stands for the part of that number (`tools.schemas.compact`). A text of `descriptions.toml` belongs to a
field of a parent, `multinode.nodeCount`, or to all fields of a name; the parent is the field above, or the kind.
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Iterable
from functools import cache
from typing import Any

from dynamoc.kube.merge import Tree
from dynamoc.kube.text import loads
from dynamoc.reference.releases import ORDER, OUTPUT_CRDS, merged
from dynamoc.reference.slugs import Severity

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


SEVERITY: dict[str, Severity | None] = {"error": "error", "warn": "warning", "prune": None}


#: the name of the document that is no CRD
CONFIGURATION = "operatorconfiguration"
_FILE = os.path.join(os.path.dirname(__file__), "data", "crds.json")
_OUTPUT_FILE = os.path.join(os.path.dirname(__file__), "output_kinds.json")


def definitions(release: str) -> list[Tree]:
    """The CRDs of a release, by name. Callers must not change what they get: parts are shared."""
    documents = _documents(release)
    documents.pop(CONFIGURATION, None)
    return list(documents.values())


def output_definitions(release: str) -> list[Tree]:
    """The CRDs of other projects whose objects a release renders, by name, as far as they could be had."""
    folders = set(merged(OUTPUT_CRDS, release).values())
    stored = _stored(_OUTPUT_FILE)
    expanded = _Expanded(stored["parts"])
    found = [expanded.part(number) for name, number in stored["documents"].items() if name.split("/")[0] in folders]
    return sorted(found, key=lambda crd: str(crd["metadata"]["name"]))


def configuration_schema(release: str) -> Tree | None:
    """The JSON Schema of the operator's configuration file, None where it has none."""
    return _documents(release).get(CONFIGURATION)


def _documents(release: str) -> dict[str, Tree]:
    stored = _stored(_FILE)
    expanded = _Expanded(stored["parts"])
    named = {name.partition("/"): number for name, number in stored["documents"].items()}
    return {name: expanded.part(number) for (own, _, name), number in sorted(named.items()) if own == release}


def _stored(path: str) -> Tree:
    with open(path, encoding="utf-8") as file:
        stored: Tree = json.load(file)
    return stored


class _Expanded:
    def __init__(self, parts: Iterable[Any]) -> None:
        self._parts = list(parts)
        self._known: dict[int, Any] = {}

    def part(self, number: int) -> Any:
        if number not in self._known:
            part = self._parts[number]
            if isinstance(part, dict):
                self._known[number] = {key: self._item(item) for key, item in part.items()}
            else:
                self._known[number] = [self._item(item) for item in part]
        return self._known[number]

    def _item(self, item: Any) -> Any:
        return self.part(item[0]) if isinstance(item, list) else item


_DESCRIPTIONS = os.path.join(os.path.dirname(__file__), "descriptions.toml")


def described(schema: Tree, kind: str) -> Tree:
    """A copy of a structural schema with a description for each field; those that it has already are better."""
    return _described(schema, kind, _texts())


def description(parent: str, field: str) -> str | None:
    """The text of a field; None without one."""
    return _found(parent, field, _texts())


@cache
def _texts() -> dict[str, str]:
    with open(_DESCRIPTIONS, "rb") as file:
        loaded = tomllib.load(file)
    texts: dict[str, str] = dict(loaded["fields"])
    for parent, fields in loaded["of"].items():
        texts |= {f"{parent}.{name}": text for name, text in fields.items()}
    return texts


def _found(parent: str, field: str, texts: dict[str, str]) -> str | None:
    return texts.get(f"{parent}.{field}") or texts.get(field)


def _described(schema: Tree, parent: str, texts: dict[str, str]) -> Tree:
    copy = dict(schema)
    if "properties" in schema:
        copy["properties"] = {
            name: _with_text(_described(part, name, texts), _found(parent, name, texts))
            for name, part in schema["properties"].items()
        }
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            copy[key] = _described(schema[key], parent, texts)
    return copy


def _with_text(schema: Tree, text: str | None) -> Tree:
    return schema if text is None or "description" in schema else {"description": text, **schema}
