"""Two sides of input, each rendered, and compared: what `dynamoc diff` and `dynamoc.diff` share."""

from __future__ import annotations

from functools import cached_property

from dynamoc.cluster.previous import Previous
from dynamoc.compare.cluster_defaults import is_made_by_operator
from dynamoc.compare.comparison import Terms, compare
from dynamoc.compare.graph_updates import refused_updates
from dynamoc.compare.pod_counts import gpu_claims
from dynamoc.compare.uncompared import Failures, comparable, errors_of
from dynamoc.compilation import Trace
from dynamoc.compiler import compile_documents
from dynamoc.diagnostics import Findings
from dynamoc.diagnostics.finding import ERROR
from dynamoc.kube.identity import identity
from dynamoc.kube.scope import with_namespace
from dynamoc.surroundings import EXACTNESS, read_surroundings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dynamoc.compare.pod_counts import Claims
    from dynamoc.compare.result import Comparison
    from dynamoc.compiler import Options, Tree
    from dynamoc.source.document import Document


class Rendered:
    """One side: its documents, and the objects that they become.

    The old side exists, and the new one updates it, which is shown even where the API server refuses that.
    `relative` names a file of this side as its counterpart on the other side is named.
    """

    def __init__(
        self,
        documents: list[Document],
        options: Options,
        findings: Findings,
        *,
        old: Rendered | None = None,
        context: Sequence[Document] = (),
        relative: Callable[[str], str] = str,
    ) -> None:
        self.documents = documents
        self.options = options
        self.context = context
        self.findings = findings
        self.relative = relative
        existing = documents if old is None else old.documents
        if not options.standalone and (old is None or not old.findings.errors):
            options.previous = Previous(existing, options.namespace, Findings())
            options.refuse_updates = False
        trace = Trace()
        self.objects: list[Tree] = compile_documents(documents, options, findings, trace, context=context)
        if findings.progress is not None:
            # The other side has a line of its own.
            findings.progress.stop()
        self.owners = trace.owners
        applied = [document for document in documents if not is_made_by_operator(document.value)]
        self.given = frozenset(_identities(applied, options.namespace or "default"))

    @cached_property
    def claims(self) -> Claims:
        """GPUs of claim templates in the cluster."""
        known = [*read_surroundings(self.options, Findings())[1], *self.context] if self._has_context else []
        return gpu_claims([with_namespace(each.value, self.options.namespace or "default") for each in known])

    @property
    def _has_context(self) -> bool:
        return bool(self.options.context or self.context)


def compare_sides(before: Rendered, after: Rendered, options: Options, patterns: list[str]) -> Comparison:
    """The comparison without what the new side holds and could not render: it is not removed.

    `patterns` are changes to leave out; ValueError for one that is none.
    """
    terms = terms_of(before, after, options, patterns)
    namespace = options.namespace or "default"
    failed = Failures("new", after.documents, errors_of(after.findings.items), namespace)
    missing = Failures("old", before.documents, errors_of(before.findings.items), namespace)
    failed.files = {after.relative(file) for file in failed.files}
    kept = comparable(
        before.objects, before.owners, before.documents, namespace, failed, before.relative, after.objects
    )
    comparison = compare(kept, after.objects, terms)
    known = {(item.file, item.subject, item.reason) for item in failed.skipped}
    own = [item for item in missing.skipped if (item.file, item.subject, item.reason) not in known]
    comparison.skipped = [*failed.skipped, *own]
    if not options.standalone:
        comparison.refused = refused_updates(after.documents, after.findings, namespace)
    return comparison


def findings_of_both(old: Findings, new: Findings) -> Findings:
    """Errors of both sides; of warnings and notes those that the new side brings, and what the release rests on."""
    told = Findings()
    told.texts = {**old.texts, **new.texts}
    told.inputs.take(old.inputs)
    told.inputs.take(new.inputs)
    shared = {(item.slug, item.place, item.message) for item in new.items}
    lesser = (item for item in old.items if item.severity != ERROR and item.slug not in EXACTNESS)
    known = {(item.slug, item.subject, item.message) for item in lesser}
    for item in old.items:
        if item.severity == ERROR and (item.slug, item.place, item.message) not in shared:
            told.add(item)
    for item in new.items:
        # Two states of an object are no conflict.
        if (item.slug, item.subject, item.message) not in known and item.slug != "update/conflict":
            told.add(item)
    return told


def _identities(documents: list[Document], namespace: str) -> list[tuple[str, str, str, str]]:
    found = [identity(document.value) for document in documents]
    return [(group, kind, where or namespace, name) for group, kind, where, name in found]


def terms_of(before: Rendered, after: Rendered, options: Options, patterns: list[str]) -> Terms:
    """What the comparison of two sides depends on. Terms count what they ignore: each comparison needs its own."""
    lasting = set(after.owners.values())
    owned = frozenset(made for made, owner in before.owners.items() if owner in lasting)
    if options.standalone:
        # The user applies everything himself.
        applied = frozenset(map(identity, (*before.objects, *after.objects)))
        return Terms(options.release, applied, owned, patterns, attended=False, claims=after.claims)
    return Terms(options.release, before.given | after.given, owned, patterns, claims=after.claims)
