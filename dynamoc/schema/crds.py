"""The generated CustomResourceDefinitions of all releases, and the schemas of the operator's configuration.

They repeat each other: 65 documents of 13 MB are 1,700 different parts. `crds.json` has each part once, on its line;
inside of a part, a list of one number stands for the part of that number.
"""

from __future__ import annotations

import json
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    Tree = dict[str, Any]

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
    from dynamoc.release.deltas import merged
    from dynamoc.release.output_crds import OUTPUT_CRDS

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
