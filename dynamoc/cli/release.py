"""`dynamoc release`: which operator releases there are to choose from."""

from __future__ import annotations

import sys
from typing import Annotated, Literal

import typer

from dynamoc.cli.output import write_stdout
from dynamoc.release import DEFAULT_RELEASE, RELEASES, Release

app = typer.Typer(help="Operator releases that dynamoc can stand in for.", no_args_is_help=True)

_EXACTNESS = {
    "recorded": "compared with recorded answers of the operator",
    "source": "follows the operator's source, not compared with records",
}


@app.callback()
def _release() -> None:
    """Keeps `list` a word of its own: typer folds a group of one command into that command."""


@app.command("list")
def list_releases(
    output: Annotated[Literal["text", "json"], typer.Option("-o", "--output", help="Format of the list.")] = "text",
) -> None:
    """List the operator releases, oldest first."""
    rows = [_row(release) for release in RELEASES.values()]
    if output == "json":
        import json

        write_stdout(json.dumps(rows, indent=2) + "\n")
    elif sys.stdout.isatty():
        _print_table(rows)
    else:
        write_stdout("".join("\t".join(map(_cell, row.values())) + "\n" for row in rows))


def _row(release: Release) -> dict[str, object]:
    return {
        "name": release.name,
        "version": release.version,
        "default": release.name == DEFAULT_RELEASE,
        "apiVersions": [f"nvidia.com/{version}" for version in release.api_versions],
        "exactness": release.exactness,
        "source": release.source,
    }


def _cell(value: object) -> str:
    if isinstance(value, list):
        return ",".join(value)
    if isinstance(value, bool):
        return "default" if value else "-"
    return str(value)


def _print_table(rows: list[dict[str, object]]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, header_style="bold")
    for title in ("RELEASE", "OPERATOR", "", "API", "CHECKED", "SOURCE"):
        table.add_column(title)
    for row in rows:
        cells = [_cell(value) for value in row.values()]
        cells[4] = _EXACTNESS.get(cells[4], cells[4])
        table.add_row(*("" if cell == "-" else cell for cell in cells))
    Console().print(table)
