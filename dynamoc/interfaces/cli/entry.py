"""Where every command line starts: the hot commands directly, everything else by way of typer.

Start-up time is part of the interface: a module imported here, or by what this imports, is paid for by each run.

The plain spellings of a hot command, parsed without typer, which alone takes longer than rendering a graph.

`--option value`, `--option=value`, `-o value`, switches and paths. Anything else, from `--help` to a misspelt option,
gives None, and typer parses the same line with all its courtesy. What is parsed here means the same there.

The commands whose options stand in tables, each loaded when it runs.

Standard streams that are closed when dynamoc starts.

The next file to be opened would take the place of one, and get what is meant for it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from dynamoc import __version__
from dynamoc.interfaces.cli.command_options import options_of
from dynamoc.interfaces.cli.failure import DONE, UsageError, guarded, write_stdout
from dynamoc.interfaces.cli.option_table import CHOICE, MANY, PART, PIPED, SWITCH, Option, Values, defaults
from dynamoc.interfaces.cli.settings import with_settings
from dynamoc.kube.limits import set_limits


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


def run_command(command: str, values: Values) -> int:
    """Run a command that has its options in the tables; the result is the exit code."""
    use_limits(values.get("limit") or [])
    if command == "check":
        from dynamoc.interfaces.cli.check import check

        return check(values)
    if command == "graph":
        from dynamoc.interfaces.cli.report import graph

        return graph(values)
    if command == "report":
        from dynamoc.interfaces.cli.report import report

        return report(values)
    if command == "explain":
        from dynamoc.interfaces.cli.explain import explain

        return explain(values)
    if command == "diff":
        from dynamoc.interfaces.cli.compare import diff

        return diff(values)
    if command == "upgrade":
        from dynamoc.interfaces.cli.compare import upgrade

        return upgrade(values)
    if command == "requires":
        from dynamoc.interfaces.cli.report import requires

        return requires(values)
    if command == "convert":
        from dynamoc.interfaces.cli.convert import convert

        return convert(values)
    if command == "post-render":
        from dynamoc.interfaces.cli.plugins import post_render

        return post_render(values)
    if command == "validate":
        from dynamoc.interfaces.cli.check import validate

        return validate(values)
    from dynamoc.interfaces.cli.render import render

    return render(values)


def use_limits(words: list[str]) -> None:
    """The limits of this run. Raises UsageError for one that does not exist."""
    try:
        set_limits(words)
    except ValueError as problem:
        raise UsageError(str(problem)) from None


def print_version() -> int:

    write_stdout(f"dynamoc {__version__}\n")
    return DONE


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

    return max([_run_line(line) for line in with_settings(argv)])


def _run_line(argv: list[str]) -> int:
    parsed = None if _COMPLETION in os.environ else parse(argv)
    if parsed is None:
        from dynamoc.interfaces.cli.app import run_app

        return run_app(argv)
    return run_command(*parsed)


def _without_options(argv: list[str]) -> Callable[[], int] | None:
    """The command that other tools run in this very way; None where typer must look at the line."""
    if argv == ["fn"]:
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
