"""Differences between long texts: right, and in proportion to their length."""

from __future__ import annotations

from collections.abc import Callable
from difflib import SequenceMatcher
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynamoc.analysis.compare import edits
from dynamoc.analysis.compare.edits import grouped, opcodes
from dynamoc.analysis.compare.trees import pair_elements

texts = st.lists(st.sampled_from("abcdefgh"), max_size=40)


@given(texts, texts, st.sampled_from([0, 40_000]))
def test_they_lead_from_one_side_to_the_other(left: list[str], right: list[str], small: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(edits, "_SMALL", small)
        patch.setattr(edits, "_SMALL_PIECE", small or 4)
        codes = opcodes(left, right)
    i = j = 0
    for tag, i1, i2, j1, j2 in codes:
        assert (i1, j1) == (i, j)
        assert tag in ("equal", "replace", "insert", "delete")
        assert (left[i1:i2] == right[j1:j2]) == (tag == "equal")
        i, j = i2, j2
    assert (i, j) == (len(left), len(right))
    assert all(one[0] != two[0] for one, two in pairwise(codes) if one[0] == "equal")


@given(texts, texts, st.integers(1, 4))
def test_groups_are_those_of_difflib(left: list[str], right: list[str], context: int) -> None:
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    wanted = [group for group in matcher.get_grouped_opcodes(context) if any(code[0] != "equal" for code in group)]
    assert list(grouped(opcodes(left, right), context)) == wanted


def test_lines_that_occur_once_hold_long_texts_together() -> None:
    left = [f"line {at}" for at in range(5000)]
    right = [line if at % 100 else f"{line}, changed" for at, line in enumerate(left)]
    changed = [code for code in opcodes(left, right) if code[0] != "equal"]
    assert changed == [("replace", at, at + 1, at, at + 1) for at in range(0, 5000, 100)]


class Counted(str):
    """A line that counts how often it is looked at."""

    looks = 0
    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        Counted.looks += 1
        return str.__eq__(self, other) is True

    def __hash__(self) -> int:
        Counted.looks += 1
        return str.__hash__(self)


def every_second(size: int, side: int) -> list[str]:
    return [f"line {at} {side * (at % 2)}" for at in range(size)]


def repeated(size: int, side: int) -> list[str]:
    return [f"{at * (7 + 4 * side) % 13}" for at in range(size)]


def shuffled(size: int, side: int) -> list[str]:
    return [f"{at * (1 + 6 * side) % size}" for at in range(size)]


@pytest.mark.parametrize("lines", [every_second, repeated, shuffled])
def test_twice_as_many_lines_are_twice_the_work(lines: Callable[[int, int], list[str]]) -> None:
    def looks(size: int) -> int:
        Counted.looks = 0
        opcodes([Counted(line) for line in lines(size, 0)], [Counted(line) for line in lines(size, 1)])
        return Counted.looks

    assert looks(8001) < 2.5 * looks(4001)


def test_elements_without_keys_are_paired_by_content() -> None:
    class Item(dict[str, int]):
        looks = 0

        def __eq__(self, other: object) -> bool:
            Item.looks += 1
            return dict.__eq__(self, other) is True

        __hash__ = None  # type: ignore[assignment]

    old = [Item(a=at) for at in range(2000)]
    pairs = pair_elements("tolerations", old, [Item(a=1999 - at) for at in range(2000)])
    assert [(i, j) for i, j, _ in pairs] == [(1999 - at, at) for at in range(2000)]
    assert Item.looks == 0
