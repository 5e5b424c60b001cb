"""Names of findings and their usual severities, from `severities.txt`, which `python -m tools.severities` writes."""

from __future__ import annotations

import os
from typing import Any, Literal

Severity = Literal["error", "warning", "note"]
Slug = str
ErrorSlug = str
WarningSlug = str
NoteSlug = str


def _read() -> dict[Slug, Severity]:
    # Also from a zip file.
    loader: Any = __spec__.loader
    text = loader.get_data(os.path.join(os.path.dirname(__file__), "severities.txt")).decode()
    words: Any = (line.split() for line in text.splitlines())
    return dict(words)


SEVERITY_OF = _read()
