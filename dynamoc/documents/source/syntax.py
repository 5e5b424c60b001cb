"""What libyaml refuses, and what a person did wrong there, so that the user knows what to write.

A slip is found from how far the parser came: the last scalar, and the collections that were open around it. libyaml's
own words are kept where the table has none. Its Go port, which Kubernetes uses, refuses the same texts.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Any

from yaml.error import YAMLError
from yaml.events import MappingEndEvent, MappingStartEvent, ScalarEvent, SequenceEndEvent, SequenceStartEvent

from dynamoc.documents.source.document import Mark, Position, Report, Unreadable, position_of, shown_mark
from dynamoc.documents.source.events import EventParser, template_hint
from dynamoc.reference.features import read_data
from dynamoc.reference.slugs import ErrorSlug

_KEY = re.compile(r"[\w./$-]+|\"[^\"]*\"|'[^']*'")
_CLOSING = {"[": "]", "{": "}"}


@dataclass(eq=False, slots=True)
class Slip:
    """What to report instead: a finding, its place, and another place that takes part."""

    mark: Mark
    slug: ErrorSlug
    message: str
    hint: str
    other: Mark | None = None


class _Open:
    """A collection in block style: its column, and its last key or item with the line that this is in."""

    __slots__ = ("column", "is_list", "key", "line")

    def __init__(self, event: Any) -> None:
        self.is_list = event.__class__ is SequenceStartEvent
        self.column: int = event.start_mark.column
        self.line: int = event.start_mark.line
        self.key = ""


def slip_of(slug: ErrorSlug, mark: Any, bracket: Any, text: str) -> Slip | None:
    """What a person did wrong at an error of the parser; None where the lines do not show it.

    `bracket` is where libyaml says that the collection begins, or the key, in which it stopped.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    found = _odd_space(mark, lines)
    if found is not None or mark.line >= len(lines):
        return found
    scalar, opened = _reached(text)
    if scalar is not None and _is_open_quote(scalar, mark, text):
        message = f"This quoted string is not closed on its line: it ends at the next quote, in line {mark.line + 1}."
        return Slip(scalar.start_mark, "read/unclosed-quote", message, "Close the quote.", mark)
    if slug == "read/unclosed-bracket" and bracket is not None:
        return _in_brackets(scalar, mark, bracket, text)
    line = lines[mark.line]
    if slug == "read/colon" and line[mark.column : mark.column + 1] == ":":
        return _second_colon(mark, lines)
    if slug == "read/no-colon":
        return _no_colon(bracket or mark, lines)
    if slug == "read/indentation" and not line[: mark.column].strip() and opened:
        return _misaligned(mark, line, opened)
    return None


def _odd_space(mark: Mark, lines: list[str]) -> Slip | None:
    for number in range(max(mark.line - 1, 0), min(mark.line + 1, len(lines))):
        line = lines[number]
        for column, char in enumerate(line[: len(line) - len(line.lstrip())]):
            if char not in " \t\x1c\x1d\x1e\x1f\x0b\x0c":
                name = unicodedata.name(char, "a character").lower()
                message = f"This line is indented with `{name}` (U+{ord(char):04X}), which YAML reads as text."
                return Slip(Position(number, column), "read/indentation", message, "Indent with spaces.")
    return None


def _reached(text: str) -> tuple[Any, list[_Open]]:
    """The last scalar before the error, and the collections in block style that were open there."""
    get = EventParser(text).get_event
    stack: list[_Open | None] = []
    last, opened = None, list(stack)
    try:
        while (event := get()) is not None:
            kind = event.__class__
            if kind in (MappingStartEvent, SequenceStartEvent):
                stack.append(None if event.flow_style else _Open(event))
            elif kind in (MappingEndEvent, SequenceEndEvent):
                stack.pop()
            elif kind is ScalarEvent:
                inner = stack[-1] if stack else None
                if inner is not None and not inner.is_list and event.start_mark.column == inner.column:
                    inner.key, inner.line = event.value, event.start_mark.line
                last, opened = event, list(stack)
    except YAMLError:
        pass
    return last, [each for each in opened if each is not None]


def _is_open_quote(scalar: Any, mark: Any, text: str) -> bool:
    """Whether a string in quotes over several lines ends right before the error: it swallowed what follows it."""
    start, end = scalar.start_mark, scalar.end_mark
    is_long = bool(scalar.style) and scalar.style in "'\"" and start.line < end.line
    return is_long and end.line == mark.line and not text[end.index : getattr(mark, "index", 0)].strip()


def _in_brackets(scalar: Any, mark: Any, bracket: Any, text: str) -> Slip | None:
    end = None if scalar is None else scalar.end_mark
    opening = text[bracket.index : bracket.index + 1]
    if end is not None and end.line == mark.line and bracket.index < end.index <= mark.index < len(text.rstrip()):
        gap = text[end.index : mark.index]
        if not gap and scalar.style:
            message = f"This string ends in column {end.column}, but text follows it."
            hint = "Close its quote where the string should end, or write a comma and a space after it."
            return Slip(scalar.start_mark, "read/after-value", message, hint, mark)
        if gap and not gap.strip():
            return Slip(mark, "read/unclosed-bracket", "A comma is missing before this.", "Write a comma before it.")
    closing = _CLOSING.get(opening)
    if closing is None:
        return None
    hint = f"Write `{closing}` where it ends. Quote items that contain brackets or commas."
    return Slip(bracket, "read/unclosed-bracket", f"This `{opening}` is not closed.", hint, mark)


def _second_colon(mark: Any, lines: list[str]) -> Slip | None:
    line = lines[mark.line]
    before = line[: mark.column]
    found = re.match(r"(\s*(?:- +)*)" + f"(?:{_KEY.pattern})" + r": +(?=\S)", before)
    if found is not None:
        value = line[found.end() :].rstrip()
        plain = not any(char in value for char in '"\\#')
        hint = f'Put the value in quotes: "{value}"' if plain else "Put the whole value in quotes."
        message = "This value contains `: `, which YAML reads as another `key: value`."
        return Slip(Position(mark.line, found.end()), "read/colon", message, hint)
    above = next((at for at in range(mark.line - 1, -1, -1) if lines[at].strip() and lines[at].lstrip()[0] != "#"), -1)
    if above < 0 or _KEY.fullmatch(before.strip()) is None:
        return None
    start = len(lines[above]) - len(lines[above].lstrip(" -"))
    key = lines[above][start:].partition(":")[0]
    column = len(before) - len(before.lstrip())
    if column <= start or ":" not in lines[above]:
        return None
    message = "This line is indented more than the line above, which has a value already."
    return Slip(Position(mark.line, column), "read/indentation", message, _aligned(start, key, above))


def _no_colon(mark: Any, lines: list[str]) -> Slip | None:
    text = lines[mark.line][mark.column :].strip()
    if text and not text.strip("-"):
        message = "This line is neither a `key: value` nor part of the text above it."
        return Slip(mark, "read/no-colon", message, "Write `---`, with three hyphens, to start another document.")
    key = re.match(r"[A-Za-z][\w.-]*", text)
    if key is None or not text[key.end() :].strip():
        return None
    return Slip(
        mark, "read/no-colon", f"`{key[0]}` has no colon after it.", f"Write `{key[0]}: `, with a colon and a space."
    )


def _misaligned(mark: Any, line: str, opened: list[_Open]) -> Slip | None:
    """A line that is not in a column of the collections around it. An item belongs to a list, a key to a mapping."""
    is_item = line.lstrip().startswith("- ")
    fitting = [each for each in opened if each.is_list == is_item]
    level = next((each for each in reversed(opened) if each.column == mark.column), None)
    if is_item and level is not None and not level.is_list:
        name = re.fullmatch(r"\s*- +name: *([\w.-]+)\s*", line)
        hint = f"Write `{name[1]}:` instead." if name else "Remove the `- `, and write a key."
        message = "The lines of this level are `key: value` entries, but this is an item of a list."
        return Slip(mark, "read/indentation", message, hint)
    if not fitting:
        return None
    near = min(reversed(fitting), key=lambda each: abs(each.column - mark.column))
    if is_item:
        spaces = f"{near.column} spaces" if near.column != 1 else "1 space"
        message = "This `- ` is not in the column of the items above it."
        return Slip(mark, "read/indentation", message, f"Indent it with {spaces}, like the items of this list.")
    hint = _aligned(near.column, near.key, near.line)
    if level is None:
        return Slip(mark, "read/indentation", "This line is not in the column of the lines that it belongs to.", hint)
    entry = re.fullmatch(r"\s*([\w.-]+):\s*", line)
    if entry is not None and near.key and any(each.key == "name" for each in fitting[-1:]) is False:
        hint = f"Write `- name: {entry[1]}`, if this starts another item."
    else:
        hint += " If this is not a list, remove the `- `."
    return Slip(mark, "read/indentation", "This line is in the column of a list, but does not begin with `- `.", hint)


def _aligned(column: int, key: str, line: int) -> str:
    if not column:
        return f"Do not indent it: `{key}` in line {line + 1} is not indented."
    return f"Indent it with {column} space{'s' * (column != 1)}, like `{key}` in line {line + 1}."


_QUOTE = "Put the value in quotes."
_INDENT = "Indent all keys of a mapping equally, and all items of a list equally."


#: (part of libyaml's problem, part of its context, slug, message, hint, whether the context has the better place)
def _problem(block: str) -> tuple[str, str, ErrorSlug, str, str, bool]:
    said, name, message, hint = block.strip("\n").split("\n")
    part, _, where = said.partition("|")
    slug, *at_context = name.split()
    return part.strip(), where.strip(), slug, message.strip(), hint.strip(), bool(at_context)


_PROBLEMS = tuple(map(_problem, read_data("yaml-errors.txt").split("\n\n")[1:]))


def syntax_error(error: Any, text: str, report: Report) -> Unreadable:
    """A YAMLError of the event parser as the end of the file."""
    if type(error).__name__ == "ReaderError":
        return _character_error(error.args, text, report)
    context, context_mark, problem, problem_mark = (*error.args, None, None, None, None)[:4]
    context_mark = shown_mark(context_mark, text)
    mark = shown_mark(problem_mark, text) or context_mark or Position(0, 0)
    line = _line(text, mark)
    if str(problem).startswith("found character"):
        return _start_error(line[mark.column : mark.column + 1], mark, report)
    slug: ErrorSlug = "read/syntax"
    message, hint, other = _sentence(context, problem), None, None
    for part, where, name, words, advice, at_context in _PROBLEMS:
        if part in str(problem) and where in str(context):
            slug, message, hint = name, words, advice
            if at_context and context_mark is not None:
                mark, other = context_mark, mark
            break
    if slug == "read/no-value" and not text[getattr(mark, "index", 0) :].strip():
        slug, message, hint = "read/unclosed-bracket", "The text ends inside a bracket.", "Close the bracket."
    if slug == "read/indentation" and line[: mark.column].strip():
        slug, message = "read/after-value", "The value has ended, but something follows it on the same line."
        hint = "Quote a value as a whole or not at all. In single quotes, a quote is written `''`."
    if _is_template(_line(text, mark)) or _is_template(line):
        message = f"A template on this line is not filled in. {message}"
        return _unreadable(report, mark, slug, message, template_hint(report.file), other)
    slip = slip_of(slug, shown_mark(problem_mark, text), context_mark, text) if problem_mark is not None else None
    if slip is not None:
        return _unreadable(report, slip.mark, slip.slug, slip.message, slip.hint, slip.other)
    return _unreadable(report, mark, slug, message, hint, other)


def _start_error(character: str, mark: Mark, report: Report) -> Unreadable:
    if character == "\t":
        return _unreadable(report, mark, "read/tab", "YAML does not allow a tab here.", "Indent with spaces.")
    name = "a backtick" if character == "`" else f"`{character}`"
    message = f"In YAML, a value cannot start with {name}."
    return _unreadable(report, mark, "read/reserved-character", message, _QUOTE)


def _character_error(args: tuple[Any, ...], text: str, report: Report) -> Unreadable:
    """libyaml counts bytes, PyYAML's own reader counts characters."""
    _, offset, code, *_ = args
    if args[3] == "?":
        offset = len(text.encode()[:offset].decode(errors="ignore"))
    number = code if isinstance(code, int) else ord(code)
    message = f"The control character U+{number:04X} is not allowed in YAML."
    hint = "Save the file as UTF-8." if number == 0 else "Delete it, or write it as an escape in double quotes."
    return _unreadable(report, position_of(text, offset), "read/character", message, hint)


def _unreadable(
    report: Report, mark: Mark, slug: ErrorSlug, message: str, hint: str | None, other: Mark | None = None
) -> Unreadable:
    try:
        report.stop(mark, slug, message, hint, other)
    except Unreadable as end:
        return end


def _line(text: str, mark: Mark) -> str:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines[mark.line] if mark.line < len(lines) else ""


def _is_template(line: str) -> bool:
    """Whether a line holds a placeholder that is not a part of a quoted text."""
    start = line.find("${")
    return "{{" in line or (start >= 0 and line[:start].rstrip()[-1:] in ("", ":", "[", "{", ",", "-"))


def _sentence(context: str | None, problem: str | None) -> str:
    words = ", ".join(part for part in (context, problem) if part) or "this is not YAML"
    return f"{words[0].upper()}{words[1:]}."
