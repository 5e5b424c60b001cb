"""The plain spellings of a hot command, parsed without typer, which alone takes longer than rendering a graph.

`--option value`, `--option=value`, `-o value`, switches and paths. Anything else, from `--help` to a misspelt option,
gives None, and typer parses the same line with all its courtesy. What is parsed here means the same there.
"""

from __future__ import annotations

from dynamoc.cli.command_options import options_of
from dynamoc.cli.option_table import CHOICE, MANY, PART, PIPED, SWITCH, Option, defaults

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.cli.option_table import Values


def parse(argv: list[str]) -> tuple[str, Values] | None:
    """The command and its values, or None where typer must look at the line."""
    command = argv[0] if argv else ""
    options = options_of(command)
    if options is None:
        return None
    by_flag = {flag: option for option in options for flag in option.flags}
    values = defaults(options)
    words = iter(argv[1:])
    for word in words:
        if not word.startswith("-") or word == "-":
            values["paths"].append(word)
            continue
        if word == "--":
            values["paths"] += words
            break
        flag, equals, value = word.partition("=")
        option = by_flag.get(flag)
        if option is None or (equals and not flag.startswith("--")):
            return None
        if option.kind == PART and not equals:
            equals, value = "=", option.choices[-1]
        if option.kind == SWITCH:
            if equals:
                return None
            values[option.name] = not option.default
            continue
        if not equals:
            value = next(words, "--")
            if value.startswith("-") and value != "-":
                return None
        if not _store(option, value, values):
            return None
    values["paths"][:0] = values.get("filenames", ())
    if command in PIPED and not values["paths"]:
        values["paths"] = ["-"]
    return (command, values) if values["paths"] or values.get("from_index") else None


def _store(option: Option, value: str, values: Values) -> bool:
    if option.kind in (CHOICE, PART) and value not in option.choices:
        return False
    if option.kind == MANY:
        values[option.name].append(value)
    else:
        values[option.name] = value
    return True
