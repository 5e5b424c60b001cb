"""Where every command line starts: the commands in the tables directly, everything else by way of typer.

A module that is imported here, or by what this imports, takes time in each run.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from dynamoc.interfaces.cli.command_line import parse, refuse_old_names
from dynamoc.interfaces.cli.commands import print_version, run_command
from dynamoc.interfaces.cli.failure import guarded
from dynamoc.interfaces.cli.settings import with_settings

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
    if argv in (["--version"], ["-V"]):
        return print_version()
    if argv[0] == "plugin":
        action = _without_options(argv[1:])
        if action is not None:
            return action()
    return max([_run_line(line) for line in with_settings(argv)])


def _run_line(argv: list[str]) -> int:
    parsed = None if _COMPLETION in os.environ else parse(argv)
    if parsed is None:
        refuse_old_names(argv)
        from dynamoc.interfaces.cli.app import run_app

        return run_app(argv)
    return run_command(*parsed)


def _without_options(argv: list[str]) -> Callable[[], int] | None:
    """The plugin that other tools run in this very way; None where typer must look at the line."""
    if argv == ["kustomize"]:
        from dynamoc.interfaces.cli.plugins import fn

        return fn
    if len(argv) == 2 and argv[0] == "argocd":
        from dynamoc.interfaces.cli.plugins import COMMANDS

        return COMMANDS.get(argv[1])
    return None


def replace_closed_streams() -> None:
    """Nothing can be read from a closed stdin or written to a closed stdout; what goes to a closed stderr is lost."""
    _keep_place(0, os.O_WRONLY)
    _keep_place(1, os.O_RDONLY)
    _keep_place(2, os.O_WRONLY)
    if sys.stdin is None:
        sys.stdin = open(0, closefd=False)  # noqa: SIM115 - for as long as the process runs
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115


def _keep_place(number: int, mode: int) -> None:
    try:
        os.fstat(number)
    except OSError:
        # The lowest number that is free, which is this one.
        os.open(os.devnull, mode)
