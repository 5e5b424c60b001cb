"""A comparison as a comment on a pull or merge request, within the length that such comments may have.

GitHub takes 65,536 characters, GitLab 1,000,000. What does not fit is left out from the end, and the comment says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from dynamoc.analysis.compare.changed_input import change_text, cost_text, free_text, place_text
from dynamoc.analysis.compare.comparison import Conditions
from dynamoc.analysis.compare.result import (
    CHANGED,
    IN_PLACE,
    RESTARTS,
    STARTS,
    STOPS,
    Amount,
    ChangedLine,
    Comparison,
    ObjectChange,
    Steps,
    amount_text,
    amount_verb,
    count,
)
from dynamoc.analysis.compare.text import WORDS, effect_text, left_behind, left_out, object_name, totals_text
from dynamoc.analysis.compare.trees import format_steps
from dynamoc.analysis.compare.unified import object_diff
from dynamoc.documents.findings.finding import Finding

Escape = Callable[[str], str]

_SHOWN_FINDINGS = 20
_SHOWN_FILES = 3
_SHOWN_NAMES = 4


def line_rows(lines: list[ChangedLine], cell: Escape, escaped: Escape) -> Iterator[str]:
    """The table; the same change of an image is one row, wherever it is."""
    if not lines:
        return
    yield "| file | component | change | cost |\n| --- | --- | --- | --- |\n"
    images = _images(lines)
    told: set[tuple[str, str]] = set()
    for line in lines:
        key = _image(line)
        if key is None or (len(images[key]) == 1 and len(line.changes) == 1):
            yield _row(line, cell, escaped)
        elif key not in told:
            told.add(key)
            yield _image_row(images[key], cell, escaped)
    yield f"\n{free_text(lines).capitalize()}.\n\n"


def _row(line: ChangedLine, cell: Escape, escaped: Escape) -> str:
    names = list(dict.fromkeys(component_of(change.steps) for change in line.changes))
    component = ", ".join(cell(name) for name in names if name)
    return f"| {cell(place_text(line))} | {component} | {cell(_short(line))} | {escaped(cost_text(line))} |\n"


def _short(line: ChangedLine) -> str:
    """The change, its field from its component on."""
    text, steps = change_text(line), line.changes[0].steps
    head = format_steps(steps[: _depth(steps)])
    for sign in ("", "+ ", "- "):
        if text.startswith(f"{sign}{head}."):
            return sign + text[len(sign) + len(head) + 1 :]
    return text


def component_of(steps: Steps) -> str:
    """The component of a graph that a field belongs to, "" for what is the graph's own."""
    depth = _depth(steps)
    step = steps[depth - 1] if depth else ""
    return step[1] if isinstance(step, tuple) else str(step)


def _depth(steps: Steps) -> int:
    return 3 if steps[:1] == ("spec",) and len(steps) > 2 and steps[1] in ("services", "components") else 0


def _image(line: ChangedLine) -> tuple[str, str] | None:
    """The old and the new image, where a line changes nothing else."""
    steps = [change.steps[-1:] for change in line.changes if change.how == CHANGED and isinstance(change.new, str)]
    if steps != [("image",)] * len(line.changes):
        return None
    found = {(str(change.old), str(change.new)) for change in line.changes}
    return next(iter(found)) if len(found) == 1 else None


def _images(lines: list[ChangedLine]) -> dict[tuple[str, str], list[ChangedLine]]:
    found: dict[tuple[str, str], list[ChangedLine]] = {}
    for line in lines:
        key = _image(line)
        if key is not None:
            found.setdefault(key, []).append(line)
    return found


def _image_row(lines: list[ChangedLine], cell: Escape, escaped: Escape) -> str:
    """`image 1.4.0 → 1.4.1 in 12 components`"""
    change = lines[0].changes[0]
    name, old, new = _versions(change.old, change.new)
    number = sum(len(line.changes) for line in lines)
    names = list(dict.fromkeys(component_of(change.steps) for line in lines for change in line.changes))
    components = ", ".join(map(cell, filter(None, names))) if len(names) <= _SHOWN_NAMES else f"{len(names)} names"
    places = [cell(place_text(line)) for line in lines[:_SHOWN_FILES]]
    more = len(lines) - len(places)
    where = "<br>".join(places) + (f"<br>and {more} more" if more else "")
    image = f"image {cell(name)} " if name else "image "
    what = f"{image}{cell(old)} → {cell(new)} in {count(number, 'component')}"
    return f"| {where} | {components} | {what} | {escaped(_cost(lines))} |\n"


def _versions(old: str, new: str) -> tuple[str, str, str]:
    """The repository that both images share, and their tags; no repository where they share none."""
    (name, _, left), (other, _, right) = old.rpartition(":"), new.rpartition(":")
    return (name, left, right) if name and name == other and "/" not in left + right else ("", old, new)


def _cost(lines: list[ChangedLine]) -> str:
    """What all of the lines do together: an effect that several of them have is one."""
    effects = {id(effect): effect for line in lines for effect in line.effects}
    parts = []
    for how, verb in ((RESTARTS, "restart"), (STARTS, "start"), (STOPS, "stop")):
        total = sum((effect.amount for effect in effects.values() if effect.how == how), Amount())
        if how == RESTARTS:
            parts.append(f"restarts {amount_text(total)}" if total else "no restart")
        elif total:
            parts.append(amount_verb(total, verb))
    return "; ".join(parts)


def finding_lines(findings: list[Finding], code: Escape, escaped: Escape) -> Iterator[str]:
    """Errors and warnings, each as a line; notes are counted only."""
    told = [item for item in findings if item.severity != "note"]
    for item in told[:_SHOWN_FINDINGS]:
        where = f"{code(str(item.place or item.subject))}: " if item.place or item.subject else ""
        yield f"> **{item.severity}:** {where}{escaped(item.message)} {code(item.slug)}\n>\n"
    more, notes = len(told) - _SHOWN_FINDINGS, len(findings) - len(told)
    rest = [f"{count(more, 'more finding')}"] if more > 0 else []
    rest += [count(notes, "note")] if notes else []
    if rest:
        yield f"> {' and '.join(rest)} on stderr\n>\n"
    if findings:
        yield "\n"


GITHUB_LIMIT = 65_536
GITLAB_LIMIT = 1_000_000
_ROOM = 200
"""Kept free for the sentence that says what was left out."""


def markdown(
    comparison: Comparison,
    title: str,
    limit: int = GITHUB_LIMIT,
    *,
    summary: bool = False,
    conditions: Conditions | None = None,
) -> str:
    """The comment; never longer than `limit`, as long as that leaves room for the head."""
    head = "".join(_head(comparison, title, conditions))
    details = [] if summary else [_detail(item) for item in comparison.objects]
    return fitted(head, [text for text in details if text], ("object", "dynamoc diff"), limit)


def fitted(head: str, parts: list[str], words: tuple[str, str], limit: int) -> str:
    """The head with as many parts as fit, and a note on the others; `words` are what a part is about, and the command.

    A part that is too long does not keep out those behind it.
    """
    what, command = words
    see = f"run `{command}` to see everything"
    if len(head) > limit - _ROOM:
        shown = head[: limit - _ROOM].rpartition("\n")[0] + "\n"
        rows = count(head.count("\n| ") - shown.count("\n| "), "row")
        return f"{shown}\n_Cut after {limit:,} characters: {rows} of the table and all details are left out; {see}._\n"
    text, left = head, 0
    for number, part in enumerate(parts):
        is_last = number == len(parts) - 1 and not left
        if len(text) + len(part) > limit - (0 if is_last else _ROOM):
            left += 1
        else:
            text += part
    if left:
        text += f"\n_{count(left, what)} left out, to stay within {limit:,} characters; {see}._\n"
    return text


def _head(comparison: Comparison, title: str, conditions: Conditions | None) -> Iterator[str]:
    yield f"### {escaped(title)}\n\n"
    if not comparison.objects and not comparison.refused:
        yield f"No differences in {count(comparison.unchanged, 'object')}.\n\n"
    else:
        yield f"**{totals_text(comparison)}**\n\n"
    if conditions is not None:
        yield f"{escaped(conditions.text())}\n\n"
        yield from finding_lines(conditions.findings, code, escaped)
    for skipped in comparison.skipped:
        yield f"> **Not compared:** {escaped(skipped.text())}\n\n"
    for refused in comparison.refused:
        where = f"`{refused.kind}/{refused.name}` `{format_steps(refused.steps)}`"
        message = escaped(f"{refused.message} {refused.hint}")
        yield f"> **The API server refuses the update of {where}.** {message}\n\n"
    for generation in comparison.generations:
        names = f"`{generation.old or 'none'}` → `{generation.new or 'none'}`"
        yield f"New worker generation of `{generation.namespace}/{generation.graph}`: {names}\n\n"
        if generation.stays:
            yield f"> **{escaped(left_behind(generation))}**\n\n"
    if comparison.lines:
        yield from line_rows(comparison.lines, cell, escaped)
    if comparison.objects:
        yield "| object | what happens |\n| --- | --- |\n"
        for item in comparison.objects:
            yield f"| {cell(object_name(item))} | {escaped(effect_text(item))} |\n"
        yield "\n"
    for text in left_out(comparison):
        what, _, rest = text.partition(": ")
        yield f"{what.capitalize()}: {escaped(rest)}\n\n"


def _detail(item: ObjectChange) -> str:
    diff = object_diff(item)
    if not diff:
        return ""
    fence = "`" * max(3, _longest_run(diff) + 1)
    notes = "".join(
        f"- `{format_steps(change.steps)}`: {WORDS[change.effect]}"
        f"{'' if change.applied else ', not applied'}{': ' + escaped(change.note) if change.note else ''}\n"
        for change in item.changes
        if change.note or change.effect not in (item.effect, IN_PLACE)
    )
    title = f"<code>{html(object_name(item))}</code>"
    return f"<details><summary>{title}</summary>\n\n{notes}\n{fence}diff\n{diff}{fence}\n\n</details>\n\n"


def code(text: str) -> str:
    """Inline code, whatever is in it."""
    text = text.replace("\n", " ")
    fence = "`" * (_longest_run(text) + 1)
    return f"{fence} {text} {fence}" if "`" in text else f"`{text}`"


def cell(text: str) -> str:
    """Inline code in a table, where a bar would begin the next cell."""
    return code(text).replace("|", "\\|")


def escaped(text: str) -> str:
    """Text that Markdown prints as it stands; no mention, no link, no table cell comes out of input."""
    return "".join(f"\\{char}" if char in "\\`*_{}[]<>|#@!~" else char for char in text.replace("\n", " "))


def html(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


def _longest_run(text: str) -> int:
    longest = run = 0
    for char in text:
        run = run + 1 if char == "`" else 0
        longest = max(longest, run)
    return longest
