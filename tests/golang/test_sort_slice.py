"""Go's sort.Slice: stable in short lists, and in its own order where long lists have equal keys."""

import random

import pytest

from dynamoc.kube.go import STABLE, sort_slice

#: keys, and their places in the order in which Go leaves them
RECORDED = [
    (
        "3 2 2 2 2 2 1 1 1 1 1 0 0 0 0",
        "11 14 13 12 9 6 7 8 10 5 4 3 2 1 0",
    ),
    (
        "4 1 2 4 5 0 4 1 1 1 2 2 1 2 2 1 4 3 3 0 1 0 5",
        "5 21 19 15 12 1 20 7 8 9 2 11 13 14 10 17 18 0 16 6 3 4 22",
    ),
    (
        "12 0 1 2 3 3 4 5 6 2 7 8 9 10 10 11 12 13 7 14 15 16 17",
        "1 2 9 3 4 5 6 7 8 10 18 11 12 13 14 15 16 0 17 19 20 21 22",
    ),
    (
        "4 2 5 5 0 5 2 5 2 5 0 0 1 0",
        "10 13 4 11 12 1 6 8 0 3 9 7 5 2",
    ),
]


@pytest.mark.parametrize(("keys", "order"), RECORDED, ids=[str(len(row[0].split())) for row in RECORDED])
def test_order_of_go(keys: str, order: str) -> None:
    numbers = [int(word) for word in keys.split()]
    assert sort_slice(range(len(numbers)), numbers.__getitem__) == [int(word) for word in order.split()]


@pytest.mark.parametrize("size", [0, 1, 2, STABLE, 13, 60, 500])
def test_sorted_as_any_sort_does(size: int) -> None:
    chosen = random.Random(size)
    keys = [chosen.randrange(max(1, size // 3)) for _ in range(size)]
    assert [keys[index] for index in sort_slice(range(size), keys.__getitem__)] == sorted(keys)


def test_stable_where_it_is_short_or_without_equals() -> None:
    pairs = [(index % 3, index) for index in range(STABLE)]
    assert sort_slice(pairs, lambda pair: pair[0]) == sorted(pairs)
    long = list(range(100, 0, -1))
    assert sort_slice(long, int) == sorted(long)
