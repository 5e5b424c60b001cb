"""The files below a directory that may hold manifests."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

EXTENSIONS = (".yaml", ".yml", ".json")
WILDCARDS = frozenset("*?[")


def walk(directory: str, seen: set[str] | None = None) -> Iterator[str]:
    """The YAML and JSON files below a directory. Links are followed, but no directory is visited twice.

    Pipes, sockets and devices are no files here: reading one that nobody writes to would never end. Links to nowhere
    are, and fail to be read.
    """
    seen = set() if seen is None else seen
    real = os.path.realpath(directory)
    if real in seen:
        return
    seen.add(real)
    for name in names_in(directory):
        path = os.path.join(directory, name)
        if os.path.isdir(path):
            yield from walk(path, seen)
        elif name.lower().endswith(EXTENSIONS) and (os.path.isfile(path) or not os.path.exists(path)):
            yield path


def names_in(directory: str) -> list[str]:
    """What is not hidden, sorted; nothing where there is no such directory."""
    try:
        return sorted(name for name in os.listdir(directory or os.curdir) if not name.startswith("."))
    except (FileNotFoundError, NotADirectoryError):
        return []
