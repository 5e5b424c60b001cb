"""A document: plain JSON data, and where each piece of it stands.

Most documents are never asked where anything stands, so marks are packed into eight bytes for each key and value.
For libyaml, U+0085, U+2028 and U+2029 end lines, too, and a text that ends too early ends on the line behind its last.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol

from dynamoc.documents.findings.finding import ERROR, WARNING, Finding, Findings, Path, Place
from dynamoc.kube.limits import MAX_ERRORS
from dynamoc.reference.slugs import ErrorSlug, Severity, Slug, WarningSlug


class Sources(Protocol):
    """Knows the files that a stream was made from."""

    def at(self, line: int) -> str | None:
        """The file behind a line, which counts from 0."""


class Mark(Protocol):
    """A position that counts from 0."""

    line: int
    column: int


Marks = Mark | list[Any] | dict[Any, Any]


class Unreadable(Exception):
    """Ends the reading of one file; the finding says why."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.message)
        self.finding = finding


@dataclass(eq=False, slots=True)
class Position:
    """A mark of our own, where no parser gives one."""

    line: int
    column: int


class Spelled(Position):
    """The mark of a scalar that is no text, with how it is written where that is not how it prints: `1.10`, `yes`."""

    __slots__ = ("text",)

    def __init__(self, mark: Mark, text: str) -> None:
        super().__init__(mark.line, mark.column)
        self.text = text


def spelled(mark: Mark, value: object, text: str) -> Mark:
    """The mark of a scalar, which remembers its spelling where the value does not determine it."""
    if value is True or value is False:
        return mark if text in ("true", "false") else Spelled(mark, text)
    return mark if value is None or str(value) == text else Spelled(mark, text)


class Report:
    """The findings of one file, with the number of its errors and warnings."""

    __slots__ = ("errors", "file", "findings", "sources", "warnings")

    def __init__(self, file: str, findings: Findings, sources: Sources | None = None) -> None:
        self.file = file
        self.findings = findings
        self.sources = sources
        self.errors = 0
        self.warnings = 0

    def error(
        self, mark: Mark, slug: ErrorSlug, message: str, hint: str | None = None, related: Mark | None = None
    ) -> None:
        """Raises Unreadable where the file has had its share."""
        self.findings.add(self._finding(ERROR, mark, slug, message, hint, related))
        self.errors += 1
        if self.errors == MAX_ERRORS:
            hint = "Fix the first ones, or exclude this file if it is not Kubernetes YAML."
            self.stop(mark, "read/too-many-errors", "After so many errors, the rest of the file is not read.", hint)

    def warn(
        self, mark: Mark, slug: WarningSlug, message: str, hint: str | None = None, related: Mark | None = None
    ) -> None:
        """Leaves out what is too long to read."""
        self.warnings += 1
        if self.warnings == MAX_ERRORS:
            slug, message, hint = "read/too-many-warnings", "Further warnings about this file are not shown.", None
        if self.warnings <= MAX_ERRORS:
            self.findings.add(self._finding(WARNING, mark, slug, message, hint, related))

    def stop(
        self, mark: Mark, slug: ErrorSlug, message: str, hint: str | None = None, related: Mark | None = None
    ) -> NoReturn:
        """Raises Unreadable."""
        raise Unreadable(self._finding(ERROR, mark, slug, message, hint, related))

    def place(self, mark: Mark) -> Place:
        return Place(self.file, mark.line + 1, mark.column + 1, self.source_of(mark))

    def source_of(self, mark: Mark) -> str | None:
        """The file that the text at a mark was made from, where that is known."""
        return self.sources.at(mark.line) if self.sources is not None else None

    def _finding(
        self, severity: Severity, mark: Mark, slug: Slug, message: str, hint: str | None, related: Mark | None
    ) -> Finding:
        places = () if related is None else (self.place(related),)
        return Finding(slug, message, severity=severity, place=self.place(mark), hint=hint, related=places)


def position_of(text: str, offset: int) -> Position:
    """The position of a character. Lines end at LF, CR LF and CR."""
    before = text[:offset].replace("\r\n", "\n").replace("\r", "\n")
    return Position(before.count("\n"), len(before) - before.rfind("\n") - 1)


@dataclass(eq=False, repr=False, slots=True)
class Document:
    """One object of an input file.

    value   the object as plain JSON data, keys in the order of the file
    file    as shown to the user, `-` for stdin
    index   the number of the object in its file, from 0; items of a List count one by one
    marks   the shape of `value`, with positions instead of scalars. A mapping is {key: (mark of the key, marks of the
            value)} and its own mark under None; a sequence is its own mark followed by the marks of its items
    source  the file that the document was made from, where a stream names it
    """

    value: Any
    file: str
    index: int
    marks: Marks
    source: str | None = None

    def place(self, path: Path, *, key: bool = False) -> Place:
        """Where the value at `path` stands, or its key; what the file does not hold is at its nearest ancestor."""
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

    def __repr__(self) -> str:
        return f"Document({self.file!r}, {self.index}, {self.value!r})"


def own_mark(marks: Marks) -> Mark:
    """Where a value starts."""
    mark: Mark = marks[0] if isinstance(marks, list) else marks[None] if isinstance(marks, dict) else marks
    return mark


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
