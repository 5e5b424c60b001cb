"""Kubernetes quantities (`500m`, `64Gi`, `1e3`) as Go's resource.Quantity reads and prints them.

A quantity prints in one of two ways. Untouched since it was read, it may keep its own text (`canonical_as_read`); after
arithmetic it always prints canonically (`canonical`). Both follow k8s.io/apimachinery/pkg/api/resource (quantity.go,
suffix.go, amount.go), which works on int64 where 18 decimal digits suffice and on big decimals elsewhere; only the
first way keeps the text.
"""

from __future__ import annotations

from functools import lru_cache

from dynamoc.kube.text import float_text
from dynamoc.kube.tracing import converting

_DIGITS = "0123456789"
_SUFFIX_LETTERS = "eEinumkKMGTP"
_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_DECIMAL_SUFFIXES = {exponent: suffix for suffix, exponent in _DECIMAL.items()}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_BINARY_SUFFIXES = ("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei")
_DECIMAL_SI = "DecimalSI"
_DECIMAL_EXPONENT = "DecimalExponent"
_BINARY_SI = "BinarySI"
_MAX_INT64 = 2**63 - 1
_NANO = -9
#: graphs repeat few quantities many times
_REMEMBERED = 4096
#: characters of a quantity that is worth a calculation
_LARGEST = 1000


@converting
def canonical_as_read(text: str | int | float) -> str:
    """How Go prints the quantity after reading it from JSON. ValueError where Go refuses it."""
    if text.__class__ is not str:
        text = _number_text(text)
    assert isinstance(text, str)
    return _canonical_as_read(text)


@lru_cache(_REMEMBERED)
def _canonical_as_read(text: str) -> str:
    # Almost all quantities: a short whole number, plain or with a two-letter binary suffix.
    if text.isdigit() and text.isascii() and len(text) <= 18 and text[0] != "0" and text[-3:] != "000":
        return text
    unscaled, exponent, form, kept = _read(text)
    return kept or _print(unscaled, exponent, form)


def canonical(text: str | int | float) -> str:
    """How Go prints the quantity once arithmetic has touched it. ValueError where Go refuses it."""
    unscaled, exponent, form, _ = _read(_number_text(text))
    return _print(unscaled, exponent, form)


def is_zero(text: str | int | float) -> bool:
    """Quantity.IsZero of the text. ValueError where Go refuses it."""
    return _read(_number_text(text))[0] == 0


def sign(text: str | int | float) -> int:
    """Quantity.Sign of the text: -1, 0 or 1. ValueError where Go refuses it."""
    return _sign(_read(_number_text(text))[0])


def compare(left: str | int | float, right: str | int | float) -> int:
    """Quantity.Cmp: -1, 0 or 1. ValueError where Go refuses one of them."""
    one, one_exponent, _, _ = _read(_number_text(left))
    two, two_exponent, _, _ = _read(_number_text(right))
    if not one or not two or (one < 0) != (two < 0):
        return _sign(_sign(one) - _sign(two))
    sizes = len(str(abs(one))) + one_exponent, len(str(abs(two))) + two_exponent
    if sizes[0] != sizes[1]:
        # Powers of ten that are far apart would only cost memory.
        return _sign(one) * _sign(sizes[0] - sizes[1])
    shift = one_exponent - two_exponent
    if shift >= 0:
        one *= 10**shift
    else:
        two *= 10**-shift
    return _sign(one - two)


def total(texts: list[str | int | float]) -> str:
    """The sum of quantities, as a quantity. ValueError where Go refuses one of them."""
    read = [_read(_number_text(text)) for text in texts]
    return f"{sum(unscaled * 10 ** (min(exponent, 100) - _NANO) for unscaled, exponent, _, _ in read)}n"


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)


@converting
def value(text: str | int | float) -> int:
    """Quantity.Value: the number rounded away from zero to an integer. ValueError where Go refuses the text.

    Go fills its memory with powers of ten without end; here a large one stands for all that are larger.
    """
    unscaled, exponent, _, _ = _read(_number_text(text))
    exponent = min(exponent, 100)
    return unscaled * 10**exponent if exponent >= 0 else _divide_away(unscaled, exponent)


def milli(text: str | int | float) -> int:
    """Quantity.MilliValue: thousandths, rounded away from zero. ValueError where Go refuses the text."""
    unscaled, exponent, _, _ = _read(_number_text(text))
    exponent = min(exponent, 100) + 3
    return unscaled * 10**exponent if exponent >= 0 else _divide_away(unscaled, exponent)


def binary(number: int) -> str:
    """How Go prints a quantity that was made of a whole number with binary suffixes (NewQuantity with BinarySI)."""
    return _print(number, 0, _BINARY_SI)


@converting
def parse_int(text: str) -> int:
    """Go's strconv.ParseInt(text, 10, 64), which the operator uses for GPU counts. ValueError elsewhere."""
    digits = text[1:] if text[:1] in ("+", "-") else text
    if not digits or digits.strip(_DIGITS):
        raise ValueError(f'parsing "{text}": invalid syntax')
    number = int(text)
    if not -_MAX_INT64 - 1 <= number <= _MAX_INT64:
        raise ValueError(f'parsing "{text}": value out of range')
    return number


def _number_text(text: str | int | float) -> str:
    if isinstance(text, str):
        return text
    if isinstance(text, bool) or not isinstance(text, int | float):
        raise ValueError(f"quantity must be a string or a number, not {text}")
    if isinstance(text, int):
        return str(text)

    return float_text(text)


@lru_cache(_REMEMBERED)
def _read(text: str) -> tuple[int, int, str, str]:
    """ParseQuantity: unscaled integer, power of ten, format, and the text where Go keeps it, else empty.

    Go takes numbers of more than `_LARGEST` characters, too.
    """
    if not text:
        raise _malformed(text)
    if len(text) > _LARGEST:
        raise ValueError(f"a quantity of {len(text)} characters is too large to calculate with")
    if text == "0":
        return 0, 0, _DECIMAL_SI, text
    negative, whole, fraction, suffix = _split(text)
    form, power = _interpret(text, suffix)
    digits = whole + fraction
    if form is _BINARY_SI:
        # Go estimates that 2**power takes power*3/10 digits; a fraction always goes the slow way.
        precision = -1 if fraction else 14 - len(whole) - power * 3 // 10
        exponent = 0
    else:
        precision = 18 - len(digits)
        exponent = power - len(fraction)
    if precision >= 0 and exponent >= _NANO:
        number = int(digits)
        if form is _BINARY_SI:
            kept = number & 7 != 0
            number <<= power
        else:
            kept = exponent % 3 == 0 and digits[-3:] != "000" and digits[0] != "0"
        return -number if negative else number, exponent, form, text if kept else ""
    if not text[: len(text) - len(suffix)].strip("+-."):
        # Only the slow way minds a missing number.
        raise _malformed(text)
    number, exponent, form = _read_slowly(int(digits), -len(fraction), form, power)
    return -number if negative else number, exponent, form, ""


def _read_slowly(number: int, exponent: int, form: str, power: int) -> tuple[int, int, str]:
    """The big-decimal way: nothing below 1n, binary quantities capped at the largest int64, text never kept."""
    if form is _BINARY_SI:
        number <<= power
    else:
        exponent += power
    if exponent < _NANO:
        number = _divide_away(number, exponent - _NANO)
        exponent = _NANO
    if form is _BINARY_SI:
        one = 10**-exponent
        if number > _MAX_INT64 * one:
            number, exponent = _MAX_INT64, 0
        elif 0 < number < one:
            form = _DECIMAL_SI
    return number, exponent, form


def _split(text: str) -> tuple[bool, str, str, str]:
    """parseQuantityString: sign, digits without leading zeros, fraction, suffix. A missing number counts as zero."""
    rest = text[1:] if text[0] in "+-" else text
    rest = rest.lstrip("0")
    after = rest.lstrip(_DIGITS)
    whole = rest[: len(rest) - len(after)] or "0"
    fraction = ""
    if after[:1] == ".":
        suffix = after[1:].lstrip(_DIGITS)
        fraction = after[1 : len(after) - len(suffix)]
    else:
        suffix = after
    tail = suffix.lstrip(_SUFFIX_LETTERS)
    if tail[:1] in ("+", "-"):
        tail = tail[1:]
    if tail.lstrip(_DIGITS):
        raise _malformed(text)
    return text[0] == "-", whole, fraction, suffix


def _interpret(text: str, suffix: str) -> tuple[str, int]:
    if suffix in _DECIMAL:
        return _DECIMAL_SI, _DECIMAL[suffix]
    if suffix in _BINARY:
        return _BINARY_SI, _BINARY[suffix]
    if len(suffix) > 1 and suffix[0] in "eE":
        try:
            power = parse_int(suffix[1:])
        except ValueError:
            raise _malformed(text) from None
        # Go keeps the exponent in an int32, without a check.
        return _DECIMAL_EXPONENT, (power + 2**31) % 2**32 - 2**31
    raise _malformed(text)


def _malformed(text: str) -> ValueError:
    return ValueError(
        f'"{text}" is not a quantity: a number, then nothing, a suffix such as m, k, M, G, Ki, Mi, Gi or an e3'
    )


def _divide_away(number: int, exponent: int) -> int:
    """number * 10**exponent for a negative exponent, rounded away from zero."""
    if not number:
        return 0
    magnitude = abs(number)
    digits = -exponent
    # A power of ten far beyond the number's own digits would only cost memory.
    quotient = 1 if digits > magnitude.bit_length() else -(-magnitude // 10**digits)
    return quotient if number > 0 else -quotient


def _print(number: int, exponent: int, form: str) -> str:
    """CanonicalizeBytes: the fewest digits with the largest suffix that loses nothing."""
    if not number:
        return "0"
    if form is _BINARY_SI:
        text = _print_binary(number, exponent)
        if text:
            return text
        form = _DECIMAL_SI
    while number % 10 == 0:
        number //= 10
        exponent += 1
    while exponent % 3:
        number *= 10
        exponent -= 1
    if form is _DECIMAL_SI:
        # Beyond n and E Go finds no suffix and prints the bare mantissa.
        return f"{number}{_DECIMAL_SUFFIXES.get(exponent, '')}"
    return f"{number}e{exponent}" if exponent else str(number)


def _print_binary(number: int, exponent: int) -> str:
    """Empty where a binary suffix would lose something, or below 1024 in size, where Go prefers decimal."""
    if exponent < 0:
        number, remainder = divmod(number, 10**-exponent)
        if remainder:
            return ""
    if -1024 < number < 1024:
        return ""
    step = 0
    while number % 1024 == 0:
        number //= 1024
        step += 1
    return f"{number}{_BINARY_SUFFIXES[step]}" if step < len(_BINARY_SUFFIXES) else str(number)
