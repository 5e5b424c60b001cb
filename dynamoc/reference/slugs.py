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
    blocks: Any = map(str.split, read_data("severities.txt").split("\n\n"))
    return {slug: severity for severity, *slugs in blocks for slug in slugs}


SEVERITY_OF = _read()
