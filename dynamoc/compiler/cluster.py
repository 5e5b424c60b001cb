"""What a compilation is about: one cluster, which stays as it is, and the run, which holds what happens on the way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from dynamoc.admission.cluster.config import OperatorConfig
from dynamoc.admission.cluster.context import ClusterContext
from dynamoc.admission.cluster.previous import Before
from dynamoc.admission.operator import Standalone
from dynamoc.compiler.options import Options
from dynamoc.documents.findings.edits import Change
from dynamoc.documents.findings.finding import ERROR, WARNING, Finding, Findings, Path, severity_of
from dynamoc.documents.schema.causes import name_placeholder
from dynamoc.documents.schema.problem import QUOTE_HINT
from dynamoc.documents.source.document import Document
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import Identity, identity
from dynamoc.reference.releases import Release
from dynamoc.reference.slugs import Severity, Slug

Mistake = tuple[str, str, str, str, str | None]
"""What a checker finds in the pods of a component, "" for the whole graph: its name, and the finding's slug,
severity, message and hint. Plain data, which processes hand over."""

#: ends of slugs that are about the name of an entry, not about its value
_OF_KEYS = ("/unknown-field", "/unknown-annotation", "/name-length")


@dataclass(frozen=True, eq=False, slots=True)
class Cluster:
    """One cluster that documents are compiled for.

    documents   of the input, whatever their kinds
    context     documents that say what exists beside them; `existing` answers questions about all of these
    graphs      those of the input and the context, which a request does not create again
    standalone  collects what is lost without the operator, None where it runs
    """

    options: Options
    release: Release
    config: OperatorConfig
    documents: Sequence[Document]
    context: Sequence[Document]
    existing: ClusterContext
    graphs: frozenset[Identity]
    standalone: Standalone | None

    @property
    def namespace(self) -> str:
        """That of documents that name none."""
        return self.options.namespace or "default"


@dataclass(eq=False, slots=True)
class Stored:
    """A document as the operator stores it, and its v1alpha1 view where that is known already."""

    value: Tree
    alpha: Tree | None = None


@dataclass(eq=False, slots=True)
class Trace:
    """What a compilation did on the way.

    stored  the documents as the operator stores them: in its version, and defaulted
    owners  the document that each object was made from; for one that several make, the first
    defaulted  documents with what the mutating webhooks write, where there was nothing to find until then
    mistakes   what a checker finds in the pods of documents, where one looks
    """

    defaulted: dict[Document, Tree] = field(default_factory=dict, init=False)
    stored: dict[Identity, Tree] = field(default_factory=dict, init=False)
    owners: dict[Identity, Identity] = field(default_factory=dict, init=False)
    mistakes: dict[Identity, list[Mistake]] = field(default_factory=dict, init=False)

    def note(self, rendered: list[tuple[Document, list[Tree]]], namespace: str) -> None:
        for document, objects in rendered:
            owner = identity(document.value, namespace)
            for item in objects:
                self.owners.setdefault(identity(item, "default"), owner)


class Origins:
    """Where values come from. Each stage asks for it; this one knows nothing, `compiler/explain` has one that does.

    traces  whether values know their origin
    """

    traces = False

    def release(self, release: Release) -> Release:
        """A release whose constants know their names."""
        return release

    def begin(self, document: Document) -> None:
        """The document at hand."""

    def updated(self, document: Document) -> Document:
        """The object that a document updates."""
        return document

    def checked(self, _document: Document, value: Tree, _options: Options) -> Tree:
        """A document with what the schema adds."""
        return value

    def admitted(self, _document: Document, _value: Tree, stored: Tree) -> Tree:
        """A document with what the webhooks add."""
        return stored

    def converted(self, value: Tree, convert: Callable[[Tree], Tree]) -> Tree:
        """A document in another version, itself where that is its own."""
        return convert(value)

    def lowering(self, _run: Run, _document: Document, value: Tree) -> Tree:
        """The stored document that objects are made of next."""
        return value

    def lowered(self) -> None:
        """The objects are there, or refused."""

    def judged(self, objects: list[Tree]) -> list[Tree] | None:
        """The objects that the API server is asked about; None where they are known to be accepted."""
        return objects

    def plain(self, value: Tree) -> Tree:
        """A value without its origins."""
        return value

    def sources(self, run: Run, document: Document) -> Any:
        """Where the values of the objects that were judged last come from (`compiler/faults.py`); None if unknown."""


class Reporter:
    """Says what is wrong with documents: problems become findings with a place."""

    def __init__(self, options: Options, findings: Findings) -> None:
        self._options = options
        self.findings = findings

    def take(self, document: Document, problems: list[Any], before: Before | None = None) -> bool:
        """Turns problems into findings; whether one of them is an error. `before` is what the document updates."""
        refused = False
        for problem in problems:
            severity = problem.severity
            if problem.slug == "schema/type":
                _spell(document, problem)
            elif severity == ERROR and problem.slug.startswith("admission/"):
                name_placeholder(problem, document.value)
            related: tuple[Any, ...] = tuple(document.place(path) for path in problem.others)
            if problem.old_path is not None and before is not None:
                related = (*related, before.document.place(problem.old_path))
                severity = severity if self._options.refuse_updates else WARNING
            refused = refused or severity == ERROR
            said = (problem.slug, problem.message, problem.path, problem.hint, related)
            self.find(document, *said, severity=severity, change=problem.change)
        return refused

    def find(
        self,
        document: Document,
        slug: Slug,
        message: str,
        path: Path,
        hint: str | None = None,
        related: tuple[Any, ...] = (),
        *,
        severity: Severity | None = None,
        change: Change | None = None,
    ) -> None:
        value = document.value
        name = (value.get("metadata") or {}).get("name", "")
        self.findings.add(
            Finding(
                slug,
                message,
                severity=severity or severity_of(slug),
                place=document.place(path, key=slug.endswith(_OF_KEYS) and not _is_name(slug, path)),
                hint=hint,
                path=path,
                subject=f"{value.get('kind')}/{name}",
                related=related,
                change=change,
            )
        )


class Checker(Protocol):
    """Looks at what documents are, and at what they became.

    errors        that it found; what it finds wrong is rendered all the same
    refuses_pods  whether what the API server refuses of pods is an error
    """

    errors: int
    refuses_pods: bool

    def others(self, run: Run, documents: list[Document]) -> None:
        """Those that pass through."""

    def rendered(self, run: Run, document: Document, stored: Tree, objects: list[Tree]) -> None:
        """One that the operator makes objects of."""


@dataclass(eq=False, slots=True)
class Run:
    """The compilation of a cluster under way.

    trace     what is to be kept of it, None for nothing
    checker   looks at documents, and at what they became: `dynamoc check`
    expected  bytes that the documents so far ask for, at least
    """

    cluster: Cluster
    report: Reporter
    trace: Trace | None = None
    checker: Checker | None = None
    origins: Origins = field(default_factory=Origins)
    expected: int = 0

    @property
    def refusals(self) -> int:
        """The errors but for those of the checker."""
        return self.report.findings.errors - (0 if self.checker is None else self.checker.errors)


def _spell(document: Document, problem: Any) -> None:
    """A hint that puts a value in quotes quotes what is written, not what YAML made of it."""
    text = document.spelling(problem.path)
    if text is not None and problem.hint is not None and problem.hint.startswith(QUOTE_HINT):
        read = problem.hint.removeprefix(QUOTE_HINT).strip('"')
        problem.hint = f'{QUOTE_HINT}"{text}" (without quotes YAML reads {text} as {read})'


def _is_name(slug: str, path: Path) -> bool:
    """Whether a name that is too long is a value, not a key."""
    return slug.endswith("/name-length") and path[-1:] == ("name",)
