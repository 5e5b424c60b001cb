"""The names of findings, for readers: a test finds each that the catalogue lacks.

The usual severity of each finding: `severities.txt`, which `python -m tools.finding_pages` writes.
"""

from __future__ import annotations

import os
from typing import Any, Literal

Severity = Literal["error", "warning", "note"]
Slug = str
ErrorSlug = str
WarningSlug = str
NoteSlug = str


def _read() -> dict[Slug, Severity]:
    with open(os.path.join(os.path.dirname(__file__), "severities.txt"), encoding="utf-8") as file:
        words: Any = (line.split() for line in file)
        return dict(words)


SEVERITY_OF = _read()
