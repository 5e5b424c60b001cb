"""A change to the text of a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Edit:
    """New text for a part of a file. Lines and columns count characters from 1; the end is behind the part.

    start, end  the same as offsets into the text, from 0, without a byte-order mark
    """

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    new_text: str
    start: int
    end: int

    def record(self) -> dict[str, Any]:
        """As reports in JSON have it."""
        return {
            "file": self.file,
            "line": self.line,
            "column": self.column,
            "endLine": self.end_line,
            "endColumn": self.end_column,
            "newText": self.new_text,
        }


@dataclass(frozen=True)
class Fix:
    """The certain remedy of a finding: all of its edits, or none. `title` says what it does, as an order."""

    title: str
    edits: tuple[Edit, ...]

    def record(self) -> dict[str, Any]:
        """As reports in JSON have it."""
        return {"title": self.title, "edits": [edit.record() for edit in self.edits]}
