"""Mappings and sequences in brackets, also where the closing bracket is missing."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from dynamoc.lsp.spans import Entry, Path, Span, closing, scalar_at

_SPACE = re.compile(r"\s*(#.*)?")
_COLON = re.compile(r"\s*:(?=[\s,\]}\"'\[{]|$)")
_ENDS = ",]}[{"


@dataclass
class Open:
    """A bracket that is open: its path, and the key or index that it is at.

    column  of the bracket
    behind  whether its colon or bracket was the last word, and not a comma
    """

    path: Path
    is_sequence: bool
    line: int
    column: int
    key: Span | None = None
    index: int = 0

    @property
    def current(self) -> Path:
        return (*self.path, self.index if self.is_sequence else self.key.text if self.key else "")


class Flow:
    """Reads one value in brackets.

    watched  the brackets that are open where the watched line begins
    """

    def __init__(self, lines: list[str], end: int, watched: int = -1) -> None:
        self._lines = lines
        self._end = end
        self._watched = watched
        self._open: list[Open] = []
        self._entries: list[Entry] = []
        #: of a text that no line has closed so far
        self._quote = ""
        self.watched: list[Open] = []

    def read(self, line: int, column: int, path: Path) -> tuple[list[Entry], int]:
        """What is in the brackets, and the line behind them."""
        while line < self._end:
            self._on_line(line, self._lines[line], column, path)
            line, column = line + 1, 0
            if not self._open:
                break
            if line == self._watched < self._end:
                self.watched = [replace(each) for each in self._open]
        return self._entries, line

    def _on_line(self, line: int, text: str, column: int, path: Path) -> None:
        if self._quote:
            column = closing(text, self._quote)
            if column < 0:
                return
            self._quote = ""
        while True:
            space = _SPACE.match(text, column)
            column = space.end() if space else column
            if column >= len(text):
                return
            column = self._token(line, text, column, path)
            if not self._open:
                return

    def _token(self, line: int, text: str, column: int, path: Path) -> int:
        char = text[column]
        top = self._open[-1] if self._open else None
        if char in "{[":
            at = self._place(line, column) if top else path
            self._open.append(Open(at, char == "[", line, column))
        elif char in "]}":
            self._open.pop()
        elif char == "," and top is not None:
            top.key = None
            top.index += top.is_sequence
        elif char == ":":
            pass
        else:
            return self._scalar(line, text, column)
        return column + 1

    def _place(self, line: int, column: int) -> Path:
        """The path of what begins here, which an item is an entry for."""
        top = self._open[-1]
        if top.is_sequence:
            self._entries.append(Entry(top.current, line, column))
        return top.current

    def _scalar(self, line: int, text: str, column: int) -> int:
        span = scalar_at(line, text, column, _ENDS)
        end = max(span.end + bool(span.quote), column + 1)
        if not span.is_closed:
            self._quote, end = span.quote, len(text)
        top = self._open[-1]
        colon = _COLON.match(text, end)
        if not top.is_sequence and top.key is None:
            top.key = span
            self._entries.append(Entry(top.current, line, column, span))
        elif top.is_sequence and colon is None:
            self._entries.append(Entry(top.current, line, column, None, span))
        elif self._entries and self._entries[-1].key is top.key:
            self._entries[-1].value = span
        return colon.end() if colon else end


def open_in(line: str, column: int, path: Path, before: list[Open]) -> list[Open]:
    """The brackets that are open at the end of a part of a line, of which some were open `before`."""
    flow = Flow([line], 1)
    flow._open = [replace(each) for each in before]
    flow._on_line(0, line, column, path)
    return flow._open
