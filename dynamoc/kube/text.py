"""JSON exactly as Go's encoding/json.Marshal writes it: these bytes decide worker hashes and annotation values.

Unlike Python's json: no spaces; `<`, `>`, `&`, U+2028 and U+2029 are escaped and all other text stays UTF-8; a float
without a fraction prints as an integer, and exponents appear where ES6 has them (below 1e-6 and from 1e21 on).
Source: Go 1.22 and later, encoding/json, encode.go and tables.go (earlier releases escape backspace and form feed as
\u0008 and \u000c). Reading it, and SHA-256, go without `json` and `hashlib`, whose imports take long.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Any

# Python's json package would import re; its C scanner alone is free.
try:
    from _json import encode_basestring as _quote
except ImportError:  # pragma: no cover - other interpreters
    from json.encoder import encode_basestring as _quote

_INT64_END = 1 << 63


def dumps(value: Any, *, sort_keys: bool = False) -> bytes:
    """The bytes of json.Marshal. Keys keep their order, as struct fields do, or are sorted, as map keys are.

    ValueError for what JSON has no word for: NaN, infinities and values that are not plain data.
    """
    # What Go escapes is in strings only.
    text = _escaped(_text(value, sort_keys))
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        # Go replaces each byte that is not UTF-8; a lone surrogate would be three of them.
        return "".join("\\ufffd" * 3 if "\ud800" <= char <= "\udfff" else char for char in text).encode("utf-8")


def dumps_sorted(value: Any) -> bytes:
    """The bytes of json.Marshal for a value without Go type: all of its objects are maps."""
    return dumps(value, sort_keys=True)


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
        # Most values are texts, which need no call.
        items = [
            f"{_quote(key)}:{_quote(item) if (item := value[key]).__class__ is str else _text(item, sort_keys)}"
            for key in keys
        ]
        return "{" + ",".join(items) + "}"
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


def _refused(word: str) -> float:
    raise ValueError(f"{word} is not a number in JSON")


class _Context:
    """What CPython's scanner asks of the decoder that it is part of."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = staticmethod(_refused)
    memo: dict[str, str] = {}  # noqa: RUF012


def loads(text: str) -> Any:
    """json.loads without NaN and infinities. ValueError where the text is not JSON, or nested too deeply.

    The package is imported for text that is not JSON from end to end, and says what is wrong with it.
    """
    try:
        from _json import make_scanner

        scan: Any = make_scanner
        value, end = scan(_Context)(text, 0)
        if not text[end:].strip(" \t\r\n"):
            return value
    # Another Python than CPython; space in front; no JSON. For some texts that end too soon, the scanner looks for the
    # error in json.decoder; while that is not imported, what it raises is SystemError.
    except (ImportError, StopIteration, ValueError, SystemError):
        pass
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    # Not above: the scanner would raise what json.decoder defines.
    import json

    return json.loads(text, parse_constant=_refused)


def hex_digest(data: bytes) -> str:
    """The 64 hex digits of the hash."""
    return sha256(data).hexdigest()
