"""The commands whose options are in tables. Each is imported when it runs, as it may need other packages."""

from __future__ import annotations

from dynamoc import __version__
from dynamoc.interfaces.cli.command_line import settled, use_limits
from dynamoc.interfaces.cli.failure import DONE, write_stdout
from dynamoc.interfaces.cli.options import Values


def run_command(command: str, values: Values) -> int:
    """Run a command that has its options in the tables; the result is the exit code."""
    use_limits(values.get("limit") or [])
    values = settled(command, values)
    if command in ("check", "validate"):
        from dynamoc.interfaces.cli.check import check, validate

        return check(values) if command == "check" else validate(values)
    if command == "report":
        from dynamoc.interfaces.cli.report import report

        return report(values)
    if command == "explain":
        from dynamoc.interfaces.cli.explain import explain

        return explain(values)
    if command in ("diff", "upgrade"):
        from dynamoc.interfaces.cli.compare import diff, upgrade

        return diff(values) if command == "diff" else upgrade(values)
    if command == "requires":
        from dynamoc.interfaces.cli.report import requires

        return requires(values)
    if command == "convert":
        from dynamoc.interfaces.cli.convert import convert

        return convert(values)
    if command == "plugin helm":
        from dynamoc.interfaces.cli.plugins import post_render

        return post_render(values)
    from dynamoc.interfaces.cli.render import render

    return render(values)


def print_version() -> int:
    write_stdout(f"dynamoc {__version__}\n")
    return DONE
