"""`dynamoc finding`: what a finding means, why it matters, and what to write instead."""

from __future__ import annotations

import json
import sys
from typing import Annotated, Literal

import typer

from dynamoc.cli.failure import UsageError
from dynamoc.cli.output import write_stdout


def _names() -> list[str]:
    from dynamoc.diagnostics.catalog.entry import entries

    return list(entries())


def finding(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="The name in brackets behind a finding.", autocompletion=_names),
    ] = None,
    output: Annotated[Literal["text", "json"], typer.Option("-o", "--output", help="Format of the answer.")] = "text",
) -> None:
    """Explain a finding, with an example; without NAME, list all findings."""
    from dynamoc.diagnostics.catalog.entry import entries
    from dynamoc.diagnostics.catalog.words import VERSION, record_of, text_of

    known = entries()
    if name is not None:
        name = name.strip("[]")
        if name not in known:
            raise UsageError(f"The finding {name} does not exist{_near(name, list(known))}")
    found = list(known.values()) if name is None else [known[name]]
    if output == "json":
        report = {"apiVersion": VERSION, "findings": [record_of(entry) for entry in found]}
        write_stdout(json.dumps(report, indent=2) + "\n")
    elif name is not None:
        write_stdout(text_of(found[0]))
    else:
        _list([(entry.slug, ",".join(entry.severities), entry.summary) for entry in found])


def _list(rows: list[tuple[str, ...]]) -> None:
    titles = ("FINDING", "SEVERITY", "SUMMARY")
    if not sys.stdout.isatty():
        write_stdout("".join("\t".join(row) + "\n" for row in (titles, *rows)))
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, header_style="bold")
    for title in titles:
        table.add_column(title, overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    Console().print(table)


def _near(name: str, known: list[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, known, n=1)
    return f"; did you mean {near[0]}?" if near else "; `dynamoc finding` lists them."
