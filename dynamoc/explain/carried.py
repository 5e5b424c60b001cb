"""Where the input has the values of objects, without who made the others: in a third of the time of an explanation.

Values of the input carry their origins along wherever they go; that is known without a look at pods after each rule. Of
the texts that builders make, names are looked at. Where an answer might depend on what another text is made of, the
objects are traced in full.
"""

from __future__ import annotations

# The package `collections` takes longer to load than a graph to explain.
from _collections import deque  # type: ignore[import-not-found]

from dynamoc.compilation import Compilation
from dynamoc.explain.fault_sources import Sources
from dynamoc.explain.focus import component_of
from dynamoc.explain.origin import CONTEXT, USER, Origin
from dynamoc.explain.traced import READS, leaves, origin_of, plain, retrace, traced
from dynamoc.explain.traced_compilation import TracedCompilation, explain_documents, traced_compilation
from dynamoc.explain.watch import Following, MadeTexts, is_word_of
from dynamoc.tracing import BUILDER, NAMING, RESTORING, RULE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from dynamoc.compilation import Trace
    from dynamoc.diagnostics.finding import Findings, Path
    from dynamoc.options import Options
    from dynamoc.source.document import Document
    from dynamoc.tracing import Step

    Tree = dict[str, Any]
    Part = tuple[str, int, Path]
    """A component, or what is beside the components: the file and number of its document, and its path there."""

_WRITTEN = (USER, CONTEXT)
_UNKNOWN = ("", 0, ())


class Carried:
    """What was rendered, of values that know where the input has them; `objects` are as `render` gives them.

    full    traces the objects
    words   texts of the input that others may have been made of, in lower case, with the components that have them;
            None where not all of them are known
    """

    def __init__(self, objects: list[Tree], full: Callable[[], Sources], words: dict[str, set[Part]] | None) -> None:
        self.objects = objects
        self._full = full
        self._sources: Sources | None = None
        self._simple = _Sources(objects, words)

    def written(self, index: int, path: Path) -> Origin | None:
        """As `Sources.written`."""
        return self._simple.written(index, path)

    def owner(self, index: int, path: Path) -> list[Origin]:
        """Fields of the component that a field belongs to, as those of `Sources.owner` are."""
        if self._sources is None:
            found = self._simple.owner_if_certain(index, path)
            if found is not None:
                return found
            self._sources = self._full()
        return self._sources.owner(index, path)


class _Sources(Sources):
    """Sources that do not know what each name is made of, but what it may be made of."""

    def __init__(self, objects: list[Tree], words: dict[str, set[Part]] | None) -> None:
        self.objects = objects
        self._words = words
        self._parts: dict[str, set[Part]] = {}
        self._doubts: set[Part] = set()

    def owner_if_certain(self, index: int, path: Path) -> list[Origin] | None:
        """The owner; None where a name on the way to it may be made of another component's."""
        self._doubts = set()
        found = self.owner(index, path)
        return found if self._doubts <= set(map(_part, found)) else None

    def components_in(self, name: Any) -> list[Origin]:
        if name.__class__ is str and origin_of(name) is None:
            self._doubts |= self._parts_in(name)
            return []
        return super().components_in(name)

    def _parts_in(self, name: str) -> set[Part]:
        if name not in self._parts:
            text, words = name.lower(), self._words
            found = (
                [{_UNKNOWN}]
                if words is None
                else [
                    parts for word, parts in words.items() if word in text and (word == text or is_word_of(text, word))
                ]
            )
            self._parts[name] = set().union(*found)
        return self._parts[name]


def carry_documents(documents: list[Document], options: Options, findings: Findings, trace: Trace) -> Carried:
    """`explain_documents`, of which only sources can be asked for."""
    with _Passing() as passing:
        compilation, traced = traced_compilation(documents, options, findings, trace, kind=_Compilation)
        assert isinstance(compilation, _Compilation)
        compilation.passing, compilation.tracer = passing, _trace_objects
        objects = compilation.run(traced)
    for document in (*traced, *compilation.context):
        passing.take_names(document)

    def full() -> Sources:
        from dynamoc.diagnostics.finding import Findings

        return Sources(explain_documents(documents, options, Findings()).objects, options)

    return Carried(objects, full, None if passing.has_missed else passing.words)


def _trace_objects(compilation: Compilation, document: Document) -> Sources:
    from dynamoc.explain.fault_lines import trace_objects

    return trace_objects(compilation, document)


def _part(origin: Origin) -> Part:
    document = origin.document
    return _UNKNOWN if document is None else (document.file, document.index, component_of(origin.path))


class _Passing(Following):
    """Sees values of the input become part of texts, and of names, as long as this lasts.

    words        texts that became part of others, in lower case, with the components that have them
    has_missed   whether it may not have seen all
    document     that is compiled
    """

    def __init__(self) -> None:
        super().__init__()
        self.words: dict[str, set[Part]] = {}
        self.has_missed = False
        self.document: Document | None = None
        self._made = MadeTexts()
        # What was read since the last rule started, as in a full trace.
        self._recent: deque[Any] = deque(maxlen=READS.maxlen)
        READS.clear()

    def take_names(self, document: Document) -> None:
        """Adds names that the input gives, which a rule may have replaced by longer ones."""
        for path, value in leaves(document.value.get("spec")):
            # Of objects that pass through, the spec itself may be a text.
            if path and value.__class__ is str and str(path[-1]).lower().endswith("name"):
                self._add(value, Origin(USER, document=document, path=("spec", *path)))

    def _add(self, value: Any, origin: Origin) -> None:
        text = str(plain(value)).lower()
        if text:
            self.words.setdefault(text, set()).add(_part(origin))

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
            READS.extend(self._recent)
            if step.kind == BUILDER:
                self._name(result, step.name)
            self._made.remember(result, step.name)
            READS.clear()
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
        if not READS:
            return
        self.has_missed = self.has_missed or len(READS) == READS.maxlen
        for read in READS:
            origin = origin_of(read)
            # Names of graphs are in too many others, and lead to no component.
            if origin is not None and origin.kind in _WRITTEN and origin.path[:1] == ("spec",):
                self._add(read, origin)
        self._recent.extend(READS)
        READS.clear()


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
