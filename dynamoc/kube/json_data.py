"""JSON without the package `json`, whose import takes longer than reading what ships with dynamoc or was made by it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


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
    import json

    return json.loads(text, parse_constant=_refused)
