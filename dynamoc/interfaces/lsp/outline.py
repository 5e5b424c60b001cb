"""What a YAML text holds as far as its indentation says, also while a line is being typed and nothing parses.

The real reader decides what is right; this one finds the path of a line, and the names around it. It never fails.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field

from dynamoc.interfaces.lsp.spans import KEY, Entry, Flow, Open, Path, Span, closing, scalar_at, skip_marks

_MARKER = re.compile(r"(---|\.\.\.)(?=\s|$)")
_BLOCK_SCALAR = re.compile(r"[|>][-+0-9]*\s*(#.*)?$")
_BLANK = re.compile(r"\s*(#|$)")


@dataclass
class Frame:
    """A mapping or sequence that is open: its column, its path, and the key or index that it is at."""

    column: int
    is_sequence: bool
    path: Path
    last: str | int = -1

    @property
    def current(self) -> Path:
        return (*self.path, self.last)


@dataclass
class Part:
    """One document of a text: its first and last line, from 0, and what is in it, in its order."""

    first: int
    last: int = 0
    entries: list[Entry] = field(default_factory=list)

    def value(self, *path: str | int) -> str | None:
        """The text of a scalar."""
        found = next((each for each in self.entries if each.path == path), None)
        return found.value.text if found and found.value else None

    def entry(self, path: Path) -> Entry | None:
        return next((each for each in self.entries if each.path == path), None)

    def children(self, path: Path) -> list[Entry]:
        """What is directly in a mapping or sequence."""
        depth = len(path) + 1
        return [each for each in self.entries if len(each.path) == depth and each.path[:-1] == path]


@dataclass
class Cursor:
    """Where a line belongs that is looked at while the rest is read.

    frames  open in front of the line, the outermost first
    flow    brackets that are open around its start
    inside  whether the line is inside of a text of several lines
    """

    frames: list[Frame] = field(default_factory=list)
    flow: list[Open] = field(default_factory=list)
    inside: bool = False


class Outline:
    """The documents of a text. `cursor` is known for the line that was asked for."""

    def __init__(self, lines: list[str], watched: int = -1) -> None:
        self._lines = lines
        self._watched = watched
        self.cursor = Cursor()
        self.parts: list[Part] = []
        self._frames: list[Frame] = []
        self._by_line: dict[int, list[Entry]] = {}
        self._start(0)
        number = 0
        while number < len(lines):
            number = self._line(number)
        self.parts[-1].last = max(len(lines) - 1, 0)
        for entry in (each for part in self.parts for each in part.entries):
            self._by_line.setdefault(entry.line, []).append(entry)

    def part_at(self, line: int) -> Part:
        starts = [part.first for part in self.parts]
        return self.parts[max(bisect_right(starts, line) - 1, 0)]

    def entries_on(self, line: int) -> list[Entry]:
        return self._by_line.get(line, [])

    def entry_at(self, line: int, column: int) -> Entry | None:
        """The entry whose key or value is at a position."""
        found = None
        for entry in self.part_at(line).entries:
            for span in (entry.key, entry.value):
                if span is not None and span.line == line and span.start <= column <= span.end:
                    found = entry
        return found

    def _start(self, line: int) -> None:
        if self.parts:
            self.parts[-1].last = line - 1
        self.parts.append(Part(line))
        self._frames = []

    def _line(self, number: int) -> int:
        """Reads a line, with those that belong to its value; the number of the next one."""
        text = self._lines[number]
        if number == self._watched:
            self.cursor.frames = [Frame(each.column, each.is_sequence, each.path, each.last) for each in self._frames]
        marker = _MARKER.match(text)
        if marker:
            self._start(number if marker[1] == "---" else number + 1)
            text = " " * 3 + text[3:]
        if _BLANK.match(text) or text.startswith("%"):
            return number + 1
        column = len(text) - len(text.lstrip(" "))
        column = self._dashes(number, text, column)
        if column >= len(text) or _BLANK.match(text[column:]):
            return number + 1
        return self._content(number, text, column)

    def _dashes(self, number: int, text: str, column: int) -> int:
        """Opens the items that begin on a line; the column behind them."""
        while text.startswith("-", column) and text[column + 1 : column + 2] in ("", " ", "\t"):
            frame = self._open(column, is_sequence=True)
            frame.last = int(frame.last) + 1
            self._add(Entry(frame.current, number, column))
            rest = text[column + 1 :]
            column += 1 + len(rest) - len(rest.lstrip())
        return column

    def _content(self, number: int, text: str, column: int) -> int:
        start = skip_marks(text, column)
        key = KEY.match(text, start)
        if key is None:
            path = self._frames[-1].current if self._frames and self._frames[-1].is_sequence else None
            depth = self._frames[-1].column if self._frames else -1
            return self._value(number, text, start, path if path is not None or self._frames else (), depth, None)
        span = Span.of_key(number, key)
        frame = self._open(column, is_sequence=False)
        frame.last = span.text
        entry = Entry(frame.current, number, column, span)
        self._add(entry)
        return self._value(number, text, skip_marks(text, key.end()), frame.current, frame.column, entry)

    def _value(self, number: int, text: str, start: int, path: Path | None, depth: int, entry: Entry | None) -> int:
        """What is behind a key or dash; texts and brackets may go on below, where they are indented more."""
        rest = text[start:]
        if not rest or _BLANK.match(rest):
            return number + 1
        if entry is None:
            entry = next((each for each in reversed(self.parts[-1].entries) if each.path == path), None)
        if _BLOCK_SCALAR.match(rest):
            return self._skip(number + 1, depth)
        if rest[0] in "{[" and path is not None:
            flow = Flow(self._lines, self._end(number, depth), self._watched)
            entries, after = flow.read(number, start, path)
            self.parts[-1].entries += entries
            self.cursor.flow = flow.watched or self.cursor.flow
            return after
        span = scalar_at(number, text, start)
        if entry is not None and entry.value is None:
            entry.value = span
        if rest[0] in "\"'" and not span.is_closed:
            return self._closing(number + 1, depth, rest[0])
        return number + 1

    def _end(self, number: int, depth: int) -> int:
        """The line that cannot belong to brackets any more which a line opens: one that is indented less."""
        for line in range(number + 1, len(self._lines)):
            text = self._lines[line]
            if line == self._watched and not text.strip() and len(text) <= depth:
                return line
            if not _BLANK.match(text) and len(text) - len(text.lstrip()) <= depth and text.lstrip()[0] not in "]}":
                return line
        return len(self._lines)

    def _skip(self, number: int, depth: int) -> int:
        """The line behind a block scalar."""
        while number < len(self._lines):
            text = self._lines[number]
            if text.strip() and len(text) - len(text.lstrip()) <= depth:
                return number
            if number == self._watched:
                if len(text) <= depth and not self._goes_on(number, depth):
                    return number
                self.cursor.inside = True
            number += 1
        return number

    def _goes_on(self, number: int, depth: int) -> bool:
        """Whether more of a block scalar follows behind an empty line."""
        rest = (text for text in self._lines[number + 1 :] if text.strip())
        following = next(rest, "")
        return bool(following) and len(following) - len(following.lstrip()) > depth

    def _closing(self, number: int, depth: int, quote: str) -> int:
        """The line behind a quoted text that no line before closes."""
        end = self._end(number - 1, depth)
        for line in range(number, end):
            if line == self._watched:
                self.cursor.inside = True
            if closing(self._lines[line], quote) >= 0:
                return line + 1
        self.cursor.inside = False
        return number

    def _open(self, column: int, *, is_sequence: bool) -> Frame:
        return opened(self._frames, column, is_sequence=is_sequence)

    def _add(self, entry: Entry) -> None:
        self.parts[-1].entries.append(entry)


def opened(frames: list[Frame], column: int, *, is_sequence: bool) -> Frame:
    """The mapping or sequence at a column; all that is deeper is closed."""
    while frames and frames[-1].column > column:
        frames.pop()
    if frames and frames[-1].column == column and frames[-1].is_sequence and not is_sequence:
        # Items may be as deep as the key that they belong to.
        frames.pop()
    top = frames[-1] if frames else None
    if top is not None and top.column == column and top.is_sequence == is_sequence:
        return top
    frame = Frame(column, is_sequence, top.current if top else ())
    frames.append(frame)
    return frame
