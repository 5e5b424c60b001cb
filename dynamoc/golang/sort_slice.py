"""Go's sort.Slice, which is not stable: entries with equal keys may change places in lists of more than twelve.

It is pattern-defeating quicksort with fixed choices, so that the same list always ends in the same order.
Source: Go's package sort, pdqsort_func.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

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
    """Sorts positions of `keys`; `indices` tells the position that each entry had at first."""

    __slots__ = ("indices", "keys")

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
