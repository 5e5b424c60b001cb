"""The names of findings, for readers: a test finds each that the catalogue lacks."""

from typing import Literal

Severity = Literal["error", "warning", "note"]
Slug = str
ErrorSlug = str
WarningSlug = str
NoteSlug = str
