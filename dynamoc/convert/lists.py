"""The items of a List, each as a text of its own, and the List with other items.

`kubectl get -o yaml` gives Lists. An item of a list in block style is cut out, converted like a document, and put back
at its dash; all around it stays as it is.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Item:
    """One item: its lines in the text from `first` up to but without `end`, and the column where its content starts."""

    __slots__ = ("column", "end", "first", "text")

    def __init__(self, first: int, end: int, column: int, text: str) -> None:
        self.first = first
        self.end = end
        self.column = column
        self.text = text


def items_of(text: str) -> list[Item] | None:
    """The items of a List in YAML; None where they cannot be cut out: in flow style, or behind a bare dash."""
    from dynamoc.convert.round_trip import compose

    lines = text.split("\n")
    root = compose(text)
    keys = [key for key, _ in root.value]
    position = next(index for index, key in enumerate(keys) if key.value == "items")
    sequence = root.value[position][1]
    if not isinstance(sequence.value, list) or sequence.flow_style or sequence.anchor:
        return None
    after = keys[position + 1].start_mark.line if position + 1 < len(keys) else len(lines)
    heads = [(node.start_mark.line, node.start_mark.column) for node in sequence.value]
    ends = [line for line, _ in heads[1:]] + [after]
    found = [
        _item(lines, first, end, column, node)
        for node, (first, column), end in zip(sequence.value, heads, ends, strict=True)
    ]
    whole = [item for item in found if item is not None]
    return whole if len(whole) == len(found) else None


def _item(lines: list[str], first: int, end: int, column: int, node: Any) -> Item | None:
    if node.anchor or node.flow_style or lines[first][:column].strip() != "-":
        return None
    # What stands further left behind the last field belongs to what follows.
    while end - 1 > first and not lines[end - 1][:column].isspace():
        if lines[end - 1].strip() and lines[end - 1].lstrip()[0] != "#":
            return None
        end -= 1
    body = [lines[first][column:]]
    for line in lines[first + 1 : end]:
        head = line[:column].strip()
        if head and line.lstrip()[0] != "#":
            return None
        body.append(line.lstrip() if head else line[column:])
    return Item(first, end, column, "\n".join(body) + "\n")


def with_items(text: str, items: list[Item], replaced: dict[int, str]) -> str:
    """The text of a List with other texts for some of its items, by number."""
    lines = text.split("\n")
    for number in sorted(replaced, reverse=True):
        item = items[number]
        first, *rest = replaced[number].removesuffix("\n").split("\n")
        body = [lines[item.first][: item.column] + first]
        body += [" " * item.column + line if line else line for line in rest]
        lines[item.first : item.end] = body
    return "\n".join(lines)
