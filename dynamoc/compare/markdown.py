"""A comparison as a comment on a pull or merge request, within the length that such comments may have.

GitHub takes 65,536 characters, GitLab 1,000,000. What does not fit is left out from the end, and the comment says so.
"""

from __future__ import annotations

from dynamoc.compare.markdown_lines import finding_lines, line_rows
from dynamoc.compare.path import format_steps
from dynamoc.compare.result import IN_PLACE
from dynamoc.compare.text import WORDS, effect_text, left_behind, left_out, object_name, totals_text
from dynamoc.compare.unified import object_diff
from dynamoc.compare.values import count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from dynamoc.compare.conditions import Conditions
    from dynamoc.compare.result import Comparison, ObjectChange

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
    """The head with as many parts as fit, and a note on the others; `words` are what a part tells of, and the command.

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
    """Inline code, whatever stands in it."""
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
