"""YAML text as `sigs.k8s.io/yaml` marshals it, for configuration that the operator writes into a ConfigMap.

Not for dynamoc's own output, which is easier to read back and to write fast (`dynamoc.documents.emit.yaml`).
Source: go.yaml.in/yaml/v2 encode.go (`stringv`, `floatv`, `isBase60Float`), resolve.go (`parseTimestamp`), emitterc.go
(`yaml_emitter_analyze_scalar`, `yaml_emitter_select_scalar_style` and the writers of each style). tests/golang compares
with what Go wrote.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cmp_to_key
from typing import Any

from dynamoc.kube.tracing import noting

ReadsAsString = Callable[[str], bool]

BREAKS = ("\n", "\u2028", "\u2029")
_INDICATORS = "#,[]{}&*!|>'\"%@`"
_NAMED = {
    "\0": "0",
    "\a": "a",
    "\b": "b",
    "\t": "t",
    "\n": "n",
    "\v": "v",
    "\f": "f",
    "\r": "r",
    "\x1b": "e",
    '"': '"',
    "\\": "\\",
    "\x85": "N",
    "\xa0": "_",
    "\u2028": "L",
    "\u2029": "P",
}
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
# Of nothing but these, and with a letter in front, a text that is a string is plain.
_SAFE = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./"
_WIDTH = 80
# A number beyond this many digits in front of its point is written with an exponent.
_WHOLE_DIGITS = 6


def string(text: str, reads_as_string: ReadsAsString, indent: int, column: int | None = None) -> str:
    """A text that begins at a column, with further lines at an indent; a key, which is not folded, has no column."""
    if text and not text.strip(_SAFE) and text[0] in _LETTERS and reads_as_string(text):
        return text
    literal = "\n" in text
    if literal and column is not None and _fits_literal(text):
        return _literal(text, indent)
    if literal or not reads_as_string(text) or _is_sexagesimal(text) or _is_timestamp(text):
        return _double_quoted(text, indent, column)
    if _fits_plain(text):
        return _folded(text, indent, column, quoted=False)
    if _is_printable(text) and not any(f" {char}" in text or f"{char} " in text for char in BREAKS):
        return _folded(text, indent, column, quoted=True)
    return _double_quoted(text, indent, column)


def is_multiline(text: str) -> bool:
    return any(char in text for char in BREAKS) or "\r" in text or "\x85" in text


def number(value: float) -> str:
    """An integer up to 64 bits as it is; other numbers as Go's FormatFloat(value, 'g', -1, 64) prints them."""
    if value.__class__ is int and -(2**63) <= value < 2**64:
        return str(value)
    return _float(float(value))


def _float(value: float) -> str:
    """The shortest digits that read back as the same number; an exponent below -4 or above 5."""
    text = repr(value)
    sign, text = ("-", text[1:]) if text[0] == "-" else ("", text)
    mantissa, _, exponent = text.partition("e")
    whole, _, fraction = mantissa.partition(".")
    fraction = fraction if fraction.strip("0") else ""
    digits = (whole + fraction).lstrip("0")
    point = len(whole) - (len(whole + fraction) - len(digits)) + int(exponent or 0)
    digits = digits.rstrip("0")
    if not digits:
        return f"{sign}0"
    if not -4 <= point - 1 < _WHOLE_DIGITS:
        power = point - 1
        rest = f".{digits[1:]}" if len(digits) > 1 else ""
        return f"{sign}{digits[0]}{rest}e{'-' if power < 0 else '+'}{abs(power):02}"
    if point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    if len(digits) <= point:
        return sign + digits.ljust(point, "0")
    return f"{sign}{digits[:point]}.{digits[point:]}"


def _is_printable(text: str) -> bool:
    """goyaml prints the first plane only, without a byte-order mark and without tabs."""
    return all(char == "\n" or " " <= char <= "~" or _is_printable_beyond_ascii(char) for char in text)


def _is_printable_beyond_ascii(char: str) -> bool:
    return "\xa0" <= char <= "\ud7ff" or ("\ue000" <= char <= "\ufffd" and char != "\ufeff")


def _fits_plain(text: str) -> bool:
    if not _is_printable(text) or is_multiline(text) or text[0] == " " or text[-1] == " ":
        return False
    if text.startswith(("---", "...")) or text[0] in _INDICATORS or (text[0] in "?-" and text[1:2] in ("", " ")):
        return False
    return text[-1] != ":" and ": " not in text and " #" not in text


def _fits_literal(text: str) -> bool:
    if not _is_printable(text) or text[-1] == " ":
        return False
    return not any(" " + char in text for char in BREAKS)


def _literal(text: str, indent: int) -> str:
    hint = "2" if text[0] in (" ", *BREAKS) else ""
    if text[-1] not in BREAKS:
        hint += "-"
    elif len(text) == 1 or text[-2] in BREAKS:
        hint += "+"
    return f"|{hint}\n" + "".join(_lines(text, " " * indent))


def _lines(text: str, lead: str) -> list[str]:
    """The characters of a text, with `lead` in front of each line that is not empty."""
    pieces, is_start = [], True
    for char in text:
        is_break = char in BREAKS
        if is_start and not is_break:
            pieces.append(lead)
        pieces.append(char)
        is_start = is_break
    return pieces


def _folded(text: str, indent: int, column: int | None, *, quoted: bool) -> str:
    """Plain or in single quotes; a line goes on to the first single space behind the width."""
    quote = "'" if quoted else ""
    pieces, last = [quote], len(text) - 1
    column = -2 * len(text) if column is None else column + quoted
    spaces = broken = False
    for index, char in enumerate(text):
        is_space, is_break, piece = char == " ", char in BREAKS, char
        if is_space and column > _WIDTH and not spaces and 0 < index < last and text[index + 1] != " ":
            piece, column = "\n" + " " * indent, indent - 1
        elif quoted and char == "'":
            piece, column = "''", column + 1
        if broken and not is_space and not is_break:
            piece, column = " " * indent + piece, indent + column
        pieces.append(piece)
        column = 0 if is_break else column + 1
        broken = is_break or (broken and is_space)
        spaces = is_space or (spaces and is_break)
    return "".join(pieces) + quote


def _double_quoted(text: str, indent: int, column: int | None) -> str:
    column = -10 * len(text) if column is None else column + 1
    pieces, spaces, last = ['"'], False, len(text) - 1
    # Behind a byte-order mark, goyaml escapes every character.
    has_mark = text.startswith("\ufeff")
    for index, char in enumerate(text):
        piece = _escaped(char, always=has_mark)
        if piece == " " and column > _WIDTH and not spaces and 0 < index < last:
            piece = "\n" + " " * indent + ("\\" if text[index + 1] == " " else "")
            column = -1
        spaces = char == " "
        pieces.append(piece)
        column += len(piece)
    return "".join(pieces) + '"'


def _escaped(char: str, *, always: bool) -> str:
    if _is_printable(char) and char not in ('"', "\\", *BREAKS) and not always:
        return char
    if char in _NAMED:
        return f"\\{_NAMED[char]}"
    code = ord(char)
    if code <= 0xFF:
        return f"\\x{code:02X}"
    return f"\\u{code:04X}" if code <= 0xFFFF else f"\\U{code:08X}"


def _is_sexagesimal(text: str) -> bool:
    """`1:30`, a number to base 60, which other readers of YAML 1.1 would take for one."""
    if text[0] not in "+-0123456789" or ":" not in text:
        return False
    first, *rest = text.lstrip("+-").split(":") if text[1:2] not in ("+", "-") else ("",)
    if not first[:1].isdecimal() or not rest or not first.isascii() or first.strip("0123456789_"):
        return False
    last, _, fraction = rest[-1].partition(".")
    if fraction.strip("0123456789_"):
        return False
    return all(_is_below_60(part) for part in (*rest[:-1], last))


def _is_below_60(part: str) -> bool:
    return part.isascii() and part.isdecimal() and (len(part) == 1 or (len(part) == 2 and part[0] < "6"))


def _is_timestamp(text: str) -> bool:
    """A time that goyaml reads, in the year that it starts with: `2001-1-2`, or with an hour behind it."""
    if text[4:5] != "-" or not text[:4].isdecimal() or not text.isascii():
        return False

    day = r"(\d{4})-(\d\d?)-(\d\d?)"
    clock = r"(\d\d?):(\d\d?):(\d\d?)(?:[.,]\d+)?"
    zone = r"(?:Z|[+-](\d\d):(\d\d))"
    found = re.fullmatch(rf"{day}(?:[Tt]{clock}{zone}| +{clock})?", text, re.ASCII)
    if found is None:
        return False
    year, month, date, *later = (int(group or 0) for group in found.groups())
    ends = (24, 60, 60, 25, 61, 24, 60, 60)
    return 1 <= month <= 12 and 1 <= date <= _days(year, month) and all(map(int.__lt__, later, ends))


def _days(year: int, month: int) -> int:
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 or year % 400 == 0) else 28
    return 30 if month in (4, 6, 9, 11) else 31


# In bytes; a longer key is on a separate line, behind `?`.
_LONGEST_KEY = 128


def dump_go_yaml(value: Any, reads_as_string: ReadsAsString) -> str:
    """One document, keys in goyaml's natural order, lists not indented below their key, long texts folded.

    `reads_as_string(text)` says whether Go's reader takes plain `text` for a string; other strings get double quotes.
    Source: goyaml.v2 encode.go, sorter.go keyList.Less, emitterc.go.
    """
    lines: list[str] = []
    _node(lines, _sorted(value), "", 0, reads_as_string)
    # A block brings its last line break.
    return "".join([line if line.endswith(BREAKS) else line + "\n" for line in lines])


def _node(lines: list[str], value: Any, lead: str, indent: int, reads: ReadsAsString) -> None:
    """`lead` is in front of the first line; the others are at `indent`."""
    if isinstance(value, dict) and value:
        for key, item in value.items():
            _entry(lines, key, item, lead, indent, reads)
            lead = " " * indent
    elif isinstance(value, list) and value:
        for item in value:
            _node(lines, item, f"{lead}- ", indent + 2, reads)
            lead = " " * indent
    else:
        lines.append(lead + _scalar(value, max(indent, 2), len(lead), reads))


def _entry(lines: list[str], key: str, item: Any, lead: str, indent: int, reads: ReadsAsString) -> None:
    if is_multiline(key) or len(key.encode()) > _LONGEST_KEY:
        lines.append(f"{lead}? {string(key, reads, indent + 2, len(lead) + 2)}")
        _node(lines, item, f"{' ' * indent}: ", indent + 2, reads)
        return
    name = lead + string(key, reads, indent)
    if isinstance(item, dict) and item:
        lines.append(f"{name}:")
        _node(lines, item, " " * (indent + 2), indent + 2, reads)
    elif isinstance(item, list) and item:
        lines.append(f"{name}:")
        _node(lines, item, " " * indent, indent, reads)
    else:
        lines.append(f"{name}: {_scalar(item, indent + 2, len(name) + 2, reads)}")


def _scalar(value: Any, indent: int, column: int, reads: ReadsAsString) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return string(value, reads, indent, column)
    if isinstance(value, int | float):
        return number(value)
    return "{}" if isinstance(value, dict) else "[]"


@noting
def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in _by_name(value)}
    if isinstance(value, list):
        return [_sorted(item) for item in value]
    return value


def _by_name(names: Iterable[str]) -> list[str]:
    return sorted(names, key=cmp_to_key(_compare))


def _compare(left: str, right: str) -> int:
    """Digits as numbers, letters after everything else, as goyaml sorts keys."""
    if left == right:
        return 0
    return -1 if _less(left, right) else 1


def _less(left: str, right: str) -> bool:
    for index, (a, b) in enumerate(zip(left, right, strict=False)):
        if a == b:
            continue
        if a.isalpha() and b.isalpha():
            return a < b
        if a.isalpha() or b.isalpha():
            return b.isalpha()
        first, second = _number(left, index, a, b), _number(right, index, a, b)
        if first != second:
            return first < second
        return a < b
    return len(left) < len(right)


def _number(text: str, index: int, a: str, b: str) -> tuple[int, int]:
    """The number at `index` and where it ends. Where one side is a zero inside a number, both count as longer."""
    value = 0
    if "0" in (a, b):
        before = index - 1
        while before >= 0 and text[before].isdecimal():
            if text[before] != "0":
                value = 1
                break
            before -= 1
    end = index
    while end < len(text) and text[end].isdecimal():
        value = value * 10 + int(text[end])
        end += 1
    # Go counts in 64 bits, and goes on below zero.
    return (value + 2**63) % 2**64 - 2**63, end
