"""A comparison for people, as styled lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dynamoc.analysis.compare import result
from dynamoc.analysis.compare.changed_input import line_lines
from dynamoc.analysis.compare.comparison import BUILT_IN
from dynamoc.analysis.compare.edits import opcodes
from dynamoc.analysis.compare.trees import format_steps
from dynamoc.documents.findings.text import one_line as one_line_printable
from dynamoc.documents.findings.text import whole_lines

ChangedLine = tuple[str, str]
"""`+`, `-` or a blank, and the text behind it."""

"""A style of `STYLES`, or "", and text."""

_CONTEXT_LINES = 40
#: how long both values of a scalar may be to share a line
_WIDTH = 100


def change_lines(kind: str, change: result.Change) -> Iterator[ChangedLine]:
    """A field and its values: one line where both are short, `-` and `+` lines where they are texts or lists."""
    field = format_steps(change.steps)
    old, new = result.shown(kind, change, change.old), result.shown(kind, change, change.new)
    if change.how == result.ADDED:
        yield "+", f"{field}: {result.one_line(new)}"
    elif change.how == result.REMOVED:
        yield "-", f"{field}: {result.one_line(old)}"
    elif change.how == result.REORDERED:
        yield " ", f"{field}: {', '.join(map(result.one_line, old))} -> {', '.join(map(result.one_line, new))}"
    elif _is_long(old, new):
        yield " ", f"{field}:"
        yield from _rows(old, new)
    else:
        left, right = result.two_lines(old, new)
        if len(left) + len(right) <= _WIDTH:
            yield " ", f"{field}: {left} -> {right}"
            return
        yield " ", f"{field}:"
        yield "-", f"  {left}"
        yield "+", f"  {right}"


def _is_long(old: Any, new: Any) -> bool:
    if isinstance(old, list) and isinstance(new, list):
        return True
    return isinstance(old, str) and isinstance(new, str) and ("\n" in old or "\n" in new)


def _rows(old: Any, new: Any) -> Iterator[ChangedLine]:
    """The elements or lines that differ; not those that both sides have."""
    left = old if isinstance(old, list) else old.split("\n")
    right = new if isinstance(new, list) else new.split("\n")
    # Compared as a whole: what is cut first may look the same.
    left, right = [result.full_line(item) for item in left], [result.full_line(item) for item in right]
    rows: list[ChangedLine] = []
    for tag, i1, i2, j1, j2 in opcodes(left, right):
        if tag != "equal":
            rows += [("-", f"  {text}") for text in _cut(left[i1:i2], right[j1:j2])]
            rows += [("+", f"  {text}") for text in _cut(right[j1:j2], left[i1:i2])]
    yield from rows[:_CONTEXT_LINES]
    if len(rows) > _CONTEXT_LINES:
        yield " ", f"  ... and {len(rows) - _CONTEXT_LINES} more lines"


def _cut(lines: list[str], others: list[str]) -> Iterator[str]:
    """Lines that were replaced by others, long ones cut around what distinguishes them from the most similar one."""
    for line in lines:
        alike = max(others[:_CONTEXT_LINES], key=lambda other: result.likeness(line, other), default="")
        yield result.shortened(line, alike)


#: styles of rich
STYLES = {
    "added": "green",
    "removed": "red",
    "object": "bold",
    "faint": "dim",
    result.ROLLS: "yellow",
    result.RECREATES: "bold red",
    result.SCALES: "cyan",
    result.IN_PLACE: "",
    result.ADDS: "green",
    result.REMOVES: "red",
    result.ORDER: "dim",
}
#: what the classes of changes are called
WORDS = {
    result.ADDS: "added",
    result.REMOVES: "removed",
    result.RECREATES: "must be recreated",
    result.ROLLS: "rolls pods",
    result.SCALES: "scales",
    result.IN_PLACE: "changes in place",
    result.ORDER: "only the order differs",
}
#: the same of one object and of several, for totals
_TOTALS = {
    result.ADDS: ("is added", "are added"),
    result.REMOVES: ("is removed", "are removed"),
    result.RECREATES: ("must be recreated", "must be recreated"),
    result.ROLLS: ("rolls pods", "roll pods"),
    result.SCALES: ("scales", "scale"),
    result.IN_PLACE: ("changes in place", "change in place"),
    result.ORDER: ("differs in order only", "differ in order only"),
}
_SHOWN = 5
_SIGNS = {result.ADDS: "+", result.REMOVES: "-"}


def text_lines(comparison: result.Comparison, *, summary: bool = False) -> Iterator[result.Line]:
    """Generations, objects with their fields, refused updates, and the summary; with `summary`, the last two only."""
    if not summary:
        for generation in comparison.generations:
            yield from generation_lines(generation)
        for item in comparison.objects:
            yield from object_lines(item)
            yield []
        if comparison.lines:
            yield from line_lines(comparison.lines)
    yield from summary_lines(comparison)


def object_name(item: result.ObjectChange) -> str:
    """`Deployment/web (default)`"""
    metadata = item.one["metadata"]
    namespace = metadata.get("namespace")
    return f"{item.one['kind']}/{metadata.get('name', '')}" + (f" ({namespace})" if namespace else "")


def generation_lines(generation: result.Generation) -> Iterator[result.Line]:
    """One change, whatever it is called by in names, labels and environment."""
    old, new = generation.old or "none", generation.new or "none"
    workloads = [item for item in generation.objects if item.parts]
    names = ", ".join(f"{item.one['kind']}/{item.one['metadata']['name']}" for item in workloads)
    yield [
        ("", "* "),
        ("object", f"new worker generation of {generation.graph} ({generation.namespace}): {old} -> {new}"),
    ]
    yield [("faint", f"    names, labels and environment of {result.count(len(generation.objects), 'object')}")]
    if names:
        yield [("faint", f"    new: {names}")]
    if generation.stays:
        yield [(result.RECREATES, f"    {left_behind(generation)}")]
    yield []


def left_behind(generation: result.Generation) -> str:
    """What the operator does not clean up, or nothing does."""
    staying = f"of the old generation, {result.amount_verb(generation.stays, 'stay')} until you delete"
    if not generation.attended:
        names = [
            f"{item.old['kind']}/{item.old['metadata']['name']}"
            for item in generation.objects
            if item.old and item.parts
        ]
        return f"{staying} {', '.join(names)}"
    objects = "DynamoComponentDeployments " + ", ".join(
        dict.fromkeys(
            item.old["metadata"]["name"].removesuffix("-0")
            for item in generation.objects
            if item.old and item.old["kind"] in ("LeaderWorkerSet", "Deployment")
        )
    )
    return f"{staying} {objects}"


def object_lines(item: result.ObjectChange) -> Iterator[result.Line]:
    head: result.Line = [(item.effect, f"{_SIGNS.get(item.effect, '~')} "), ("object", object_name(item))]
    head.append((item.effect, f"  {effect_text(item)}"))
    yield head
    for change in item.changes:
        yield from _field_lines(item, change)


def effect_text(item: result.ObjectChange) -> str:
    """`rolls pods: 4 pods, 32 GPUs restart`"""
    pods = "; ".join(result.pod_texts(item.total))
    word = "new worker generation" if item.renamed else WORDS[item.effect]
    if item.orphaned:
        word = "no longer created, but nothing deletes it"
        pods = result.amount_verb(item.stays, "stay") if item.stays else ""
    if item.is_kept:
        word = "stays as it is"
    return f"{word}: {pods}" if pods else word


def _field_lines(item: result.ObjectChange, change: result.Change) -> Iterator[result.Line]:
    kind = item.one["kind"]
    styles = {"+": "added", "-": "removed", " ": ""}
    for number, (sign, text) in enumerate(change_lines(kind, change)):
        yield [(styles[sign], f"    {sign} {text}")]
        if number == 0:
            remark = _remark(item, change)
            if remark:
                yield [("faint", f"        {remark}")]


def _remark(item: result.ObjectChange, change: result.Change) -> str:
    """What is worth saying about one field beside what the object's head says."""
    if not change.applied:
        return f"not applied: {change.note}"
    word = "" if change.effect in (item.effect, result.ORDER) and not change.note else WORDS[change.effect]
    return ": ".join(part for part in (word, change.note) if part)


def summary_lines(comparison: result.Comparison) -> Iterator[result.Line]:
    for refused in comparison.refused:
        where = f"{refused.kind}/{refused.name} ({refused.namespace}) {format_steps(refused.steps)}"
        yield [(result.RECREATES, "! "), ("object", where), (result.RECREATES, "  the API server refuses this update")]
        yield [("", f"    {refused.message} {refused.hint}")]
        yield []
    for skipped in comparison.skipped:
        yield [(result.RECREATES, "not compared: "), ("", skipped.text())]
    yield from ([("faint", text)] for text in left_out(comparison))
    if not comparison.objects and not comparison.refused:
        yield [("", f"no differences in {result.count(comparison.unchanged, 'object')}")]
        return
    yield [("object", totals_text(comparison))]
    for generation in comparison.generations:
        if generation.stays:
            yield [(result.RECREATES, f"{generation.graph} ({generation.namespace}): {left_behind(generation)}")]


def left_out(comparison: result.Comparison) -> Iterator[str]:
    """What was ignored, and objects of an export that are not a graph's."""
    server = [(pattern, number) for pattern, number in comparison.ignored if number and pattern in BUILT_IN]
    if server:
        changes = result.count(sum(number for _, number in server), "change")
        yield (
            f"ignored, because a cluster or a tool writes it: {', '.join(pattern for pattern, _ in server)} ({changes})"
        )
    for pattern, number in comparison.ignored:
        if number and pattern not in BUILT_IN:
            yield f"ignored: {pattern} ({result.count(number, 'change')})"
    if comparison.foreign:
        names = [f"{item['kind']}/{item['metadata'].get('name', '')}" for item in comparison.foreign]
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        objects = result.count(len(names), "object")
        yield f"not compared: {objects} of the cluster that no graph creates: {', '.join(names[:_SHOWN])}{more}"


def totals_text(comparison: result.Comparison) -> str:
    """`2 of 11 objects differ: 1 rolls pods, 1 scales; 4 pods, 32 GPUs restart`"""
    differing, total = len(comparison.objects), len(comparison.objects) + comparison.unchanged
    numbers = dict.fromkeys(_TOTALS, 0)
    for item in comparison.objects:
        numbers[item.effect] += not item.is_kept
    words = [f"{number} {_TOTALS[effect][number > 1]}" for effect, number in numbers.items() if number]
    kept = sum(item.is_kept for item in comparison.objects)
    if kept:
        words.append("1 stays as it is" if kept == 1 else f"{kept} stay as they are")
    amounts = result.pod_texts(comparison.total)
    verb = "differs" if differing == 1 else "differ"
    objects = f"{differing} of {result.count(total, 'object')} {verb}: {', '.join(words)}" if words else ""
    return "; ".join(part for part in (objects, *(amounts or ["no pods restart"])) if part)


def plain_text(lines: Iterator[result.Line]) -> str:
    """The lines without styles."""
    return whole_lines("".join("".join(one_line_printable(text) for _, text in line).rstrip() + "\n" for line in lines))
