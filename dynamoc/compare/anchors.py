"""Where a value is written that an alias repeats."""

from __future__ import annotations

import re

from dynamoc.diagnostics.finding import Place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_ALIAS = re.compile(r"\*([^\s,\[\]{}]+)")


class Anchors:
    """Anchors of files. `read` gives the text of a file, None where there is none."""

    def __init__(self, read: Callable[[str], str | None]) -> None:
        self._read = read
        self._lines: dict[str, list[str]] = {}

    def behind(self, place: Place) -> Place:
        """The anchor of the alias at a place; the place itself where there is no alias."""
        lines = self._of(place.file)
        if place.line > len(lines):
            return place
        alias = _ALIAS.match(lines[place.line - 1], place.column - 1)
        if alias is None:
            return place
        anchor = re.compile(rf"&{re.escape(alias[1])}(?![^\s,\[\]{{}}])")
        for number in range(place.line, 0, -1):
            found = anchor.search(lines[number - 1])
            if found:
                return Place(place.file, number, found.start() + 1, place.source)
        return place

    def _of(self, file: str) -> list[str]:
        if file not in self._lines:
            text = self._read(file) or ""
            self._lines[file] = text.split("\n") if "&" in text else []
        return self._lines[file]
