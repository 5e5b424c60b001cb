"""The commands whose options stand in tables, each loaded when it runs."""

from __future__ import annotations

from dynamoc.cli.failure import DONE, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.cli.option_table import Values


def run_command(command: str, values: Values) -> int:
    """Run a command that has its options in the tables; the result is the exit code."""
    use_limits(values.get("limit") or [])
    if command == "check":
        from dynamoc.cli.check import check

        return check(values)
    if command == "graph":
        from dynamoc.cli.graph import graph

        return graph(values)
    if command == "report":
        from dynamoc.cli.report import report

        return report(values)
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
    if command == "convert":
        from dynamoc.cli.convert import convert

        return convert(values)
    if command == "post-render":
        from dynamoc.cli.post_render import post_render

        return post_render(values)
    if command == "validate":
        from dynamoc.cli.validate import validate

        return validate(values)
    from dynamoc.cli.render import render

    return render(values)


def use_limits(words: list[str]) -> None:
    """The limits of this run. Raises UsageError for one that does not exist."""
    from dynamoc.limits import set_limits

    try:
        set_limits(words)
    except ValueError as problem:
        raise UsageError(str(problem)) from None


def print_version() -> int:
    from dynamoc import __version__
    from dynamoc.cli.output import write_stdout

    write_stdout(f"dynamoc {__version__}\n")
    return DONE
