"""Keys and scalars of YAML on one line."""

from __future__ import annotations

import re
from dataclasses import dataclass
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
