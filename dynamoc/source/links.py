"""Links that lead out of the input: a stranger's link could show any file of the machine in a message."""

from __future__ import annotations

import os

#: what a shell hands over as a file: `<(command)`
_OF_THE_SHELL = ("/dev/", "/proc/self/fd/")


def roots_of(path: str) -> list[str]:
    """The directories that files behind a path of the command line may be in: its own, and the current one above it."""
    own = os.path.abspath(path if os.path.isdir(path) else os.path.dirname(path))
    here = os.getcwd()
    roots = [os.path.realpath(own)]
    if here != os.sep and (own + os.sep).startswith(here.rstrip(os.sep) + os.sep):
        roots.append(os.path.realpath(here))
    return roots


def leads_out(file: str, real: str, roots: list[str]) -> bool:
    """Whether a file, in truth `real`, is in none of the directories."""
    if file.startswith(_OF_THE_SHELL):
        return False
    return not any(_is_below(real, root) for root in roots)


def is_inside(path: str, root: str) -> bool:
    """Whether a path leads to a directory or to something below it, through links or not."""
    return _is_below(os.path.realpath(path), os.path.realpath(root))


def _is_below(real: str, root: str) -> bool:
    return (real + os.sep).startswith(root.rstrip(os.sep) + os.sep)
