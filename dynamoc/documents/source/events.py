"""The text of a file: how its bytes are read, lines that other readers see with other eyes, and its parser."""

from __future__ import annotations

import os
import shlex
from typing import Any

from dynamoc.documents.source.document import Position, Report, position_of


def _parser() -> Any:
    """The event parser of libyaml; that of PyYAML where it comes without, as in the playground."""
    try:
        from yaml._yaml import CParser
    except ImportError:
        from yaml import SafeLoader

        return SafeLoader
    return CParser


#: `EventParser(text).get_event()` gives the next event, None at the end, and raises YAMLError.
EventParser: Any = _parser()


def judge_lines(text: str, report: Report) -> None:
    """Stops where Kubernetes would read the text otherwise, or not at all."""
    _judge_separators(text, report)
    if "\ufeff" in text:
        _judge_marks(text, report)


def _judge_separators(text: str, report: Report) -> None:
    """kubectl cuts the text at each line that starts with `---`, and takes nothing else in it but a comment.

    Source: k8s.io/apimachinery pkg/util/yaml decoder.go (`YAMLReader`).
    """
    start = 0 if text.startswith("---") else _next_separator(text, 0)
    while start >= 0:
        end = text.find("\n", start)
        behind = text[start + 3 : end if end >= 0 else None].strip()
        if behind and behind[0] != "#":
            message, hint = "kubectl accepts only a comment after `---`.", "Start the document on the next line."
            if not behind.strip("-"):
                hint = "Write `---`, with three hyphens."
            report.stop(position_of(text, start + 3), "read/separator", message, hint)
        start = _next_separator(text, start)


def judge_conflict(text: str, report: Report) -> None:
    """Stops at what git leaves of an unfinished merge."""
    start = 0 if text.startswith("<<<<<<< ") else text.find("\n<<<<<<< ") + 1
    is_marker = text.startswith("<<<<<<< ", start)
    rest = text[start:]
    if is_marker and (start == 0 or ("\n=======" in rest and "\n>>>>>>> " in rest)):
        message = "This is a git conflict marker: the file contains two versions of the lines that follow."
        hint = "Keep one of the two versions, and delete the lines that start with `<<<<<<<`, `=======` and `>>>>>>>`."
        report.stop(position_of(text, start), "read/conflict", message, hint)


def _next_separator(text: str, offset: int) -> int:
    found = text.find("\n---", offset)
    return found + 1 if found >= 0 else -1


def _judge_marks(text: str, report: Report) -> None:
    """A byte-order mark at the start of a line: libyaml skips it, Go makes it a part of the key."""
    for end in ("\n", "\r", "\x85", "\u2028", "\u2029"):
        offset = text.find(f"{end}\ufeff") + 1
        if offset:
            message = "An invisible byte-order mark (U+FEFF) is at the start of this line."
            hint = "Delete it; some editors show it as <feff>."
            report.stop(position_of(text, offset), "read/encoding", message, hint)


_UTF8_MARK = b"\xef\xbb\xbf"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_HINT = "Save the file as UTF-8."


def is_utf16(data: bytes) -> bool:
    return data[:2] in _UTF16_MARKS


def decode(data: bytes, report: Report) -> str:
    """The text without its byte-order mark. Raises Unreadable where it is neither UTF-8 nor marked as UTF-16."""
    if is_utf16(data):
        try:
            return data.decode("utf-16")
        except UnicodeDecodeError:
            message = "The file starts as UTF-16, but continues in another encoding."
            report.stop(Position(0, 0), "read/encoding", message, _HINT)
    data = data.removeprefix(_UTF8_MARK)
    try:
        return data.decode()
    except UnicodeDecodeError as problem:
        message = f"The byte 0x{data[problem.start]:02x} is not valid UTF-8, which Kubernetes expects."
        report.stop(_position(data, problem.start), "read/encoding", message, _HINT)


def _position(data: bytes, offset: int) -> Position:
    start = data.rfind(b"\n", 0, offset) + 1
    return Position(data.count(b"\n", 0, offset), len(data[start:offset].decode(errors="replace")))


def template_hint(file: str) -> str:
    """What to do with a template, which a file turned out to be."""
    chart = chart_of(file)
    if chart is not None:
        return f"This is a Helm template: `{helm_pipe(chart)}` renders its chart."
    return "This looks like a template. Render it first: `helm template CHART | dynamoc render -`, or `envsubst`."


def chart_of(file: str) -> str | None:
    """The directory of the chart whose template a file is; None for other files."""
    parts = file.split("/")
    for depth in range(len(parts) - 2, -1, -1):
        if parts[depth] == "templates":
            chart = "/".join(parts[:depth]) or ("/" if file.startswith("/") and depth else os.curdir)
            if os.path.isfile(os.path.join(chart, "Chart.yaml")):
                return chart
    return None


def helm_pipe(chart: str) -> str:
    return f"helm template {_quoted(chart)} | dynamoc render -"


def kustomize_pipe(directory: str) -> str:
    return f"kustomize build {_quoted(directory or os.curdir)} | dynamoc render -"


def _quoted(path: str) -> str:
    return shlex.quote(path)
