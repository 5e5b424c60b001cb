"""What reading one file has to tell."""

from __future__ import annotations

from dynamoc.diagnostics.finding import ERROR, WARNING, Finding, Findings, Place
from dynamoc.limits import MAX_ERRORS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn, Protocol

    from dynamoc.diagnostics.catalog.slugs import ErrorSlug, Severity, Slug, WarningSlug
    from dynamoc.source.document import Mark

    class Sources(Protocol):
        """Knows the files that a stream was made from."""

        def at(self, line: int) -> str | None:
            """The file behind a line, which counts from 0."""


class Unreadable(Exception):
    """Ends the reading of one file; the finding tells the user why."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.message)
        self.finding = finding


class Position:
    """A mark of our own, where no parser gives one."""

    __slots__ = ("column", "line")

    def __init__(self, line: int, column: int) -> None:
        self.line = line
        self.column = column


class Spelled(Position):
    """The mark of a scalar that is no text, with how it is written where that is not how it prints: `1.10`, `yes`."""

    __slots__ = ("text",)

    def __init__(self, mark: Mark, text: str) -> None:
        super().__init__(mark.line, mark.column)
        self.text = text


def spelled(mark: Mark, value: object, text: str) -> Mark:
    """The mark of a scalar, which remembers its spelling where that cannot be told from the value."""
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
        """Leaves out what nobody would read to the end."""
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


def template_hint(file: str) -> str:
    """What to do with a template, which a file turned out to be."""
    from dynamoc.source.generators import chart_of, helm_pipe

    chart = chart_of(file)
    if chart is not None:
        return f"This is a Helm template: `{helm_pipe(chart)}` renders its chart."
    return "This looks like a template. Render it first: `helm template CHART | dynamoc render -`, or `envsubst`."


def position_of(text: str, offset: int) -> Position:
    """The position of a character. Lines end at LF, CR LF and CR."""
    before = text[:offset].replace("\r\n", "\n").replace("\r", "\n")
    return Position(before.count("\n"), len(before) - before.rfind("\n") - 1)
