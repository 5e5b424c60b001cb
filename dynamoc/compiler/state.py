"""What all stages know, and how they report what they find."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from dynamoc.admission.cluster.capabilities import Capabilities
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
from dynamoc.reference.slugs import Severity, Slug

Mistake = tuple[str, str, str, str, str | None]
"""What a checker finds in the pods of a component, "" for the whole graph: its name, and the finding's slug,
severity, message and hint. Plain data, which processes hand over."""

#: ends of slugs that are about the name of an entry, not about its value
_OF_KEYS = ("/unknown-field", "/unknown-annotation", "/name-length")


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

    def note(self, made: list[tuple[Document, list[Tree]]], namespace: str | None) -> None:
        for document, objects in made:
            owner = identity(document.value, namespace or "default")
            for item in objects:
                self.owners.setdefault(identity(item, "default"), owner)


def without_operator(options: Options) -> Standalone | None:
    """What collects the losses of a rendering that stands alone, None where the operator is there."""
    if not options.standalone:
        return None

    part = {} if options.standalone is True else {"part": options.standalone}
    return Standalone(stable_names=options.stable_names, **part)


class State:
    """One cluster being compiled.

    before        what the document in work updates, None where it creates an object
    told          how much had been found before the document in work
    unmoved       a document as it is stored, and its v1alpha1 view, where that is known already
    cluster       what is known to exist; `capabilities` is what of it the operator may use
    is_plain      whether values are plain data, which do not know their origin
    """

    cluster: ClusterContext
    capabilities: Capabilities
    is_plain = True

    def __init__(
        self,
        options: Options,
        config: OperatorConfig,
        context: list[Document],
        findings: Findings,
        trace: Trace | None = None,
        standalone: Standalone | None = None,
    ) -> None:
        self.options = options
        self.release = options.release
        self.config = config
        self.context = context
        self.findings = findings
        self.trace = trace
        self.standalone = standalone or without_operator(options)
        # What is lost in several clusters is reported once of all.
        self.tells_losses = standalone is None
        self.before: Before | None = None
        self.told = 0
        self.unmoved: tuple[Tree, Tree] | None = None

    def take(self, document: Document, problems: list[Any]) -> bool:
        """Turns problems into findings; whether one of them is an error."""
        refused = False
        for problem in problems:
            severity = problem.severity
            if problem.slug == "schema/type":
                self._spell(document, problem)
            elif severity == ERROR and problem.slug.startswith("admission/"):
                name_placeholder(problem, document.value)
            related: tuple[Any, ...] = tuple(document.place(path) for path in problem.others)
            if problem.old_path is not None and self.before is not None:
                related = (*related, self.before.document.place(problem.old_path))
                severity = severity if self.options.refuse_updates else WARNING
            refused = refused or severity == ERROR
            told = (problem.slug, problem.message, problem.path, problem.hint, related)
            self.find(document, *told, severity=severity, change=problem.change)
        return refused

    def _spell(self, document: Document, problem: Any) -> None:
        """A hint that puts a value in quotes quotes what is written, not what YAML made of it."""
        text = document.spelling(problem.path)
        if text is not None and problem.hint is not None and problem.hint.startswith(QUOTE_HINT):
            read = problem.hint.removeprefix(QUOTE_HINT).strip('"')
            problem.hint = f'{QUOTE_HINT}"{text}" (without quotes YAML reads {text} as {read})'

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


def _is_name(slug: str, path: Path) -> bool:
    """Whether a name that is too long is a value, not a key."""
    return slug.endswith("/name-length") and path[-1:] == ("name",)
