"""The whole application in typer: help, completion, usage errors, and the commands that need not be quick.

The hot commands get their parameters from the table in `options.py`, so that both parsers know the same options.
"""

from __future__ import annotations

import inspect
from typing import Annotated, Any, Literal, Optional

import typer

from dynamoc.cli import release
from dynamoc.cli.entry import print_version, run_command
from dynamoc.cli.options import CHOICE, COMMANDS, MANY, SWITCH, Option
from dynamoc.cli.schema import schema

_HELP = {
    "render": "Render the objects that the Dynamo operator would create for the graphs and components in PATH.\n\n"
    "PATH is a YAML or JSON file, a directory of them, or - for stdin. All inputs together are one cluster, "
    "except with --layout per-input.",
    "validate": "Find what render would find in PATH, and write no objects.",
}
_EPILOG = "Exit codes: 0 done, 1 errors in the input, 2 wrong usage, 3 a bug of dynamoc."

app = typer.Typer(
    name="dynamoc",
    help="Compile NVIDIA Dynamo graphs into the Kubernetes objects that the Dynamo operator would create.",
    epilog=_EPILOG,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def run_app(argv: list[str]) -> int:
    """Run any command line; the result is the exit code."""
    try:
        app(args=argv, prog_name="dynamoc")
    except SystemExit as leave:
        return leave.code if isinstance(leave.code, int) else 0
    return 0


@app.callback()
def _main(
    version: Annotated[bool, typer.Option("--version", help="Print the version.", is_eager=True)] = False,
) -> None:
    if version:
        raise typer.Exit(print_version())


def _add_hot_command(name: str) -> None:
    table = COMMANDS[name]

    def command(paths: list[str], **given: Any) -> None:
        values: dict[str, Any] = {"paths": paths}
        for option in table:
            value = given[option.name]
            values[option.name] = value != option.default if option.kind == SWITCH else value
            if option.kind == MANY:
                values[option.name] = list(value or [])
        raise typer.Exit(run_command(name, values))

    parameters = [_path_parameter(), *map(_parameter, table)]
    # typer reads a command's parameters from its signature.
    setattr(command, "__signature__", inspect.Signature(parameters))  # noqa: B010
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    app.command(name, help=_HELP[name], epilog=_EPILOG)(command)


def _path_parameter() -> inspect.Parameter:
    argument = typer.Argument(metavar="PATH...", help="Files, directories, or - for stdin.", show_default=False)
    return inspect.Parameter("paths", inspect.Parameter.KEYWORD_ONLY, annotation=Annotated[list[str], argument])


def _parameter(option: Option) -> inspect.Parameter:
    kinds: dict[str, Any] = {SWITCH: bool, MANY: Optional[list[str]], CHOICE: Literal[option.choices]}  # noqa: UP045
    kind = kinds.get(option.kind, str)
    default = False if option.kind == SWITCH else option.default
    if default is None and option.kind != MANY:
        kind = Optional[kind]  # noqa: UP045
    declared = typer.Option(
        *option.flags,
        help=option.help,
        metavar=option.metavar,
        rich_help_panel=option.group,
        show_default=bool(option.default) and option.kind != SWITCH,
    )
    return inspect.Parameter(
        option.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, declared]
    )


for _name in COMMANDS:
    _add_hot_command(_name)
app.add_typer(release.app, name="release")
app.command("schema")(schema)
