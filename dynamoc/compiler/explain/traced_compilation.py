"""A compilation whose objects know where each of their values comes from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from dynamoc.admission.cluster.config_files import load_config
from dynamoc.admission.convert.correspondence import get, pairs
from dynamoc.compiler.cluster import Checker, Cluster, Origins, Reporter, Run, Trace
from dynamoc.compiler.compile import compile_cluster, stages
from dynamoc.compiler.explain.recording import TracedRelease, trace_config
from dynamoc.compiler.explain.traced import (
    BUILDER,
    CONTEXT,
    CONVERSION,
    NAMESPACE,
    RULE,
    SCHEMA,
    USER,
    WEBHOOK,
    Origin,
    TracedDict,
    TracedList,
    leaves,
    origin_of,
    plain_tree,
    retrace,
    trace_tree,
    traced,
)
from dynamoc.compiler.explain.watch import Removed, Watch, Watching
from dynamoc.compiler.faults import FaultSources
from dynamoc.compiler.objects import related
from dynamoc.compiler.options import Options, read_surroundings, without_operator
from dynamoc.compiler.stored import canonical
from dynamoc.documents.findings.finding import Finding, Findings, Path
from dynamoc.documents.source.document import Document
from dynamoc.documents.source.files import expand, read_inputs
from dynamoc.kube.merge import MISSING, Tree, at
from dynamoc.kube.names import identity
from dynamoc.reference.releases import Release

Neighbour = tuple[Path, Origin]
PairsOf = Callable[[Tree, Tree], list[tuple[Path, Path]]]
_WRITTEN = (USER, CONTEXT, SCHEMA, WEBHOOK)


@dataclass(eq=False, slots=True)
class Explained:
    """What was rendered, traced.

    objects    as `render` gives them; every scalar has an origin, and `origins` has the others
    documents  of the input, with traced values
    removed    values that a rule took away
    found      of the findings, those of the compilation
    leaves     of each object, with their paths
    origins    (index of the object, path) to the origin of a leaf that cannot carry it: null, {} and []
    """

    objects: list[Tree]
    documents: list[Document]
    removed: list[Removed]
    options: Options
    findings: Findings
    found: list[Finding]
    leaves: list[list[tuple[Path, Any]]] = field(default_factory=list, init=False)
    origins: dict[tuple[int, Path], Origin] = field(default_factory=dict, init=False)
    _plain: list[Tree] | None = field(default=None, init=False)

    @property
    def plain(self) -> list[Tree]:
        """The objects without origins, which are to be read only."""
        if self._plain is None:
            self._plain = plain_tree(self.objects)
        return self._plain

    def origin(self, index: int, path: Path, value: Any) -> Origin | None:
        """The origin of the leaf `value` at `path` of an object."""
        return origin_of(value) or self.origins.get((index, path))


def explain_paths(paths: list[str], options: Options, findings: Findings) -> Explained:
    """`compile_paths`, traced. Of no use where `findings` holds errors."""
    explained = explain_documents(read_inputs(expand(paths, findings), findings), options, findings)
    if options.previous is not None:
        options.previous.tell_unused(findings)
    return explained


def explain_documents(
    documents: list[Document],
    options: Options,
    findings: Findings,
    trace: Trace | None = None,
    *,
    checker: Checker | None = None,
    context: Sequence[Document] = (),
    judged: bool = True,
) -> Explained:
    """`explain_paths` for documents that were read before; their values stay as they are.

    Objects need not be `judged` where they are known to be accepted. `context` are objects that exist beside those
    that the options name.
    """
    start = len(findings.items)
    config, known = read_surroundings(options, findings)
    trace_config(config)
    surroundings = [traced_document(document, CONTEXT) for document in (*known, *context)]
    traced_documents = list(map(traced_document, documents))
    with Watching() as watching:
        origins = Traced(watching, judges=judged)
        objects = compile_cluster(
            traced_documents, options, config, surroundings, findings, trace=trace, checker=checker, origins=origins
        )
    explained = Explained(objects, traced_documents, origins.removed, options, findings, findings.items[start:])
    for index, item in enumerate(objects):
        _settle(explained, index, item)
    return explained


def explain_object(
    item: Tree, documents: list[Document], options: Options, trace: Trace, context: Sequence[Document] = ()
) -> tuple[Explained, int]:
    """The compilation of the documents that have a part in an object, which is known to be accepted, and its number.

    `trace` is that of the compilation of all documents.
    """
    wanted, owner = identity(item), trace.owners.get(identity(item, "default"))
    for among in (related(documents, [owner], options.namespace), documents):
        explained = explain_documents(among, options, Findings(), context=context, judged=False)
        found = list(map(identity, explained.objects))
        if wanted in found:
            return explained, found.index(wanted)
    raise LookupError(wanted)


def traced_document(document: Document, kind: str = USER) -> Document:
    """The document with values that know their places."""
    result = Document(None, document.file, document.index, document.marks, document.source)
    result.value = trace_tree(document.value, lambda path: Origin(kind, document=result, path=path))
    return result


class Traced(Origins):
    """Keeps origins through the stages; what a stage adds gets the stage as its origin.

    objects  those that were judged last; with `judges` off, nothing asks whether they are accepted
    removed  values that rules took away
    """

    traces = True

    def __init__(self, watching: Watching, *, judges: bool = True) -> None:
        self.objects: list[Tree] = []
        self.removed: list[Removed] = []
        self._watching = watching
        self._judges = judges
        # The tree that a stage gave last, all of which has origins.
        self._known: Tree = {}
        # The trees between which was converted last, and their pairs.
        self._ways: tuple[Tree, Tree, list[tuple[Path, Path]]] | None = None

    def release(self, release: Release) -> Release:
        return TracedRelease(release)

    def begin(self, document: Document) -> None:
        self._document = document

    def updated(self, document: Document) -> Document:
        return traced_document(document, CONTEXT)

    def checked(self, document: Document, value: Tree, options: Options) -> Tree:
        metadata = value["metadata"]
        if origin_of(metadata["namespace"]) is None:
            name = "command-line" if options.namespace else "default"
            metadata["namespace"] = traced(metadata["namespace"], Origin(NAMESPACE, document=document, name=name))
        return retrace(value, document.value, _added(SCHEMA, document))

    def admitted(self, document: Document, value: Tree, stored: Tree) -> Tree:
        same = stored["apiVersion"] == value["apiVersion"]
        return stored if stored is self._known else retrace(stored, value if same else None, _added(WEBHOOK, document))

    def converted(self, value: Tree, convert: Callable[[Tree], Tree]) -> Tree:
        if value is not self._known:
            # What the webhooks added to it, before they see it converted.
            value = retrace(value, None, _added(WEBHOOK, self._document))
        found = convert(value)
        if found is not value:
            retrace(found, None, _converted(value, found, self._document, self._pairs))
        self._known = found
        return found

    def _pairs(self, alpha: Tree, beta: Tree) -> list[tuple[Path, Path]]:
        """The fields that say the same, which are known of a document that comes back as it went."""
        if self._ways is None or self._ways[0] is not alpha or self._ways[1] != beta:
            self._ways = alpha, beta, pairs(alpha, beta).found
        return self._ways[2]

    def lowering(self, run: Run, document: Document, value: Tree) -> Tree:
        # Go prints zeros that are not in the input.
        self._known = retrace(canonical(run, document, value), value, _added(SCHEMA, document))
        self._watching.watch = Watch(document)
        return self._known

    def lowered(self) -> None:
        watch, self._watching.watch = self._watching.watch, None
        if watch is not None:
            self.removed += watch.removed

    def judged(self, objects: list[Tree]) -> list[Tree] | None:
        self.objects = objects
        # Values without an origin are read in half of the time.
        return [plain_tree(item) for item in objects] if self._judges else None

    def plain(self, value: Tree) -> Tree:
        found: Tree = plain_tree(value)
        return found

    def sources(self, run: Run, _document: Document) -> FaultSources:
        """The objects are traced already."""
        return FaultSources(self.objects, run.cluster.options)


def _added(kind: str, document: Document) -> Callable[[Path], Origin]:
    return lambda path: Origin(kind, document=document, path=path)


def _converted(given: Tree, made: Tree, document: Document, pairs_of: PairsOf) -> Callable[[Path], Origin]:
    """Origins for what the conversion wrote itself: the field that says the same in the other version, if any."""
    to_beta = made["apiVersion"].endswith("v1beta1")
    ways: dict[Path, Path] = {}
    own = document.value if document.value["apiVersion"] == made["apiVersion"] else {}

    def make(path: Path) -> Origin:
        # What comes back from the other version went through an annotation, as JSON.
        written = get(own, path)
        known = origin_of(written)
        if known is not None and written == get(made, path):
            return known
        if not ways:
            found = pairs_of(given, made) if to_beta else [(beta, alpha) for alpha, beta in pairs_of(made, given)]
            ways.update((target, source) for source, target in found)
        held = get(given, ways[path]) if path in ways else None
        source = origin_of(held)
        if source is not None and held == get(made, path):
            return source
        return Origin(CONVERSION, document=document, path=path, inputs=() if source is None else (source,))

    return make


def trace_objects(run: Run, document: Document) -> FaultSources:
    """The sources of a document's objects: it is compiled again, in the same cluster, over traced values."""
    known, options = run.cluster, run.cluster.options
    config = load_config(options.operator_config, known.release, Findings())
    trace_config(config)
    with Watching() as watching:
        origins = Traced(watching, judges=False)
        given = (known.documents, known.context, known.existing, known.graphs)
        cluster = Cluster(options, TracedRelease(known.release), config, *given, without_operator(options))
        stages(Run(cluster, Reporter(options, Findings()), origins=origins), traced_document(document))
    return FaultSources(origins.objects, options)


def _settle(explained: Explained, index: int, item: Any) -> None:
    """Fills `explained.origins`, and gives a namespace that passed-through documents lacked its origin."""
    metadata = item["metadata"]
    if "namespace" in metadata and origin_of(metadata["namespace"]) is None:
        name = "command-line" if explained.options.namespace else "default"
        metadata["namespace"] = traced(metadata["namespace"], Origin(NAMESPACE, name=name))
    found_leaves = leaves(item)
    explained.leaves.append(found_leaves)
    unknown = [(path, value) for path, value in found_leaves if origin_of(value) is None]
    known = [(path, value.origin) for path, value in found_leaves if origin_of(value) is not None] if unknown else []
    for path, value in unknown:
        found = _from_neighbours(path, value, known)
        if found is None:
            continue
        explained.origins[index, path] = found
        if value is not None:
            at(item, path[:-1])[path[-1]] = _carrier(value, found)


def _carrier(value: Any, origin: Origin) -> Any:
    """The leaf with an origin."""
    if value.__class__ is not dict and value.__class__ is not list:
        return traced(value, origin)
    empty: Any = TracedDict() if value.__class__ is dict else TracedList()
    empty.origin = origin
    return empty


def _from_neighbours(path: Path, value: Any, known: list[Neighbour]) -> Origin | None:
    """What the nearest neighbours say: the user's document, where it has the same beside them, else their step."""
    for depth in range(len(path) - 1, -1, -1):
        near = [(other, origin) for other, origin in known if other[:depth] == path[:depth]]
        for other, origin in near:
            for source in origin.sources():
                written = _written_beside(source, other[depth:], path[depth:], value)
                if written is not None:
                    return written if origin.step is None else written.put(origin.step)
        for _, origin in near:
            if origin.step is not None:
                kind = BUILDER if origin.step.startswith(("lower/", "kube/")) else RULE
                return Origin(kind, name=origin.step, step=origin.step)
    return None


def _written_beside(origin: Origin, other: Path, path: Path, value: Any) -> Origin | None:
    """The place of the value in the document that a neighbour was written in; `other` and `path` are relative."""
    if origin.document is None or origin.kind not in _WRITTEN:
        return None
    if origin.path[len(origin.path) - len(other) :] != other:
        return None
    wanted = origin.path[: len(origin.path) - len(other)] + path
    found = at(origin.document.value, wanted, MISSING)
    return Origin(USER, document=origin.document, path=wanted) if found == value else None
