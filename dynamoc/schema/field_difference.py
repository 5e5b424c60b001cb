"""Which fields two releases know differently, from their generated schemas."""

from __future__ import annotations

from dynamoc.schema.data import Nodes, load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Node = dict[str, Any]
    #: ("added" | "removed" | "changed", `apiVersion/Kind`, field path, what changed)
    Row = tuple[str, str, str, str]

_CONSTRAINTS = (
    "type",
    "enum",
    "pattern",
    "format",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
    "required",
    "defaults",
    "nullable",
    "keep",
    "rules",
)


def schema_difference(old: str, new: str) -> list[Row]:
    """Kinds and fields that came, went or changed. A field that came with all below it is one row."""
    before, after = load(old), load(new)
    rows: list[Row] = []
    kinds = _kinds(before) | _kinds(after)
    for api_version, kind in sorted(kinds):
        name = f"{api_version}/{kind}"
        left, right = (tables["kinds"].get(api_version, {}).get(kind) for tables in (before, after))
        if left is None or right is None:
            rows.append(("added" if left is None else "removed", name, "", "the whole kind"))
            continue
        walk = _Walk(before["nodes"], after["nodes"], name)
        walk.compare(left, right, "")
        rows += walk.rows
    return rows


def _kinds(tables: dict[str, Any]) -> set[tuple[str, str]]:
    return {(api_version, kind) for api_version, kinds in tables["kinds"].items() for kind in kinds}


class _Walk:
    """Two schemas side by side. Each pair of nodes is compared once a path; equal texts of nodes are not entered."""

    def __init__(self, before: Nodes, after: Nodes, name: str) -> None:
        self.before = before
        self.after = after
        self.name = name
        self.rows: list[Row] = []

    def compare(self, left: int, right: int, path: str) -> None:
        old, new = self.before[left], self.after[right]
        changed = [key for key in _CONSTRAINTS if old.get(key) != new.get(key)]
        if changed:
            told = "; ".join(f"{key} {_text(old.get(key))} → {_text(new.get(key))}" for key in changed)
            self.rows.append(("changed", self.name, path, told))
        old_fields, new_fields = old.get("props") or {}, new.get("props") or {}
        for field in sorted(old_fields.keys() | new_fields.keys()):
            below = f"{path}.{field}" if path else field
            if field not in new_fields:
                self.rows.append(("removed", self.name, below, ""))
            elif field not in old_fields:
                self.rows.append(("added", self.name, below, ""))
            else:
                self.compare(old_fields[field], new_fields[field], below)
        for key, suffix in (("items", "[]"), ("extra", ".*")):
            if isinstance(old.get(key), int) and isinstance(new.get(key), int):
                self.compare(old[key], new[key], path + suffix)


def _text(value: object) -> str:
    if value is None:
        return "none"
    if isinstance(value, list):
        return "[" + ", ".join(item[0] if isinstance(item, list) else str(item) for item in value) + "]"
    return str(value)
