"""Go's durations (`1h30m`, time.ParseDuration) and the times of Kubernetes objects (RFC 3339)."""

from __future__ import annotations

from dynamoc.tracing import converting

_UNITS = {
    "ns": 1,
    "us": 10**3,
    "\u00b5s": 10**3,
    "\u03bcs": 10**3,
    "ms": 10**6,
    "s": 10**9,
    "m": 60 * 10**9,
    "h": 3600 * 10**9,
}
_DIGITS = "0123456789"


@converting
def parse_duration(text: str) -> int:
    """Nanoseconds of a Go duration. ValueError where time.ParseDuration refuses the text."""
    rest = text[1:] if text[:1] in ("+", "-") else text
    if rest == "0":
        return 0
    total = 0
    if not rest:
        raise _not_a_duration(text)
    while rest:
        after = rest.lstrip(_DIGITS)
        whole = rest[: len(rest) - len(after)]
        fraction = ""
        if after[:1] == ".":
            tail = after[1:].lstrip(_DIGITS)
            fraction = after[1 : len(after) - len(tail)]
            after = tail
        if not whole and not fraction:
            raise _not_a_duration(text)
        rest = after.lstrip("nu\u00b5\u03bcmsh")
        unit = _UNITS.get(after[: len(after) - len(rest)])
        if unit is None:
            raise _not_a_duration(text)
        total += int(whole or "0") * unit + (int(fraction) * unit // 10 ** len(fraction) if fraction else 0)
    if total > 2**63 - (text[0] != "-"):
        raise _not_a_duration(text)
    return -total if text[0] == "-" else total


def try_duration(text: str) -> int | None:
    """`parse_duration`, None where Go refuses the text."""
    try:
        return parse_duration(text)
    except ValueError:
        return None


@converting
def print_duration(nanoseconds: int) -> str:
    """Duration.String: `1h0m0s`, `1m30s`, `1.5s`, `2ms`, `0s`."""
    if not nanoseconds:
        return "0s"
    sign = "-" if nanoseconds < 0 else ""
    size = abs(nanoseconds)
    for unit, scale in (("ns", 1), ("\u00b5s", 10**3), ("ms", 10**6)):
        if size < scale * 1000:
            return f"{sign}{_decimal(size, scale)}{unit}"
    minutes, rest = divmod(size, 60 * 10**9)
    seconds = f"{_decimal(rest, 10**9)}s"
    if not minutes:
        return sign + seconds
    hours, minutes = divmod(minutes, 60)
    return f"{sign}{hours}h{minutes}m{seconds}" if hours else f"{sign}{minutes}m{seconds}"


@converting
def utc(text: str, *, fraction_digits: int) -> str | None:
    """An RFC 3339 time in UTC with so many digits of a second, or None for Go's zero time. ValueError for others."""
    from datetime import UTC, datetime

    if len(text) < 20 or text[10] != "T" or text[-1:] not in "Z0123456789" or not text.isascii():
        raise ValueError(text)
    moment = datetime.fromisoformat(text).astimezone(UTC)
    fraction = f"{moment.microsecond:06d}"[:fraction_digits]
    printed = moment.strftime("%Y-%m-%dT%H:%M:%S").rjust(19, "0")
    if printed == "0001-01-01T00:00:00" and not moment.microsecond:
        return None
    return f"{printed}.{fraction}Z" if fraction else f"{printed}Z"


def _decimal(number: int, scale: int) -> str:
    whole, rest = divmod(number, scale)
    if not rest:
        return str(whole)
    return f"{whole}.{str(rest).rjust(len(str(scale)) - 1, '0').rstrip('0')}"


def _not_a_duration(text: str) -> ValueError:
    return ValueError(f'time: invalid duration "{text}"')
