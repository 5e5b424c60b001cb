"""Writes CRDs as `schemas/` keeps them: `python -m tools.supply.crds RELEASE FILE...`.

The files are those of the operator's `config/crd/bases`. Descriptions are left out: they are the operator's own texts;
those of a file that is there already stay.
A part that a file has more than once stands there once, as a YAML anchor that is named after its field; others refer
to it. `kubectl` reads that, and a pod template has a thousand lines.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from itertools import zip_longest
from pathlib import Path
from typing import Any, ClassVar

import yaml

from tools.supply.output_kinds import without_texts

Tree = dict[str, Any]
SCHEMAS = Path(__file__).parents[2] / "schemas"
#: A part of fewer lines is written again: it is read faster than its anchor is found.
LINES = 8


def text(document: Tree) -> str:
    """The document as YAML, with equal parts written once."""
    shared = _Shared()
    tree = shared.part(document, "")
    dumper = type("_Named", (_Dumper,), {"names": shared.names})
    return yaml.dump(tree, Dumper=dumper, sort_keys=False, width=120, allow_unicode=True)


def described(value: Any, known: Any) -> Any:
    """A copy with the descriptions of another document, at the same places."""
    if isinstance(value, list) and isinstance(known, list):
        return [described(item, other) for item, other in zip_longest(value, known[: len(value)])]
    if not isinstance(value, dict) or not isinstance(known, dict):
        return value
    made = {key: described(item, known.get(key)) for key, item in value.items()}
    own = known.get("description")
    return {"description": own, **made} if isinstance(own, str) else made


class _Shared:
    """Makes one object of equal schemas; each gets the name of the field that has it first."""

    def __init__(self) -> None:
        self.names: dict[int, str] = {}
        self._known: dict[str, Tree] = {}
        self._used: Counter[str] = Counter()

    def part(self, value: Any, name: str) -> Any:
        if isinstance(value, list):
            return [self.part(item, name) for item in value]
        if not isinstance(value, dict):
            return value
        made = {}
        for key, item in value.items():
            if key == "properties":
                made[key] = {field: self._schema(child, field) for field, child in item.items()}
            elif key in ("items", "additionalProperties") and isinstance(item, dict):
                made[key] = self._schema(item, f"{name}-item")
            else:
                made[key] = self.part(item, name)
        return made

    def _schema(self, schema: Tree, name: str) -> Tree:
        written = json.dumps(schema)
        if written not in self._known:
            made: Tree = self.part(schema, name)
            if _lines(schema) < LINES:
                return made
            self._used[name] += 1
            self.names[id(made)] = name if self._used[name] == 1 else f"{name}-{self._used[name]}"
            self._known[written] = made
        return self._known[written]


def _lines(value: Any) -> int:
    """How many the value takes in YAML, but for wrapped texts."""
    if isinstance(value, dict):
        return sum(1 if _is_leaf(item) else 1 + _lines(item) for item in value.values())
    return sum(1 if _is_leaf(item) else _lines(item) for item in value)


def _is_leaf(value: Any) -> bool:
    return not isinstance(value, dict | list) or not value


class _Dumper(yaml.SafeDumper):
    names: ClassVar[dict[int, str]] = {}

    def ignore_aliases(self, data: Any) -> bool:
        return id(data) not in self.names

    def generate_anchor(self, node: yaml.Node) -> str:
        return next(self.names[key] for key, made in self.represented_objects.items() if made is node)


def write(folder: Path, crd: Tree) -> None:
    """The file of a CRD, with the descriptions of the one that it replaces."""
    path = folder / f"{crd['spec']['group']}_{crd['spec']['names']['plural']}.yaml"
    known = yaml.load(path.read_text(), yaml.CSafeLoader) if path.exists() else None
    path.write_text(text(described(without_texts(crd), known)))


if __name__ == "__main__":
    folder = SCHEMAS / sys.argv[1]
    folder.mkdir(exist_ok=True)
    for name in sys.argv[2:]:
        for crd in yaml.safe_load_all(Path(name).read_text()):
            write(folder, crd)
