"""The table: `rows/*.toml`, in the order of their numbers.

[inputs.NAME]            a document that rows start from
[[row]]
row = 15                 1 to 120
feature = "…"
documents = "003, 004"   which of the founding documents name it
check = "…"              what holds, in a sentence or two
offline = "…"            why dynamoc cannot do what the document describes, and what it does instead; else absent
[[row.case]]
releases = ["0.4", "1.0"]
input = "NAME", or text  an input of the table, or YAML
set = {"spec>services>Worker>replicas" = 0}   changes of the first document of the input; "-" removes a field
more = "…"               further documents, as YAML
run = "render"           the command and its options; render for --target plain if absent
files = {"context.yaml" = "…"}
expect = ["…"]           see `checks.py`
function = "…"           a function of `special.py` that checks what lines cannot
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, NamedTuple

FOLDER = Path(__file__).parent / "rows"
COUNT = 120


class Case(NamedTuple):
    """One release of one case of a row."""

    row: int
    release: str
    number: int
    values: dict[str, Any]

    @property
    def id(self) -> str:
        return f"{self.row}-{self.release}-{self.number}"


class Table(NamedTuple):
    """All rows by number, and the inputs that they start from."""

    rows: dict[int, dict[str, Any]]
    inputs: dict[str, str]

    def cases(self) -> list[Case]:
        return [
            Case(number, release, index, case)
            for number, row in self.rows.items()
            for index, case in enumerate(row.get("case", ()))
            for release in case["releases"]
        ]


def load_table() -> Table:
    """The table. ValueError for a row that is there twice."""
    rows: dict[int, dict[str, Any]] = {}
    inputs: dict[str, str] = {}
    for path in sorted(FOLDER.glob("*.toml")):
        content = tomllib.loads(path.read_text())
        inputs |= content.get("inputs", {})
        for row in content.get("row", ()):
            if row["row"] in rows:
                raise ValueError(f"row {row['row']} is in the table twice")
            rows[row["row"]] = row
    return Table(dict(sorted(rows.items())), inputs)
