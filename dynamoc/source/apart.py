"""Files read by several processes, which hand back the documents of those that nothing is to be said of."""

from __future__ import annotations

import os

from dynamoc.forked import Forks, processes
from dynamoc.source.document import Document
from dynamoc.source.packed_marks import PackedMarks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from dynamoc.diagnostics.finding import Findings
    from dynamoc.source.files import Read

    Reader = Callable[[str, Findings], Read]


def read_apart(files: list[str], read: Reader, findings: Findings, jobs: int) -> Iterator[Read]:
    """What `read` makes of each file, in order; None for what this process has to read.

    Raises WorkerDied where a process does not finish.
    """
    jobs = processes(jobs, len(files))
    if jobs == 1:
        yield from (None for _ in files)
        return

    def work(number: int) -> Any:
        # A pipe gives its content once, and to this process.
        if not os.path.isfile(files[number]):
            return None
        before = _told(findings)
        found = read(files[number], findings)
        if found is None or _told(findings) != before:
            return None
        size, documents, content = found
        plain = [_plain(document) for document in documents]
        return None if None in plain else (size, plain, content)

    with Forks(work, len(files), jobs) as forks:
        for number, file in enumerate(files):
            result = forks.result(number)
            yield result and (result[0], [_document(file, *parts) for parts in result[1]], result[2])


def _told(findings: Findings) -> tuple[int, ...]:
    """Changes with all that reading a file can have to say."""
    inputs = findings.inputs
    return len(findings.items), len(findings.texts), len(inputs.passed_over), sum(map(len, inputs.skipped.values()))


def _plain(document: Document) -> tuple[Any, ...] | None:
    marks = document.shared_marks
    if not isinstance(marks, PackedMarks):
        return None
    return document.value, document.index, marks.places, marks.spellings


def _document(file: str, value: Any, index: int, places: bytes, spellings: dict[int, str]) -> Document:
    return Document(value, file, index, PackedMarks(value, places, spellings))
