"""What is being typed at a position: a key or a value, of which field, and what is beside it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from dynamoc.lsp.flow import Open, open_in
from dynamoc.lsp.outline import Cursor, Frame, Outline, Part, opened
from dynamoc.lsp.spans import KEY, Path

_LEAD = re.compile(r"\s*(?:-\s+)*")
_WORD = re.compile(r"[^\s,\[\]{}\"']*")
_IN_FLOW = re.compile(r"(?:^|[\[{,]|:\s)\s*(?P<quote>[\"']?)(?P<word>(?:(?!:\s)[^\[\]{},\"'])*)$")
_COMMENT = re.compile(r"(?:^|\s)#")


@dataclass(frozen=True)
class Spot:
    """What is typed.

    path    of the mapping whose key is typed, or of the field or item whose value is
    is_key  whether a key is typed; the first word of an item may be a key of a mapping, or the item itself
    is_item whether the word is the first of an item
    word    what is typed so far, from `start` to the cursor; the whole word ends at `end`
    colon   whether a colon is behind the word already, or one directly in front of it
    quote   that the word is in
    names   of the keys that are there, of the mapping or of what the item is in
    part    the document, without the line of the cursor
    """

    path: Path
    is_key: bool
    is_item: bool
    word: str
    start: int
    end: int
    colon: bool
    quote: str
    names: frozenset[str]
    part: Part


def spot_at(lines: list[str], line: int, column: int) -> Spot | None:
    """None where no field can be told: in comments, and in texts of several lines."""
    text = lines[line]
    before = text[:column]
    if _COMMENT.search(re.sub(r"\"[^\"]*\"|'[^']*'", '""', before)):
        return None
    lead = _LEAD.match(before)
    width = lead.end() if lead else 0
    outline = Outline([*lines[:line], before[:width], *lines[line + 1 :]], line)
    cursor, part = outline.cursor, outline.part_at(line)
    if cursor.inside:
        return None
    if cursor.flow:
        return _in_brackets(text, column, 0, (), cursor.flow, part)
    return _in_block(text, column, width, cursor, part)


def _in_block(text: str, column: int, width: int, cursor: Cursor, part: Part) -> Spot | None:
    before = text[:column]
    frames = list(cursor.frames)
    is_item = _open_items(frames, before[:width])
    key = KEY.match(before, width)
    if key is not None:
        frame = opened(frames, width, is_sequence=False)
        name = key["text"].strip("\"'")
        path = (*frame.path, name)
        return _value(text, column, key.end(), path, part)
    if before[width : width + 1] in ("{", "["):
        at = frames[-1].current if is_item and frames else ()
        return _in_brackets(text, column, width, at, [], part)
    if is_item and before[width : width + 1] in ("-", '"', "'"):
        found = _value(text, column, width, frames[-1].current, part)
        return found and Spot(**{**vars(found), "is_item": True})
    if _WORD.fullmatch(before[width:]) is None or before[width:] == "-":
        return None
    path = frames[-1].current if is_item else opened(frames, width, is_sequence=False).path
    return _key(text, column, width, path, part, is_item=is_item)


def _open_items(frames: list[Frame], lead: str) -> bool:
    """Opens the items whose dashes are in front of a word; whether there is one."""
    dashes = [column for column, char in enumerate(lead) if char == "-"]
    for column in dashes:
        frame = opened(frames, column, is_sequence=True)
        frame.last = int(frame.last) + 1
    return bool(dashes)


def _key(text: str, column: int, start: int, path: Path, part: Part, *, is_item: bool) -> Spot:
    word = _WORD.match(text, start)
    end = max(word.end() if word else column, column)
    written = text[start:end]
    has_colon = written.endswith(":") or text[end : end + 1] == ":"
    names = frozenset(str(each.path[-1]) for each in part.children(path))
    end -= written.endswith(":") and end > column
    return Spot(path, True, is_item, text[start:column], start, end, has_colon, "", names, part)


def _value(text: str, column: int, start: int, path: Path, part: Part) -> Spot | None:
    """The value that begins behind `start`; brackets have values of their own."""
    begin = start + len(text[start:column]) - len(text[start:column].lstrip())
    if text[begin : begin + 1] in ("{", "[") and begin < column:
        return _in_brackets(text, column, begin, path, [], part)
    quote = text[begin : begin + 1] if begin < column and text[begin] in "\"'" else ""
    begin += len(quote)
    if quote and quote in text[begin:column]:
        return None
    rest = re.compile(r"[^\"']*" if quote else r"[^#]*?(?=\s+#|\s*$)").match(text, column)
    end = max(rest.end() if rest else column, column)
    colon = start > 0 and begin == start and text[start - 1] == ":"
    names = frozenset(str(each.path[-1]) for each in part.children(path[:-1]))
    return Spot(path, False, False, text[begin:column], begin, end, colon, quote, names, part)


def _in_brackets(text: str, column: int, start: int, path: Path, before: list[Open], part: Part) -> Spot | None:
    match = _IN_FLOW.search(text[start:column]) if start < column or before else None
    word = match["word"].lstrip() if match else ""
    quote = match["quote"] if match else ""
    begin = column - len(word)
    brackets = open_in(text[: begin - len(quote)], start, path, before)
    if not brackets:
        return None
    top = brackets[-1]
    rest = re.compile(r"[^\"']*" if quote else r"[^\s,\]}]*").match(text, column)
    end = rest.end() if rest else column
    behind_key = not top.is_sequence and top.key is not None
    names = frozenset(str(each.path[-1]) for each in part.children(top.path))
    at = top.current if top.is_sequence or behind_key else top.path
    return Spot(
        at, not top.is_sequence and not behind_key, top.is_sequence, word, begin, end, False, quote, names, part
    )
