"""Answers as text for people."""

from __future__ import annotations

from dynamoc.diagnostics.printable import one_line
from dynamoc.kube.confidential import HIDDEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.source.confidential import Confidential

    Data = dict[str, Any]
    Read = dict[str, Confidential]
    """The files of excerpts."""

_LONGEST = 400
_INDENT = " " * 14


def answers_text(answers: list[Data], release: str) -> str:
    """Some lines on each field."""
    read: Read = {}
    return "\n\n".join(_answer_text(item, release, read) for item in answers) + "\n"


def _answer_text(answer: Data, release: str, read: Read) -> str:
    lines = [f"{answer['object']} {one_line(answer['field'])}", *_row("value", value_text(answer["value"]))]
    origin = answer.get("origin")
    if origin is None:
        return "\n".join(lines)
    lines += _row("from", origin["text"])
    if "written" in answer:
        title = "computed" if answer.get("computed") else "written"
        lines += _row(title, f"{'from ' if answer.get('computed') else ''}{value_text(answer['written'])}")
    excerpt = None if answer.get("hidden") else _excerpt(origin, read)
    if excerpt:
        lines.append(f"{_INDENT}{excerpt}")
    for source in _computed_from(origin):
        lines += _row("made of", source["text"])
    step = answer.get("step")
    if step is not None:
        lines += _row("set by", f"{step.get('kind', 'step')} {step['name']}, release {release}")
        if step.get("summary"):
            lines.append(f"{_INDENT}{step['summary']}")
        if step.get("source"):
            lines.append(f"{_INDENT}operator: {step['source']}")
    for loser in answer.get("lost", ()):
        source = loser.get("origin", {}).get("text", "an unknown origin")
        lines += _row("instead of", f"{value_text(loser['value'])}, from {source}; replaced by {loser['lostTo']}")
    return "\n".join(lines)


def _row(title: str, text: str) -> list[str]:
    first, *others = text.split("\n")
    return [f"  {title:<12}{first}", *(f"{_INDENT}{line}" for line in others)]


def _computed_from(origin: Data) -> list[Data]:
    found = []
    for item in origin.get("computedFrom", ()):
        found += [item, *_computed_from(item)]
    return list({item["text"]: item for item in found}.values())


def _excerpt(origin: Data, read: Read) -> str | None:
    if "line" not in origin or origin["file"] == "-":
        return None
    file, number = origin["file"], origin["line"] - 1
    if file not in read:
        from dynamoc.source.confidential import Confidential
        from dynamoc.source.files import text_again

        read[file] = Confidential(file, text_again(file))
    lines = read[file].lines
    if number >= len(lines):
        return None
    # Another field of the line may be secret.
    shown = HIDDEN if read[file].hides(number) else read[file].redacted(lines[number])
    return f"{origin['line']} | {shown.strip()}"


def value_text(value: Any) -> str:
    if isinstance(value, str):
        shown = value if value and value.strip() == value else f'"{value}"'
        return shown if len(shown) <= _LONGEST else shown[:_LONGEST] + "…"
    if value is None:
        return "null"
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def table_text(answers: list[Data]) -> str:
    """One line a field: field, value, origin."""
    rows = [(one_line(item["field"]), _cell(item["value"]), _origin_cell(item)) for item in answers]
    width = min(max((len(row[0]) for row in rows), default=0), 90)
    middle = min(max((len(row[1]) for row in rows), default=0), 40)
    return "".join(f"{field:<{width}}  {value:<{middle}}  {origin}\n" for field, value, origin in rows)


def _cell(value: Any) -> str:
    text = one_line(value_text(value))
    return text if len(text) <= 40 else text[:39] + "…"


def _origin_cell(answer: Data) -> str:
    origin = answer.get("origin")
    if origin is None:
        return "-"
    if "line" in origin:
        words = f"{origin['file']}:{origin['line']}"
    else:
        words = f"{origin['kind']} {origin['name']}" if origin.get("name") else origin["kind"]
    made = dict.fromkeys(str(item["line"]) for item in _computed_from(origin) if "line" in item)
    return f"{words}, made of line {', '.join(made)}" if made else words
