"""Names of findings and their usual severities, from `severities.txt`, which `python -m tools.severities` writes."""

from __future__ import annotations

from typing import Any, Literal

from dynamoc.reference.features import read_data

Severity = Literal["error", "warning", "note"]
Slug = str
ErrorSlug = str
WarningSlug = str
NoteSlug = str


def _read() -> dict[Slug, Severity]:
    words: Any = map(str.split, read_data("severities.txt").splitlines())
    return dict(words)


SEVERITY_OF = _read()
