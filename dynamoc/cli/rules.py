"""`dynamoc rules` and `dynamoc rule`: what shapes the output, why, and how to override it."""

from __future__ import annotations

import json
import sys
from typing import Annotated, Any, Literal

import typer

from dynamoc.cli.completion import releases
from dynamoc.cli.failure import UsageError
from dynamoc.cli.output import write_stdout
from dynamoc.explain.steps import Step, all_steps, find_step

VERSION = "dynamoc.rules/v1"
_Format = Annotated[Literal["text", "json"], typer.Option("-o", "--output", help="Format of the answer.")]


def _names() -> list[str]:
    return [step.name for step in all_steps()]


def rules(
    output: _Format = "text",
    operator_version: Annotated[
        str | None,
        typer.Option(
            metavar="VERSION", help="List only what this release of the operator has.", autocompletion=releases
        ),
    ] = None,
    builders: Annotated[
        bool, typer.Option(help="Also list the functions that build the objects around the pods.")
    ] = True,
) -> None:
    """List the rules that shape pods, in their order, and what builds the objects around them."""
    found = [step for step in all_steps() if builders or step.kind == "rule"]
    if operator_version is not None:
        from dynamoc.release import RELEASES, get_release

        try:
            release = get_release(operator_version).name
        except KeyError:
            known = ", ".join(RELEASES)
            raise UsageError(f"--operator-version {operator_version} is not known; known releases: {known}.") from None
        found = [step for step in found if release in step.releases]
    if output == "json":
        _write({"apiVersion": VERSION, "rules": [step_json(step) for step in found]})
    elif sys.stdout.isatty():
        _print_table(found)
    else:
        rows = [("RULE", "RELEASES", "WHAT IT DOES"), *((s.name, ",".join(s.releases), s.summary) for s in found)]
        write_stdout("".join("\t".join(row) + "\n" for row in rows))


def rule(
    name: Annotated[str, typer.Argument(metavar="NAME", help="As `dynamoc rules` lists it.", autocompletion=_names)],
    output: _Format = "text",
) -> None:
    """Tell what a rule sets, why, and how to override it."""
    step = find_step(name)
    if step is None:
        from difflib import get_close_matches

        near = get_close_matches(name, _names(), n=1)
        hint = f"; did you mean {near[0]}?" if near else "; `dynamoc rules` lists them."
        raise UsageError(f"The rule {name} does not exist{hint}")
    if output == "json":
        _write({"apiVersion": VERSION, "rules": [step_json(step)]})
    else:
        write_stdout(_text(step))


def step_json(step: Step) -> dict[str, Any]:
    return {
        "name": step.name,
        "kind": step.kind,
        "text": step.text,
        "source": step.source,
        "releases": list(step.releases),
        "withoutRecords": step.source_only,
    }


def _text(step: Step) -> str:
    lines = [f"{step.name} ({step.kind})", "", step.text, ""]
    lines.append(f"releases: {', '.join(step.releases)}")
    if step.source_only:
        lines.append(f"not compared with recorded output: {', '.join(step.source_only)}")
    if step.source:
        lines.append(f"operator: {step.source}")
    return "\n".join(lines) + "\n"


def _write(data: dict[str, Any]) -> None:
    write_stdout(json.dumps(data, indent=2) + "\n")


def _print_table(steps: list[Step]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, header_style="bold")
    for title in ("RULE", "RELEASES", "WHAT IT DOES"):
        table.add_column(title, overflow="fold")
    for step in steps:
        table.add_row(*map(Text, (step.name, ", ".join(step.releases), step.summary)))
    Console().print(table)
