"""Objects as YAML and JSON: the same objects give the same bytes.

Readers differ in what an unquoted scalar is: `y`, `0x1`, `1e3`, `1:30`, `2001-01-01` are strings to some and not to
others. A string is left plain only where YAML 1.1, YAML 1.2 and Go's reader all take it for a string. Texts of several
lines become literal blocks where that loses nothing. Keys are sorted, nothing is folded, and lists are below their
key unindented, as kubectl prints them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from dynamoc.kube.text import float_text

Path = tuple[str | int, ...]

Line = tuple[str, Path, bool]
"""The text, the path, and whether the value at the path is a leaf that begins on this line."""

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_DIGITS = "0123456789"
# Safe wherever they stand behind a letter.
_INNER = _LETTERS + _DIGITS + "_-./"
# Safe to start with, as long as the text does not read as a number or one of the words.
_FIRST = _LETTERS + _DIGITS + "_./$(-+<^=;~\\"
# What numbers, times and dates are made of, in any reader; one other character, and it is a string.
_NUMERIC = _DIGITS + "_.,:+- eExXoObBaAcCdDfFpPtTzZ"
# With one of these among them, other words are still words.
_WORDS = frozenset(
    ("y", "n", "yes", "no", "on", "off", "true", "false", "null", "~", "nan", "inf", "infinity", "=", "<<")
)
_ESCAPES = {
    "\0": "\\0",
    "\a": "\\a",
    "\b": "\\b",
    "\t": "\\t",
    "\n": "\\n",
    "\v": "\\v",
    "\f": "\\f",
    "\r": "\\r",
    "\x1b": "\\e",
    '"': '\\"',
    "\\": "\\\\",
}
# Readers look for the colon of a key within 1,024 bytes only.
_LONGEST_KEY = 1000
# In characters, of which one has four bytes at most.
_LONGEST_KNOWN = _LONGEST_KEY // 4


def dump_yaml(objects: list[Any]) -> str:
    """One document an object, with `---` between them; nothing for no objects. ValueError for NaN and infinities."""
    # Objects repeat few strings many times.
    known: dict[str, str] = {}
    texts = []
    for item in objects:
        lines: list[str] = []
        _node(lines, item, "", "", known)
        texts.append("\n".join(lines))
    return "\n---\n".join(texts) + "\n" if texts else ""


def _node(lines: list[str], value: Any, lead: str, indent: str, known: dict[str, str]) -> None:
    """`lead` is in front of the first line, `indent` in front of the others."""
    kind = value.__class__
    if kind is dict and value:
        _mapping(lines, value, lead, indent, known)
    elif kind is list and value:
        _sequence(lines, value, lead, indent, known)
    else:
        lines.append(lead + _scalar(value, indent, known))


def _mapping(lines: list[str], value: dict[str, Any], lead: str, indent: str, known: dict[str, str]) -> None:
    inner = indent + "  "
    for key in sorted(value):
        item = value[key]
        text = known.get(key)
        # What is known is short.
        if text is None:
            text = _text(key, known)
            if len(text) > _LONGEST_KNOWN and len(text.encode()) > _LONGEST_KEY:
                lines.append(f"{lead}? {text}")
                _node(lines, item, f"{indent}: ", inner, known)
                lead = indent
                continue
        kind = item.__class__
        if kind is str:
            lines.append(f"{lead}{text}: {known.get(item) or _scalar(item, inner, known)}")
        elif kind is dict and item:
            lines.append(f"{lead}{text}:")
            _mapping(lines, item, inner, inner, known)
        elif kind is list and item:
            lines.append(f"{lead}{text}:")
            _sequence(lines, item, indent, indent, known)
        else:
            lines.append(f"{lead}{text}: {_scalar(item, inner, known)}")
        lead = indent


def _sequence(lines: list[str], value: list[Any], lead: str, indent: str, known: dict[str, str]) -> None:
    inner = indent + "  "
    for item in value:
        kind = item.__class__
        if kind is dict and item:
            _mapping(lines, item, f"{lead}- ", inner, known)
        elif kind is str:
            lines.append(f"{lead}- {known.get(item) or _scalar(item, inner, known)}")
        else:
            _node(lines, item, f"{lead}- ", inner, known)
        lead = indent


def _scalar(value: Any, indent: str, known: dict[str, str]) -> str:
    kind = value.__class__
    if kind is str:
        if "\n" in value and _fits_literal(value):
            return _literal(value, indent or "  ")
        return known.get(value) or _text(value, known)
    if value is None:
        return "null"
    if kind is bool:
        return "true" if value else "false"
    if kind is int:
        return str(value)
    if kind is float:
        return _float(value)
    return "{}" if kind is dict else "[]"


def _text(value: str, known: dict[str, str]) -> str:
    """The text of a string, on one line; shorter ones are remembered."""
    text = _string(value)
    if len(text) <= _LONGEST_KNOWN and "\n" not in value:
        known[value] = text
    return text


def _float(value: float) -> str:
    """YAML 1.1 wants a point in front of an exponent; beyond 2**53 an integer would be another number to some."""
    text = float_text(value)
    if abs(value) >= 2**53:
        text = repr(value)
    mantissa, exponent, power = text.partition("e")
    return f"{mantissa}.0e{power}" if exponent and "." not in mantissa else text


def _string(text: str) -> str:
    if _is_plain(text):
        return text
    if not text.isprintable():
        return '"' + "".join([_escaped(char) for char in text]) + '"'
    if '"' in text or "\\" in text:
        return "'" + text.replace("'", "''") + "'"
    return f'"{text}"'


def _is_plain(text: str) -> bool:
    if not text or text[0] not in _FIRST:
        return False
    if text[0] in _LETTERS and not text.strip(_INNER):
        return len(text) > 8 or text.lower() not in _WORDS
    if not text.isascii() or not text.isprintable() or text[-1] in " :" or ": " in text or " #" in text:
        return False
    if text[0] == "-" and (text[1:2] in (" ", "") or text.startswith("---")):
        return False
    if text.startswith("..."):
        return False
    bare = text.lstrip("+-").lstrip(".").lower()
    if not bare or bare in _WORDS:
        return False
    return text.strip(_NUMERIC) != "" or (bare[0] in _LETTERS and set(bare).isdisjoint(_DIGITS))


def _escaped(char: str) -> str:
    if char in _ESCAPES:
        return _ESCAPES[char]
    if char.isprintable():
        return char
    code = ord(char)
    if 0xD800 <= code < 0xE000:
        # Half of a pair is no character; Go reads and writes it as the replacement character.
        return "\\uFFFD"
    if code < 0x100:
        return f"\\x{code:02X}"
    return f"\\u{code:04X}" if code < 0x10000 else f"\\U{code:08X}"


def _fits_literal(text: str) -> bool:
    """Whether a literal block keeps the text: readers find the indent in its first line, and trip over odd blanks."""
    if text[0] in " \t\n":
        return False
    return all(
        not line or (line[-1] not in " \t" and line.replace("\t", " ").isprintable()) for line in text.split("\n")
    )


def _literal(text: str, indent: str) -> str:
    body = text.rstrip("\n")
    trailing = len(text) - len(body)
    mark = ("|-", "|")[trailing] if trailing < 2 else "|+"
    lines = [indent + line if line else "" for line in body.split("\n")]
    return "\n".join([mark, *lines]) + "\n" * max(0, trailing - 1)


def yaml_lines(value: Any) -> list[Line]:
    """The lines of `dump_yaml([value])`. A line on which nested blocks begin belongs to the innermost."""
    writer = _Writer()
    writer.node(value, "", "", ())
    return writer.lines


@dataclass(eq=False)
class _Writer:
    """The same walk as `dynamoc.documents.emit.yaml`, which must not be slowed down by paths."""

    lines: list[Line] = field(default_factory=list, init=False)
    _known: dict[str, str] = field(default_factory=dict, init=False)

    def node(self, value: Any, lead: str, indent: str, path: Path) -> None:
        kind = value.__class__
        if kind is dict and value:
            self._mapping(value, lead, indent, path)
        elif kind is list and value:
            for index, item in enumerate(value):
                self.node(item, f"{lead}- ", indent + "  ", (*path, index))
                lead = indent
        else:
            self._leaf(lead, value, indent, path)

    def _mapping(self, value: dict[str, Any], lead: str, indent: str, path: Path) -> None:
        inner = indent + "  "
        for key in sorted(value):
            item, below = value[key], (*path, str(key))
            text = _string(str(key))
            if len(text) > _LONGEST_KNOWN and len(text.encode()) > _LONGEST_KEY:
                self.lines.append((f"{lead}? {text}", below, False))
                self.node(item, f"{indent}: ", inner, below)
            elif item.__class__ is dict and item:
                self.lines.append((f"{lead}{text}:", below, False))
                self._mapping(item, inner, inner, below)
            elif item.__class__ is list and item:
                self.lines.append((f"{lead}{text}:", below, False))
                self.node(item, indent, indent, below)
            else:
                self._leaf(f"{lead}{text}: ", item, inner, below)
            lead = indent

    def _leaf(self, lead: str, value: Any, indent: str, path: Path) -> None:
        first, *others = (lead + _scalar(value, indent, self._known)).split("\n")
        self.lines.append((first, path, True))
        self.lines += [(other, path, False) for other in others]


# Python's json package would import re; its C scanner alone is free.
try:
    from _json import encode_basestring as _quote
except ImportError:  # pragma: no cover - other interpreters
    from json.encoder import encode_basestring as _quote


def dump_json(value: Any, *, as_list: bool = False) -> str:
    """An object or a list of objects; with `as_list`, objects become the items of a v1 List, as kubectl prints several.

    ValueError for what JSON has no word for: NaN and infinities.
    """
    if as_list:
        value = {"apiVersion": "v1", "items": value, "kind": "List"}
    return _json_text(value, "\n") + "\n"


def json_line(value: Any) -> str:
    """A value in one line, its keys sorted. ValueError as for `dump_json`."""
    return _json_text(value, "")


def _json_text(value: Any, newline: str) -> str:
    """`newline` is a line break and the indent of the line that the value starts on, "" for all in one line."""
    kind = value.__class__
    if kind is str:
        return _quote(value)
    if kind is dict:
        if not value:
            return "{}"
        inner = newline and newline + "  "
        items = [f"{_quote(key)}: {_json_text(value[key], inner)}" for key in sorted(value)]
        between = f",{inner or ' '}"
        return f"{{{inner}{between.join(items)}{newline}}}"
    if kind is list:
        if not value:
            return "[]"
        inner = newline and newline + "  "
        between = f",{inner or ' '}"
        return f"[{inner}{between.join([_json_text(item, inner) for item in value])}{newline}]"
    if value is None:
        return "null"
    if kind is bool:
        return "true" if value else "false"
    return float_text(value) if kind is float else str(value)
