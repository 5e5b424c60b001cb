"""Reading texts in tests."""

from __future__ import annotations

from typing import Any

from dynamoc.documents.findings.finding import Finding, Findings
from dynamoc.documents.source.document import Document
from dynamoc.documents.source.reader import read_text

HEAD = "apiVersion: v1\nkind: ConfigMap\n"


def read(text: str | bytes, file: str = "f.yaml", *, objects: bool = True) -> tuple[list[Document], list[Finding]]:
    """The documents of a text and the findings about it."""
    findings = Findings()
    data = text.encode() if isinstance(text, str) else text
    return read_text(data, file, findings, objects=objects), findings.items


def values(text: str | bytes, file: str = "f.yaml", *, objects: bool = False) -> list[Any]:
    """The values of a text that must be readable without a word."""
    documents, findings = read(text, file, objects=objects)
    assert findings == [], findings
    return [document.value for document in documents]


def told(text: str | bytes, file: str = "f.yaml") -> list[tuple[str, str]]:
    """Slug and `line:column` of each finding."""
    return [(item.slug, f"{item.place.line}:{item.place.column}") for item in read(text, file)[1] if item.place]


def same(left: Any, right: Any) -> bool:
    """Equality that tells 1 from 1.0 and from true."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list):
        return len(left) == len(right) and all(map(same, left, right))
    return bool(left == right)
