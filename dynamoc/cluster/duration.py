"""Go's durations: `time.ParseDuration`, and how `metav1.Duration` prints."""

from __future__ import annotations

_UNITS = {
    "ns": 1,
    "us": 1_000,
    "µs": 1_000,
    "μs": 1_000,
    "ms": 1_000_000,
    "s": 1_000_000_000,
    "m": 60_000_000_000,
    "h": 3_600_000_000_000,
}
_LARGEST = (1 << 63) - 1


def parse_duration(text: str) -> int | None:
    """`1h30m`, `-1.5h`, `0`: nanoseconds, or None where Go refuses the text."""
    sign, rest = (-1, text[1:]) if text[:1] == "-" else (1, text.removeprefix("+") if text[:1] == "+" else text)
    if rest == "0":
        return 0
    if not rest:
        return None
    total = 0
    while rest:
        number = _leading(rest, "0123456789.")
        unit = _leading(rest[len(number) :], None)
        amount = _amount(number, unit)
        if amount is None:
            return None
        total += amount
        if total > _LARGEST + (sign < 0):
            return None
        rest = rest[len(number) + len(unit) :]
    return sign * total


def _leading(text: str, charset: str | None) -> str:
    """The longest prefix of `charset`, or (None) of anything but digits and dots."""
    for index, character in enumerate(text):
        inside = character in charset if charset is not None else character not in "0123456789."
        if not inside:
            return text[:index]
    return text


def _amount(number: str, unit: str) -> int | None:
    whole, dot, fraction = number.partition(".")
    if unit not in _UNITS or not (whole or fraction) or "." in fraction:
        return None
    scale = _UNITS[unit]
    # Go cuts the fraction of a nanosecond off.
    part = int(fraction) * scale // 10 ** len(fraction) if dot and fraction else 0
    return int(whole or "0") * scale + part


def format_duration(nanoseconds: int) -> str:
    """As Go's `Duration.String`: `4h0m0s`, `1.5s`, `300ms`, `0s`."""
    if nanoseconds == 0:
        return "0s"
    sign, rest = ("-", -nanoseconds) if nanoseconds < 0 else ("", nanoseconds)
    for unit in ("ns", "µs", "ms"):
        if rest < _UNITS[unit] * 1_000:
            return f"{sign}{_decimal(rest, _UNITS[unit])}{unit}"
    minutes, below = divmod(rest, _UNITS["m"])
    hours, minutes = divmod(minutes, 60)
    text = f"{_decimal(below, _UNITS['s'])}s"
    if hours:
        return f"{sign}{hours}h{minutes}m{text}"
    return f"{sign}{minutes}m{text}" if minutes else f"{sign}{text}"


def _decimal(amount: int, scale: int) -> str:
    whole, rest = divmod(amount, scale)
    if not rest:
        return str(whole)
    return f"{whole}.{rest:0{len(str(scale)) - 1}d}".rstrip("0")
