"""Where the input has the values of objects, without who made the others: in a third of the time of an explanation.

Values of the input carry their origins along wherever they go; that is known without a look at pods after each rule. Of
the texts that builders make, names are looked at. Where an answer might depend on what another text is made of, the
objects are traced in full.
"""

from __future__ import annotations

# The package `collections` takes longer to load than a graph to explain.
from _collections import deque  # type: ignore[import-not-found]
from collections.abc import Callable
from typing import Any

from dynamoc.compiler.compile import Compilation
from dynamoc.compiler.explain.focus import component_of, owner_of
from dynamoc.compiler.explain.texts import MadeTexts, is_word_of
from dynamoc.compiler.explain.traced import (
    CONTEXT,
    MOST_READS,
    READING,
    USER,
    Origin,
    leaves,
    origin_of,
    plain,
    retrace,
    traced,
)
from dynamoc.compiler.explain.traced_compilation import (
    TracedCompilation,
    explain_documents,
    trace_objects,
    traced_compilation,
)
from dynamoc.compiler.explain.watch import Following
from dynamoc.compiler.faults import FaultSources
from dynamoc.compiler.options import Options
from dynamoc.compiler.state import Trace
from dynamoc.documents.findings.finding import Findings, Path
from dynamoc.documents.source.document import Document
from dynamoc.kube.names import Identity, identity
from dynamoc.kube.tracing import BUILDER, NAMING, RESTORING, RULE, Step

Tree = dict[str, Any]

Part = tuple[Identity | None, Path]
"""A component: its document, and the path to it there, () for what is beside the components."""


_WRITTEN = (USER, CONTEXT)


class Words:
    """Texts of the input that others may have been made of, in lower case, and the components that have them.

    is_complete   whether these are all of them
    """

    def __init__(self, namespace: str | None) -> None:
        self.is_complete = True
        self._namespace = namespace
        self._of: dict[Identity | None, dict[str, set[Part]]] = {}
        self._owners: dict[tuple[str, int], Identity | None] = {}
        self._found: dict[tuple[Identity | None, str], set[Part]] = {}

    def add(self, value: Any, origin: Origin) -> None:
        """Adds a text, or a number as it is written."""
        part, text = self.part(origin), str(plain(value)).lower()
        if text:
            self._of.setdefault(part[0], {}).setdefault(text, set()).add(part)

    def part(self, origin: Origin) -> Part:
        """The component that an origin is in."""
        document = origin.document
        if document is None:
            return None, ()
        key = (document.file, document.index)
        if key not in self._owners:
            self._owners[key] = owner_of(document.value, self._namespace)
        return self._owners[key], component_of(origin.path)

    def parts_in(self, name: str, owner: Identity | None) -> set[Part]:
        """The components of which a text may be that is made of a document: of this one, or beside all."""
        key = (owner, name)
        if key not in self._found:
            text, found = name.lower(), self._found.setdefault(key, set())
            for words in filter(None, map(self._of.get, {owner, None})):
                for word, parts in words.items():
                    if word in text and (word == text or is_word_of(text, word)):
                        found |= parts
        return self._found[key]


class Carried(FaultSources):
    """What was rendered, of values that know where the input has them; `objects` are as `render` gives them.

    It can be asked for `written`, and for the component of the `owner`.

    owners   the documents that objects are made of
    full     traces the objects of a document, None for those of all
    """

    def __init__(
        self,
        objects: list[Tree],
        owners: dict[Identity, Identity],
        full: Callable[[Identity | None], FaultSources],
        words: Words,
    ) -> None:
        self.objects = objects
        self._owners = owners
        self._full = full
        self._traced: dict[Identity | None, FaultSources] = {}
        self._words = words
        self._document: Identity | None = None
        self._doubts: set[Part] = set()

    def owner(self, index: int, path: Path) -> list[Origin]:
        """Fields of the component that a field belongs to, as those of `Sources.owner` are."""
        found = self.owner_if_certain(index, path)
        if found is not None:
            return found
        key = identity(self.objects[index])
        for document in (self._document, None):
            if document not in self._traced:
                self._traced[document] = self._full(document)
            traced = self._traced[document]
            for number, item in enumerate(traced.objects):
                if identity(item) == key:
                    return traced.owner(number, path)
        return []

    def owner_if_certain(self, index: int, path: Path) -> list[Origin] | None:
        """The owner; None where a name on the way to it may be made of another component's."""
        self._document = self._owners.get(identity(self.objects[index], "default"))
        self._doubts = set()
        found = super().owner(index, path)
        return found if self._doubts <= set(map(self._words.part, found)) else None

    def components_in(self, name: Any) -> list[Origin]:
        if name.__class__ is not str or origin_of(name) is not None:
            return super().components_in(name)
        self._doubts |= self._words.parts_in(name, self._document) if self._words.is_complete else {(None, ("?",))}
        return []


def carry_documents(documents: list[Document], options: Options, findings: Findings, trace: Trace) -> Carried:
    """`explain_documents`, of which only sources can be asked for."""
    words = Words(options.namespace)
    with _Passing(words) as passing:
        compilation, traced = traced_compilation(documents, options, findings, trace, kind=_Compilation)
        assert isinstance(compilation, _Compilation)
        compilation.passing, compilation.tracer = passing, _trace_objects
        objects = compilation.run(traced)
    for document in (*traced, *compilation.context):
        passing.take_names(document)

    def full(owner: Identity | None) -> FaultSources:
        among = [item for item in documents if owner_of(item.value, options.namespace) in (None, owner)]
        return FaultSources(explain_documents(among if owner else documents, options, Findings()).objects, options)

    return Carried(objects, trace.owners, full, words)


def _trace_objects(compilation: Compilation, document: Document) -> FaultSources:
    return trace_objects(compilation, document)


class _Passing(Following):
    """Sees values of the input become part of texts, and of names, as long as this lasts.

    words        takes the texts that become part of others
    document     that is compiled
    """

    def __init__(self, words: Words) -> None:
        super().__init__()
        self.words = words
        self.document: Document | None = None
        self._made = MadeTexts()
        # What was read since the last rule started, as in a full trace.
        self._recent: deque[Any] = deque(maxlen=MOST_READS)

    def take_names(self, document: Document) -> None:
        """Adds names that the input gives, which a rule may have replaced by longer ones."""
        for path, value in leaves(document.value.get("spec")):
            # Of objects that pass through, the spec itself may be a text.
            if path and value.__class__ is str and str(path[-1]).lower().endswith("name"):
                self.words.add(value, Origin(USER, document=document, path=("spec", *path)))

    def of(self, document: Document) -> None:
        """Another document is compiled."""
        self.document, self._made = document, MadeTexts()
        self._note()
        self._recent.clear()

    def other(self, step: Step, function: Callable[..., Any], args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        if step.kind == RULE:
            self._note()
            self._recent.clear()
        result = function(*args, **named)
        self._note()
        if self.document is None:
            return result
        if step.kind == RESTORING and result.__class__ is dict:
            # What went through an annotation as JSON lost its origin there.
            retrace(result, self.document.value, None)
        elif step.kind in (BUILDER, NAMING):
            READING.reads.extend(self._recent)
            if step.kind == BUILDER:
                self._name(result, step.name)
            self._made.remember(result, step.name)
            READING.reads.clear()
        return result

    def _name(self, made: Any, maker: str) -> None:
        """Tells what names are made of that a builder gives, outside of pods."""
        kind = made.__class__
        if kind is list or kind is tuple:
            for item in made:
                self._name(item, maker)
        elif hasattr(made, "component"):
            self._name(made.value, maker)
        elif kind is dict and "containers" not in made:
            name = made.get("name")
            if name.__class__ is str and origin_of(name) is None:
                made["name"] = traced(name, Origin(BUILDER, name=maker, step=maker, inputs=self._made.inputs(name)))
            for item in made.values():
                self._name(item, maker)

    def _note(self) -> None:
        reads = READING.reads
        if not reads:
            return
        self.words.is_complete = self.words.is_complete and len(reads) < MOST_READS
        for read in reads:
            origin = origin_of(read)
            # Names of graphs are in too many others, and lead to no component.
            if origin is not None and origin.kind in _WRITTEN and origin.path[:1] == ("spec",):
                self.words.add(read, origin)
        self._recent.extend(reads)
        READING.reads.clear()


class _Compilation(TracedCompilation):
    """Judges objects as a compilation does that is not traced."""

    passing: _Passing

    def lowered(self, document: Document, value: Tree) -> list[Tree]:
        value = retrace(self.canonical(document, value), value, None)
        self.passing.of(document)
        try:
            return Compilation.lowered(self, document, value)
        finally:
            self.passing.document = None

    def sources(self, document: Document, objects: list[Tree]) -> Any:
        return Compilation.sources(self, document, objects)
