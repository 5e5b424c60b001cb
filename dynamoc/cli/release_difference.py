"""What `dynamoc release diff` prints: everything that two releases do not share, a section each."""

from __future__ import annotations

from typing import Any

from dynamoc.explain.steps import all_steps
from dynamoc.golang.type_difference import type_difference
from dynamoc.release import Release
from dynamoc.release.difference import SECTIONS, list_difference, table_difference
from dynamoc.release.feature_difference import feature_difference
from dynamoc.rules.order import rules_of
from dynamoc.schema.field_difference import schema_difference

_SIGNS = {"came": "+", "went": "-", "moved": "~", "added": "+", "removed": "-", "changed": "~"}
_TITLES = {
    "features": "features",
    "constants": "constants",
    "rules": "pod rules",
    "builders": "builders",
    "webhooks": "webhooks",
    "annotations": "annotations that users write",
    "fields": "fields of the API",
    "configuration": "the operator's configuration",
    "chart": "values of the Helm chart",
    "flags": "flags of the operator",
    "dependencies": "dependencies",
    "goTypes": "Go types",
}


def difference_of(old: Release, new: Release) -> dict[str, Any]:
    """The document that `-o json` prints; every section is a list of rows."""
    sections = {
        "features": feature_difference(old, new),
        "rules": list_difference(*(tuple(rule.name for rule in rules_of(each)) for each in (old, new))),
        "builders": _builders(old, new),
        "fields": [
            {"change": change, "kind": kind, "field": field, "detail": detail}
            for change, kind, field, detail in schema_difference(old.name, new.name)
        ],
        "goTypes": type_difference(old.name, new.name),
    }
    sections |= {section: table_difference(section, old.name, new.name) for section in SECTIONS}
    head = {"format": "dynamoc-release-diff", "version": 1, "old": old.name, "new": new.name}
    return head | {name: sections[name] for name in _TITLES}


def _builders(old: Release, new: Release) -> list[dict[str, Any]]:
    builders = [step for step in all_steps() if step.kind == "builder"]
    before, after = (tuple(step.name for step in builders if side.name in step.releases) for side in (old, new))
    return list_difference(before, after)


def as_text(difference: dict[str, Any]) -> str:
    """`+` came, `-` went, `~` changed or moved."""
    lines = [f"operator {difference['old']} -> {difference['new']}"]
    for section, title in _TITLES.items():
        lines += ["", title]
        for row in difference[section]:
            lines += [f"  {line}" for line in _lines(section, row)]
    return "\n".join(lines) + "\n"


def _lines(section: str, row: dict[str, Any]) -> list[str]:
    if section == "annotations":
        return [f"{'+' if row['old'] is None else '-'} {row['name']}"]
    if section in SECTIONS:
        return _table_lines(row)
    sign = _SIGNS[row["change"]]
    if section == "features":
        return [f"{sign} {row['name']}: {row['reason']} ({row['source']})"]
    if "name" in row:
        return [f"{sign} {row['name']}"]
    detail = f"  ({row['detail']})" if row["detail"] else ""
    place = f"{row.get('kind', row.get('type'))} {row['field']}".rstrip()
    return [f"{sign} {place}{detail}"]


def _table_lines(row: dict[str, Any]) -> list[str]:
    """What is on one side only, or the old and the new value; of lists of names what came, went and moved."""
    old, new = row["old"], row["new"]
    sign = "+" if old is None else "-" if new is None else "~"
    head = f"{sign} {row['table']} {row['name']}".replace("  ", " ").rstrip()
    if _is_list(old) and _is_list(new):
        return [head, *(f"    {_SIGNS[part['change']]} {part['name']}" for part in list_difference(old, new))]
    return [head, *(f"    {side}: {_short(row[side])}" for side in ("old", "new") if row[side] is not None)]


def _is_list(value: object) -> bool:
    return isinstance(value, tuple) and bool(value) and all(isinstance(name, str) and "/" in name for name in value)


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 200 else text[:197] + "..."
