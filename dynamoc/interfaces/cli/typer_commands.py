"""The commands whose options typer alone reads: `capture`, `config`, `finding`, `lsp`, `rule`, `rules`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from difflib import get_close_matches
from shutil import which
from typing import Annotated, Any, Literal

import typer

from dynamoc.compiler.explain.answer import RULES_VERSION, Step, all_steps, find_step
from dynamoc.interfaces.capture import script
from dynamoc.interfaces.cli.failure import DONE, UsageError, write_stdout
from dynamoc.interfaces.cli.help import releases
from dynamoc.interfaces.cli.option_table import (
    CHOICE,
    MANY,
    PART,
    SWITCH,
    Option,
)
from dynamoc.interfaces.cli.setting_words import (
    named,
    split_file,
    variable,
)
from dynamoc.interfaces.cli.settings import IGNORE, OVERRIDES, Settings, known, nearest, start_of
from dynamoc.reference.findings import entries, record_of, text_of
from dynamoc.reference.releases import RELEASES, get_release


def _names() -> list[str]:
    return list(entries())


def finding(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="The name in brackets behind a finding.", autocompletion=_names),
    ] = None,
    output: Annotated[Literal["text", "json"], typer.Option("-o", "--output", help="Format of the answer.")] = "text",
) -> None:
    """Explain a finding, with an example; without NAME, list all findings."""
    from dynamoc.reference.findings import VERSION

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
    near = get_close_matches(name, known, n=1)
    return f"; did you mean {near[0]}?" if near else "; `dynamoc finding` lists them."


_Format = Annotated[Literal["text", "json"], typer.Option("-o", "--output", help="Format of the answer.")]


def _rule_names() -> list[str]:
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
        try:
            release = get_release(operator_version).name
        except KeyError:
            known = ", ".join(RELEASES)
            raise UsageError(f"--operator-version {operator_version} is not known; known releases: {known}.") from None
        found = [step for step in found if release in step.releases]
    if output == "json":
        _write_rules({"apiVersion": RULES_VERSION, "rules": [step_json(step) for step in found]})
    elif sys.stdout.isatty():
        _print_table(found)
    else:
        rows = [("RULE", "RELEASES", "WHAT IT DOES"), *((s.name, ",".join(s.releases), s.summary) for s in found)]
        write_stdout("".join("\t".join(row) + "\n" for row in rows))


def rule(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="As `dynamoc rules` lists it.", autocompletion=_rule_names)
    ],
    output: _Format = "text",
) -> None:
    """Tell what a rule sets, why, and how to override it."""
    step = find_step(name)
    if step is None:
        near = get_close_matches(name, _rule_names(), n=1)
        hint = f"; did you mean {near[0]}?" if near else "; `dynamoc rules` lists them."
        raise UsageError(f"The rule {name} does not exist{hint}")
    if output == "json":
        _write_rules({"apiVersion": RULES_VERSION, "rules": [step_json(step)]})
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


def _write_rules(data: dict[str, Any]) -> None:
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


SCHEMA = "https://json-schema.org/draft/2020-12/schema"


def config(
    path: Annotated[str, typer.Argument(metavar="[PATH]", help="An input: a file or a directory.")] = ".",
    output: Annotated[
        Literal["text", "json", "schema"],
        typer.Option("--output", "-o", help="schema: the JSON Schema of dynamoc.yaml, for editors."),
    ] = "text",
) -> None:
    """Show the settings that hold for PATH: from dynamoc.yaml, and from DYNAMOC_* variables.

    Options on the command line count before both.
    """
    if output == "schema":
        write_stdout(json.dumps(file_schema(), indent=2) + "\n")
        return
    found = _found(path)
    if output == "json":
        write_stdout(
            json.dumps([{"name": name, "value": value, "from": source} for name, value, source in found]) + "\n"
        )
        return
    lines = [f"{name}: {_shown(value)}  ({source})" for name, value, source in found]
    write_stdout("".join(f"{line}\n" for line in lines) or "no settings\n")


def _found(path: str) -> list[tuple[str, Any, str]]:
    """Name, value and source of what is set; of a name that both set, the variable counts."""
    found: dict[str, tuple[Any, str]] = {}
    file = None if os.environ.get("DYNAMOC_SETTINGS") == "none" else nearest(start_of([path]))
    if file is not None:
        settings = Settings(file)
        for name, value in settings.of(path).items():
            found[name] = (value, settings.path)
    for name, option in known().items():
        if variable(option) in os.environ:
            found[name] = (os.environ[variable(option)], f"${variable(option)}")
    return [(name, *found[name]) for name in sorted(found)]


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _one_of(options: list[Option]) -> dict[str, Any]:
    """The choices of commands that have options of one name."""
    if not all(option.choices for option in options):
        return {"type": "string", "minLength": 1}
    return {"enum": list(dict.fromkeys(choice for option in options for choice in option.choices))}


def file_schema() -> dict[str, Any]:
    """The JSON Schema of dynamoc.yaml, made of the tables of options."""

    properties: dict[str, Any] = {}
    for name, option in sorted(known().items()):
        if name == IGNORE:
            kind: dict[str, Any] = {"type": "object", "additionalProperties": {"type": "string", "minLength": 1}}
        elif option.kind == SWITCH:
            kind = {"type": "boolean"}
        elif option.kind == MANY:
            kind = {"type": "array", "items": {"type": "string", "minLength": 1}}
        elif option.kind == CHOICE:
            kind = _one_of(named(name))
        elif option.kind == PART:
            kind = {"enum": [*option.choices, True]}
        else:
            kind = {"type": "string", "minLength": 1}
        properties[name] = {**kind, "description": option.help + " (a path)" * (split_file(option, "") is not None)}
    paths = {"type": "array", "items": {"type": "string"}, "minItems": 1, "description": "Patterns of inputs."}
    part = {"type": "object", "required": ["paths"], "properties": {"paths": paths, **properties}}
    return {
        "$schema": SCHEMA,
        "title": "dynamoc.yaml",
        "type": "object",
        "properties": {
            **properties,
            OVERRIDES: {"type": "array", "items": {**part, "additionalProperties": False}},
        },
        "additionalProperties": False,
    }


def capture(
    directory: Annotated[
        str, typer.Option("-o", "--output-dir", metavar="DIR", help="The directory to fill.")
    ] = "cluster",
    run: Annotated[bool, typer.Option("--run", help="Run kubectl now, instead of printing the script.")] = False,
    context: Annotated[
        str | None, typer.Option("--kube-context", metavar="NAME", help="The kubectl context to use.")
    ] = None,
    namespaces: Annotated[
        list[str] | None,
        typer.Option(
            "-n",
            "--namespace",
            metavar="NAMESPACE",
            help="Limit claims, Secrets and graphs to this namespace. Repeatable.",
        ),
    ] = None,
) -> None:
    """Collect what --context, --operator-config and --against want to know of a cluster.

    Prints a script for any POSIX shell that fills DIR; with --run, kubectl does it at once. It only reads: the
    operator's Deployment and configuration, names and versions of CRDs, nodes, claims, classes, queues, graphs, and of
    Secrets the names and types. `render`, `diff`, `upgrade` and `requires` take DIR with --cluster.
    """
    text = script(directory, context, namespaces or [])
    if run:
        raise typer.Exit(_run(text))

    write_stdout(text)
    raise typer.Exit(DONE)


def _run(text: str) -> int:

    for tool in ("sh", "kubectl"):
        if which(tool) is None:
            raise UsageError(f"--run needs {tool}, which is not on PATH.")
    # Not through stdin: kubectl may ask there for a password.
    return subprocess.run(["sh", "-c", text], check=False).returncode


def lsp(
    stdio: Annotated[  # noqa: ARG001
        bool, typer.Option("--stdio", help="No effect: some editors pass it to every server.")
    ] = False,
) -> None:
    """Run the language server on stdin and stdout, for editors.

    It reports what `check` reports while somebody types, explains and completes fields, follows names, and renames
    components. dynamoc.yaml and DYNAMOC_* variables choose the release and all else. docs/editors.md shows how to set
    up editors.
    """
    # pygls is an extra.
    from dynamoc.interfaces.lsp.server import serve

    raise typer.Exit(serve())
