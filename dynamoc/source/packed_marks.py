"""The marks of a document in eight bytes for each key and value, and the ordinary ones where somebody asks for them.

Most documents are never asked where anything stands, and their marks would take more memory than their values.
"""

from __future__ import annotations

from dynamoc.source.report import Position, Spelled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Path
    from dynamoc.source.document import Mark, Marks

_SIZE = 8
_COLUMN = (1 << 32) - 1


def unpacked(places: bytes | bytearray, offset: int) -> Position:
    """The mark at an offset of `PackedMarks.places`."""
    place = int.from_bytes(places[offset : offset + _SIZE], "little")
    return Position(place >> 32, place & _COLUMN)


class PackedMarks:
    """Marks of a value without aliases and merges, which nobody may change.

    places     of keys and values in the order of the text, a mapping or sequence before what it holds
    spellings  of scalars that print otherwise than they are written, by their number among `places`
    """

    __slots__ = ("asked", "places", "spellings", "value")

    def __init__(self, value: Any, places: bytes, spellings: dict[int, str]) -> None:
        self.value = value
        self.places = places
        self.spellings = spellings
        #: how often somebody asked for a mark
        self.asked = 0

    def at(self, path: Path, *, key: bool) -> Mark:
        """The mark of the value at `path` or its nearest ancestor, or of its key. Takes a walk through the document."""
        value, number = self.value, 0
        for depth, step in enumerate(path):
            if value.__class__ is dict and step in value:
                for name, item in value.items():
                    if name == step:
                        break
                    number += 1 + _size(item)
                value, number = value[step], number + 2
                if key and depth == len(path) - 1:
                    number -= 1
            elif value.__class__ is list and step.__class__ is int and 0 <= step < len(value):
                number += 1 + sum(map(_size, value[:step]))
                value = value[step]
            else:
                break
        return unpacked(self.places, number * _SIZE)

    def nested(self) -> Marks:
        """The marks in the shape that `Document` describes."""
        return _Nesting(self).marks(self.value)


def _size(value: Any) -> int:
    """The number of places in a value: its own, and those of what it holds."""
    if value.__class__ is dict:
        return 1 + len(value) + sum(map(_size, value.values()))
    return 1 + sum(map(_size, value)) if value.__class__ is list else 1


class _Nesting:
    def __init__(self, packed: PackedMarks) -> None:
        self._places = packed.places
        self._spellings = packed.spellings
        self._next = 0

    def marks(self, value: Any) -> Marks:
        own = self._mark()
        if value.__class__ is dict:
            marks: dict[Any, Any] = {None: own}
            for key, item in value.items():
                marks[key] = (self._mark(), self.marks(item))
            return marks
        return [own, *map(self.marks, value)] if value.__class__ is list else own

    def _mark(self) -> Mark:
        number = self._next
        self._next += 1
        mark = unpacked(self._places, number * _SIZE)
        return Spelled(mark, self._spellings[number]) if number in self._spellings else mark
