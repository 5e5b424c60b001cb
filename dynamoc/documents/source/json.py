"""JSON text to values and marks.

kubectl tries JSON before YAML where a text starts with `{`, and not every JSON text is YAML: tabs as indentation,
escaped slashes, pairs of escaped surrogates, and U+2028 in strings are not, or mean something else.
Source: k8s.io/apimachinery pkg/util/yaml decoder.go (`YAMLOrJSONDecoder`), Go's encoding/json.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Any, NoReturn

from dynamoc.documents.source.document import Marks, Position, Report, spelled
from dynamoc.documents.source.scalars import json_value, resolve
from dynamoc.kube.limits import hint, limit

#: value, marks, offset of what follows
Parsed = tuple[Any, Marks, int]


_WORDS = {"t": ("true", True), "f": ("false", False), "n": ("null", None)}
_SPACE = " \t\r\n"
_QUOTES = "Put strings and keys in double quotes."


class NotJSON(Exception):
    """The text is not JSON. `message` is a full sentence; a text with a comment as in JSON5 is no YAML either."""

    def __init__(self, message: str, position: Position, hint: str | None = None, *, is_comment: bool = False) -> None:
        self.is_comment = is_comment
        super().__init__(message)
        self.message = message
        self.position = position
        self.hint = hint


def read_json(text: str, report: Report) -> list[tuple[Any, Marks]]:
    """The values of a text of JSON values, one after the other. Raises NotJSON, and Unreadable at a limit.

    Repeated keys are reported once the text has proved to be JSON.
    """
    reader = _Reader(text, report)
    values = []
    offset = reader.skip(0)
    while offset < len(text):
        value, marks, offset = reader.value(offset)
        values.append((value, marks))
        offset = reader.skip(offset)
    for key, mark, first in reader.duplicates:
        message = f"The key `{key}` appears twice; Kubernetes would drop the first one."
        report.error(mark, "read/duplicate-key", message, "Remove one of the two.", first)
    return [] if reader.duplicates else values


class _Reader:
    __slots__ = ("_deepest", "_depth", "_lines", "_most", "_nodes", "_report", "_scan", "_text", "duplicates")

    def __init__(self, text: str, report: Report) -> None:
        self._text = text
        self._report = report
        self._depth = 0
        self._nodes = 0
        self._most = limit("values")
        self._deepest = limit("depth")
        self._scan = _string_scanner()
        self._lines = [0]
        while end := text.find("\n", self._lines[-1]) + 1:
            self._lines.append(end)
        self.duplicates: list[tuple[str, Any, Any]] = []

    def skip(self, offset: int) -> int:
        """Where the next thing starts."""
        text, end = self._text, len(self._text)
        while offset < end and text[offset] in _SPACE:
            offset += 1
        return offset

    def value(self, offset: int) -> Parsed:
        self._nodes += 1
        first = self._text[offset : offset + 1]
        mark = self._mark(offset)
        if self._nodes > self._most:
            message = f"The file has more than {self._most:,} values, the limit `values`."
            self._report.stop(mark, "read/too-large", message, f"Split the file. {hint('values')}")
        if first == '"':
            value, end = self._string(offset)
            return value, mark, end
        if first in ("{", "["):
            return self._container(offset, mark)
        if first and first in "-0123456789":
            return self._number(offset, mark)
        word, constant = _WORDS.get(first, ("", None))
        if not word or not self._text.startswith(word, offset):
            self._fail_at_value(offset, first)
        return constant, mark, offset + len(word)

    def _container(self, offset: int, mark: Position) -> Parsed:
        if self._depth == self._deepest:
            message = f"Values are nested more than {self._deepest} levels deep, which no Kubernetes object needs."
            self._report.stop(mark, "read/too-deep", message, hint("depth"))
        self._depth += 1
        parsed = self._object(offset, mark) if self._text[offset] == "{" else self._array(offset, mark)
        self._depth -= 1
        return parsed

    def _object(self, offset: int, mark: Position) -> Parsed:
        value: dict[str, Any] = {}
        marks: dict[Any, Any] = {None: mark}
        offset = self.skip(offset + 1)
        while not self._text.startswith("}", offset):
            if value:
                offset = self._comma(offset, "}")
            if not self._text.startswith('"', offset):
                self._fail_at_key(offset)
            key, end = self._string(offset)
            key_mark = self._mark(offset)
            end = self.skip(end)
            if not self._text.startswith(":", end):
                self._fail(end, "A colon is missing between key and value.")
            if key in value:
                self.duplicates.append((key, key_mark, marks[key][0]))
            value[key], value_marks, offset = self.value(self.skip(end + 1))
            marks[key] = (key_mark, value_marks)
            offset = self.skip(offset)
        return value, marks, offset + 1

    def _array(self, offset: int, mark: Position) -> Parsed:
        value: list[Any] = []
        marks: list[Any] = [mark]
        offset = self.skip(offset + 1)
        while not self._text.startswith("]", offset):
            if value:
                offset = self._comma(offset, "]")
            item, item_marks, offset = self.value(offset)
            value.append(item)
            marks.append(item_marks)
            offset = self.skip(offset)
        return value, marks, offset + 1

    def _comma(self, offset: int, closing: str) -> int:
        if not self._text.startswith(",", offset):
            self._fail(offset, f"A comma or `{closing}` is missing here.")
        return self.skip(offset + 1)

    def _string(self, offset: int) -> tuple[str, int]:
        try:
            text, end = self._scan(self._text, offset + 1, True)
        except ValueError as problem:
            at = getattr(problem, "pos", offset)
            message = "This string is not closed, or contains a character or an escape that JSON does not allow."
            self._fail(at, message, "Write `\\n` for a line break and `\\\\` for a backslash.")
        if "\\u" in self._text[offset:end] and not text.isprintable():
            # Go replaces what is half of a surrogate pair.
            text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return text, end

    def _number(self, offset: int, mark: Position) -> Parsed:
        end = offset
        while self._text[end : end + 1] in tuple("+-.0123456789eE"):
            end += 1
        token = self._text[offset:end]
        value = json_value(resolve(token)) if _is_number(token) else token
        if isinstance(value, str):
            self._fail(offset, f"`{token}` is not a number that JSON or Kubernetes supports.")
        return value, spelled(mark, value, token), end

    def _mark(self, offset: int) -> Position:
        line = bisect_right(self._lines, offset) - 1
        return Position(line, offset - self._lines[line])

    def _fail_at_key(self, offset: int) -> NoReturn:
        first = self._text[offset : offset + 1]
        if first == "}":
            self._fail(offset, "No key follows the comma before this bracket.", "Remove the comma.")
        end = offset
        while self._text[end : end + 1].isalnum() or self._text[end : end + 1] in ("_", "$"):
            end += 1
        hint = f'Write "{self._text[offset:end]}" in double quotes.' if end > offset else _QUOTES
        self._fail(offset, "A key in double quotes is missing here.", hint)

    def _fail_at_value(self, offset: int, first: str) -> NoReturn:
        if first in ("}", "]") and self._text[:offset].rstrip(_SPACE).endswith(","):
            self._fail(offset, "Nothing follows the comma before this bracket.", "Remove the comma.")
        self._fail(offset, "A JSON value is missing here.", _QUOTES)

    def _fail(self, offset: int, message: str, hint: str | None = None) -> NoReturn:
        if self._text.startswith(("//", "/*"), offset):
            message, hint = "JSON has no comments.", "Remove the comment, or save the file as YAML and write `#`."
            raise NotJSON(message, self._mark(offset), hint, is_comment=True)
        raise NotJSON(message, self._mark(offset), hint)


def _is_number(token: str) -> bool:
    mantissa, e, exponent = token.removeprefix("-").replace("E", "e").partition("e")
    whole, point, fraction = mantissa.partition(".")
    if not whole.isdecimal() or (whole[0] == "0" and len(whole) > 1):
        return False
    if point and not fraction.isdecimal():
        return False
    return not e or (exponent[1:] if exponent[:1] in ("+", "-") else exponent).isdecimal()


def _string_scanner() -> Any:
    """`scanstring(text, offset, strict)`, without the regular expressions of `json` where C has it."""
    try:
        import _json
    except ImportError:
        from json import decoder

        return decoder.py_scanstring  # type: ignore[attr-defined]
    return _json.scanstring
