"""A document: plain JSON data, and where each piece of it stands."""

from __future__ import annotations

from dynamoc.diagnostics.finding import Place
from dynamoc.source.packed_marks import PackedMarks
from dynamoc.tree import copy_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    from dynamoc.diagnostics.finding import Path

    class Mark(Protocol):
        """A position that counts from 0."""

        line: int
        column: int

    Marks = Mark | list[Any] | dict[Any, Any]


#: up to so many questions, packed marks are searched
_SELDOM = 4


class Document:
    """One object of an input file.

    value   the object as plain JSON data, keys in the order of the file
    file    as shown to the user, `-` for stdin
    index   the number of the object in its file, from 0; items of a List count one by one
    marks   the shape of `value`, with positions instead of scalars. A mapping is {key: (mark of the key, marks of the
            value)} and its own mark under None; a sequence is its own mark followed by the marks of its items. They
            are packed until somebody asks for them.
    source  the file that the document was made from, where a stream names it
    """

    __slots__ = ("_marks", "file", "index", "source", "value")

    def __init__(
        self, value: Any, file: str, index: int, marks: Marks | PackedMarks, source: str | None = None
    ) -> None:
        self.value = value
        self.file = file
        self.index = index
        self._marks = marks
        self.source = source

    @property
    def marks(self) -> Marks:
        if isinstance(self._marks, PackedMarks):
            self._marks = self._marks.nested()
        return self._marks

    @property
    def shared_marks(self) -> Marks | PackedMarks:
        """For another document of the same place."""
        return self._marks

    def place(self, path: Path, *, key: bool = False) -> Place:
        """Where the value at `path` stands, or its key; what the file does not hold stands at its nearest ancestor."""
        if isinstance(self._marks, PackedMarks) and self._marks.asked < _SELDOM:
            self._marks.asked += 1
            return self._place_of(self._marks.at(path, key=key))
        marks = self.marks
        for depth, step in enumerate(path):
            if isinstance(marks, dict) and isinstance(step, str) and step in marks:
                key_mark, marks = marks[step]
                if key and depth == len(path) - 1:
                    return self._place_of(key_mark)
            elif isinstance(marks, list) and isinstance(step, int) and 0 <= step < len(marks) - 1:
                marks = marks[step + 1]
            else:
                break
        return self._place_of(own_mark(marks))

    def _place_of(self, mark: Mark) -> Place:
        return Place(self.file, mark.line + 1, mark.column + 1, self.source)

    def spelling(self, path: Path) -> str | None:
        """How a number, true or false is written, where that is not how it prints: `1.10`, `yes`, `0755`."""
        marks = self.marks
        for step in path:
            if isinstance(marks, dict) and isinstance(step, str) and step in marks:
                marks = marks[step][1]
            elif isinstance(marks, list) and isinstance(step, int) and 0 <= step < len(marks) - 1:
                marks = marks[step + 1]
            else:
                return None
        return getattr(marks, "text", None)

    def copy_value(self) -> Any:
        """The value for a stage that changes what it gets."""
        return copy_tree(self.value)

    def __repr__(self) -> str:
        return f"Document({self.file!r}, {self.index}, {self.value!r})"


def own_mark(marks: Marks) -> Mark:
    """Where a value starts."""
    mark: Mark = marks[0] if isinstance(marks, list) else marks[None] if isinstance(marks, dict) else marks
    return mark
