"""What differs between two lists of lines, in time in proportion to their length.

Python's difflib takes the square of it, and the cube of what repeats. It is asked for short lists, and for the short
pieces between lines that both sides have once.
"""

from __future__ import annotations

from bisect import bisect_left

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Opcode = tuple[str, int, int, int, int]
    """`equal`, `replace`, `delete` or `insert`; from and to on the left; from and to on the right."""
    Match = tuple[int, int]

#: pairs of lines up to which difflib is asked
_SMALL = 40_000
_SMALL_PIECE = 2_500
#: how often pieces between lines that occur once are cut again
_ROUNDS = 8


def opcodes(left: list[str], right: list[str]) -> list[Opcode]:
    """How the left list becomes the right one: the whole of both, in order, as difflib gives it."""
    if len(left) * len(right) <= _SMALL:
        from difflib import SequenceMatcher

        return list(SequenceMatcher(None, left, right, autojunk=False).get_opcodes())
    return list(_opcodes(_matches(left, right), len(left), len(right)))


def grouped(codes: list[Opcode], context: int = 3) -> Iterator[list[Opcode]]:
    """The changes with so many lines around them, those that are close to each other together."""
    group: list[Opcode] = []
    for number, (tag, i1, i2, j1, j2) in enumerate(codes):
        if tag != "equal":
            group.append((tag, i1, i2, j1, j2))
            continue
        before = min(context, i2 - i1) if group else 0
        after = min(context, i2 - i1) if number < len(codes) - 1 else 0
        if group and after and i2 - i1 <= 2 * context:
            group.append((tag, i1, i2, j1, j2))
            continue
        if group:
            yield [*group, *([(tag, i1, i1 + before, j1, j1 + before)] if before else [])]
        group = [(tag, i2 - after, i2, j2 - after, j2)] if after else []
    if group:
        yield group


def _matches(left: list[str], right: list[str]) -> list[Match]:
    """Pairs of lines that stay, in order."""
    found: list[Match] = []
    pieces = [(0, len(left), 0, len(right), _ROUNDS)]
    while pieces:
        i1, i2, j1, j2, rounds = pieces.pop()
        while i1 < i2 and j1 < j2 and left[i1] == right[j1]:
            found.append((i1, j1))
            i1, j1 = i1 + 1, j1 + 1
        while i1 < i2 and j1 < j2 and left[i2 - 1] == right[j2 - 1]:
            i2, j2 = i2 - 1, j2 - 1
            found.append((i2, j2))
        if i1 == i2 or j1 == j2:
            continue
        if (i2 - i1) * (j2 - j1) <= _SMALL_PIECE:
            found += _short_matches(left, right, i1, i2, j1, j2)
            continue
        anchors = _anchors(left, right, i1, i2, j1, j2) if rounds else []
        found += anchors
        for i, j in [*anchors, (i2, j2)] if anchors else ():
            pieces.append((i1, i, j1, j, rounds - 1))
            i1, j1 = i + 1, j + 1
    return sorted(found)


def _short_matches(left: list[str], right: list[str], i1: int, i2: int, j1: int, j2: int) -> Iterator[Match]:
    from difflib import SequenceMatcher

    for block in SequenceMatcher(None, left[i1:i2], right[j1:j2], autojunk=False).get_matching_blocks():
        yield from ((i1 + block.a + at, j1 + block.b + at) for at in range(block.size))


def _anchors(left: list[str], right: list[str], i1: int, i2: int, j1: int, j2: int) -> list[Match]:
    """The most lines that both pieces have once, in the same order (patience diff)."""
    ours, theirs = _once(left, i1, i2), _once(right, j1, j2)
    pairs = [(i, theirs[line]) for line, i in ours.items() if line in theirs]
    ends: list[int] = []
    places: list[int] = []
    before: list[int] = []
    for number, (_, j) in enumerate(pairs):
        at = bisect_left(ends, j)
        ends[at : at + 1] = [j]
        places[at : at + 1] = [number]
        before.append(places[at - 1] if at else -1)
    chain: list[Match] = []
    number = places[-1] if places else -1
    while number >= 0:
        chain.append(pairs[number])
        number = before[number]
    return chain[::-1]


def _once(lines: list[str], start: int, end: int) -> dict[str, int]:
    """Lines that occur once, in order, with their positions."""
    places: dict[str, int] = {}
    for at in range(start, end):
        places[lines[at]] = -1 if lines[at] in places else at
    return {line: at for line, at in places.items() if at >= 0}


def _opcodes(matches: list[Match], left: int, right: int) -> Iterator[Opcode]:
    i = j = at = 0
    while at < len(matches):
        first = matches[at]
        yield from _change(i, first[0], j, first[1])
        length = 1
        while at + length < len(matches) and matches[at + length] == (first[0] + length, first[1] + length):
            length += 1
        i, j, at = first[0] + length, first[1] + length, at + length
        yield "equal", first[0], i, first[1], j
    yield from _change(i, left, j, right)


def _change(i1: int, i2: int, j1: int, j2: int) -> Iterator[Opcode]:
    if i1 < i2 or j1 < j2:
        yield "insert" if i1 == i2 else "delete" if j1 == j2 else "replace", i1, i2, j1, j2
