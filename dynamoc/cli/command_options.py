"""The options of each command."""

from __future__ import annotations

from dynamoc.cli import (
    options_check,
    options_compare,
    options_convert,
    options_explain,
    options_graph,
    options_post_render,
    options_report,
    options_requires,
)
from dynamoc.cli.option_table import COMMANDS, Option


def options_of(command: str) -> tuple[Option, ...] | None:
    """The options of a command; None where it has none in these tables."""
    if command in COMMANDS:
        return COMMANDS[command]
    if command in ("diff", "upgrade"):
        return options_compare.COMMANDS[command]
    if command == "check":
        return options_check.COMMANDS[command]
    if command == "convert":
        return options_convert.COMMANDS[command]
    if command == "explain":
        return options_explain.COMMANDS[command]
    if command == "graph":
        return options_graph.COMMANDS[command]
    if command == "report":
        return options_report.COMMANDS[command]
    if command == "requires":
        return options_requires.COMMANDS[command]
    if command == "post-render":
        return options_post_render.COMMANDS[command]
    return None
