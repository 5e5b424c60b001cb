"""Comments that switch findings off: `# dynamoc: ignore check/idle-gpus: reserved for the next model`.

A comment behind a value counts for its line; one on a line of its own counts for what is below it: the key or item that
begins on the next line, with all that is indented more than that, or the whole document where it stands above its first
line.
"""

from __future__ import annotations

import re
from bisect import bisect_right

import yaml

from dynamoc.diagnostics.finding import Place

_COMMENT = re.compile(r"#\s*dynamoc:\s*ignore\b(?P<names>[^:]*)(?::(?P<reason>.*))?$")


class Ignore:
    """One comment.

    names   of the findings, without those that are none
    reason  "" where it gives none, and so has no effect
    first, last  lines that it counts for, from 1
    used    whether it left a finding out
    """

    __slots__ = ("first", "last", "names", "place", "reason", "used")

    def __init__(self, place: Place, names: list[str], reason: str, first: int, last: int) -> None:
        self.place = place
        self.names = names
        self.reason = reason
        self.first = first
        self.last = last
        self.used = False


def ignores_in(file: str, text: str) -> list[Ignore]:
    """The comments of a file, in their order; none where it is no YAML."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    texts = _Texts(text)
    found = []
    for number, line in enumerate(lines):
        match = _COMMENT.search(line)
        if match is None or texts.hold(number, match.start()):
            continue
        names = [name for name in re.split(r"[,\s]+", match["names"].strip()) if name]
        alone = not line[: match.start()].strip()
        first, last = _block(lines, number) if alone else (number, number)
        place = Place(file, number + 1, match.start() + 1)
        found.append(Ignore(place, names, (match["reason"] or "").strip(), first + 1, last + 1))
    return found


def _block(lines: list[str], comment: int) -> tuple[int, int]:
    """The first and last line, from 0, of what a comment on a line of its own stands above."""
    start = comment + 1
    while start < len(lines) and (not lines[start].strip() or lines[start].lstrip().startswith("#")):
        start += 1
    if start >= len(lines):
        return comment, comment
    end_of_document = next((at for at in range(start + 1, len(lines)) if _ends(lines[at])), len(lines)) - 1
    if _ends(lines[start]) or _is_first(lines, comment):
        return start, end_of_document
    depth = _depth(lines[start])
    last = start
    for number in range(start + 1, end_of_document + 1):
        line = lines[number]
        if line.strip() and not line.lstrip().startswith("#"):
            # Items of a list may be as deep as the key that they belong to.
            belongs = _depth(line) == depth and _is_item(line) and not _is_item(lines[start])
            if _depth(line) <= depth and not belongs:
                break
        last = number
    return start, last


def _is_first(lines: list[str], comment: int) -> bool:
    """Whether nothing of the document stands above a comment."""
    for line in reversed(lines[:comment]):
        if _ends(line):
            return True
        if line.strip() and not line.lstrip().startswith(("#", "%")):
            return False
    return True


def _ends(line: str) -> bool:
    return line.startswith(("---", "...")) and (len(line) == 3 or line[3].isspace())


def _is_item(line: str) -> bool:
    return line.lstrip().startswith("- ")


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


class _Texts:
    """Where the scalars of a file are, in which `#` begins no comment."""

    def __init__(self, text: str) -> None:
        self._spans: list[tuple[tuple[int, int], tuple[int, int]]] = []
        try:
            for token in yaml.scan(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
                if isinstance(token, yaml.ScalarToken):
                    start, end = token.start_mark, token.end_mark
                    self._spans.append(((start.line, start.column), (end.line, end.column)))
        except yaml.YAMLError:
            # What was read until then counts; the error is a finding of its own.
            pass

    def hold(self, line: int, column: int) -> bool:
        index = bisect_right(self._spans, ((line, column), (1 << 60, 0))) - 1
        return index >= 0 and (line, column) < self._spans[index][1]
