"""`dynamoc check --show-settings`: which settings hold for an input, and where they come from."""

from __future__ import annotations

import json
import os
from typing import Any

from dynamoc.interfaces.cli.failure import DONE, write_stdout
from dynamoc.interfaces.cli.option_table import CHOICE, MANY, PART, SWITCH, Option, Values
from dynamoc.interfaces.cli.setting_words import named, split_file, variable
from dynamoc.interfaces.cli.settings import ALLOW, OVERRIDES, Settings, known, nearest, start_of

SCHEMA = "https://json-schema.org/draft/2020-12/schema"


def show_settings(values: Values) -> int:
    """The exit code; what is set for the first path is on stdout, from dynamoc.yaml and `DYNAMOC_*` variables."""
    found = _found(values["paths"][0])
    if values["output"] == "json":
        write_stdout(
            json.dumps([{"name": name, "value": value, "from": source} for name, value, source in found]) + "\n"
        )
        return DONE
    lines = [f"{name}: {_shown(value)}  ({source})" for name, value, source in found]
    write_stdout("".join(f"{line}\n" for line in lines) or "no settings\n")
    return DONE


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
        if name == ALLOW:
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
