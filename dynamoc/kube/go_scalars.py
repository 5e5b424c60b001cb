"""Readers of the leaves of Go structs: each takes a JSON value and returns what Go prints after reading it.

A JSON null leaves a Go value that is no pointer at its zero, so each reader has an answer for None.
"""

from __future__ import annotations

from collections.abc import Callable
from struct import pack
from typing import Any

from dynamoc.kube.go import parse_duration, print_duration, utc
from dynamoc.kube.quantity import canonical_as_read


class Mismatch(Exception):
    """A value that Go cannot read. `path` is collected from the inside out."""

    def __init__(self, wanted: str, value: object) -> None:
        super().__init__(wanted)
        self.wanted = wanted
        self.value = value
        self.path: list[str | int] = []

    def find(self, values: list[Any], reader: Callable[[Any], Any]) -> None:
        """Add the index of the list element that failed; the happy path does not count."""
        for index, value in enumerate(values):
            try:
                reader(value)
            except Mismatch:
                self.path.append(index)
                return

    def describe(self) -> str:
        steps = [f"[{step}]" if isinstance(step, int) else f".{step}" for step in reversed(self.path)]
        return f"{''.join(steps).lstrip('.') or 'value'}: expected {self.wanted}, found {self.value!r:.60}"


def string(value: Any) -> str:
    if value.__class__ is str:
        return value
    if value is None:
        return ""
    raise Mismatch("a string", value)


def boolean(value: Any) -> bool:
    if value is None:
        return False
    if value.__class__ is not bool:
        raise Mismatch("true or false", value)
    return value


def int32(value: Any) -> int:
    number = int64(value)
    if not -(2**31) <= number < 2**31:
        raise Mismatch("a 32-bit integer", value)
    return number


def int64(value: Any) -> int:
    if value.__class__ is int:
        if not -(2**63) <= value < 2**63:
            raise Mismatch("a 64-bit integer", value)
        return value
    if value is None:
        return 0
    # The API server stores 5.0 as 5.
    if value.__class__ is float and value.is_integer() and abs(value) < 2**63:
        return int(value)
    raise Mismatch("an integer", value)


def float64(value: Any) -> float:
    if value is None:
        return 0
    if value.__class__ is int:
        return value
    if value.__class__ is not float:
        raise Mismatch("a number", value)
    return int(value) if value.is_integer() and abs(value) < 1e15 else value


def float32(value: Any) -> float:
    """The float64 that prints like the float32: Go prints as few digits as distinguish two float32."""
    number = float64(value)

    try:
        wanted = pack("f", number)
    except OverflowError:
        raise Mismatch("a 32-bit float", value) from None
    for digits in range(1, 10):
        short = float(f"{number:.{digits}g}")
        if pack("f", short) == wanted:
            return float64(short)
    return number


def base64_bytes(value: Any) -> str | None:
    if value is None or value.__class__ is str:
        return value
    raise Mismatch("base64 text", value)


def quantity(value: Any) -> str:
    if value is None:
        return "0"
    try:
        # JSON reading trims; ParseQuantity on its own does not.
        return canonical_as_read(value.strip() if value.__class__ is str else value)
    except ValueError:
        raise Mismatch("a quantity", value) from None


def int_or_string(value: Any) -> int | str:
    return value if value.__class__ is str else int32(value)


def time(value: Any) -> str | None:
    """meta/v1 Time: RFC 3339 in UTC, whole seconds; the zero time prints as null."""
    if value is None:
        return None

    try:
        return utc(string(value), fraction_digits=0)
    except ValueError:
        raise Mismatch("a time such as 2025-01-31T12:00:00Z", value) from None


def micro_time(value: Any) -> str | None:
    """meta/v1 MicroTime: RFC 3339 in UTC, always six digits of a second."""
    if value is None:
        return None

    try:
        return utc(string(value), fraction_digits=6)
    except ValueError:
        raise Mismatch("a time such as 2025-01-31T12:00:00.000000Z", value) from None


def duration(value: Any) -> str:
    """meta/v1 Duration: `90s` prints as `1m30s`.

    None is a field that is absent. Go fails on one that is null, which the API server never stores.
    """
    if value is None:
        return "0s"

    try:
        return print_duration(parse_duration(string(value)))
    except ValueError:
        raise Mismatch("a duration such as 1h30m", value) from None


def json_tree(value: Any) -> Any:
    """Raw JSON, which Go passes on as the API server sent it: with sorted keys."""
    if value.__class__ is dict:
        return {key: json_tree(value[key]) for key in sorted(value)}
    if value.__class__ is list:
        return [json_tree(item) for item in value]
    return value


#: how each type without fields reads, and what Go prints for its zero value
SCALARS: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "string": (string, ""),
    "bool": (boolean, False),
    "int": (int64, 0),
    "int64": (int64, 0),
    "int32": (int32, 0),
    "uint16": (int32, 0),
    "float32": (float32, 0),
    "float64": (float64, 0),
    "bytes": (base64_bytes, None),
    "Quantity": (quantity, "0"),
    "IntOrString": (int_or_string, 0),
    "Time": (time, None),
    "MicroTime": (micro_time, None),
    "Duration": (duration, "0s"),
    "JSON": (json_tree, None),
}
#: Go structs that print as a scalar, which omitempty never omits; all but these scalars are omitted when empty
STRUCT_SCALARS = ("Quantity", "IntOrString", "Time", "MicroTime", "Duration", "JSON")
