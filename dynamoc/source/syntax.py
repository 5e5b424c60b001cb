"""What libyaml refuses, told so that the user knows what to write.

libyaml's own words are kept where the table has none. Its Go port, which Kubernetes uses, refuses the same texts.
"""

from __future__ import annotations

from dynamoc.source.places import shown_mark
from dynamoc.source.report import Position, Unreadable, position_of, template_hint
from dynamoc.source.slips import slip_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.catalog.slugs import ErrorSlug
    from dynamoc.source.document import Mark
    from dynamoc.source.report import Report

_QUOTE = "Put the value in quotes."
_INDENT = "Indent all keys of a mapping equally, and all items of a list equally."

#: (part of libyaml's problem, part of its context, slug, message, hint, whether the context tells the better place)
_PROBLEMS: tuple[tuple[str, str, ErrorSlug, str, str, bool], ...] = (
    ("found a tab", "", "read/tab", "YAML does not allow a tab here.", "Indent with spaces.", False),
    (
        "unexpected end of stream",
        "quoted scalar",
        "read/unclosed-quote",
        "This quoted string is not closed.",
        "Close the quote. In single quotes, a quote is written `''`, in double quotes `\\\"`.",
        True,
    ),
    (
        "unexpected document indicator",
        "quoted scalar",
        "read/unclosed-quote",
        "This quoted string is not closed before the document ends.",
        "Close the quote. In single quotes, a quote is written `''`, in double quotes `\\\"`.",
        True,
    ),
    (
        "did not find expected ',' or",
        "flow",
        "read/unclosed-bracket",
        "This bracket is not closed, or a comma is missing after it.",
        "Close the bracket, put commas between the items, and quote items that contain brackets or commas.",
        True,
    ),
    (
        "did not find expected node content",
        "",
        "read/no-value",
        "A value is missing here.",
        "Remove the comma or bracket, or quote the value if it starts with one.",
        False,
    ),
    (
        "mapping values are not allowed",
        "",
        "read/colon",
        "A `key: value` is not allowed here.",
        "Quote a value that contains `: `, and indent the key like the other keys of its mapping.",
        False,
    ),
    (
        "could not find expected ':'",
        "",
        "read/no-colon",
        "This line is neither a `key: value` nor part of the text above it.",
        "Write a colon and a space after the key, or indent the line.",
        True,
    ),
    (
        "block sequence entries are not allowed",
        "",
        "read/dash",
        "A list item `- ` is not allowed here.",
        "Start the list on a line of its own, or quote a value that starts with `- `.",
        False,
    ),
    ("mapping keys are not allowed", "", "read/colon", "A key `? ` is not allowed here.", _QUOTE, False),
    (
        "did not find expected key",
        "block mapping",
        "read/indentation",
        "This line does not continue the mapping above it.",
        _INDENT,
        False,
    ),
    (
        "did not find expected '-' indicator",
        "",
        "read/indentation",
        "This line does not continue the list above it.",
        _INDENT,
        False,
    ),
    (
        "did not find expected <document start>",
        "",
        "read/indentation",
        "The document has ended before this line.",
        f"{_INDENT} Start another document with `---`.",
        False,
    ),
    (
        "escape",
        "quoted scalar",
        "read/escape",
        "This escape is not valid in a double-quoted string.",
        "Write `\\\\` for a backslash, or use single quotes.",
        False,
    ),
    (
        "hexdecimal",
        "quoted scalar",
        "read/escape",
        "Hexadecimal digits are missing in this escape.",
        "Write `\\\\` for a backslash, or use single quotes.",
        False,
    ),
    (
        "alphabetic or numeric character",
        "",
        "read/alias",
        "`&` and `*` start an anchor and an alias, but no name follows.",
        _QUOTE,
        False,
    ),
    ("", "a tag", "read/tag", "`!` starts a tag, but this is not a tag.", _QUOTE, False),
    (
        "tag handle",
        "",
        "read/tag",
        "Nothing defines the prefix of this tag.",
        "Remove the tag, or quote the value.",
        False,
    ),
    ("", "a block scalar", "read/block-text", "`|` and `>` start a text on the next line.", _QUOTE, False),
    ("", "directive", "read/directive", "`%` at the start of a line is for directives of YAML.", _QUOTE, False),
    ("directive", "", "read/directive", "`%` at the start of a line is for directives of YAML.", _QUOTE, False),
)


def syntax_error(error: Any, text: str, report: Report) -> Unreadable:
    """A YAMLError of the event parser as the end of the file."""
    if type(error).__name__ == "ReaderError":
        return _character_error(error.args, text, report)
    context, context_mark, problem, problem_mark = (*error.args, None, None, None, None)[:4]
    context_mark = shown_mark(context_mark, text)
    mark = shown_mark(problem_mark, text) or context_mark or Position(0, 0)
    line = _line(text, mark)
    if str(problem).startswith("found character"):
        return _start_error(line[mark.column : mark.column + 1], mark, report)
    slug: ErrorSlug = "read/syntax"
    message, hint, other = _sentence(context, problem), None, None
    for part, where, name, words, advice, at_context in _PROBLEMS:
        if part in str(problem) and where in str(context):
            slug, message, hint = name, words, advice
            if at_context and context_mark is not None:
                mark, other = context_mark, mark
            break
    if slug == "read/no-value" and not text[getattr(mark, "index", 0) :].strip():
        slug, message, hint = "read/unclosed-bracket", "The text ends inside a bracket.", "Close the bracket."
    if slug == "read/indentation" and line[: mark.column].strip():
        slug, message = "read/after-value", "The value has ended, but something follows it on the same line."
        hint = "Quote a value as a whole or not at all. In single quotes, a quote is written `''`."
    if _is_template(_line(text, mark)) or _is_template(line):
        message = f"A template on this line is not filled in. {message}"
        return _unreadable(report, mark, slug, message, template_hint(report.file), other)
    slip = slip_of(slug, shown_mark(problem_mark, text), context_mark, text) if problem_mark is not None else None
    if slip is not None:
        return _unreadable(report, slip.mark, slip.slug, slip.message, slip.hint, slip.other)
    return _unreadable(report, mark, slug, message, hint, other)


def _start_error(character: str, mark: Mark, report: Report) -> Unreadable:
    if character == "\t":
        return _unreadable(report, mark, "read/tab", "YAML does not allow a tab here.", "Indent with spaces.")
    name = "a backtick" if character == "`" else f"`{character}`"
    message = f"In YAML, a value cannot start with {name}."
    return _unreadable(report, mark, "read/reserved-character", message, _QUOTE)


def _character_error(args: tuple[Any, ...], text: str, report: Report) -> Unreadable:
    """libyaml counts bytes, PyYAML's own reader counts characters."""
    _, offset, code, *_ = args
    if args[3] == "?":
        offset = len(text.encode()[:offset].decode(errors="ignore"))
    number = code if isinstance(code, int) else ord(code)
    message = f"The control character U+{number:04X} is not allowed in YAML."
    hint = "Save the file as UTF-8." if number == 0 else "Delete it, or write it as an escape in double quotes."
    return _unreadable(report, position_of(text, offset), "read/character", message, hint)


def _unreadable(
    report: Report, mark: Mark, slug: ErrorSlug, message: str, hint: str | None, other: Mark | None = None
) -> Unreadable:
    try:
        report.stop(mark, slug, message, hint, other)
    except Unreadable as end:
        return end


def _line(text: str, mark: Mark) -> str:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines[mark.line] if mark.line < len(lines) else ""


def _is_template(line: str) -> bool:
    """Whether a line holds a placeholder that is no part of a quoted text."""
    start = line.find("${")
    return "{{" in line or (start >= 0 and line[:start].rstrip()[-1:] in ("", ":", "[", "{", ",", "-"))


def _sentence(context: str | None, problem: str | None) -> str:
    words = ", ".join(part for part in (context, problem) if part) or "this is not YAML"
    return f"{words[0].upper()}{words[1:]}."
