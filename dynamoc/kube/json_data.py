"""JSON without the package `json`, whose import takes longer than reading what ships with dynamoc or was made by it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class _Context:
    """What CPython's scanner asks of the decoder that it is part of."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float
    memo: dict[str, str] = {}  # noqa: RUF012


def loads(text: str) -> Any:
    """json.loads; the package is imported for text that is not JSON from end to end. ValueError where it is none."""
    try:
        from _json import make_scanner

        scan: Any = make_scanner
        value, end = scan(_Context)(text, 0)
        if not text[end:].strip(" \t\r\n"):
            return value
    except (ImportError, StopIteration, ValueError):  # another Python than CPython; space in front; no JSON
        pass
    import json

    return json.loads(text)
