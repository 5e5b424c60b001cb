"""Where the input has the values of objects, without who made the others: in a third of the time of an explanation.

Values of the input carry their origins along wherever they go; that is known without watching rules and builders. What
a text was made of is not. Where an answer might depend on that, the objects are traced in full.
"""

from __future__ import annotations

from dynamoc.compilation import Compilation
from dynamoc.explain.fault_sources import Sources
from dynamoc.explain.origin import CONTEXT, USER
from dynamoc.explain.traced import READS, leaves, origin_of, plain, retrace
from dynamoc.explain.traced_compilation import TracedCompilation, explain_documents, traced_compilation
from dynamoc.explain.watch import Following, is_word_of
from dynamoc.tracing import RESTORING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from dynamoc.compilation import Trace
    from dynamoc.diagnostics.finding import Findings, Path
    from dynamoc.explain.origin import Origin
    from dynamoc.options import Options
    from dynamoc.source.document import Document
    from dynamoc.tracing import Step

    Tree = dict[str, Any]

_WRITTEN = (USER, CONTEXT)


class Carried:
    """What was rendered, of values that know where the input has them; `objects` are as `render` gives them."""

    def __init__(self, objects: list[Tree], full: Callable[[], Sources], words: Iterable[str] | None) -> None:
        self.objects = objects
        self._full = full
        self._sources: Sources | None = None
        # Texts of the input that others may have been made of, None where not all of them are known.
        self._words = None if words is None else frozenset(words) - {""}
        self._doubts: dict[str, bool] = {}
        self._simple = _Sources(objects, self._is_doubtful)

    def written(self, index: int, path: Path) -> Origin | None:
        """As `Sources.written`."""
        return self._simple.written(index, path)

    def owner(self, index: int, path: Path) -> list[Origin]:
        """As `Sources.owner`, as far as these are in a `spec`."""
        if self._sources is None:
            try:
                return self._simple.owner(index, path)
            except _Doubtful:
                self._sources = self._full()
        return self._sources.owner(index, path)

    def _is_doubtful(self, name: Any) -> bool:
        """Whether a name may be made of a text of the input."""
        if name.__class__ is not str or origin_of(name) is not None:
            return False
        if name not in self._doubts:
            text, words = name.lower(), self._words
            self._doubts[name] = words is None or any(
                word in text and (word == text or is_word_of(text, word)) for word in words
            )
        return self._doubts[name]


class _Doubtful(Exception):
    """Nobody watched how a name was made."""


class _Sources(Sources):
    def __init__(self, objects: list[Tree], is_doubtful: Callable[[Any], bool]) -> None:
        self.objects = objects
        self._is_doubtful = is_doubtful

    def components_in(self, name: Any) -> list[Origin]:
        if self._is_doubtful(name):
            raise _Doubtful
        return super().components_in(name)


def carry_documents(documents: list[Document], options: Options, findings: Findings, trace: Trace) -> Carried:
    """`explain_documents`, of which only sources can be asked for."""
    with _Passing() as passing:
        compilation, traced = traced_compilation(documents, options, findings, trace, kind=_Compilation)
        assert isinstance(compilation, _Compilation)
        compilation.passing, compilation.tracer = passing, _trace_objects
        objects = compilation.run(traced)
    passing.words.update(*map(_names, (*traced, *compilation.context)))

    def full() -> Sources:
        from dynamoc.diagnostics.finding import Findings

        return Sources(explain_documents(documents, options, Findings()).objects, options)

    return Carried(objects, full, None if passing.has_missed else passing.words)


def _trace_objects(compilation: Compilation, document: Document) -> Sources:
    from dynamoc.explain.fault_lines import trace_objects

    return trace_objects(compilation, document)


def _names(document: Document) -> Iterator[str]:
    """Names that the input gives, which a rule may have replaced by longer ones."""
    for path, value in leaves(document.value.get("spec")):
        # Of objects that pass through, the spec itself may be a text.
        if path and value.__class__ is str and value and str(path[-1]).lower().endswith("name"):
            yield plain(value).lower()


class _Passing(Following):
    """Sees values of the input become part of texts, as long as this lasts: their texts, in lower case.

    has_missed   whether it may not have seen all
    document     that is compiled
    """

    def __init__(self) -> None:
        super().__init__()
        self.words: set[str] = set()
        self.has_missed = False
        self.document: Document | None = None
        READS.clear()

    def other(self, step: Step, function: Callable[..., Any], args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        result = function(*args, **named)
        if READS:
            self._note()
        if step.kind == RESTORING and self.document is not None and result.__class__ is dict:
            # What went through an annotation as JSON lost its origin there.
            retrace(result, self.document.value, None)
        return result

    def _note(self) -> None:
        self.has_missed = self.has_missed or len(READS) == READS.maxlen
        for read in READS:
            origin = origin_of(read)
            # Names of graphs are in too many others, and lead to no component.
            if origin is not None and origin.kind in _WRITTEN and origin.path[:1] == ("spec",):
                self.words.add(str(plain(read)).lower())
        READS.clear()


class _Compilation(TracedCompilation):
    """Judges objects as a compilation does that is not traced."""

    passing: _Passing

    def lowered(self, document: Document, value: Tree) -> list[Tree]:
        value = retrace(self.canonical(document, value), value, None)
        self.passing.document = document
        try:
            return Compilation.lowered(self, document, value)
        finally:
            self.passing.document = None

    def sources(self, document: Document, objects: list[Tree]) -> Any:
        return Compilation.sources(self, document, objects)
