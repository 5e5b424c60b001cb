"""Places as editors count them.

For libyaml, U+0085, U+2028 and U+2029 end lines, too, and a text that ends too early ends on the line behind its last.
"""

from __future__ import annotations

from dynamoc.source.report import position_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from dynamoc.source.document import Mark


class _Place:
    """A mark of libyaml on the line where editors have it."""

    __slots__ = ("column", "index", "line")

    def __init__(self, index: int, text: str) -> None:
        found = position_of(text, index)
        self.index = index
        self.line = found.line
        self.column = found.column


def as_editors_count(get: Callable[[], Any], text: str) -> Callable[[], Any]:
    """The events of a parser, with the places of editors."""

    def renumbered() -> Any:
        event = get()
        event.start_mark = _Place(event.start_mark.index, text)
        return event

    return renumbered


def shown_mark(mark: Any, text: str) -> Mark:
    """Where an error of the parser is to be shown: at the end of the text, not behind it."""
    index = getattr(mark, "index", None)
    if index is None:
        place: Mark = mark
        return place
    return _Place(min(index, len(text.rstrip())), text)
