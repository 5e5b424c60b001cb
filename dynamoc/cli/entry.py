"""Where every command line starts: the hot commands directly, everything else by way of typer.

Start-up time is part of the interface: a module imported here, or by what this imports, is paid for by each run.
"""

from __future__ import annotations

import os

from dynamoc.cli.argv import parse
from dynamoc.cli.dispatch import print_version, run_command
from dynamoc.cli.failure import guarded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_COMPLETION = "_DYNAMOC_COMPLETE"
"""Set by the shell's completion script; the words of the line are then not a command to run."""


def run(argv: list[str]) -> int:
    """Run one command line, without the program's name; the result is the exit code."""
    return guarded(lambda: _run(argv))


def _run(argv: list[str]) -> int:
    if _COMPLETION in os.environ:
        return _run_line(argv)
    if not argv:
        argv = ["--help"]
    if argv == ["--version"]:
        return print_version()
    if argv and argv[0] in ("fn", "argocd"):
        action = _without_options(argv)
        if action is not None:
            return action()
    from dynamoc.cli.settings import with_settings

    return max([_run_line(line) for line in with_settings(argv)])


def _run_line(argv: list[str]) -> int:
    parsed = None if _COMPLETION in os.environ else parse(argv)
    if parsed is None:
        from dynamoc.cli.app import run_app

        return run_app(argv)
    return run_command(*parsed)


def _without_options(argv: list[str]) -> Callable[[], int] | None:
    """The command that other tools run in this very way; None where typer must look at the line."""
    if argv == ["fn"]:
        from dynamoc.cli.fn import fn

        return fn
    if len(argv) == 2 and argv[0] == "argocd":
        from dynamoc.cli.argocd import COMMANDS

        return COMMANDS.get(argv[1])
    return None
