"""Which operator releases there are (`--version --verbose`), and how two of them differ (`upgrade` without PATH)."""

from __future__ import annotations

import json
import sys
import textwrap
from typing import Any

from dynamoc.analysis.compare.releases import (
    SECTIONS,
    feature_difference,
    list_difference,
    schema_difference,
    table_difference,
    type_difference,
)
from dynamoc.compiler.explain.answer import all_steps
from dynamoc.documents.emit.yaml import dump_yaml
from dynamoc.documents.findings.answers import answer_text
from dynamoc.interfaces.cli.failure import DONE, WIDTH, UsageError, print_table, write_stdout
from dynamoc.reference.releases import DEFAULT_RELEASE, RELEASES, Release, get_release
from dynamoc.rendering.rules.order import rules_of

_TITLES = ["RELEASE", "OPERATOR", "DEFAULT", "API", "CHECKED", "SOURCE", "COMPARED-GRAPHS"]
_EXACTNESS = {
    "recorded": "compared with recorded output of the operator",
    "recorded early": "compared with recorded answers of a commit before the release, and with its source since",
    "source": "follows the operator's source, not compared with recorded output",
}


def list_releases(output: str) -> int:
    """Prints the operator releases, oldest first."""
    rows = [_row(release) for release in RELEASES.values()]
    if output == "json":
        write_stdout(answer_text(rows, ascii_only=True))
    elif sys.stdout.isatty():
        print_table(("RELEASE", "OPERATOR", "", "API", "CHECKED", "SOURCE"), map(_terminal_row, rows))
    else:
        print_table(_TITLES, (map(_cell, row.values()) for row in rows))
    return DONE


def _row(release: Release) -> dict[str, object]:
    return {
        "name": release.name,
        "version": release.version,
        "default": release.name == DEFAULT_RELEASE,
        "apiVersions": [f"nvidia.com/{version}" for version in release.api_versions],
        "exactness": release.exactness,
        "source": release.source,
        "comparedGraphs": release.compared_graphs,
    }


def _cell(value: object) -> str:
    if isinstance(value, list):
        return ",".join(value)
    if isinstance(value, bool):
        return "default" if value else "-"
    return str(value)


def _terminal_row(row: dict[str, object]) -> list[str]:
    *cells, graphs = map(_cell, row.values())
    cells[4] = _EXACTNESS.get(cells[4], cells[4])
    if row["comparedGraphs"]:
        cells[4] += f", but with the operator's code on {graphs} random graphs"
    return ["" if cell == "-" else cell for cell in cells]


def diff_releases(old: str, new: str, output: str) -> int:
    """Prints what differs between two operator releases."""
    difference = difference_of(_named(old), _named(new))
    if output == "json":
        write_stdout(answer_text(difference))
    else:
        write_stdout(as_text(difference))
    return DONE


def _named(name: str) -> Release:
    try:
        return get_release(name)
    except KeyError:
        raise UsageError(
            f"{name} is not a release that dynamoc knows; known releases: {', '.join(RELEASES)}."
        ) from None


#: so many lines of a value are shown
_MOST = 12
_SIGNS = {"came": "+", "went": "-", "moved": "~", "added": "+", "removed": "-", "changed": "~"}
_SECTION_TITLES = {
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
    return head | {name: sections[name] for name in _SECTION_TITLES}


def _builders(old: Release, new: Release) -> list[dict[str, Any]]:
    builders = [step for step in all_steps() if step.kind == "builder"]
    before, after = (tuple(step.name for step in builders if side.name in step.releases) for side in (old, new))
    return list_difference(before, after)


def as_text(difference: dict[str, Any]) -> str:
    """`+` came, `-` went, `~` changed or moved."""
    lines = [f"operator {difference['old']} -> {difference['new']}"]
    for section, title in _SECTION_TITLES.items():
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
        text = textwrap.wrap(f"{row['reason']} ({row['source']})", WIDTH - 8, break_long_words=False)
        return [f"{sign} {row['name']}", *(f"    {line}" for line in text)]
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
    return [head, *(line for side in ("old", "new") if row[side] is not None for line in _value_lines(side, row[side]))]


def _is_list(value: object) -> bool:
    return (
        isinstance(value, tuple)
        and bool(value)
        and all(isinstance(name, str) and ("/" in name or name.isidentifier()) for name in value)
    )


def _value_lines(side: str, value: object) -> list[str]:
    """A value as YAML, in one line where it fits."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    if len(text) <= WIDTH - 16:
        return [f"    {side}: {text}"]
    lines = dump_yaml([{side: json.loads(json.dumps(value, default=str))}]).splitlines()
    more = [f"... and {len(lines) - _MOST} more lines; -o json shows all"] if len(lines) > _MOST else []
    return [f"    {line}" for line in [*lines[:_MOST], *more]]
