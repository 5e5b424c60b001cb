"""`dynamoc release`: which operator releases there are to choose from, and how two of them differ."""

from __future__ import annotations

import sys
from typing import Annotated, Literal

import typer

from dynamoc.cli.completion import releases
from dynamoc.cli.failure import UsageError
from dynamoc.cli.help import Command, Group
from dynamoc.cli.output import write_stdout
from dynamoc.release import DEFAULT_RELEASE, RELEASES, Release, get_release

app = typer.Typer(help="Operator releases that dynamoc can render for.", cls=Group, no_args_is_help=True)

_TITLES = ["RELEASE", "OPERATOR", "DEFAULT", "API", "CHECKED", "SOURCE", "COMPARED-GRAPHS"]
_EXACTNESS = {
    "recorded": "compared with recorded output of the operator",
    "recorded early": "compared with recorded answers of a commit before the release, and with its source since",
    "source": "follows the operator's source, not compared with recorded output",
}


@app.command("list", cls=Command)
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
        lines = [_TITLES, *(list(map(_cell, row.values())) for row in rows)]
        write_stdout("".join("\t".join(line) + "\n" for line in lines))


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


def _print_table(rows: list[dict[str, object]]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, header_style="bold")
    for title in ("RELEASE", "OPERATOR", "", "API", "CHECKED", "SOURCE"):
        table.add_column(title, overflow="fold")
    for row in rows:
        *cells, graphs = [_cell(value) for value in row.values()]
        cells[4] = _EXACTNESS.get(cells[4], cells[4])
        if row["comparedGraphs"]:
            cells[4] += f", but with the operator's code on {graphs} random graphs"
        table.add_row(*("" if cell == "-" else cell for cell in cells))
    Console().print(table)


@app.command("diff", cls=Command)
def diff_releases(
    old: Annotated[str, typer.Argument(metavar="OLD", help="The older release.", autocompletion=releases)],
    new: Annotated[str, typer.Argument(metavar="NEW", help="The newer release.", autocompletion=releases)],
    output: Annotated[Literal["text", "json"], typer.Option("-o", "--output", help="Format.")] = "text",
) -> None:
    """Print what differs between two operator releases: features, values, pod rules, builders, webhooks, fields of the
    API and of the configuration, the chart, and Go types."""
    from dynamoc.cli.release_difference import as_text, difference_of

    difference = difference_of(_named(old), _named(new))
    if output == "json":
        import json

        write_stdout(json.dumps(difference, indent=2, ensure_ascii=False) + "\n")
    else:
        write_stdout(as_text(difference))


def _named(name: str) -> Release:
    try:
        return get_release(name)
    except KeyError:
        raise UsageError(
            f"{name} is not a release that dynamoc knows; known releases: {', '.join(RELEASES)}."
        ) from None
