"""What dynamoc reports to its user, as data, and what a run looked at."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Protocol

from dynamoc.documents.findings.edits import Change, Fix
from dynamoc.reference.slugs import SEVERITY_OF, ErrorSlug, Severity, Slug


class Progress(Protocol):
    """Somebody who watches a run over many files."""

    def step(self, what: str, done: int, total: int) -> None:
        """So many steps of a stage are over."""

    def stop(self) -> None:
        """The stages are over."""


#: kinds that count as graphs
GRAPHS = ("DynamoGraphDeployment", "DynamoComponentDeployment", "DynamoDeployment", "DynamoNimDeployment")
_ALSO_COMPILED = ("DynamoCheckpoint", "DynamoGraphDeploymentRequest")


@dataclass(eq=False, slots=True)
class Inputs:
    """Counts of the files and objects of a run, without those of `--cluster` and `--against`.

    found    files that a directory or a pattern gave; all others were named
    files    files that were read
    graphs   DynamoGraphDeployments and DynamoComponentDeployments, and what they were called in Dynamo 0.1
    compiled those, and other documents that the operator makes objects of
    others   all other objects
    skipped  files that were left out, by the reason: see `dynamoc.documents.source.found`
    passed_over  documents of a stream that were left out
    size     bytes that were read
    ignores  whether a .dynamocignore file was looked up
    stdin    what findings call the standard input
    patches  directory to the files that its kustomization lists as patches
    part     which one of the parts of a run this is, such as `3/16`; "" where it is the whole
    follows_links  whether links may lead out of the directories that were named
    """

    found: set[str] = field(default_factory=set)
    files: int = 0
    size: int = 0
    graphs: int = 0
    compiled: int = 0
    others: int = 0
    skipped: dict[str, list[str]] = field(default_factory=dict)
    passed_over: list[Place] = field(default_factory=list)
    stdin: str = "-"
    ignores: bool = False
    part: str = ""
    patches: dict[str, frozenset[str]] = field(default_factory=dict)
    follows_links: bool = False

    def count(self, values: Iterable[dict[str, Any]]) -> None:
        """Counts the objects of the input."""
        for value in values:
            is_graph = value["kind"] in GRAPHS
            self.graphs += is_graph
            self.others += not is_graph
            self.compiled += is_graph or value["kind"] in _ALSO_COMPILED

    def skip(self, reason: str, file: str) -> None:
        files = self.skipped.setdefault(reason, [])
        if file not in files:
            files.append(file)

    def take(self, other: Inputs) -> None:
        """Adds what another run looked at."""
        self.found |= other.found
        self.files += other.files
        self.size += other.size
        self.graphs += other.graphs
        self.compiled += other.compiled
        self.others += other.others
        for reason, files in other.skipped.items():
            for file in files:
                self.skip(reason, file)
        self.passed_over += other.passed_over

    def record(self) -> dict[str, int]:
        """The counts, as the JSON of findings has them."""
        skipped = sum(map(len, self.skipped.values())) + len(self.passed_over)
        return {"files": self.files, "graphs": self.graphs, "others": self.others, "skipped": skipped}

    def summary(self) -> str:
        """`3 files, 5 graphs, 2 other objects; 4 files skipped`"""
        counts = self.record()
        parts = [_plural(counts["files"], "file"), _plural(counts["graphs"], "graph")]
        if counts["others"]:
            parts.append(_plural(counts["others"], "other object"))
        text = ", ".join(parts)
        files, documents = counts["skipped"] - len(self.passed_over), len(self.passed_over)
        skipped = [_plural(files, "file")] * bool(files) + [_plural(documents, "document")] * bool(documents)
        return f"{text}; {' and '.join(skipped)} skipped" if skipped else text


def _plural(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"


Path = tuple[str | int, ...]


ERROR: Severity = "error"
WARNING: Severity = "warning"
NOTE: Severity = "note"
#: notes that usually ask for nothing: reports have them, people see them with --verbose
ASIDES: frozenset[Slug] = frozenset((
    "check/little-room", "check/parallelism-in-file", "config/target", "context/key-pair", "input/no-namespace",
    "release/recorded-early", "release/source-only",
))  # fmt: skip


@dataclass(eq=False, slots=True)
class Place:
    """A position in a file. Lines and columns count from 1; `file` is `-` for stdin.

    source  the file that the text at this position was made from, where a stream names it
    """

    KEYS = "file line column"
    file: str
    line: int
    column: int
    source: str | None = None

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
    return SEVERITY_OF[slug]


@dataclass(eq=False, slots=True, repr=False)
class Finding:
    """One thing found in the input.

    slug      speaking name, `stage/what`, e.g. `schema/unknown-field`, from dynamoc/reference/catalog/
    severity  `error`, `warning` or `note`; where it is not given, the usual one of the catalogue
    message   full sentence: what is wrong, or what the operator does with it
    place     where, or None where no line of the input stands for it
    hint      what to write instead, or None
    path      field path inside the document
    subject   `Kind/name` of the object the finding is about
    related   further places, e.g. the first of two duplicates
    aside     whether people see it with --verbose only; the usual answer is whether its slug is in `ASIDES`
    points    what the message counts up, each for a separate line
    made      the generated object and the field in it that the finding is about, "" for what is in the input itself
    change    the one certain remedy, None without one or the slug says it all
    fix       the same as edits of the file, once it is asked for (`dynamoc.fixes`)
    """

    slug: Slug
    message: str
    _: KW_ONLY
    severity: Severity = None  # type: ignore[assignment]
    place: Place | None = None
    hint: str | None = None
    path: Path = ()
    subject: str | None = None
    related: tuple[Place, ...] = ()
    change: Change | None = None
    aside: bool = field(default=False, init=False)
    points: list[str] = field(default_factory=list, init=False)
    made: str = field(default="", init=False)
    fix: Fix | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.severity = self.severity or severity_of(self.slug)
        self.aside = self.slug in ASIDES
        if self.hint is None and self.change is not None:
            self.hint = self.change.order

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


#: what `Inputs` counts
_COUNTS = ("compiled", "files", "graphs", "others", "size")


@dataclass(eq=False)
class Findings:
    """Collects findings in the order they are found.

    texts   the content of files that cannot be read again for excerpts, which is stdin, or that an editor has changed
    documents  of files that nothing was to be said of when they were read, with the hash of their content
    inputs  what the run looked at
    progress  what wants to know how far the run is, None without any
    """

    items: list[Finding] = field(default_factory=list, init=False)
    texts: dict[str, bytes] = field(default_factory=dict, init=False)
    documents: dict[str, tuple[int, list[Any]]] = field(default_factory=dict, init=False)
    inputs: Inputs = field(default_factory=Inputs, init=False)
    progress: Progress | None = field(default=None, init=False)
    errors: int = field(default=0, init=False)

    def add(self, finding: Finding) -> None:
        self.items.append(finding)
        self.errors += finding.severity == ERROR

    def set_levels(self, levels: dict[str, str]) -> None:
        """Give findings the severity that their name, the part before its slash, or `*` has in `levels`; `allow` drops.

        `*` is the mildest severity that becomes an error. Errors stay errors.
        """
        if not levels:
            return
        kept = []
        for item in self.items:
            level = levels.get(item.slug) or levels.get(item.slug.partition("/")[0])
            if level is None and "*" in levels and (item.severity == WARNING or levels["*"] == NOTE):
                level = ERROR
            if item.severity == ERROR or level != "allow":
                kept.append(item)
            if item.severity != ERROR and level in (ERROR, WARNING):
                item.severity = level
                self.errors += level == ERROR
        self.items = kept

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

    def restart(self) -> None:
        """Forgets what was found and counted, so that all that comes is of one more file."""
        self.items, self.errors, self.progress = [], 0, None
        inputs = self.inputs
        inputs.skipped, inputs.passed_over = {}, []
        for name in _COUNTS:
            setattr(inputs, name, 0)

    def join(self, others: Findings) -> None:
        """Adds what a process found and counted since it did `restart`."""
        self.take(others)
        self.texts.update(others.texts)
        for name in _COUNTS:
            setattr(self.inputs, name, getattr(self.inputs, name) + getattr(others.inputs, name))
        for reason, files in others.inputs.skipped.items():
            for file in files:
                self.inputs.skip(reason, file)
        self.inputs.passed_over += others.inputs.passed_over


def format_path(path: Path) -> str:
    """`("spec", "services", "a", "envs", 0)` as kubectl writes it: `spec.services.a.envs[0]`."""
    text = ""
    for step in path:
        if isinstance(step, int) or "." in step or "/" in step:
            text += f"[{step}]"
        else:
            text += f".{step}" if text else step
    return text
