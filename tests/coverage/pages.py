"""`docs/coverage.md`, made from the table."""

from __future__ import annotations

import textwrap
import tomllib
from pathlib import Path

from tests.coverage.table import COUNT, FOLDER, Table

PAGE = Path(__file__).parents[2] / "docs" / "coverage.md"
_HEAD = """\
# Founding documents

<!-- Written by `python -m tests.coverage`; edit tests/coverage/rows instead. -->

dynamoc began with five documents about the Dynamo operator: 000 (API of 0.4), 001 (API, configuration and defaults of
1.0), 002 (API and defaults of 0.5.1 to 0.6), 003 (0.1), 004 (0.2, with Flux). For each of their {count} features,
[tests/coverage/rows](../tests/coverage/rows) has the documents, what holds, and a test in each release.
[contradictions.md](contradictions.md) says what dynamoc does where documents disagree.

| | features |
| --- | --- |
"""


def page_text(table: Table) -> str:
    lines = [_HEAD.format(count=COUNT)]
    for path in sorted(FOLDER.glob("*.toml")):
        text = path.read_text()
        title = text.removeprefix("# ").partition(":")[0]
        rows = sorted(row["row"] for row in tomllib.loads(text)["row"])
        features = "; ".join(f"{number} {table.rows[number]['feature']}" for number in rows)
        lines.append(f"| {title} | {features} |\n")
    offline = {number: row["offline"] for number, row in table.rows.items() if "offline" in row}
    lines.append(f"\n{COUNT - len(offline)} rows hold in full. Offline, {len(offline)} cannot:\n\n")
    lines += [
        textwrap.fill(f"* Row {number}: {text}", 120, subsequent_indent="  ", break_on_hyphens=False) + "\n"
        for number, text in offline.items()
    ]
    return "".join(lines)
