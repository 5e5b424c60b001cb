"""What comes through a pipe: documents that are no objects are skipped, and `helm template` says where each is from.

Nobody chose the documents of a stream one by one: as in a directory, those of other tools are skipped and counted.

Patches of a kustomization, which are no objects of their own.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Iterator
from typing import Any

from dynamoc.documents.findings.finding import Findings, Inputs
from dynamoc.documents.source.document import Document, Report, Unreadable
from dynamoc.documents.source.found import claims
from dynamoc.documents.source.reader import objects_in, read_text
from dynamoc.kube.limits import limit

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


_FILES = ("kustomization.yaml", "kustomization.yml", "Kustomization")


def is_patch(file: str, inputs: Inputs) -> bool:
    """Whether a kustomization beside or above the file names it as a patch, which is no object of its own."""
    directory = os.path.dirname(file)
    while True:
        patches = inputs.patches.get(directory)
        if patches is None:
            patches = inputs.patches[directory] = frozenset(_patches(directory))
        if patches and os.path.realpath(file) in patches:
            return True
        if directory in ("", os.curdir, "/"):
            return False
        directory = os.path.dirname(directory)


def _patches(directory: str) -> Iterator[str]:
    """The real paths of the files that the kustomization of a directory lists as patches."""
    for name in _FILES:
        path = os.path.join(directory, name)
        if not os.path.isfile(path):
            continue
        try:
            with open(path, "rb") as stream:
                data = stream.read(limit("file-bytes") + 1)
        except OSError:
            return
        for document in read_text(data, path, Findings(), objects=False):
            for listed in _listed(document.value):
                yield os.path.realpath(os.path.join(directory, listed))


def _listed(value: Any) -> Iterator[str]:
    if not isinstance(value, dict):
        return
    for key in ("patches", "patchesStrategicMerge", "patchesJson6902"):
        items = value.get(key)
        for item in items if isinstance(items, list) else ():
            path = item.get("path") if isinstance(item, dict) else item
            if isinstance(path, str) and "\n" not in path:
                yield path
