"""The line of the input that a finding points at, fit for a terminal."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Protocol

    from dynamoc.diagnostics.finding import Place

    class Confidential(Protocol):
        """What of a file may not be shown (`dynamoc.source.confidential`)."""

        def hides(self, line: int) -> bool:
            """Whether a line, counted from 0, is not to be shown at all."""

        def redacted(self, text: str) -> str:
            """The text without what is secret."""

    ReadText = Callable[[str], str | None]
    """From the `file` of a place to its text, or None where it cannot be had again."""

WIDTH = 110
_WORD_ENDS = " \t,:]}"


class Excerpts:
    """Lines of the files that findings point at, without what is confidential in them."""

    def __init__(self, read: ReadText, confidential: Mapping[str, Confidential]) -> None:
        self._read = read
        self._confidential = confidential
        self._lines: dict[str, list[str]] = {}
        self._shown: dict[tuple[str, int], str | None] = {}

    def excerpt(self, place: Place, subject: str | None) -> tuple[str, str] | None:
        """The line and the marker below it; None where there is nothing to show, or it must stay secret."""
        line = self.line(place, subject)
        return _window(line, max(place.column, 1) - 1) if line else None

    def line(self, place: Place, subject: str | None) -> str | None:
        """The text of the line, without what is secret; None as for `excerpt`."""
        lines = self._file(place.file)
        if not 0 < place.line <= len(lines) or (subject or "").startswith("Secret/"):
            return None
        at = (place.file, place.line)
        # A file of one line may have thousands of findings on it.
        if at not in self._shown:
            self._shown[at] = self._line(place.file, lines[place.line - 1], place.line - 1)
        return self._shown[at]

    def end_column(self, place: Place, subject: str | None) -> int:
        """The column behind the word at a place, which is at least the next one."""
        line = self.line(place, subject)
        start = max(place.column, 1) - 1
        return (start if line is None or start >= len(line) else _word_end(line, start) - 1) + 2

    def _line(self, file: str, line: str, number: int) -> str | None:
        """What may be shown of a line."""
        hidden = self._confidential.get(file)
        if hidden is not None:
            if hidden.hides(number):
                return None
            line = hidden.redacted(line)
        return line.rstrip().replace("\t", " ")

    def _file(self, file: str) -> list[str]:
        if file not in self._lines:
            # Not str.splitlines: YAML 1.2 and Go count no form feeds and the like as line ends.
            text = (self._read(file) or "").replace("\r\n", "\n").replace("\r", "\n")
            self._lines[file] = text.split("\n")
        return self._lines[file]


def _window(text: str, column: int) -> tuple[str, str]:
    column = min(column, len(text))
    end = _word_end(text, column)
    cut = max(0, min(column - WIDTH // 2, len(text) - WIDTH))
    shown = text[cut : cut + WIDTH]
    before = printable(shown[: column - cut])
    if cut:
        shown, before = "..." + shown, "..." + before
    if cut + WIDTH < len(text):
        shown += "..."
    return printable(shown), " " * _columns(before) + "^" + "~" * (min(end, cut + WIDTH) - column - 1)


def _word_end(text: str, column: int) -> int:
    """The index behind the word that begins at an index, at most as far as an excerpt shows it."""
    end = column + 1
    while end < min(len(text), column + WIDTH) and text[end] not in _WORD_ENDS and text[column] not in _WORD_ENDS:
        end += 1
    return end


def printable(text: str) -> str:
    """Text without characters that steer a terminal: input must not be able to forge what a finding says."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else "\ufffd" for char in text)


def _columns(text: str) -> int:
    """How many columns of a terminal the text fills."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text)
