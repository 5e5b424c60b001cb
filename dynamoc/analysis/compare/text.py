"""A comparison for people, as blocks: in full for a terminal, and as a comment on a pull or merge request."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dynamoc.analysis.blocks import (
    CODE,
    GITHUB_LIMIT,
    STRONG,
    STRONG_CODE,
    Block,
    CommentBlock,
    Details,
    Line,
    Quote,
    Quotes,
    Row,
    Table,
    markdown_comment,
)
from dynamoc.analysis.compare import result
from dynamoc.analysis.compare.changed_input import line_blocks, line_table
from dynamoc.analysis.compare.comparison import BUILT_IN, Conditions
from dynamoc.analysis.compare.edits import opcodes
from dynamoc.analysis.compare.trees import format_steps
from dynamoc.analysis.compare.unified import object_diff
from dynamoc.documents.findings.finding import NOTE, Finding

_CONTEXT_LINES = 40
_SHOWN_FINDINGS = 20
#: how long both values of a scalar may be to share a line
_WIDTH = 100


def change_lines(kind: str, change: result.Change) -> Iterator[tuple[str, str]]:
    """A field and its values: one line where both are short, `-` and `+` lines where they are texts or lists.

    A line is `+`, `-` or a blank, and the text behind it.
    """
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


def _rows(old: Any, new: Any) -> Iterator[tuple[str, str]]:
    """The elements or lines that differ; not those that both sides have."""
    left = old if isinstance(old, list) else old.split("\n")
    right = new if isinstance(new, list) else new.split("\n")
    # Compared as a whole: what is cut first may look the same.
    left, right = [result.full_line(item) for item in left], [result.full_line(item) for item in right]
    rows: list[tuple[str, str]] = []
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


#: what the classes of changes are called: of a change, and of one object and of several
_EFFECTS = {
    result.ADDS: ("added", "is added", "are added"),
    result.REMOVES: ("removed", "is removed", "are removed"),
    result.RECREATES: ("must be recreated", "must be recreated", "must be recreated"),
    result.ROLLS: ("rolls pods", "rolls pods", "roll pods"),
    result.SCALES: ("scales", "scales", "scale"),
    result.IN_PLACE: ("changes in place", "changes in place", "change in place"),
    result.ORDER: ("only the order differs", "differs in order only", "differ in order only"),
}
_SHOWN = 5
_SIGNS = {result.ADDS: "+", result.REMOVES: "-"}


def comparison_blocks(comparison: result.Comparison, *, summary: bool = False) -> Iterator[Block]:
    """Generations, objects with their fields, refused updates, and the summary; with `summary`, the last two only."""
    if not summary:
        for generation in comparison.generations:
            yield from _generation_lines(generation)
        for item in comparison.objects:
            yield from _object_lines(item)
        yield from line_blocks(comparison.lines or [])
    for refused in comparison.refused:
        where = f"{refused.kind}/{refused.name} ({refused.namespace}) {format_steps(refused.steps)}"
        yield [(result.RECREATES, "! "), (STRONG, where), (result.RECREATES, "  the API server refuses this update")]
        yield [("", f"    {refused.message} {refused.hint}")]
        yield []
    yield from skipped_quotes(comparison)
    yield from left_out(comparison)
    yield lead(comparison, "")
    for generation in comparison.generations:
        if generation.stays and _differs(comparison):
            yield [(result.RECREATES, f"{generation.graph} ({generation.namespace}): {left_behind(generation)}")]


def comparison_markdown(
    comparison: result.Comparison,
    title: str,
    limit: int = GITHUB_LIMIT,
    *,
    summary: bool = False,
    conditions: Conditions | None = None,
) -> str:
    """A comment on a pull or merge request: the summary, tables of lines and objects, and the diff of each object."""
    details = [] if summary else map(_detail, comparison.objects)
    return markdown_comment(title, _head(comparison, conditions), details, limit, what="object", command="diff")


def _head(comparison: result.Comparison, conditions: Conditions | None) -> Iterator[CommentBlock]:
    yield lead(comparison)
    if conditions is not None:
        yield [("", conditions.text())]
        yield from finding_quotes(conditions.findings)
    yield from skipped_quotes(comparison)
    for refused in comparison.refused:
        names: Line = [(STRONG_CODE, f"{refused.kind}/{refused.name}"), (STRONG, " ")]
        names += [(STRONG_CODE, format_steps(refused.steps)), (STRONG, ". ")]
        head = (STRONG, "The API server refuses the update of ")
        yield Quote([head, *names, ("", f"{refused.message} {refused.hint}")])
    for generation in comparison.generations:
        names = [(CODE, generation.old or "none"), ("", " → "), (CODE, generation.new or "none")]
        graph = (CODE, f"{generation.namespace}/{generation.graph}")
        yield [("", "New worker generation of "), graph, ("", ": "), *names]
        if generation.stays:
            yield Quote([(STRONG, left_behind(generation))])
    yield from line_table(comparison.lines or [])
    if comparison.objects:
        rows: list[Row] = [([(CODE, object_name(item))], effect_text(item)) for item in comparison.objects]
        yield Table(("object", "what happens"), rows)
    yield from left_out(comparison)


def _detail(item: result.ObjectChange) -> list[CommentBlock]:
    diff = object_diff(item)
    notes: list[Line] = []
    for change in item.changes:
        if change.note or change.effect not in (item.effect, result.IN_PLACE):
            note = f": {_EFFECTS[change.effect][0]}{'' if change.applied else ', not applied'}"
            notes.append([(CODE, format_steps(change.steps)), ("", note + (f": {change.note}" if change.note else ""))])
    return [Details(object_name(item), notes, diff)] if diff else []


def finding_quotes(findings: list[Finding]) -> Iterator[Quotes]:
    """Errors and warnings, each as a line; notes are counted only."""
    told = [item for item in findings if item.severity != NOTE]
    lines: list[Line] = []
    for item in told[:_SHOWN_FINDINGS]:
        where = str(item.place or item.subject or "")
        place = [(CODE, where), ("", ": ")] if where else []
        lines.append([(STRONG, f"{item.severity}: "), *place, ("", f"{item.message} "), (CODE, item.slug)])
    more, notes = len(told) - _SHOWN_FINDINGS, len(findings) - len(told)
    rest = [result.count(more, "more finding")] if more > 0 else []
    rest += [result.count(notes, "note")] if notes else []
    if findings:
        yield Quotes([*lines, *([[("", f"{' and '.join(rest)} on stderr")]] if rest else [])])


def object_name(item: result.ObjectChange) -> str:
    """`Deployment/web (default)`"""
    metadata = item.one["metadata"]
    namespace = metadata.get("namespace")
    return f"{item.one['kind']}/{metadata.get('name', '')}" + (f" ({namespace})" if namespace else "")


def _generation_lines(generation: result.Generation) -> Iterator[Line]:
    """One change, whatever it is called by in names, labels and environment."""
    graph, old, new = f"{generation.graph} ({generation.namespace})", generation.old or "none", generation.new or "none"
    workloads = [item.one for item in generation.objects if item.parts]
    yield [("", "* "), (STRONG, f"new worker generation of {graph}: {old} -> {new}")]
    yield [("faint", f"    names, labels and environment of {result.count(len(generation.objects), 'object')}")]
    if workloads:
        names = ", ".join(f"{item['kind']}/{item['metadata']['name']}" for item in workloads)
        yield [("faint", f"    new: {names}")]
    if generation.stays:
        yield [(result.RECREATES, f"    {left_behind(generation)}")]
    yield []


def left_behind(generation: result.Generation) -> str:
    """What the operator does not clean up, or nothing does."""
    staying = f"of the old generation, {result.amount_verb(generation.stays, 'stay')} until you delete"
    old = [(item.old["kind"], item.old["metadata"]["name"], item.parts) for item in generation.objects if item.old]
    if not generation.attended:
        return f"{staying} {', '.join(f'{kind}/{name}' for kind, name, parts in old if parts)}"
    workloads = (name for kind, name, _ in old if kind in ("LeaderWorkerSet", "Deployment"))
    names = dict.fromkeys(name.removesuffix("-0") for name in workloads)
    return f"{staying} DynamoComponentDeployments {', '.join(names)}"


def _object_lines(item: result.ObjectChange) -> Iterator[Line]:
    sign = _SIGNS.get(item.effect, "~")
    yield [(item.effect, f"{sign} "), (STRONG, object_name(item)), (item.effect, f"  {effect_text(item)}")]
    for change in item.changes:
        remark = _remark(item, change)
        for sign, text in change_lines(item.one["kind"], change):
            yield [({"+": result.ADDS, "-": result.REMOVES}.get(sign, ""), f"    {sign} {text}")]
            if remark:
                yield [("faint", f"        {remark}")]
                remark = ""
    yield []


def effect_text(item: result.ObjectChange) -> str:
    """`rolls pods: 4 pods, 32 GPUs restart`"""
    pods = "; ".join(result.pod_texts(item.total))
    word = "new worker generation" if item.renamed else _EFFECTS[item.effect][0]
    if item.orphaned:
        word = "no longer created, but nothing deletes it"
        pods = result.amount_verb(item.stays, "stay") if item.stays else ""
    if item.is_kept:
        word = "stays as it is"
    return f"{word}: {pods}" if pods else word


def _remark(item: result.ObjectChange, change: result.Change) -> str:
    """What is worth saying about one field beside what the object's head says."""
    if not change.applied:
        return f"not applied: {change.note}"
    word = "" if change.effect in (item.effect, result.ORDER) and not change.note else _EFFECTS[change.effect][0]
    return ": ".join(part for part in (word, change.note) if part)


def skipped_quotes(comparison: result.Comparison) -> Iterator[Block]:
    for skipped in comparison.skipped:
        yield Quote([(STRONG, "Not compared: "), ("", skipped.text())])


def _differs(comparison: result.Comparison) -> bool:
    return bool(comparison.objects or comparison.refused)


def lead(comparison: result.Comparison, end: str = ".") -> Line:
    """The summary, which is the end of text, where a terminal shows it, and the beginning of pages."""
    if _differs(comparison):
        return [(STRONG, totals_text(comparison))]
    return [("", f"no differences in {result.count(comparison.unchanged, 'object')}{end}")]


def left_out(comparison: result.Comparison) -> Iterator[Line]:
    """What was ignored, and objects of an export that are not a graph's."""
    server = [(pattern, number) for pattern, number in comparison.ignored if number and pattern in BUILT_IN]
    if server:
        changes = result.count(sum(number for _, number in server), "change")
        patterns = ", ".join(pattern for pattern, _ in server)
        yield [("faint", f"ignored, because a cluster or a tool writes it: {patterns} ({changes})")]
    for pattern, number in comparison.ignored:
        if number and pattern not in BUILT_IN:
            yield [("faint", f"ignored: {pattern} ({result.count(number, 'change')})")]
    if comparison.foreign:
        names = [f"{item['kind']}/{item['metadata'].get('name', '')}" for item in comparison.foreign]
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        foreign = f"{result.count(len(names), 'object')} of the cluster that no graph creates"
        yield [("faint", f"not compared: {foreign}: {', '.join(names[:_SHOWN])}{more}")]


def totals_text(comparison: result.Comparison) -> str:
    """`2 of 11 objects differ: 1 rolls pods, 1 scales; 4 pods, 32 GPUs restart`"""
    differing, total = len(comparison.objects), len(comparison.objects) + comparison.unchanged
    numbers = dict.fromkeys(_EFFECTS, 0)
    for item in comparison.objects:
        numbers[item.effect] += not item.is_kept
    words = [f"{number} {_EFFECTS[effect][1 + (number > 1)]}" for effect, number in numbers.items() if number]
    kept = sum(item.is_kept for item in comparison.objects)
    if kept:
        words.append("1 stays as it is" if kept == 1 else f"{kept} stay as they are")
    amounts = result.pod_texts(comparison.total)
    verb = "differs" if differing == 1 else "differ"
    objects = f"{differing} of {result.count(total, 'object')} {verb}: {', '.join(words)}" if words else ""
    return "; ".join(part for part in (objects, *(amounts or ["no pods restart"])) if part)
