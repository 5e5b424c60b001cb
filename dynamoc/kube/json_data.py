"""JSON that ships with dynamoc, read without the package `json`, whose import takes longer than the reading."""

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


def load_data(path: str) -> Any:
    """The value in a file of ours: valid JSON in UTF-8, with nothing around it."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    try:
        from _json import make_scanner
    except ImportError:  # another Python than CPython
        import json

        return json.loads(text)
    scan: Any = make_scanner
    return scan(_Context)(text, 0)[0]
