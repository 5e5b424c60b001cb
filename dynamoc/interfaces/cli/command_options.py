"""The options of each command."""

from __future__ import annotations

from dynamoc.interfaces.cli import more_options, options
from dynamoc.interfaces.cli.option_table import COMMANDS, Option


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
        return more_options.EXPLAIN_COMMANDS[command]
    if command == "graph":
        return more_options.GRAPH_COMMANDS[command]
    if command == "report":
        return more_options.REPORT_COMMANDS[command]
    if command == "requires":
        return more_options.REQUIRES_COMMANDS[command]
    if command == "post-render":
        return more_options.POST_RENDER_COMMANDS[command]
    return None
