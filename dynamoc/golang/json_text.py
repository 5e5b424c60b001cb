"""JSON exactly as Go's encoding/json.Marshal writes it: these bytes decide worker hashes and annotation values.

Unlike Python's json: no spaces; `<`, `>`, `&`, U+2028 and U+2029 are escaped and all other text stays UTF-8; a float
without a fraction prints as an integer, and exponents appear where ES6 has them (below 1e-6 and from 1e21 on).
Source: Go 1.22 and later, encoding/json, encode.go and tables.go (earlier releases escape backspace and form feed as
\\u0008 and \\u000c).
"""

from __future__ import annotations

# Python's json package would import re; its C scanner alone is free.
try:
    from _json import encode_basestring as _quote
except ImportError:  # pragma: no cover - other interpreters
    from json.encoder import encode_basestring as _quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


_INT64_END = 1 << 63


def dumps(value: Any, *, sort_keys: bool = False) -> bytes:
    """The bytes of json.Marshal. Keys keep their order, as struct fields do, or are sorted, as map keys are.

    ValueError for what JSON has no word for: NaN, infinities and values that are not plain data.
    """
    # What Go escapes stands in strings only.
    text = _escaped(_text(value, sort_keys))
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        # Go replaces each byte that is not UTF-8; a lone surrogate would be three of them.
        return "".join("\\ufffd" * 3 if "\ud800" <= char <= "\udfff" else char for char in text).encode("utf-8")


def dumps_sorted(value: Any) -> bytes:
    """The bytes of json.Marshal for a value without Go type: all of its objects are maps."""
    return dumps(value, sort_keys=True)


def string_text(text: str) -> str:
    """A JSON string with Go's escapes, quotes included."""
    return _escaped(_quote(text))


def _escaped(text: str) -> str:
    if "<" in text:
        text = text.replace("<", "\\u003c")
    if ">" in text:
        text = text.replace(">", "\\u003e")
    if "&" in text:
        text = text.replace("&", "\\u0026")
    if not text.isascii():
        text = text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return text


def float_text(number: float) -> str:
    """The shortest text that reads back as the same float64, as Go and ES6 write it."""
    if number != number or number in (float("inf"), float("-inf")):
        raise ValueError(f"json: unsupported value: {number}")
    if number == 0:
        return "-0" if str(number)[0] == "-" else "0"
    text = repr(number)
    if 1e-6 <= abs(number) < 1e16:
        if "e" in text:
            return _plain(text)
        return text.removesuffix(".0")
    if abs(number) >= 1e21 or abs(number) < 1e-6:
        return text.replace("e-0", "e-")
    return _plain(text)


def _plain(text: str) -> str:
    """`1.5e+17` and `1.5e-05` without exponents."""
    mantissa, _, exponent = text.partition("e")
    sign = "-" if mantissa[0] == "-" else ""
    whole, _, fraction = mantissa.lstrip("-").partition(".")
    shift = int(exponent)
    if shift < 0:
        return f"{sign}0.{'0' * (-shift - 1)}{whole}{fraction}"
    return f"{sign}{whole}{fraction.ljust(shift, '0')}"


def _text(value: Any, sort_keys: bool) -> str:
    kind = value.__class__
    if kind is str:
        return _quote(value)
    if kind is dict:
        keys = sorted(value) if sort_keys else value
        return "{" + ",".join([f"{_quote(key)}:{_text(value[key], sort_keys)}" for key in keys]) + "}"
    if kind is list:
        return "[" + ",".join([_text(item, sort_keys) for item in value]) + "]"
    if value is None:
        return "null"
    if kind is bool:
        return "true" if value else "false"
    if kind is int:
        # The API server reads what no int64 holds as a float64 (k8s.io/apimachinery, pkg/util/json).
        return str(value) if -_INT64_END <= value < _INT64_END else float_text(float(value))
    if kind is float:
        return float_text(value)
    raise ValueError(f"json: unsupported type: {kind.__name__}")
