"""Patterns such as `deploy/**/*.yaml`. Python's own `glob` goes round in circles of links and takes any file."""

from __future__ import annotations

import os
from fnmatch import fnmatchcase

from dynamoc.source.directories import EXTENSIONS, WILDCARDS, names_in, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def matches(pattern: str) -> Iterator[str]:
    """The files that a pattern stands for, in the order of their names; directories stand for what they hold."""
    parts = pattern.split("/")
    start = ""
    if not parts[0]:
        start = "/"
        parts = parts[1:]
    by_name = WILDCARDS.isdisjoint(parts[-1])
    for path in _matches(start, [part for part in parts if part], set()):
        if os.path.isdir(path):
            yield from walk(path)
        elif by_name or path.lower().endswith(EXTENSIONS):
            yield path


def _matches(base: str, parts: list[str], seen: set[tuple[str, int]]) -> Iterator[str]:
    if not parts:
        yield base
        return
    part, rest = parts[0], parts[1:]
    if part == "**":
        yield from _any_depth(base, rest, seen)
    elif WILDCARDS.isdisjoint(part):
        path = os.path.join(base, part)
        if os.path.lexists(path):
            yield from _matches(path, rest, seen)
    else:
        for name in names_in(base):
            if fnmatchcase(name, part):
                yield from _matches(os.path.join(base, name), rest, seen)


def _any_depth(base: str, rest: list[str], seen: set[tuple[str, int]]) -> Iterator[str]:
    visit = (os.path.realpath(base), len(rest))
    if visit in seen:
        return
    seen.add(visit)
    if rest:
        yield from _matches(base, rest, seen)
    for name in names_in(base):
        path = os.path.join(base, name)
        if os.path.isdir(path):
            yield from _any_depth(path, rest, seen)
        elif not rest:
            yield path
