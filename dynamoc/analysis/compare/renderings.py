"""Two sides of input, each rendered, and compared: what `dynamoc diff` and `dynamoc.diff` share.

Documents that `kubectl get` showed count as the objects that an operator finds in its cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from dynamoc.admission.cluster.objects import is_dynamo
from dynamoc.admission.cluster.previous import LAST_APPLIED, Previous, Running, is_stored
from dynamoc.analysis.compare.applied import is_made_by_operator
from dynamoc.analysis.compare.comparison import Failures, Terms, comparable, compare
from dynamoc.analysis.compare.pod_counts import Claims, gpu_claims
from dynamoc.analysis.compare.result import Comparison, RefusedUpdate
from dynamoc.analysis.compare.trees import named_steps
from dynamoc.compiler.cluster import Trace
from dynamoc.compiler.options import EXACTNESS, Options, read_surroundings
from dynamoc.compiler.run import compile_documents
from dynamoc.documents.findings.finding import ERROR, WARNING, Finding, Findings
from dynamoc.documents.source.document import Document
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import identity, with_namespace


def refused_updates(documents: list[Document], findings: Findings, namespace: str) -> list[RefusedUpdate]:
    """What an update to `documents` is refused for, from findings of a compilation that goes on all the same."""
    found: list[RefusedUpdate] = []
    for finding in findings.items:
        document = _document(finding, documents) if _is_refusal(finding) else None
        if document is not None:
            _, kind, where, name = identity(document.value, namespace or "default")
            steps, hint = named_steps(document.value, finding.path), _sentence(finding.hint or "")
            found.append(RefusedUpdate(kind, where, name, steps, finding.message, hint))
    return found


def _is_refusal(finding: Finding) -> bool:
    """Only what compares with an old object, and stands against the update, is related to a place in it."""
    compares = finding.slug.startswith(("update/", "cel/")) and finding.slug not in (
        "update/conflict",
        "update/deleting",
    )
    return compares and finding.severity == WARNING and bool(finding.related)


def _document(finding: Finding, documents: list[Document]) -> Document | None:
    for document in documents:
        _, kind, _, name = identity(document.value, "default")
        if finding.place is not None and finding.place.file == document.file and finding.subject == f"{kind}/{name}":
            return document
    return None


def _sentence(hint: str) -> str:
    return f"{hint[:1].upper()}{hint[1:]}." if hint else ""


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
            # The other side has its own line.
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

    `patterns` are changes to leave out; ValueError for one that is malformed.
    """
    terms = terms_of(before, after, options, patterns)
    namespace = options.namespace or "default"
    failed = Failures("new", after.documents, after.findings.items, namespace)
    missing = Failures("old", before.documents, before.findings.items, namespace)
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


ORIGIN = "nvidia.com/dynamo-operator-origin-version"
_WITH_STATUS = ("DynamoCheckpoint", "PodSnapshot", "SnapshotJob")
_OF_THE_SERVER = ("creationTimestamp", "generation", "managedFields", "resourceVersion", "selfLink")


def stored_documents(documents: list[Document]) -> list[Document]:
    """The documents, exports without what only a server writes: metadata, status, kubectl's note.

    The annotations of the operator stay; they decide what the next one makes of the object. So does the UID, which
    names snapshots, and the status of those.
    """
    return [_without_server(document) if _is_export(document.value) else document for document in documents]


def admitted_before(documents: list[Document]) -> Running | None:
    """What marks exports among documents as admitted, with the origin version that they have; None without exports."""
    exports = [document.value for document in documents if _is_export(document.value)]
    if not exports:
        return None
    annotations: dict[tuple[str, str, str], dict[str, str | None]] = {}
    for value in exports:
        metadata = value["metadata"]
        key = (value["kind"], metadata.get("namespace") or "", metadata.get("name") or "")
        annotations[key] = {ORIGIN: (metadata.get("annotations") or {}).get(ORIGIN)}
    return Running([], annotations, complete=False)


def _is_export(value: Tree) -> bool:
    return is_dynamo(value) and isinstance(value.get("metadata"), dict) and is_stored(value)


def _without_server(document: Document) -> Document:
    value = document.value
    metadata = {key: item for key, item in value["metadata"].items() if key not in _OF_THE_SERVER}
    annotations = metadata.get("annotations")
    if isinstance(annotations, dict):
        metadata["annotations"] = {key: text for key, text in annotations.items() if key != LAST_APPLIED}
    kept = {key: item for key, item in value.items() if key != "status" or value["kind"] in _WITH_STATUS}
    value = {**kept, "metadata": metadata}
    return Document(value, document.file, document.index, document.marks, document.source)
