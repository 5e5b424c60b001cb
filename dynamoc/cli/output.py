"""Writing to stdout."""

from __future__ import annotations


def write_stdout(text: str) -> None:
    """UTF-8 whatever the locale says. Raises BrokenPipeError where the reader has gone, OSError on a full disk."""
    with open(1, "wb", closefd=False) as stdout:
        stdout.write(text.encode())
