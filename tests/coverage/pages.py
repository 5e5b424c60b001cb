"""`docs/coverage.md`, made from the table."""

from __future__ import annotations

from pathlib import Path

from tests.coverage.table import COUNT, Table

PAGE = Path(__file__).parents[2] / "docs" / "coverage.md"
_HEAD = """\
# What of the founding documents dynamoc covers

dynamoc began with five documents about the Dynamo operator. They describe {count} features. Each is a row of the table,
with what holds, and a test with an input in each release that is named. The table is in `tests/coverage/rows`.

<!-- Written by `python -m tests.coverage`; edit tests/coverage/rows instead. -->

| document | describes |
| --- | --- |
| 000 | Dynamo 0.4: the reference of its API |
| 001 | Dynamo 1.0: the reference of its API, the operator's configuration, defaults |
| 002 | Dynamo 0.5.1 to 0.6: the reference of its API, defaults |
| 003 | Dynamo 0.1: its operator |
| 004 | Dynamo 0.2: its operator, GitOps with Flux |

Where the documents contradict each other or the operator, and what dynamoc does then, is in
[contradictions.md](contradictions.md).

{holds} rows hold in full. {offline} cannot do offline what their document describes; the last column says what dynamoc
does instead.

| row | feature | documents | releases | what holds | cannot be offline, and what dynamoc does instead |
| --- | --- | --- | --- | --- | --- |
"""


def page_text(table: Table) -> str:
    offline = sum("offline" in row for row in table.rows.values())
    lines = [_HEAD.format(count=COUNT, holds=len(table.rows) - offline, offline=offline)]
    for number, row in table.rows.items():
        releases = sorted({release for case in row["case"] for release in case["releases"]}, key=_order)
        cells = [
            str(number),
            row["feature"],
            row["documents"],
            ", ".join(releases),
            row["check"],
            row.get("offline", ""),
        ]
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n")
    return "".join(lines)


def _order(release: str) -> tuple[int, ...]:
    return tuple(map(int, release.split(".")))
