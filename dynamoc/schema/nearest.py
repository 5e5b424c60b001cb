"""Which known field an unknown one was meant to be."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from dynamoc.schema.walk import Node

# Wrappers that people leave out: a field that belongs two levels down is still found.
_DEPTH = 2


def best_hint(key: str, node: Node, nodes: list[Node]) -> str | None:
    """What to write instead of an unknown field: a name spelled alike, else the field one or two levels down."""
    known = node.get("props", {})
    folded = {name.lower(): name for name in known}
    if near := folded.get(key.lower()):
        return f"write `{near}`: the case of letters matters"
    below = list(_below(key, node, nodes))
    if below:
        return f"did you mean `{min(below, key=len)}`?"
    if near := nearest(key, known):
        return f"did you mean `{near}`?"
    if 0 < len(known) <= 12:
        return f"known fields are {', '.join(sorted(known))}"
    return None


def _below(key: str, node: Node, nodes: list[Node], prefix: str = "", depth: int = _DEPTH) -> Iterable[str]:
    for name, index in node.get("props", {}).items():
        child = nodes[index]
        if name not in ("apiVersion", "kind", "metadata", "status") and key in child.get("props", {}):
            yield f"{prefix}{name}.{key}"
        if depth > 1:
            yield from _below(key, child, nodes, f"{prefix}{name}.", depth - 1)


def nearest(word: str, known: Iterable[Any]) -> str | None:
    """The known word with the fewest edits, if they are few for its length."""
    best, best_distance = None, max(1, len(word) // 3) + 1
    for candidate in sorted(known):
        distance = edits(word.lower(), candidate.lower(), best_distance)
        if distance < best_distance:
            best, best_distance = candidate, distance
    return best


def edits(one: str, two: str, limit: int) -> int:
    """Insertions, deletions, replacements and swaps of neighbours between two words, or at least `limit`."""
    if abs(len(one) - len(two)) >= limit:
        return limit
    before: list[int] = []
    last = list(range(len(two) + 1))
    for row, letter in enumerate(one, 1):
        current = [row]
        for column, other in enumerate(two, 1):
            cost = min(last[column] + 1, current[-1] + 1, last[column - 1] + (letter != other))
            if row > 1 and column > 1 and letter == two[column - 2] and other == one[row - 2]:
                cost = min(cost, before[column - 2] + 1)
            current.append(cost)
        before, last = last, current
    return last[-1]
