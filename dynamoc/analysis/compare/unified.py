"""A comparison as a unified diff of YAML, for pagers and other tools.

Lists are in the order of the new side, and names of a new worker generation are written as the new ones on both, so
that only what differs is shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dynamoc.analysis.compare.edits import Opcode, grouped, opcodes
from dynamoc.analysis.compare.result import Comparison, ObjectChange, Steps, one_line
from dynamoc.analysis.compare.trees import (
    format_steps,
    is_elements,
    is_map,
    is_same,
    is_set,
    named_steps,
    pair_elements,
)
from dynamoc.documents.emit.yaml import yaml_lines
from dynamoc.kube.merge import Tree
from dynamoc.kube.secrets import masked

Changed = frozenset[Steps]


def unified(comparison: Comparison) -> str:
    """One diff an object; what is ignored is not in it. Comments report new worker generations."""
    return "".join(_chunks(comparison))


def _chunks(comparison: Comparison) -> Iterator[str]:
    for skipped in comparison.skipped:
        yield f"# not compared: {one_line(skipped.text(), 1000)}\n"
    for generation in comparison.generations:
        names = f"{generation.old or 'none'} -> {generation.new or 'none'}"
        yield f"# new worker generation of {generation.namespace}/{generation.graph}: {names}\n"
    for item in comparison.objects:
        yield object_diff(item)


def object_diff(item: ObjectChange) -> str:
    """The diff of one object, "" where it differs in its worker generation or in the order of lists only."""
    metadata = item.one["metadata"]
    name = f"{item.one['kind']}/{metadata.get('namespace') or ''}/{metadata.get('name', '')}"
    names = ("/dev/null" if item.old is None else f"old/{name}", "/dev/null" if item.new is None else f"new/{name}")
    return "".join(row + "\n" for row in _rows(*texts_of(item), names))


def texts_of(item: ObjectChange) -> tuple[Text, Text]:
    """Both sides of an object as YAML, the old one arranged as the new one."""
    old, new = item.old, item.new
    if old is not None and new is not None:
        old = _aligned((), old, new, frozenset(change.steps for change in item.changes))
    return Text(old), Text(new, old)


def _rows(before: Text, after: Text, names: tuple[str, str]) -> Iterator[str]:
    """The lines of a unified diff, none where nothing differs. Each hunk is called by the field that it changes."""
    old, new = before.lines, after.lines
    for number, group in enumerate(grouped(opcodes(old, new))):
        if not number:
            yield from (f"--- {names[0]}", f"+++ {names[1]}")
        ranges = f"-{_range(group[0][1], group[-1][2])} +{_range(group[0][3], group[-1][4])}"
        yield f"@@ {ranges} @@ {field_of(group, before, after)}".rstrip()
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                yield from (f" {line}" for line in old[i1:i2])
            else:
                yield from (f"-{line}" for line in old[i1:i2])
                yield from (f"+{line}" for line in new[j1:j2])


def _range(start: int, end: int) -> str:
    """As diff prints it: the first line, from 1, and how many, where it is not one; an empty range is before it."""
    length = end - start
    return str(start + 1) if length == 1 else f"{start + (length > 0)},{length}"


class Text:
    """The YAML of an object, and the field that each line belongs to. What is secret and not as `before` says so."""

    def __init__(self, value: Tree | None, before: Tree | None = None) -> None:
        self._value = None if value is None else masked(value, before)
        known = [] if value is None else yaml_lines(self._value)
        self.lines = [line for line, _, _ in known]
        self._paths = [path for _, path, _ in known]

    def steps(self, start: int, end: int) -> Iterator[Steps]:
        for path in self._paths[start:end]:
            yield named_steps(self._value, path)


def field_of(group: list[Opcode], old: Text, new: Text) -> str:
    """What the changed lines of a hunk have in common; nothing for a whole object."""
    changed: list[Steps] = []
    for tag, i1, i2, j1, j2 in group:
        if tag != "equal":
            changed += [*old.steps(i1, i2), *new.steps(j1, j2)]
    common = changed[0]
    for steps in changed:
        depth = next((at for at, (a, b) in enumerate(zip(common, steps, strict=False)) if a != b), len(steps))
        common = common[:depth]
    return one_line(format_steps(common)) if common else ""


def _aligned(steps: Steps, old: Any, new: Any, changed: Changed) -> Any:
    """The old value, arranged as the new one; where nothing differs, the new value itself."""
    if is_same(old, new):
        return new
    if isinstance(old, dict) and isinstance(new, dict):
        return _aligned_members(steps, old, new, changed)
    if isinstance(old, list) and isinstance(new, list):
        if all(isinstance(item, dict) for item in (*old, *new)):
            return _aligned_elements(steps, old, new, changed)
        return _aligned_scalars(steps, old, new, changed)
    return old if steps in changed else new


def _aligned_members(steps: Steps, old: Tree, new: Tree, changed: Changed) -> Tree:
    result = {}
    for key in {**old, **new}:
        below = (*steps, key)
        left, right = old.get(key), new.get(key)
        parts: Any = left if right is None else right
        if left is not None and right is not None:
            result[key] = _aligned(below, left, right, changed)
        elif is_elements(parts) or is_map(key, parts):
            aligned = _aligned(below, left or type(parts)(), right or type(parts)(), changed)
            if aligned:
                result[key] = aligned
        elif (left is not None) == (below in changed):
            # Gone, and shown; or come, and not shown.
            result[key] = right if left is None else left
    return result


def _aligned_elements(steps: Steps, old: list[Tree], new: list[Tree], changed: Changed) -> list[Tree]:
    name = steps[-1] if isinstance(steps[-1], str) else ""
    result: list[Tree] = []
    places: dict[int, int] = {}
    gone: list[int] = []
    for i, j, step in pair_elements(name, old, new):
        below = (*steps, step)
        if i is not None and j is not None:
            places[i] = len(result)
            result.append(_aligned(below, old[i], new[j], changed))
        elif j is not None and below not in changed:
            result.append(new[j])
        elif i is not None and below in changed:
            gone.append(i)
    return _with_gone(result, old, places, gone)


def _with_gone(kept: list[Tree], old: list[Tree], places: dict[int, int], gone: list[int]) -> list[Tree]:
    """The kept elements, with those that are gone behind the last of those that they were behind.

    places  position on the old side to position among the kept
    """
    behind: dict[int, list[Tree]] = {}
    last, places = 0, dict(sorted(places.items()))
    known = list(places)
    following = 0
    for i in sorted(gone):
        while following < len(known) and known[following] < i:
            last = max(last, places[known[following]] + 1)
            following += 1
        behind.setdefault(last, []).append(old[i])
    result: list[Tree] = []
    for at in range(len(kept) + 1):
        result += behind.get(at, ())
        result += kept[at : at + 1]
    return result


def _aligned_scalars(steps: Steps, old: list[Any], new: list[Any], changed: Changed) -> list[Any]:
    name = steps[-1] if isinstance(steps[-1], str) else ""
    if not is_set(name):
        return old if steps in changed else new
    before, after = set(map(str, old)), set(map(str, new))
    told = [item for item in old if str(item) not in after and (*steps, ("", str(item))) in changed]
    return [item for item in new if str(item) in before or (*steps, ("", str(item))) not in changed] + told
