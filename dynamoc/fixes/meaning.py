"""What a text says before and after a change of it."""

from __future__ import annotations

from dynamoc.diagnostics.finding import Findings
from dynamoc.source.reader import read_text
from dynamoc.tree import at, copy_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.change import Change
    from dynamoc.fixes.nodes import Entry


def values_of(text: str) -> list[Any] | None:
    """The documents of a text that are not empty, as Kubernetes reads them; None where it has errors."""
    findings = Findings()
    found = [item.value for item in read_text(text.encode("utf-8", "surrogatepass"), "", findings, objects=False)]
    return None if findings.errors else found


def value_of(values: list[Any], entry: Entry) -> Any:
    """What an entry of the text says."""
    return at(values, (entry.document, *entry.path))


def changed(values: list[Any], changes: list[tuple[Change, Entry]], text: str) -> list[Any] | None:
    """The documents after changes of the text; None where an entry is not what it seems."""
    out: list[Any] = copy_tree(values)
    # The last items of a list first: the others keep their numbers.
    for change, entry in sorted(changes, key=lambda each: each[1].start, reverse=True):
        if entry.parent is None or not _change(at(out, (entry.document, *entry.path[:-1])), change, entry, text):
            return None
    return out


def _change(holder: Any, change: Change, entry: Entry, text: str) -> bool:
    step = entry.path[-1]
    if not (step in holder if isinstance(holder, dict) else isinstance(holder, list) and step in range(len(holder))):
        return False
    if change.kind == "remove":
        del holder[step]
    elif change.kind == "rename":
        holder[change.new] = holder.pop(step)
    elif change.kind == "quote":
        holder[step] = text[entry.value.start : entry.value.end]
    else:
        holder[step] = [holder[step]] if change.kind == "list" and change.new is None else change.new
    return True
