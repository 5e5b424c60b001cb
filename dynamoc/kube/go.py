"""Go's durations (`1h30m`), times of Kubernetes objects, semantic versions, and the order of sort.Slice.

Versions are read and compared as by github.com/Masterminds/semver v3. sort.Slice is not stable: entries with equal keys
may change places in lists of more than twelve. It is pattern-defeating quicksort with fixed choices, so that the same
list always ends in the same order. Source: Go's package sort, pdqsort_func.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from dynamoc.kube.tracing import converting

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


_ALNUM = _DIGITS + "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-"
_LARGEST = 2**64 - 1


@dataclass(eq=False, slots=True)
class Semver:
    """Major, minor and patch as `core`, and the prerelease, "" for none; build metadata does not count."""

    core: tuple[int, int, int]
    prerelease: str = ""

    def compare(self, other: Semver) -> int:
        """-1, 0 or 1. A prerelease comes before its release."""
        if self.core != other.core:
            return 1 if self.core > other.core else -1
        if self.prerelease == other.prerelease:
            return 0
        if not self.prerelease or not other.prerelease:
            return -1 if self.prerelease else 1
        return _compare_prereleases(self.prerelease.split("."), other.prerelease.split("."))

    def at_least(self, core: tuple[int, int, int]) -> bool:
        """Whether it is the release `core` or a later version: `1.0.0-rc1` is not at least 1.0.0."""
        return self.compare(Semver(core)) >= 0


def parse_semver(text: str) -> Semver | None:
    """`NewVersion`: a `v` in front, missing minor and patch, and leading zeros are fine; None for what it refuses."""
    return _parse(text.removeprefix("v"), strict=False)


def parse_strict_semver(text: str) -> Semver | None:
    """`StrictNewVersion`: exactly major, minor and patch, without leading zeros; None for what it refuses."""
    return _parse(text, strict=True)


def _parse(text: str, *, strict: bool) -> Semver | None:
    rest, plus, build = text.partition("+")
    numbers, dash, prerelease = rest.partition("-")
    parts = numbers.split(".")
    if len(parts) > 3 or (strict and len(parts) < 3) or not all(_is_number(part, strict) for part in parts):
        return None
    if dash and not all(_is_identifier(part) and not _has_leading_zero(part) for part in prerelease.split(".")):
        return None
    if plus and not all(_is_identifier(part) for part in build.split(".")):
        return None
    major, minor, patch = (*map(int, parts), 0, 0)[:3]
    return Semver((major, minor, patch), prerelease)


def _is_number(text: str, strict: bool) -> bool:
    if not text or text.strip(_DIGITS) or (strict and _has_leading_zero(text)):
        return False
    return int(text) <= _LARGEST


def _is_identifier(text: str) -> bool:
    return text != "" and not text.strip(_ALNUM)


def _has_leading_zero(text: str) -> bool:
    return len(text) > 1 and text[0] == "0" and not text.strip(_DIGITS)


def _compare_prereleases(left: list[str], right: list[str]) -> int:
    for index in range(max(len(left), len(right))):
        one = left[index] if index < len(left) else ""
        two = right[index] if index < len(right) else ""
        if one != two:
            return 1 if _identifier_key(one) > _identifier_key(two) else -1
    return 0


def _identifier_key(text: str) -> tuple[int, int, str]:
    """A missing identifier comes first, then numbers in their order, then words in that of their bytes."""
    if not text:
        return (0, 0, "")
    if not text.strip(_DIGITS) and int(text) <= _LARGEST:
        return (1, int(text), "")
    return (2, 0, text)


#: up to this many entries the sort is stable
STABLE = 12
_NINTHER = _SHIFTING = 50
_MAX_STEPS = 5
_MASK = 2**64 - 1
_UNKNOWN, _INCREASING, _DECREASING = range(3)


def sort_slice(items: Sequence[Any], key: Callable[[Any], Any]) -> list[Any]:
    """The items in the order in which sort.Slice leaves them, compared by `key`."""
    keys = [key(item) for item in items]
    if len(keys) > STABLE and len(set(keys)) < len(keys):
        order = _Sorter(keys)
        order.sort(0, len(keys), len(keys).bit_length())
        return [items[index] for index in order.indices]
    return [items[index] for index in sorted(range(len(keys)), key=keys.__getitem__)]


class _Sorter:
    """Sorts positions of `keys`; `indices` has the position that each entry had at first."""

    def __init__(self, keys: list[Any]) -> None:
        self.keys = list(keys)
        self.indices = list(range(len(keys)))

    def less(self, one: int, two: int) -> bool:
        return bool(self.keys[one] < self.keys[two])

    def swap(self, one: int, two: int) -> None:
        for values in (self.keys, self.indices):
            values[one], values[two] = values[two], values[one]

    def sort(self, start: int, end: int, limit: int) -> None:
        balanced = partitioned = True
        while True:
            length = end - start
            if length <= STABLE:
                return self._insertion(start, end)
            if limit == 0:
                return self._heap(start, end)
            if not balanced:
                self._break_patterns(start, end)
                limit -= 1
            pivot, hint = self._choose_pivot(start, end)
            if hint == _DECREASING:
                self._reverse(start, end)
                pivot = (end - 1) - (pivot - start)
                hint = _INCREASING
            if balanced and partitioned and hint == _INCREASING and self._partial_insertion(start, end):
                return None
            if start > 0 and not self.less(start - 1, pivot):
                start = self._partition_equal(start, end, pivot)
                continue
            middle, partitioned = self._partition(start, end, pivot)
            left, right = middle - start, end - middle
            balanced = min(left, right) >= length // 8
            if left < right:
                self.sort(start, middle, limit)
                start = middle + 1
            else:
                self.sort(middle + 1, end, limit)
                end = middle

    def _insertion(self, start: int, end: int) -> None:
        for index in range(start + 1, end):
            self._sink(index, start)

    def _sink(self, index: int, start: int) -> None:
        while index > start and self.less(index, index - 1):
            self.swap(index, index - 1)
            index -= 1

    def _heap(self, start: int, end: int) -> None:
        length = end - start
        for root in range((length - 1) // 2, -1, -1):
            self._sift_down(root, length, start)
        for last in range(length - 1, -1, -1):
            self.swap(start, start + last)
            self._sift_down(0, last, start)

    def _sift_down(self, root: int, end: int, first: int) -> None:
        while (child := 2 * root + 1) < end:
            if child + 1 < end and self.less(first + child, first + child + 1):
                child += 1
            if not self.less(first + root, first + child):
                return
            self.swap(first + root, first + child)
            root = child

    def _reverse(self, start: int, end: int) -> None:
        for offset in range((end - start) // 2):
            self.swap(start + offset, end - 1 - offset)

    def _break_patterns(self, start: int, end: int) -> None:
        length = end - start
        random, mask = length, (1 << length.bit_length()) - 1
        first = start + length // 4 * 2 - 1
        for offset in range(3):
            random ^= random << 13 & _MASK
            random ^= random >> 7
            random ^= random << 17 & _MASK
            other = random & mask
            self.swap(first + offset, start + (other - length if other >= length else other))

    def _choose_pivot(self, start: int, end: int) -> tuple[int, int]:
        quarter = (end - start) // 4
        places = [start + quarter * part for part in (1, 2, 3)]
        swaps = [0]
        if end - start >= _NINTHER:
            places = [self._median([place - 1, place, place + 1], swaps) for place in places]
        pivot = self._median(places, swaps)
        return pivot, {0: _INCREASING, 12: _DECREASING}.get(swaps[0], _UNKNOWN)

    def _median(self, places: list[int], swaps: list[int]) -> int:
        for left in (0, 1, 0):
            if self.less(places[left + 1], places[left]):
                swaps[0] += 1
                places[left], places[left + 1] = places[left + 1], places[left]
        return places[1]

    def _partial_insertion(self, start: int, end: int) -> bool:
        index = start + 1
        for _ in range(_MAX_STEPS):
            while index < end and not self.less(index, index - 1):
                index += 1
            if index == end:
                return True
            if end - start < _SHIFTING:
                return False
            self.swap(index, index - 1)
            if index - start >= 2:
                self._sink(index - 1, 0)
            following = index + 1
            while end - index >= 2 and following < end and self.less(following, following - 1):
                self.swap(following, following - 1)
                following += 1
        return False

    def _partition_equal(self, start: int, end: int, pivot: int) -> int:
        self.swap(start, pivot)
        low, high = start + 1, end - 1
        while True:
            while low <= high and not self.less(start, low):
                low += 1
            while low <= high and self.less(start, high):
                high -= 1
            if low > high:
                return low
            self.swap(low, high)
            low, high = low + 1, high - 1

    def _partition(self, start: int, end: int, pivot: int) -> tuple[int, bool]:
        self.swap(start, pivot)
        low, high = start + 1, end - 1
        rounds = 0
        while True:
            while low <= high and self.less(low, start):
                low += 1
            while low <= high and not self.less(high, start):
                high -= 1
            if low > high:
                self.swap(high, start)
                return high, rounds == 0
            self.swap(low, high)
            low, high, rounds = low + 1, high - 1, rounds + 1
