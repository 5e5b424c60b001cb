"""What Kubernetes makes of a YAML scalar.

`kubectl` and the API server read YAML through sigs.k8s.io/yaml, which is YAML 1.1 with Go's number syntax. This table
follows its version 1.6.0; the tests compare it with 2,896 texts that went through it.

A resolved scalar is a `str`, `int`, `float`, `bool` or None. As in Go, `1.0` is a float until it becomes a value
(`json_value`, which makes it the int 1) or a key (`key_text`, which makes it `1`).

Source: go.yaml.in/yaml/v2 resolve.go (`resolve`), decode.go (`scalar`); sigs.k8s.io/yaml yaml.go
(`convertToJSONableObject`); Go's strconv (`ParseInt` with base 0, `ParseFloat`) and encoding/json (floats).
"""

from __future__ import annotations

from binascii import Error, a2b_base64
from struct import pack, unpack
from typing import Any

from dynamoc.documents.source.document import Report

Scalar = str | int | float | bool | None


_INFINITY = float("inf")

#: Plain texts with a special meaning. Note `y` and `n`, and that `NULL` and `~` are null but `nil` is text.
WORDS: dict[str, Scalar] = {
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"), True),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), _INFINITY),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -_INFINITY),
}
#: A plain text that starts with none of these, and is not one of the words, is itself.
NUMERIC = frozenset(".+-0123456789")
TAG_PREFIX = "tag:yaml.org,2002:"
_INT64_END = 1 << 63
_UINT64_END = 1 << 64
_BASES = {"x": 16, "X": 16, "o": 8, "O": 8, "b": 2, "B": 2}
_PREFIXES = {16: ("x", "X"), 8: ("o", "O"), 2: ("b", "B")}
_FLOAT_CHARACTERS = "0123456789.eE+-"


class Unresolvable(Exception):
    """A scalar that Kubernetes refuses; the message is a full sentence."""


def resolve(text: str) -> Scalar:
    """A plain scalar without a tag. Dates and `1:30` stay text, `08` is 8, `012` is 10, `1_000` is 1000."""
    if text in WORDS:
        return WORDS[text]
    first = text[0]
    if first == ".":
        return _float(text, _FLOAT_CHARACTERS + "_", text)
    if first not in "+-0123456789":
        return text
    # Go drops all underscores, also where they separate nothing: `1_` and `0x_1` are numbers.
    digits = text.replace("_", "")
    number = _integer(digits)
    if number is not None:
        return number
    return _float(digits, _FLOAT_CHARACTERS, text)


def resolve_tagged(tag: str, text: str) -> Scalar:
    """A scalar with the tag `tag` (long form). Unknown tags count for nothing and leave the text.

    Raises Unresolvable where the text is not what the tag says.
    """
    name = tag[len(TAG_PREFIX) :] if tag.startswith(TAG_PREFIX) else ""
    if name == "binary":
        return _binary(text)
    if name == "timestamp":
        # Go would take some dates and give back their text; a quoted text says the same everywhere.
        raise Unresolvable(
            "Kubernetes does not support timestamps in YAML: it reads `!!timestamp` as a string or not at all."
        )
    if name not in ("bool", "int", "float", "null"):
        return text
    value = resolve(text)
    if name == "float" and type(value) is int and value < _INT64_END:
        return float(value)
    if type(value).__name__ != name and not (name == "null" and value is None):
        raise Unresolvable(f"The value `{_short(text)}` does not match its tag `!!{name}`.")
    return value


def json_value(value: Scalar) -> Scalar:
    """A resolved scalar as the JSON value it becomes: a float that Go prints as an integer is an int.

    Raises Unresolvable for infinities and not-a-number, which JSON cannot hold.
    """
    if type(value) is not float:
        return value
    if value != value or value in (_INFINITY, -_INFINITY):
        raise Unresolvable("JSON, and therefore Kubernetes, has no infinity and no not-a-number.")
    if not value.is_integer() or abs(value) >= 1e21:
        return value
    # Go prints the shortest digits that read back as the same float and fills up with zeros: 2^64 ends in 2000.
    digits, _, exponent = repr(value).partition("e")
    whole, _, fraction = digits.partition(".")
    return int((whole + fraction).ljust(len(whole) + int(exponent), "0")) if exponent else int(whole)


def key_text(value: Scalar) -> str:
    """The JSON key that a resolved scalar becomes: `y:` is the key `true`, `0x10:` is `16`, `1.50:` is `1.5`.

    Raises Unresolvable for null and for integers beyond 64 signed bits.
    """
    if type(value) is str:
        return value
    if value is None:
        raise Unresolvable("Null cannot be a key.")
    if type(value) is bool:
        return "true" if value else "false"
    if type(value) is int:
        if value >= _INT64_END:
            raise Unresolvable(f"The number {value} is too large for a key.")
        return str(value)
    return _float32_text(float(value))


def _integer(text: str) -> int | None:
    """Go's ParseInt and ParseUint with base 0. A sign is only taken by the first, which ends at 64 signed bits."""
    signed = text[0] in "+-"
    digits = text[1:] if signed else text
    base = 10
    if digits[:1] == "0" and len(digits) > 1:
        base = _BASES.get(digits[1], 8)
        digits = digits[1:] if base == 8 and digits[1] not in "oO" else digits[2:]
    number = _digits(digits, base)
    if number is None:
        # `0b+1` and `0b-1` are numbers: Go reads what follows a small `0b` once more, as a signed binary number.
        if text[:3] not in ("0b+", "0b-"):
            return None
        number = _digits(text[3:], 2)
        text, signed = text[2:], True
    if number is None or number >= (_INT64_END if signed else _UINT64_END) + (text[0] == "-"):
        return None
    return -number if text[0] == "-" else number


def _digits(text: str, base: int) -> int | None:
    # int() would also take signs, spaces, other scripts' digits, and the prefix of the base once more.
    if not (text.isascii() and text.isalnum()) or text[1:2] in _PREFIXES.get(base, ()):
        return None
    try:
        return int(text, base)
    except ValueError:
        return None


def _float(digits: str, characters: str, text: str) -> Scalar:
    """`digits` as a float if it is one that a float can hold, else `text`."""
    if digits.strip(characters):
        return text
    try:
        number = float(digits)
    except ValueError:
        return text
    return text if number in (_INFINITY, -_INFINITY) else number


def _binary(text: str) -> str:
    """Go decodes, and each byte that is no UTF-8 becomes U+FFFD in JSON."""
    try:
        data = a2b_base64(text.replace("\n", "").replace("\r", "").encode(), strict_mode=True)
    except (Error, UnicodeEncodeError):
        raise Unresolvable("The value after `!!binary` is not base64.") from None
    return "".join("\ufffd" if "\udc80" <= char <= "\udcff" else char for char in data.decode(errors="surrogateescape"))


def _float32_text(value: float) -> str:
    """Go's FormatFloat(value, 'g', -1, 32): the shortest text that reads back as the same 32-bit float."""
    if value != value:
        return ".nan"
    single = _float32(value)
    if single in (_INFINITY, -_INFINITY):
        return ".inf" if single > 0 else "-.inf"
    text = next(text for text in (f"{single:.{digits}e}" for digits in range(9)) if _float32(float(text)) == single)
    mantissa, _, exponent = text.partition("e")
    if not -4 <= int(exponent) < 6:
        return text
    decimals = len(mantissa.partition(".")[2]) - int(exponent)
    return f"{float(text):.{max(decimals, 0)}f}"


def _float32(value: float) -> float:
    try:
        return float(unpack("f", pack("f", value))[0])
    except OverflowError:
        return _INFINITY if value > 0 else -_INFINITY


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:37] + "..."


class ScalarReader:
    """Resolves the scalars of one text."""

    __slots__ = ("_has_slash", "_report", "_text")

    def __init__(self, text: str, report: Report) -> None:
        self._text = text
        self._report = report
        # Rare, so scalars are only searched for it where the text can hold it.
        self._has_slash = "\\/" in text

    def read(self, event: Any) -> Scalar:
        """The scalar as Go resolves it; None where it is refused."""
        text: str = event.value
        if event.tag is not None:
            return self._tagged(event)
        if event.style or not event.implicit[0]:
            if self._has_slash and event.style == '"':
                self._judge_escapes(event)
            return text
        return resolve(text)

    def json(self, value: float, event: Any) -> Scalar:
        """A float as the JSON value that it becomes; None where it is refused."""
        try:
            return json_value(value)
        except Unresolvable as problem:
            hint = "Quote the value if it is meant as a string."
            self._report.error(event.start_mark, "read/number", str(problem), hint)
            return None

    def judge_tag(self, event: Any) -> None:
        # A `!` alone says that the value is text, which is no surprise to anybody.
        if not event.tag.startswith(TAG_PREFIX) and event.tag != "!":
            message = f"Kubernetes does not know the tag `{event.tag}` and reads the value without it."
            self._report.warn(event.start_mark, "read/unknown-tag", message, "Remove the tag.")

    def _tagged(self, event: Any) -> Scalar:
        self.judge_tag(event)
        try:
            return resolve_tagged(event.tag, event.value)
        except Unresolvable as problem:
            hint = "Remove the tag, and quote the value if it is meant as a string."
            self._report.error(event.start_mark, "read/tag", str(problem), hint)
            return None

    def _judge_escapes(self, event: Any) -> None:
        """Go's YAML does not know the escape that JSON has for a slash; its JSON does."""
        source = self._text[event.start_mark.index : event.end_mark.index]
        if "\\/" in source.replace("\\\\", ""):
            message = "Kubernetes doesn't know the escape `\\/` in YAML."
            self._report.error(event.start_mark, "read/escape", message, "Write `/`.")
