"""The documents of a YAML text, each with what stands before it: `---`, comments, directives."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass


@dataclass(eq=False, slots=True)
class Segment:
    """A document's text, or the markers between two. `line` is the number of its first line, from 0."""

    text: str
    line: int
    _: KW_ONLY
    is_document: bool


def split(text: str) -> list[Segment]:
    """All segments; their texts together are the text.

    A line that starts with `---` or `...` is a marker wherever it stands, also inside a block scalar. A document that
    starts on the line of its marker keeps it, as does one with directives.
    """
    segments: list[Segment] = []
    lines: list[str] = []
    start = 0

    def close(upto: int) -> None:
        nonlocal lines, start
        if lines:
            segments.append(Segment("".join(lines), start, is_document=True))
        lines, start = [], upto

    for number, line in enumerate(_lines(text)):
        if not _is_marker(line):
            lines.append(line)
            continue
        close(number)
        if _is_bare(line):
            segments.append(Segment(line, number, is_document=False))
            start = number + 1
        else:
            lines.append(line)
    close(start)
    return segments


def _lines(text: str) -> list[str]:
    """Lines with their ends. `str.splitlines` would also cut at form feeds and the like."""
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _is_marker(line: str) -> bool:
    return line[:3] in ("---", "...") and line[3:4] in ("", " ", "\t", "\n", "\r")


def _is_bare(line: str) -> bool:
    rest = line[3:].strip()
    return not rest or rest.startswith("#")
