"""Where every command line starts: the hot commands directly, everything else by way of typer.

Start-up time is part of the interface: a module imported here, or by what this imports, is paid for by each run.
"""

from __future__ import annotations

import os

from dynamoc.cli.argv import parse
from dynamoc.cli.failure import DONE, guarded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.cli.option_table import Values

_COMPLETION = "_DYNAMOC_COMPLETE"
"""Set by the shell's completion script; the words of the line are then not a command to run."""


def run(argv: list[str]) -> int:
    """Run one command line, without the program's name; the result is the exit code."""
    return guarded(lambda: _run(argv))


def _run(argv: list[str]) -> int:
    parsed = None
    if _COMPLETION not in os.environ:
        if argv == ["--version"]:
            return print_version()
        parsed = parse(argv)
    if parsed is None:
        from dynamoc.cli.app import run_app

        return run_app(argv)
    return run_command(*parsed)


def run_command(command: str, values: Values) -> int:
    """Run a command that has its options in the tables; the result is the exit code."""
    if command == "explain":
        from dynamoc.cli.explain import explain

        return explain(values)
    if command == "diff":
        from dynamoc.cli.diff import diff

        return diff(values)
    if command == "upgrade":
        from dynamoc.cli.upgrade import upgrade

        return upgrade(values)
    if command == "requires":
        from dynamoc.cli.requires import requires

        return requires(values)
    if command == "validate":
        from dynamoc.cli.validate import validate

        return validate(values)
    from dynamoc.cli.render import render

    return render(values)


def print_version() -> int:
    from dynamoc import __version__
    from dynamoc.cli.output import write_stdout

    write_stdout(f"dynamoc {__version__}\n")
    return DONE
