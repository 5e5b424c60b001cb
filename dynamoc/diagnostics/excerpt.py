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

    def excerpt(self, place: Place, subject: str | None) -> tuple[str, str] | None:
        """The line and the marker below it; None where there is nothing to show, or it must stay secret."""
        lines = self._file(place.file)
        if not 0 < place.line <= len(lines) or (subject or "").startswith("Secret/"):
            return None
        line, hidden = lines[place.line - 1], self._confidential.get(place.file)
        if hidden is not None:
            if hidden.hides(place.line - 1):
                return None
            line = hidden.redacted(line)
        return _window(line, max(place.column, 1) - 1)

    def _file(self, file: str) -> list[str]:
        if file not in self._lines:
            # Not str.splitlines: YAML 1.2 and Go count no form feeds and the like as line ends.
            text = (self._read(file) or "").replace("\r\n", "\n").replace("\r", "\n")
            self._lines[file] = text.split("\n")
        return self._lines[file]


def _window(line: str, column: int) -> tuple[str, str] | None:
    text = line.rstrip().replace("\t", " ")
    if not text:
        return None
    column = min(column, len(text))
    end = column + 1
    while end < len(text) and text[end] not in _WORD_ENDS and text[column] not in _WORD_ENDS:
        end += 1
    cut = max(0, min(column - WIDTH // 2, len(text) - WIDTH))
    shown = text[cut : cut + WIDTH]
    before = printable(shown[: column - cut])
    if cut:
        shown, before = "..." + shown, "..." + before
    if cut + WIDTH < len(text):
        shown += "..."
    return printable(shown), " " * _columns(before) + "^" + "~" * (min(end, cut + WIDTH) - column - 1)


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
