"""What differs between two states of an input document, as edits of which each can be taken or left.

Taking all edits gives the new document, taking none the old one. Elements of lists belong together as they do in a
comparison of objects; a list of scalars changes by runs of elements, as a list of arguments does. Lists of lines are
compared in proportion to their length, where Python's difflib takes the square of it, and the cube of what repeats.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from dynamoc.analysis.compare.result import ADDED, CHANGED, REMOVED, REORDERED, Change, Step, Steps
from dynamoc.analysis.compare.trees import Pair, is_same, pair_elements
from dynamoc.documents.findings.finding import Path, Place
from dynamoc.kube.merge import Tree
from dynamoc.kube.secrets import without_secrets

Opcode = tuple[str, int, int, int, int]
"""`equal`, `replace`, `delete` or `insert`; from and to on the left; from and to on the right."""

Match = tuple[int, int]

Taken = frozenset[int]
"""Numbers of edits."""

Node = Callable[[Taken], Any]
"""A part of both trees: what it is with some edits."""

#: pairs of lines up to which difflib is asked
_SMALL = 40_000
_SMALL_PIECE = 2_500
#: how often pieces between lines that occur once are cut again
_ROUNDS = 8


def opcodes(left: list[str], right: list[str]) -> list[Opcode]:
    """How the left list becomes the right one: the whole of both, in order, as difflib gives it."""
    if len(left) * len(right) <= _SMALL:
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


_MISSING: Any = object()


@dataclass(eq=False, slots=True)
class Edit:
    """One difference.

    change    what it is; of a list of scalars, the elements that went and those that came
    old, new  where it is written: the path in the old and in the new document, None where that one has nothing
    """

    change: Change
    old: Path | None
    new: Path | None


class Edits:
    """All edits between two trees, in the order of the new one; what only the old one has comes where it was."""

    def __init__(self, old: Any, new: Any) -> None:
        self.found: list[Edit] = []
        self._root = self._node((), old, new, (), ())

    def applied(self, taken: Taken) -> Any:
        """The old tree with these edits; it shares what has no edits with both trees."""
        return self._root(taken)

    def _edit(self, change: Change, old: Path | None, new: Path | None) -> int:
        self.found.append(Edit(change, old, new))
        return len(self.found) - 1

    def _node(self, steps: Steps, old: Any, new: Any, before: Path, after: Path) -> Node:
        if is_same(old, new):
            return lambda _taken: new
        if isinstance(old, dict) and isinstance(new, dict):
            return self._mapping(steps, old, new, before, after)
        if isinstance(old, list) and isinstance(new, list):
            if all(isinstance(item, dict) for item in (*old, *new)):
                return self._elements(steps, old, new, before, after)
            return self._scalars(steps, old, new, before, after)
        return _choice(self._edit(Change(steps, CHANGED, old, new), before, after), old, new)

    def _mapping(self, steps: Steps, old: Tree, new: Tree, before: Path, after: Path) -> Node:
        found: dict[str, Node] = {}
        for key in {**new, **old}:
            below = (*steps, key)
            if key not in old:
                found[key] = self._one(Change(below, ADDED, new=new[key]), None, (*after, key))
            elif key not in new:
                found[key] = self._one(Change(below, REMOVED, old[key]), (*before, key), None)
            else:
                found[key] = self._node(below, old[key], new[key], (*before, key), (*after, key))
        return lambda taken: {key: value for key, node in found.items() if (value := node(taken)) is not _MISSING}

    def _one(self, change: Change, old: Path | None, new: Path | None) -> Node:
        """What only one side has."""
        left = _MISSING if old is None else change.old
        right = _MISSING if new is None else change.new
        return _choice(self._edit(change, old, new), left, right)

    def _elements(self, steps: Steps, old: list[Any], new: list[Any], before: Path, after: Path) -> Node:
        name = steps[-1] if steps and isinstance(steps[-1], str) else ""
        pairs = pair_elements(name, old, new)
        of_new: dict[int, Node] = {}
        of_old: dict[int, Node] = {}
        for i, j, step in pairs:
            node = self._element((*steps, step), (old, i), (new, j), before, after)
            if i is not None:
                of_old[i] = node
            if j is not None:
                of_new[j] = node
        both = [(i, j) for i, j, _ in pairs if i is not None and j is not None]
        order = None
        if [i for i, _ in both] != sorted(i for i, _ in both):
            change = Change(steps, REORDERED, _labels(pairs, 0), _labels(pairs, 1))
            order = self._edit(change, before, after)
        left, right = [of_old[i] for i in range(len(old))], [of_new[j] for j in range(len(new))]
        return lambda taken: _merged(left, right, order, taken)

    def _element(
        self, steps: Steps, old: tuple[list[Any], int | None], new: tuple[list[Any], int | None], *paths: Path
    ) -> Node:
        (left, i), (right, j) = old, new
        before, after = paths
        if i is None:
            assert j is not None
            return self._one(Change(steps, ADDED, new=right[j]), None, (*after, j))
        if j is None:
            return self._one(Change(steps, REMOVED, left[i]), (*before, i), None)
        return self._node(steps, left[i], right[j], (*before, i), (*after, j))

    def _scalars(self, steps: Steps, old: list[Any], new: list[Any], before: Path, after: Path) -> Node:
        runs: list[Node] = []
        # A value without the argument in front of it does not show that it is secret.
        left, right = without_secrets(old), without_secrets(new)
        for tag, i1, i2, j1, j2 in opcodes(list(map(_content, old)), list(map(_content, new))):
            if tag == "equal":
                runs.append(_choice(-1, new[j1:j2], None))
                continue
            how = CHANGED if i1 < i2 and j1 < j2 else ADDED if j1 < j2 else REMOVED
            change = Change(steps, how, left[i1:i2] or None, right[j1:j2] or None)
            number = self._edit(change, (*before, i1) if i1 < i2 else None, (*after, j1) if j1 < j2 else None)
            runs.append(_choice(number, old[i1:i2], new[j1:j2]))
        return lambda taken: [item for run in runs for item in run(taken)]


def _choice(number: int, old: Any, new: Any) -> Node:
    """The old value, or the new one where its edit is taken; one of them may be missing."""
    return lambda taken: new if number in taken else old


def _merged(old: list[Node], new: list[Node], order: int | None, taken: Taken) -> list[Any]:
    """Elements in the order of one side; those of the other side stand behind their neighbour there."""
    is_new = order is None or order in taken
    first, second = (new, old) if is_new else (old, new)
    # What stands behind a node of the first side, and at the front.
    behind: dict[int | None, list[Node]] = {None: [], **{id(node): [] for node in first}}
    before = None
    for node in second:
        if id(node) in behind:
            before = id(node)
        else:
            behind[before].append(node)
    merged = [*behind[None], *(each for node in first for each in (node, *behind[id(node)]))]
    return [value for node in merged if (value := node(taken)) is not _MISSING]


def _content(item: Any) -> str:
    return f"{item.__class__.__name__} {item!r}"


def _labels(pairs: list[Pair], side: int) -> list[Step]:
    places = sorted((pair[side], pair[2]) for pair in pairs if pair[0] is not None and pair[1] is not None)
    return [step[1] if isinstance(step, tuple) else step for _, step in places]


_ALIAS = re.compile(r"\*([^\s,\[\]{}]+)")


class Anchors:
    """Anchors of files. `read` gives the text of a file, None without one."""

    def __init__(self, read: Callable[[str], str | None]) -> None:
        self._read = read
        self._lines: dict[str, list[str]] = {}

    def behind(self, place: Place) -> Place:
        """The anchor of the alias at a place; the place itself where there is no alias."""
        lines = self._of(place.file)
        if place.line > len(lines):
            return place
        alias = _ALIAS.match(lines[place.line - 1], place.column - 1)
        if alias is None:
            return place
        anchor = re.compile(rf"&{re.escape(alias[1])}(?![^\s,\[\]{{}}])")
        for number in range(place.line, 0, -1):
            found = anchor.search(lines[number - 1])
            if found:
                return Place(place.file, number, found.start() + 1, place.source)
        return place

    def _of(self, file: str) -> list[str]:
        if file not in self._lines:
            text = self._read(file) or ""
            self._lines[file] = text.split("\n") if "&" in text else []
        return self._lines[file]
