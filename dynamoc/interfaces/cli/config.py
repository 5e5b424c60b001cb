"""`dynamoc config`: which settings hold for an input, and where they come from."""

from __future__ import annotations

import json
import os
from typing import Annotated, Any, Literal

import typer

from dynamoc.interfaces.cli.failure import write_stdout
from dynamoc.interfaces.cli.option_table import CHOICE, MANY, PART, SWITCH, Option
from dynamoc.interfaces.cli.setting_words import named, split_file, variable
from dynamoc.interfaces.cli.settings import IGNORE, OVERRIDES, Settings, known, nearest, start_of

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
