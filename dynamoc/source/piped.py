"""What comes through a pipe: documents that are no objects are skipped, and `helm template` says where each is from.

Nobody chose the documents of a stream one by one: as in a directory, those of other tools are skipped and counted.
"""

from __future__ import annotations

from bisect import bisect_right

from dynamoc.source.document import Document
from dynamoc.source.found import claims
from dynamoc.source.reader import read_text
from dynamoc.source.report import Report, Unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Findings

#: which helm writes behind the `---` of each document
_COMMENT = b"# Source: "
_KUSTOMIZE = "kustomize.config.k8s.io/"


class Sources:
    """The files that comments of helm name."""

    def __init__(self, data: bytes) -> None:
        self._lines: list[int] = []
        self._names: list[str | None] = []
        for number, line in enumerate(data.split(b"\n")):
            if line.startswith((b"---", _COMMENT)):
                name = line.removeprefix(_COMMENT).strip().decode(errors="replace")
                self._lines.append(number)
                self._names.append(None if line.startswith(b"---") else name or None)

    def at(self, line: int) -> str | None:
        """The file behind a line, which counts from 0."""
        index = bisect_right(self._lines, line)
        return self._names[index - 1] if index else None


def read_piped(data: bytes, file: str, findings: Findings) -> list[Document]:
    """The objects of a stream. What is none is skipped, and counted in `findings.inputs`; a plain text is an error."""
    from dynamoc.source.objects import objects_in

    # Who names the stream has it as a file, whose lines are known.
    sources = Sources(data) if file == "-" and _COMMENT in data else None
    report = Report(file, findings, sources)
    documents: list[Document] = []
    try:
        for document in read_text(data, file, findings, objects=False, sources=sources):
            if _is_of_another_tool(document.value):
                findings.inputs.passed_over.append(document.place(()))
                continue
            for value, marks in objects_in(document.value, document.shared_marks, report):
                documents.append(Document(value, file, len(documents), marks, document.source))
    except Unreadable as end:
        findings.add(end.finding)
    return documents


def _is_of_another_tool(value: Any) -> bool:
    if not isinstance(value, (dict, list)):
        return False
    if isinstance(value, dict) and str(value.get("apiVersion")).startswith(_KUSTOMIZE):
        return True
    return not claims(value)
