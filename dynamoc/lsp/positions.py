"""Positions in a text, as dynamoc counts them (code points from 0) and as the editor does."""

from __future__ import annotations

import re

from lsprotocol.types import Position, PositionEncodingKind, Range

_LINE_END = re.compile(r"\r\n|\n|\r")
_UNITS = {PositionEncodingKind.Utf8: "utf-8", PositionEncodingKind.Utf16: "utf-16-le"}
_WIDTHS = {"utf-8": 1, "utf-16-le": 2}


class Lines:
    """The lines of a text, without their ends, and the positions in them.

    Lines end at LF, CR LF and CR, as the protocol says, and at nothing else.
    """

    def __init__(self, text: str, encoding: PositionEncodingKind | str | None = None) -> None:
        self.texts = _LINE_END.split(text)
        self._codec = _UNITS.get(PositionEncodingKind(encoding or PositionEncodingKind.Utf16))

    def position(self, line: int, column: int) -> Position:
        """The position of a code point; behind the last line, the end of the text."""
        if line >= len(self.texts):
            line, column = len(self.texts) - 1, len(self.texts[-1])
        before = self.texts[line][:column]
        return Position(line, len(before) if before.isascii() else self._units(before))

    def range(self, line: int, start: int, end: int) -> Range:
        return Range(self.position(line, start), self.position(line, end))

    def point(self, position: Position) -> tuple[int, int]:
        """Line and column of a position; a position inside of a character is that character's."""
        if position.line >= len(self.texts):
            return len(self.texts) - 1, len(self.texts[-1])
        text = self.texts[position.line]
        if text.isascii() or self._codec is None:
            return position.line, min(position.character, len(text))
        units = 0
        for column, char in enumerate(text):
            units += self._units(char)
            if units > position.character:
                return position.line, column
        return position.line, len(text)

    def _units(self, text: str) -> int:
        if self._codec is None:
            return len(text)
        return len(text.encode(self._codec, "surrogatepass")) // _WIDTHS[self._codec]
