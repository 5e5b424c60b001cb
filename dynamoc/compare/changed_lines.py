"""The lines below a changed object in the outputs for people."""

from __future__ import annotations

from dynamoc.compare.opcodes import opcodes
from dynamoc.compare.path import format_steps
from dynamoc.compare.result import ADDED, REMOVED, REORDERED
from dynamoc.compare.values import count, full_line, likeness, one_line, shortened, shown, two_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from dynamoc.compare.result import Amount, Change, ObjectChange

    Line = tuple[str, str]
    """`+`, `-` or a blank, and the text behind it."""

_CONTEXT_LINES = 40
#: how long both values of a scalar may be to share a line
_WIDTH = 100


def change_lines(kind: str, change: Change) -> Iterator[Line]:
    """A field and its values: one line where both are short, `-` and `+` lines where they are texts or lists."""
    field = format_steps(change.steps)
    old, new = shown(kind, change, change.old), shown(kind, change, change.new)
    if change.how == ADDED:
        yield "+", f"{field}: {one_line(new)}"
    elif change.how == REMOVED:
        yield "-", f"{field}: {one_line(old)}"
    elif change.how == REORDERED:
        yield " ", f"{field}: {', '.join(map(one_line, old))} -> {', '.join(map(one_line, new))}"
    elif _is_long(old, new):
        yield " ", f"{field}:"
        yield from _rows(old, new)
    else:
        left, right = two_lines(old, new)
        if len(left) + len(right) <= _WIDTH:
            yield " ", f"{field}: {left} -> {right}"
            return
        yield " ", f"{field}:"
        yield "-", f"  {left}"
        yield "+", f"  {right}"


def amount_text(amount: Amount) -> str:
    """`4 pods, 32 GPUs`; GPUs only where there are some."""
    return count(amount.pods, "pod") + (f", {_gpus(amount)}" if amount.gpus else "")


def _gpus(amount: Amount) -> str:
    return count(amount.gpus, "GPU")


def amount_verb(amount: Amount, verb: str) -> str:
    """`1 pod restarts`; `4 pods, 32 GPUs restart`; `2 more GPUs needed` of pods that restart anyway"""
    if not amount.pods:
        return (
            f"{amount.gpus} more GPU{'s' * (amount.gpus != 1)} needed" if verb == "start" else f"{_gpus(amount)} freed"
        )
    return f"{amount_text(amount)} {verb}{'s' if amount.pods == 1 and not amount.gpus else ''}"


def pods_text(item: ObjectChange) -> str:
    """What happens to the pods of an object, "" where nothing does."""
    verbs = (("restarted", "restart"), ("started", "start"), ("stopped", "stop"))
    return "; ".join(amount_verb(amount, verb) for what, verb in verbs if (amount := item.total(what)))


def _is_long(old: Any, new: Any) -> bool:
    if isinstance(old, list) and isinstance(new, list):
        return True
    return isinstance(old, str) and isinstance(new, str) and ("\n" in old or "\n" in new)


def _rows(old: Any, new: Any) -> Iterator[Line]:
    """The elements or lines that differ; not those that both sides have."""
    left = old if isinstance(old, list) else old.split("\n")
    right = new if isinstance(new, list) else new.split("\n")
    # Compared as a whole: what is cut first may look the same.
    left, right = [full_line(item) for item in left], [full_line(item) for item in right]
    rows: list[Line] = []
    for tag, i1, i2, j1, j2 in opcodes(left, right):
        if tag != "equal":
            rows += [("-", f"  {text}") for text in _cut(left[i1:i2], right[j1:j2])]
            rows += [("+", f"  {text}") for text in _cut(right[j1:j2], left[i1:i2])]
    yield from rows[:_CONTEXT_LINES]
    if len(rows) > _CONTEXT_LINES:
        yield " ", f"  ... and {len(rows) - _CONTEXT_LINES} more lines"


def _cut(lines: list[str], others: list[str]) -> Iterator[str]:
    """Lines that were replaced by others, long ones cut around what tells them from the one that is most alike."""
    for line in lines:
        alike = max(others[:_CONTEXT_LINES], key=lambda other: likeness(line, other), default="")
        yield shortened(line, alike)
