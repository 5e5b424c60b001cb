"""What corrects a finding: the change of a field, and the edits of files that make it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["remove", "rename", "write", "quote", "list", "comment"]


@dataclass(eq=False, slots=True)
class Change:
    """What to do with the field, or the item, that a finding is about.

    kind  `remove` it with its value, `rename` its key, `write` another value, `quote` the value as it is written,
          make it the only item of a `list`; or remove the `comment` at the place of the finding
    new   the key, the value or, where it is not the value as its only item, the `list` to write
    old   the value that `write` replaces: another one, such as that of a default, stays; for `remove`, the key of the
          entry, which is the field itself or a field right below it
    up    how many levels above the field the entry is that is removed
    """

    kind: Kind
    new: Any = None
    old: Any = None
    up: int = 0

    @property
    def order(self) -> str | None:
        """The change as a hint; None where only its place in the file says what it does."""
        if self.kind in ("write", "rename"):
            return f"write `{self.new if isinstance(self.new, str) else str(self.new).lower()}`"
        return "remove it" if self.kind == "remove" and not self.up else None


def other_case(word: object, known: tuple[str, ...]) -> Change | None:
    """Writes a word as it is known, where only its case is wrong."""
    found = [each for each in known if isinstance(word, str) and each.lower() == word.lower()]
    return Change("write", found[0], word) if len(found) == 1 and found[0] != word else None


@dataclass(frozen=True)
class Edit:
    """New text for a part of a file. Lines and columns count characters from 1; the end is behind the part.

    start, end  the same as offsets into the text, from 0, without a byte-order mark
    """

    KEYS = "file line column end_line end_column new_text"
    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    new_text: str
    start: int
    end: int


@dataclass(frozen=True)
class Fix:
    """The certain remedy of a finding: all of its edits, or none. `title` says what it does, as an order."""

    KEYS = "title edits"
    title: str
    edits: tuple[Edit, ...]
