"""What dynamoc tells its user, as data.

Plain classes: `dataclasses` alone costs a fifth of the start-up time of the hot commands.
"""

from __future__ import annotations

from dynamoc.diagnostics.inputs import Inputs

Path = tuple[str | int, ...]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    from dynamoc.diagnostics.catalog.slugs import ErrorSlug, Severity, Slug
    from dynamoc.diagnostics.change import Change
    from dynamoc.diagnostics.edit import Fix

    class Progress(Protocol):
        """Somebody who watches a run over many files."""

        def step(self, what: str, done: int, total: int) -> None:
            """So many steps of a stage are over."""

        def stop(self) -> None:
            """The stages are over."""


ERROR: Severity = "error"
WARNING: Severity = "warning"
NOTE: Severity = "note"
#: notes that usually ask for nothing: reports have them, people see them with --verbose
ASIDES: frozenset[Slug] = frozenset(
    (
        "check/little-room",
        "check/parallelism-in-file",
        "config/target",
        "context/key-pair",
        "input/no-namespace",
        "release/recorded-early",
        "release/source-only",
    )
)


class Place:
    """A position in a file. Lines and columns count from 1; `file` is `-` for stdin.

    source  the file that the text at this position was made from, where a stream names it
    """

    __slots__ = ("column", "file", "line", "source")

    def __init__(self, file: str, line: int, column: int, source: str | None = None) -> None:
        self.file = file
        self.line = line
        self.column = column
        self.source = source

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}"
        return f"{self.source} ({place})" if self.source else place

    def key(self) -> tuple[str, int, int]:
        return (self.file, self.line, self.column)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Place) and self.key() == other.key()

    def __hash__(self) -> int:
        return hash(self.key())


def severity_of(slug: Slug) -> Severity:
    """The usual severity of a finding, as the catalogue declares it. Raises KeyError for a name that it lacks."""
    from dynamoc.diagnostics.severities import SEVERITIES

    return SEVERITIES[slug]


class Finding:
    """One thing found in the input.

    slug      speaking name, `stage/what`, e.g. `schema/unknown-field`, from dynamoc/diagnostics/catalog/
    severity  `error`, `warning` or `note`; where it is not given, the usual one of the catalogue
    message   full sentence: what is wrong, or what the operator does with it
    place     where, or None where no line of the input stands for it
    hint      what to write instead, or None
    path      field path inside the document
    subject   `Kind/name` of the object the finding is about
    related   further places, e.g. the first of two duplicates
    aside     whether people see it with --verbose only; the usual answer is whether its slug is in `ASIDES`
    points    what the message counts up, each for a line of its own
    made      the generated object and the field in it that the finding is about, "" for what is in the input itself
    change    the one certain remedy, None where there is none or the slug says it all
    fix       the same as edits of the file, once somebody asked for it (`dynamoc.fixes`)
    """

    __slots__ = (
        "aside",
        "change",
        "fix",
        "hint",
        "made",
        "message",
        "path",
        "place",
        "points",
        "related",
        "severity",
        "slug",
        "subject",
    )

    def __init__(
        self,
        slug: Slug,
        message: str,
        *,
        severity: Severity | None = None,
        place: Place | None = None,
        hint: str | None = None,
        path: Path = (),
        subject: str | None = None,
        related: tuple[Place, ...] = (),
        change: Change | None = None,
    ) -> None:
        self.slug = slug
        self.severity: Severity = severity or severity_of(slug)
        self.message = message
        self.place = place
        self.hint = hint if hint is not None or change is None else change.order
        self.path = path
        self.subject = subject
        self.related = related
        self.aside = slug in ASIDES
        self.points: list[str] = []
        self.made = ""
        self.change = change
        self.fix: Fix | None = None

    @property
    def whole_message(self) -> str:
        """The message with the object that it is about, and with its points."""
        return "\n".join([self.message + self.origin, *(f"- {point}" for point in self.points)])

    @property
    def origin(self) -> str:
        """The generated object at the end of a message."""
        return f" ({self.made})" if self.made else ""

    def __repr__(self) -> str:
        return f"Finding({self.slug!r}, {self.severity!r}, {self.message!r}, place={self.place})"


def is_piped(finding: Finding) -> bool:
    """Whether a finding is on standard input, of whose lines a reader knows nothing."""
    return finding.place is not None and finding.place.file == "-"


def subject_first(finding: Finding) -> str:
    """The message, after the object that it is about where the place does not say enough."""
    message = finding.message + finding.origin
    return f"{finding.subject}: {message}" if finding.subject and is_piped(finding) else message


class Refusal(Exception):
    """Raised where a stage cannot go on: the operator refuses, or would fail to reconcile, this document.

    `path` is the field of the user's document that led to it; the pipeline turns it into a located `Finding`.
    """

    def __init__(self, slug: ErrorSlug, message: str, path: Path = (), hint: str | None = None) -> None:
        super().__init__(message)
        self.slug = slug
        self.message = message
        self.path = path
        self.hint = hint


class Findings:
    """Collects findings in the order they are found.

    texts   the content of files that cannot be read again for excerpts, which is stdin, or that an editor has changed
    documents  of files that nothing was to be said of when they were read, with the hash of their content
    inputs  what the run looked at
    progress  what wants to know how far the run is, None where nobody does
    """

    def __init__(self) -> None:
        self.items: list[Finding] = []
        self.texts: dict[str, bytes] = {}
        self.documents: dict[str, tuple[int, list[Any]]] = {}
        self.inputs = Inputs()
        self.progress: Progress | None = None
        self.errors = 0

    def add(self, finding: Finding) -> None:
        self.items.append(finding)
        self.errors += finding.severity == ERROR

    def of(self, items: list[Finding]) -> Findings:
        """The same run with other findings."""
        if items == self.items:
            return self
        found = Findings()
        found.texts, found.documents, found.inputs = self.texts, self.documents, self.inputs
        for item in items:
            found.add(item)
        return found

    def take(self, others: Findings) -> None:
        """Adds what another collector holds."""
        for finding in others.items:
            self.add(finding)


def format_path(path: Path) -> str:
    """`("spec", "services", "a", "envs", 0)` as kubectl writes it: `spec.services.a.envs[0]`."""
    text = ""
    for step in path:
        if isinstance(step, int) or "." in step or "/" in step:
            text += f"[{step}]"
        else:
            text += f".{step}" if text else step
    return text
