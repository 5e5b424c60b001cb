"""The commands with their options, as typer has them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer.main

from dynamoc.interfaces.cli.app import app


def options() -> Iterator[tuple[str, Any]]:
    """The name of a command, such as `release diff`, and an option or argument of it."""
    for name, command in _commands(typer.main.get_command(app), ""):
        yield from ((name, option) for option in command.params)


def _commands(found: Any, name: str) -> Iterator[tuple[str, Any]]:
    inner = getattr(found, "commands", None)
    if not inner:
        yield name, found
        return
    for word, command in inner.items():
        yield from _commands(command, f"{name} {word}".strip())
