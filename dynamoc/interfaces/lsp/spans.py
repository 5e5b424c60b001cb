"""Keys and scalars of YAML on one line, in brackets also where the closing bracket is missing."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TypeAlias

Path: TypeAlias = "tuple[str | int, ...]"

#: a key of a block mapping, up to its colon
KEY = re.compile(r"""(?P<text>"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s#&*!|>%@`"'\[\]{},][^#\n]*?)\s*:(?=\s|$)""")
_MARKS = re.compile(r"\s*(?:[&!][^\s,\[\]{}]*\s+)*\s*")
_COMMENT = re.compile(r"\s+#.*$")
_QUOTED = {'"': re.compile(r'"((?:[^"\\]|\\.)*)("?)'), "'": re.compile(r"'((?:[^']|'')*)('?)")}


@dataclass(frozen=True)
class Span:
    """A key or scalar: its line, its columns (without quotes), and its text."""

    line: int
    start: int
    end: int
    text: str
    quote: str = ""
    is_closed: bool = True

    @classmethod
    def of_key(cls, line: int, match: re.Match[str]) -> Span:
        start, end, text = match.start("text"), match.end("text"), match["text"]
        if text[0] in "\"'":
            return cls(line, start + 1, end - 1, _plain(text[1:-1], text[0]), text[0])
        return cls(line, start, end, text)


@dataclass
class Entry:
    """An item or a key with its value, where that is a scalar: its path in the document and where it begins."""

    path: Path
    line: int
    column: int
    key: Span | None = None
    value: Span | None = None


def closing(text: str, quote: str) -> int:
    """The column behind the quote that closes a text which began on a line above; -1 where the line has none."""
    match = _QUOTED[quote].match(quote + text)
    return match.end() - 1 if match and match[2] else -1


def skip_marks(text: str, column: int) -> int:
    """The column behind spaces, anchors and tags."""
    match = _MARKS.match(text, column)
    return match.end() if match else column


def scalar_at(line: int, text: str, start: int, ends: str = "") -> Span:
    """The scalar that begins at a column; in brackets, it ends at one of `ends`."""
    quote = text[start : start + 1]
    if quote in _QUOTED:
        match = _QUOTED[quote].match(text, start)
        assert match is not None
        return Span(line, start + 1, match.end(1), _plain(match[1], quote), quote, bool(match[2]))
    end = len(text)
    for column in range(start, len(text)):
        if text[column] in ends or (ends and text.startswith(": ", column)):
            end = column
            break
    found = _COMMENT.sub("", text[start:end]).rstrip()
    return Span(line, start, start + len(found), found)


def _plain(text: str, quote: str) -> str:
    if quote == "'":
        return text.replace("''", "'")
    return re.sub(r"\\(.)", r"\1", text) if "\\" in text else text


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
