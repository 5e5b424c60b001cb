"""The options of each command.

The options of `explain`, which shares those of `render` that decide the output.

The options of `graph`, which shares those of `requires`.

The options of `post-render`: those of `render` that are not about files.

The options of `report`, which shares those of `graph`, and those of `check` that decide what is found.

The options of `requires`, which shares those of `render` that decide the objects.
"""

from __future__ import annotations

from dynamoc.interfaces.cli import options
from dynamoc.interfaces.cli.failure import UsageError
from dynamoc.interfaces.cli.option_table import (
    CHECKS,
    CHOICE,
    CLUSTER,
    COMMANDS,
    EXCLUDE,
    FILENAME,
    FINDINGS,
    INPUT,
    INTERMEDIATE,
    KEEP_GOING,
    LOAD_RESTRICTOR,
    MANY,
    OPERATOR_VERSION,
    PART,
    PIPED,
    STANDALONE,
    STDIN_FILENAME,
    SWITCH,
    Option,
    Values,
    defaults,
    output_option,
)
from dynamoc.interfaces.cli.option_table import COMMANDS as HOT
from dynamoc.interfaces.cli.options import FOUND
from dynamoc.kube.limits import set_limits

EXPLAIN_COMMANDS: dict[str, tuple[Option, ...]] = {
    "explain": (
        FILENAME,
        EXCLUDE,
        LOAD_RESTRICTOR,
        STDIN_FILENAME,
        output_option("text", "json", help="Format of the explanation."),
        INTERMEDIATE,
        *STANDALONE,
        *OPERATOR_VERSION,
        *CLUSTER,
        *CHECKS,
        *FINDINGS,
    ),
}


GRAPH_COMMANDS: dict[str, tuple[Option, ...]] = {
    "graph": (
        *INPUT,
        output_option(
            "mermaid",
            "dot",
            "svg",
            help="mermaid: for Markdown; dot: for Graphviz; svg: an image.",
        ),
        *STANDALONE,
        *OPERATOR_VERSION,
        *CLUSTER,
        *CHECKS,
        *FINDINGS,
    ),
}


_ABSENT = (
    "check", "exclude", "explain", "filenames", "from_index", "keep_going", "layout", "load_restrictor", "output",
    "output_dir", "passthrough_per_input", "skip_foreign", "stdin_filename",
)  # fmt: skip
POST_RENDER_COMMANDS: dict[str, tuple[Option, ...]] = {
    "post-render": tuple(option for option in HOT["render"] if option.name not in _ABSENT)
}


REPORT_COMMANDS: dict[str, tuple[Option, ...]] = {
    "report": (
        *INPUT,
        Option(
            "page",
            "-o",
            "--output-file",
            metavar="FILE",
            group="Output",
            help="Write the page to FILE instead of stdout.",
        ),
        *STANDALONE,
        *OPERATOR_VERSION,
        *CLUSTER,
        *CHECKS,
        *FOUND,
        *FINDINGS,
    ),
}


REQUIRES_COMMANDS: dict[str, tuple[Option, ...]] = {
    "requires": (
        *INPUT,
        output_option(
            "text",
            "json",
            "script",
            help="script: a shell script that checks with kubectl what is missing in a cluster.",
        ),
        *STANDALONE,
        Option(
            "fail_on",
            "--fail-on",
            kind=CHOICE,
            default="never",
            choices=("never", "missing"),
            group="Output",
            help="Exit with 1 if an object or an API is missing, optional ones aside.",
        ),
        KEEP_GOING,
        *OPERATOR_VERSION,
        *CLUSTER,
        *CHECKS,
        *FINDINGS,
    ),
}


def options_of(command: str) -> tuple[Option, ...] | None:
    """The options of a command; None where it has none in these tables."""
    if command in COMMANDS:
        return COMMANDS[command]
    if command in ("diff", "upgrade"):
        return options.COMPARE_COMMANDS[command]
    if command == "check":
        return options.CHECK_COMMANDS[command]
    if command == "convert":
        return options.CONVERT_COMMANDS[command]
    if command == "explain":
        return EXPLAIN_COMMANDS[command]
    if command == "graph":
        return GRAPH_COMMANDS[command]
    if command == "report":
        return REPORT_COMMANDS[command]
    if command == "requires":
        return REQUIRES_COMMANDS[command]
    if command == "post-render":
        return POST_RENDER_COMMANDS[command]
    return None


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


def use_limits(words: list[str]) -> None:
    """The limits of this run. Raises UsageError for one that does not exist."""
    try:
        set_limits(words)
    except ValueError as problem:
        raise UsageError(str(problem)) from None
