"""The one certain remedy of a finding, before anybody looks for its place in the text of a file."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal

    Kind = Literal["remove", "rename", "write", "quote", "list", "comment"]


class Change:
    """What to do with the field, or the item, that a finding is about.

    kind  `remove` it with its value, `rename` its key, `write` another value, `quote` the value as it is written,
          make it the only item of a `list`; or remove the `comment` at the place of the finding
    new   the key, the value or, where it is not the value as its only item, the `list` to write
    old   the value that `write` replaces: another one, such as that of a default, stays; for `remove`, the key of the
          entry, which is the field itself or a field right below it
    up    how many levels above the field the entry is that is removed
    """

    __slots__ = ("kind", "new", "old", "up")

    def __init__(self, kind: Kind, new: Any = None, old: Any = None, up: int = 0) -> None:
        self.kind = kind
        self.new = new
        self.old = old
        self.up = up

    @property
    def order(self) -> str | None:
        """The change as a hint; None where only its place in the file says what it does."""
        if self.kind in ("write", "rename"):
            return f"write `{self.new if isinstance(self.new, str) else str(self.new).lower()}`"
        return "remove it" if self.kind == "remove" and not self.up else None

    def plain(self) -> tuple[Any, ...]:
        """As plain data, which the constructor takes."""
        return (self.kind, self.new, self.old, self.up)


def other_case(word: object, known: tuple[str, ...]) -> Change | None:
    """Writes a word as it is known, where only its case is wrong."""
    found = [each for each in known if isinstance(word, str) and each.lower() == word.lower()]
    return Change("write", found[0], word) if len(found) == 1 and found[0] != word else None
