"""One text of YAML or JSON to documents."""

from __future__ import annotations

from dynamoc.limits import hint, limit
from dynamoc.source.document import Document, own_mark
from dynamoc.source.encoding import decode, is_utf16
from dynamoc.source.report import Position, Report, Unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from dynamoc.diagnostics.finding import Findings
    from dynamoc.source.document import Marks
    from dynamoc.source.packed_marks import PackedMarks
    from dynamoc.source.report import Sources

    Composed = tuple[Any, Marks | PackedMarks]


def read_text(
    data: bytes, file: str, findings: Findings, *, objects: bool = True, sources: Sources | None = None
) -> list[Document]:
    """The objects in the content of a file, in order; `file` is what the user calls it.

    Empty documents are left out. What cannot be read stands in `findings` as located errors; the documents before it
    are given all the same. With `objects=False` any value is a document, as configuration files need it.
    `sources` knows which files a stream was made from.
    """
    report = Report(file, findings, sources)
    documents: list[Document] = []
    try:
        for value, marks in _composed(data, report):
            for item, item_marks in _objects(value, marks, report) if objects else ((value, marks),):
                document = Document(item, file, len(documents), item_marks)
                if sources is not None:
                    document.source = report.source_of(own_mark(document.marks))
                documents.append(document)
    except Unreadable as end:
        findings.add(end.finding)
    return documents


def _objects(value: Any, marks: Marks | PackedMarks, report: Report) -> Iterator[Composed]:
    from dynamoc.source.objects import objects_in

    return objects_in(value, marks, report)


def _composed(data: bytes, report: Report) -> Iterator[Composed]:
    """The values of a text that are not null. Raises Unreadable where it ends early."""
    if len(data) > limit("file-bytes"):
        message = f"The file is larger than {limit('file-bytes'):,} bytes, the limit `file-bytes`."
        report.stop(Position(0, 0), "read/too-large", message, f"Split the file. {hint('file-bytes')}")
    text = decode(data, report)
    found = 0
    for value, marks in _read(text, report):
        if value is not None:
            if found and is_utf16(data):
                message = "Kubernetes reads only the first document of a UTF-16 file."
                report.stop(Position(0, 0), "read/encoding", message, "Save the file as UTF-8.")
            found += 1
            yield value, marks


def _read(text: str, report: Report) -> Iterator[Composed]:
    """As kubectl does it: JSON where it can be, else YAML. The error is in terms of what the file says it is."""
    if "<<<<<<<" in text:
        from dynamoc.source.line_ends import judge_conflict

        judge_conflict(text, report)
    named_json = report.file.endswith(".json")
    if not named_json and text.lstrip(" \t\r\n")[:1] != "{":
        yield from _read_yaml(text, report)
        return
    from dynamoc.source.json_text import NotJSON, read_json

    try:
        yield from read_json(text, report)
    except NotJSON as problem:
        if named_json and problem.is_comment:
            report.stop(problem.position, "read/json", problem.message, problem.hint)
        errors = report.errors
        try:
            yield from _read_yaml(text, report)
        except Unreadable:
            if named_json or problem.is_comment:
                report.stop(problem.position, "read/json", problem.message, problem.hint)
            raise
        if named_json and report.errors > errors:
            # As JSON it might be right, if it were JSON.
            report.stop(problem.position, "read/json", problem.message, problem.hint)


def _read_yaml(text: str, report: Report) -> Iterator[Composed]:
    from dynamoc.source.compose import compose
    from dynamoc.source.libyaml import YAMLError
    from dynamoc.source.line_ends import judge_lines

    judge_lines(text, report)
    try:
        yield from compose(text, report)
    except YAMLError as error:
        from dynamoc.source.syntax import syntax_error

        raise syntax_error(error, text, report) from None
