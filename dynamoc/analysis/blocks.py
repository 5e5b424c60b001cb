"""An answer to people as a list of blocks, and the writers of blocks: plain text, a terminal and Markdown.

The fourth writer, HTML, is `dynamoc.analysis.report.page`. Writers escape, so builders never do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from dynamoc.analysis.compare.result import count
from dynamoc.documents.findings.text import one_line, whole_lines

Segment = tuple[str, str]
"""A style, and text."""

Line = list[Segment]
"""A line of text, or a paragraph."""

#: styles that Markdown and HTML know
CODE, STRONG, STRONG_CODE, EMPHASIS, BREAK = "code", "strong", "strong-code", "emphasis", "break"
#: what they and the others are to rich
STYLES = {
    STRONG: "bold",
    "faint": "dim",
    "rolls": "yellow",
    "recreates": "bold red",
    "scales": "cyan",
    "adds": "green",
    "removes": "red",
    "order": "dim",
    "untouched": "dim",
    **dict.fromkeys(("lost", "orphaned", "breaks", "degrades"), "bold red"),
}


@dataclass(eq=False, slots=True)
class Quote:
    """What must not be overlooked."""

    line: Line


@dataclass(eq=False, slots=True)
class Quotes:
    """Findings, in one quotation."""

    lines: list[Line]


@dataclass(eq=False, slots=True)
class Point:
    """An outcome, in a word with its style, those that it concerns, its cause, and the fields that show it."""

    outcome: Segment
    concerned: str
    cause: str
    fields: list[str]


Row = tuple[str | Line | None, ...]
"""Cells; None is one that has no meaning in this row."""


@dataclass(eq=False, slots=True)
class Table:
    head: tuple[str, ...]
    rows: list[Row]


@dataclass(eq=False, slots=True)
class Details:
    """What a reader opens by its title: notes, and a unified diff with its last line feed."""

    title: str
    notes: list[Line]
    diff: str = ""


Block = Line | Quote | Point
"""What every writer knows."""
CommentBlock = Block | Quotes | Table | Details
"""What only Markdown has besides."""
Comment = Iterable[CommentBlock]

_SHOWN_FIELDS = 5


def lines_of(blocks: Iterable[Block]) -> Iterator[Line]:
    """The lines of text, with their styles."""
    for block in blocks:
        if isinstance(block, Quote):
            (_, first), *others = block.line
            yield [("recreates", first[0].lower() + first[1:]), *others]
        elif isinstance(block, Point):
            style, word = block.outcome
            yield [(style, f"  {word}"), ("", f": {block.concerned}")]
            yield [("faint", f"      {block.cause}")]
            yield from ([("", f"      {field}")] for field in block.fields[:_SHOWN_FIELDS])
            if len(block.fields) > _SHOWN_FIELDS:
                yield [("", f"      and {count(len(block.fields) - _SHOWN_FIELDS, 'more field')}")]
        else:
            yield block


def section(title: str, blocks: Iterable[Block]) -> Iterator[Line]:
    """Lines below a title; nothing without lines."""
    lines = list(lines_of(blocks))
    if lines:
        yield from ([(STRONG, title)], *lines, [])


def aligned(rows: list[tuple[str, ...]], names: int) -> Iterator[Line]:
    """The rows of a table, the first of which is its head, in columns: so many of names, the others of numbers."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for number, row in enumerate(rows):
        cells = [
            cell.ljust(width) if at < names else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield [("" if number else "faint", f"  {'  '.join(cells)}".rstrip())]


def plain_text(blocks: Iterable[Block]) -> str:
    """Text without styles."""
    lines = ("".join(one_line(text) for _, text in line) for line in lines_of(blocks))
    return whole_lines("".join(f"{line.rstrip()}\n" for line in lines))


def terminal_text(blocks: Iterable[Block]) -> str:
    """The same text, with the codes of a terminal for its styles."""
    from rich.console import Console
    from rich.text import Text

    # A fixed width: long lines are the terminal's to wrap, as those of other diffs are.
    console = Console(force_terminal=True, no_color=False, width=100_000, highlight=False, legacy_windows=False)
    with console.capture() as captured:
        for line in lines_of(blocks):
            segments = ((one_line(text), STYLES.get(style, "")) for style, text in line)
            console.print(Text.assemble(*segments), soft_wrap=True)
    return captured.get()


GITHUB_LIMIT = 65_536
GITLAB_LIMIT = 1_000_000
_ROOM = 200
"""Kept free for the sentence that says what was left out."""


def markdown_comment(
    title: str, head: Comment, details: Iterable[Comment], limit: int, *, what: str, command: str
) -> str:
    """A comment on a pull or merge request: GitHub takes 65,536 characters, GitLab 1,000,000.

    It has as many details as fit, and a note on the others; one that is too long does not keep out those behind it. It
    is never longer than `limit`, which must leave room for that note. A detail is about a `what`, and
    `command` shows everything.
    """
    see = f"run `dynamoc {command}` to see everything"
    text = f"### {escaped(title)}\n\n{markdown(head)}"
    parts, left = list(filter(None, map(markdown, details))), 0
    if len(text) > limit - _ROOM:
        shown = text[: limit - _ROOM].rpartition("\n")[0] + "\n"
        rows = count(text.count("\n| ") - shown.count("\n| "), "row")
        return f"{shown}\n_Cut after {limit:,} characters: {rows} of the table and all details are left out; {see}._\n"
    for number, part in enumerate(parts, 1):
        if len(text) + len(part) > limit - (0 if number == len(parts) and not left else _ROOM):
            left += 1
        else:
            text += part
    return text + (f"\n_{count(left, what)} left out, to stay within {limit:,} characters; {see}._\n" if left else "")


def markdown(blocks: Comment) -> str:
    return "".join(map(_markdown, blocks))


def _markdown(block: CommentBlock) -> str:
    match block:
        case list():
            text = _inline(block)
            return f"{text[:1].upper()}{text[1:]}\n\n" if text else "\n"
        case Quote():
            return f"> {_inline(block.line)}\n\n"
        case Quotes():
            return "".join(f"> {_inline(line)}\n>\n" for line in block.lines) + "\n"
        case Point():
            head = f"- **{block.outcome[1]}**: {escaped(block.concerned)}: {escaped(block.cause)}\n"
            more = len(block.fields) - _SHOWN_FIELDS
            fields = "".join(f"  - {code(field)}\n" for field in block.fields[:_SHOWN_FIELDS])
            return head + fields + (f"  - and {more} more\n" if more > 0 else "")
        case Table():
            rows = "".join(f"|{''.join(map(_cell, row))}\n" for row in block.rows)
            return f"| {' | '.join(block.head)} |\n|{' --- |' * len(block.head)}\n{rows}\n"
        case Details():
            title = block.title.replace("&", "&amp;").replace("<", "&lt;")
            notes = "".join(f"- {_inline(line)}\n" for line in block.notes)
            fence = "`" * max(3, _longest_run(block.diff) + 1)
            diff = f"\n{fence}diff\n{block.diff}{fence}\n" if block.diff else ""
            return f"<details><summary><code>{title}</code></summary>\n\n{notes}{diff}\n</details>\n\n"


def _cell(cell: str | Line | None) -> str:
    if cell is None:
        return " |"
    return f" {escaped(cell) if isinstance(cell, str) else _inline(cell, in_table=True)} |"


def _inline(line: Line, *, in_table: bool = False) -> str:
    """Text with the marks of its styles."""
    found = ""
    for is_strong, segments in groupby(line, lambda segment: segment[0] in (STRONG, STRONG_CODE)):
        text = "".join(_segment(style, text, in_table=in_table) for style, text in segments)
        found += f"**{text.rstrip()}**{text[len(text.rstrip()) :]}" if is_strong else text
    return found


def _segment(style: str, text: str, *, in_table: bool) -> str:
    if style in (CODE, STRONG_CODE):
        # A bar would begin the next cell.
        return code(text).replace("|", "\\|") if in_table else code(text)
    return f"_{text}_" if style == EMPHASIS else "<br>" if style == BREAK else escaped(text)


def code(text: str) -> str:
    """Inline code, whatever is in it."""
    text = text.replace("\n", " ")
    fence = "`" * (_longest_run(text) + 1)
    return f"{fence} {text} {fence}" if "`" in text else f"`{text}`"


def escaped(text: str) -> str:
    """Text that Markdown prints as it stands; no mention, no link, no table cell comes out of input."""
    return "".join(f"\\{char}" if char in "\\`*_{}[]<>|#@!~" else char for char in text.replace("\n", " "))


def _longest_run(text: str) -> int:
    return max((len(list(run)) for char, run in groupby(text) if char == "`"), default=0)
