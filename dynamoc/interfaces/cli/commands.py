"""The commands whose options stand in tables."""

from __future__ import annotations

from dynamoc import __version__
from dynamoc.interfaces.cli.check import check, validate
from dynamoc.interfaces.cli.command_options import use_limits
from dynamoc.interfaces.cli.compare import diff, upgrade
from dynamoc.interfaces.cli.convert import convert
from dynamoc.interfaces.cli.explain import explain
from dynamoc.interfaces.cli.failure import DONE, write_stdout
from dynamoc.interfaces.cli.option_table import Values
from dynamoc.interfaces.cli.plugins import post_render
from dynamoc.interfaces.cli.render import render
from dynamoc.interfaces.cli.report import graph, report, requires


def run_command(command: str, values: Values) -> int:
    """Run a command that has its options in the tables; the result is the exit code."""
    use_limits(values.get("limit") or [])
    if command == "check":
        return check(values)
    if command == "graph":
        return graph(values)
    if command == "report":
        return report(values)
    if command == "explain":
        return explain(values)
    if command == "diff":
        return diff(values)
    if command == "upgrade":
        return upgrade(values)
    if command == "requires":
        return requires(values)
    if command == "convert":
        return convert(values)
    if command == "post-render":
        return post_render(values)
    if command == "validate":
        return validate(values)
    return render(values)


def print_version() -> int:

    write_stdout(f"dynamoc {__version__}\n")
    return DONE
