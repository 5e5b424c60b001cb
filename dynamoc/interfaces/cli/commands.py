"""The commands whose options stand in tables. Each is imported when it runs, as it may need packages of its own."""

from __future__ import annotations

from dynamoc import __version__
from dynamoc.interfaces.cli.command_options import use_limits
from dynamoc.interfaces.cli.failure import DONE, write_stdout
from dynamoc.interfaces.cli.option_table import Values


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


def print_version() -> int:

    write_stdout(f"dynamoc {__version__}\n")
    return DONE
