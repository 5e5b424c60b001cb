"""The line of the input that a finding points at, fit for a terminal."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from dynamoc.diagnostics.finding import Place

    ReadText = Callable[[str], str | None]
    """From the `file` of a place to its text, or None where it cannot be had again."""

WIDTH = 110
_WORD_ENDS = " \t,:]}"


class Excerpts:
    """Lines of the files that findings point at. Documents that hold a Secret are never shown."""

    def __init__(self, read: ReadText) -> None:
        self._read = read
        self._lines: dict[str, list[str]] = {}

    def excerpt(self, place: Place, subject: str | None) -> tuple[str, str] | None:
        """The line and the marker below it; None where there is nothing to show, or it must stay secret."""
        lines = self._file(place.file)
        if not 0 < place.line <= len(lines) or (subject or "").startswith("Secret/"):
            return None
        if _holds_secret(lines, place.line - 1):
            return None
        return _window(lines[place.line - 1], max(place.column, 1) - 1)

    def _file(self, file: str) -> list[str]:
        if file not in self._lines:
            # Not str.splitlines: YAML 1.2 and Go count no form feeds and the like as line ends.
            text = (self._read(file) or "").replace("\r\n", "\n").replace("\r", "\n")
            self._lines[file] = text.split("\n")
        return self._lines[file]


def _holds_secret(lines: list[str], index: int) -> bool:
    """Whether the document around a line has a `kind: Secret`, however it is written, also inside a List.

    Works on the text, because a document that cannot be read has findings too.
    """
    start = index
    while start > 0 and not lines[start].startswith("---"):
        start -= 1
    end = index + 1
    while end < len(lines) and not lines[end].startswith("---"):
        end += 1
    packed = "".join("".join(lines[start:end]).split()).replace('"', "").replace("'", "")
    return "kind:Secret" in packed


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
