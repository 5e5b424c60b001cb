"""What differs between two releases, as data: features, the order of rules, and every table of this package."""

from __future__ import annotations

from dynamoc.release import (
    chart_keys,
    chart_values,
    command_flags,
    config_fields,
    default_settings,
    dependencies,
    user_annotations,
)
from dynamoc.release.constants import CONSTANTS
from dynamoc.release.deltas import holder, merged
from dynamoc.webhooks import checks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    Row = dict[str, Any]

#: section to its tables by name: of those that are mappings all entries up to a release hold, of others the newest
SECTIONS: dict[str, dict[str, Mapping[str, Any]]] = {
    "constants": {"": CONSTANTS},
    "webhooks": {
        "checks": checks.CHECKS,
        "defaults": checks.DEFAULTS,
        "updates": checks.UPDATES,
    },
    "annotations": {"": user_annotations.ANNOTATIONS},
    "configuration": {
        "field": config_fields.FIELDS,
        "checks": config_fields.CHECKS,
        "default": default_settings.OPERATOR,
        "default of the chart": default_settings.CHART,
    },
    "chart": {
        "key": chart_keys.KNOWN,
        "value": chart_values.VALUES,
        "template": chart_values.TEMPLATES,
        "checks": chart_values.CHECKS,
    },
    "flags": {"flag": command_flags.FLAGS, "surroundings": command_flags.SURROUNDINGS},
    "dependencies": {
        "module": dependencies.MODULES,
        "chart": dependencies.CHARTS,
        "value that installs": dependencies.VALUES,
    },
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
    """A value of a table, in which functions are known by their names."""
    if callable(value):
        return value.__name__
    return [_shown(item) for item in value] if isinstance(value, tuple) else value


def _entries(table: Mapping[str, Any], release: str) -> dict[str, Any]:
    """What a table holds for a release, by dotted name."""
    if table is chart_keys.KNOWN:
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
    """Names of a longest subsequence that stands in both lists in the same order."""
    best: list[list[list[str]]] = [[[] for _ in range(len(right) + 1)] for _ in range(len(left) + 1)]
    for i, name in enumerate(left):
        for j, other in enumerate(right):
            longer = max(best[i][j + 1], best[i + 1][j], key=len)
            best[i + 1][j + 1] = [*best[i][j], name] if name == other else longer
    return set(best[-1][-1])
