"""What differs between two releases, as data: features, the order of rules, tables, fields of schemas, and Go types.

Where two releases differ by a named feature, it says more than the rule that made the value.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dynamoc.admission.webhooks import checks
from dynamoc.documents.schema.schemas import Nodes, load
from dynamoc.kube.go_types import table_text
from dynamoc.reference import chart, configuration, releases
from dynamoc.reference.constants import CONSTANTS
from dynamoc.reference.features import FEATURES, read_rows
from dynamoc.reference.releases import Release, holder, merged

Row = dict[str, Any]

FeatureRow = dict[str, Any]

Node = dict[str, Any]

#: ("added" | "removed" | "changed", `apiVersion/Kind`, field path, what changed)
FieldRow = tuple[str, str, str, str]

TypeRow = dict[str, str]

#: section to its tables by name: of those that are mappings all entries up to a release hold, of others the newest
SECTIONS: dict[str, dict[str, Mapping[str, Any]]] = {
    "constants": {"": CONSTANTS},
    "webhooks": {"checks": checks.changes(), "defaults": checks.DEFAULTS, "updates": checks.UPDATES},
    "annotations": {"": configuration.ANNOTATIONS},
    "configuration": {
        "field": configuration.FIELDS,
        "checks": configuration.CHECKS,
        "default": configuration.OPERATOR,
        "default of the chart": configuration.CHART,
    },
    "chart": {"key": chart.KNOWN, "value": chart.VALUES, "template": chart.TEMPLATES, "checks": chart.CHECKS},
    "flags": {"flag": configuration.FLAGS, "surroundings": configuration.SURROUNDINGS},
    "dependencies": {"module": releases.MODULES, "chart": releases.CHARTS, "value that installs": releases.VALUES},
}


def table_difference(section: str, old: str, new: str) -> list[Row]:
    """`{"table", "name", "old", "new"}` of what is not the same in both releases; None stands for none."""
    rows = []
    for title, table in SECTIONS[section].items():
        before, after = _entries(table, old), _entries(table, new)
        rows += [
            {"table": title, "name": name, "old": _shown(before.get(name)), "new": _shown(after.get(name))}
            for name in sorted(before.keys() | after.keys())
            if name not in before or name not in after or before[name] != after[name]
        ]
    return rows


def _shown(value: Any) -> Any:
    """A value of a table, in which functions are known by their names, and sets have the order of their texts."""
    if callable(value):
        return value.__name__
    if isinstance(value, frozenset):
        return tuple(sorted(value))
    return tuple(_shown(item) for item in value) if isinstance(value, tuple) else value


def _entries(table: Mapping[str, Any], release: str) -> dict[str, Any]:
    """What a table holds for a release, by dotted name."""
    if table is chart.KNOWN:
        return _keys(table[holder(table, release)])
    if isinstance(next(iter(table.values())), dict):
        values = merged(table, release)
        return {name if isinstance(name, str) else ".".join(map(str, name)): value for name, value in values.items()}
    try:
        return {"": table[holder(table, release)]}
    except KeyError:  # the table begins with a later release
        return {}


def _keys(known: dict[str, Any], path: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, below in known.items():
        found[path + key] = "anything" if below is None else "a mapping"
        found.update(_keys(below or {}, f"{path}{key}."))
    return found


def list_difference(before: tuple[str, ...], after: tuple[str, ...]) -> list[Row]:
    """`{"name", "change"}` of each name that came, went, or stands elsewhere among the names that both have."""
    rows = [{"name": name, "change": "came"} for name in after if name not in before]
    rows += [{"name": name, "change": "went"} for name in before if name not in after]
    shared_before = [name for name in before if name in after]
    shared_after = [name for name in after if name in before]
    kept = _longest_common(shared_before, shared_after)
    return rows + [{"name": name, "change": "moved"} for name in shared_after if name not in kept]


def _longest_common(left: list[str], right: list[str]) -> set[str]:
    """Names of a longest subsequence that is in both lists in the same order."""
    best: list[list[list[str]]] = [[[] for _ in range(len(right) + 1)] for _ in range(len(left) + 1)]
    for i, name in enumerate(left):
        for j, other in enumerate(right):
            longer = max(best[i][j + 1], best[i + 1][j], key=len)
            best[i + 1][j + 1] = [*best[i][j], name] if name == other else longer
    return set(best[-1][-1])


def feature_difference(old: Release, new: Release) -> list[FeatureRow]:
    """`{"name", "change", "reason", "source"}` of each behaviour that one of the releases has; `came` or `went`."""
    return [
        {
            "name": feature.name,
            "change": "came" if new.has(feature.name) else "went",
            "reason": feature.reason,
            "source": feature.source,
        }
        for feature in FEATURES
        if old.has(feature.name) != new.has(feature.name)
    ]


#: patterns as `--ignore` takes them, and features, the likeliest first
FIELDS = [(pattern, features) for pattern, *features in read_rows("feature-fields.txt")]

_CONSTRAINTS = (
    *("type", "enum", "pattern", "format", "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"),
    *("minProperties", "maxProperties", "required", "defaults", "nullable", "keep", "rules"),
)


def schema_difference(old: str, new: str) -> list[FieldRow]:
    """Kinds and fields that came, went or changed. A field that came with all below it is one row."""
    before, after = load(old), load(new)
    rows: list[FieldRow] = []
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


@dataclass(eq=False)
class _Walk:
    """Two schemas side by side. Each pair of nodes is compared once a path; equal texts of nodes are not entered."""

    before: Nodes
    after: Nodes
    name: str
    rows: list[FieldRow] = dataclasses.field(default_factory=list, init=False)

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


def type_difference(old: str, new: str) -> list[TypeRow]:
    """`{"change", "type", "field", "detail"}` of types and fields that came, went or changed."""
    before, after = _types(old), _types(new)
    rows: list[TypeRow] = []
    for name in sorted(before.keys() | after.keys()):
        if name not in before or name not in after:
            rows.append(_row("added" if name in after else "removed", name, "", "the whole type"))
            continue
        left, right = before[name], after[name]
        for field in sorted(left.keys() | right.keys()):
            if field not in left or field not in right:
                rows.append(_row("added" if field in right else "removed", name, field, ""))
            elif left[field] != right[field]:
                rows.append(_row("changed", name, field, f"{left[field]} → {right[field]}"))
        if list(left) != list(right) and left.keys() == right.keys():
            rows.append(_row("changed", name, "", "order of fields"))
    return rows


def _row(change: str, name: str, field: str, detail: str) -> TypeRow:
    return {"change": change, "type": name, "field": field, "detail": detail}


def _types(release: str) -> dict[str, dict[str, str]]:
    """Type to its fields: JSON name, or `<Type` where it is embedded, to marks and Go type."""
    types: dict[str, dict[str, str]] = {}
    for line in table_text(release).splitlines():
        if not line.startswith("#"):
            name, *fields = line.split("\t")
            types[name] = dict(map(_field, fields))
    return types


def _field(text: str) -> tuple[str, str]:
    name, _, kind = text.partition(":")
    bare = name.rstrip("?!")
    return (f"<{kind}", kind) if bare == "<" else (bare, f"{name[len(bare) :]}{kind}")
