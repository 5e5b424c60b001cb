"""How far some fields of one component reach: in a fraction of the time that all fields of all components take.

Values of a component seldom leave what is made for it. So only that is looked at after each step. Where a value of
interest turns up elsewhere all the same, or may have become part of a text there, everything is looked at.
"""

from __future__ import annotations

from dynamoc.explain.fault_lines import trace_objects
from dynamoc.explain.focus import CLIQUES, Focus, component_at, component_of
from dynamoc.explain.origin import USER
from dynamoc.explain.settle import settle_object
from dynamoc.explain.traced import MOST_READS, ORIGINAL, READING, origin_of
from dynamoc.explain.traced_compilation import Explained, TracedCompilation, explain_documents, traced_compilation
from dynamoc.explain.watch import Watch, Watching
from dynamoc.kube.identity import identity
from dynamoc.kube.lenient import entries, mapping
from dynamoc.model.graph import Component
from dynamoc.tracing import RULE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any

    from dynamoc.diagnostics.finding import Findings, Path
    from dynamoc.explain.fault_sources import Sources
    from dynamoc.explain.origin import Origin
    from dynamoc.explain.surroundings import TracedRelease
    from dynamoc.options import Options
    from dynamoc.source.document import Document
    from dynamoc.tracing import Step

    Tree = dict[str, Any]
    Key = tuple[str, str, int, Path]

#: divides what was read before a step from what is read while it runs
_MARK = object()


def explain_fields(
    documents: list[Document], fields: Sequence[tuple[int, Path]], options: Options, findings: Findings
) -> Explained:
    """`explain_documents`, of which nobody asks for more than the effects of some fields.

    fields  the number of the document and the path of each
    """
    from dynamoc.diagnostics.finding import Findings

    focus = _focus(documents, fields, options)
    if focus is not None:
        own = Findings()
        own.texts, own.documents, own.inputs = findings.texts, findings.documents, findings.inputs
        explained = _reached(documents, fields, focus, options, own)
        if explained is not None:
            findings.take(own)
            explained.findings = findings
            return explained
    return explain_documents(documents, options, findings)


def _focus(documents: list[Document], fields: Sequence[tuple[int, Path]], options: Options) -> Focus | None:
    """The component that all of the fields belong to; None where there is none, or no other beside it."""
    places = {(number, component_of(path)) for number, path in fields}
    if len(places) != 1 or any(len(path) < 3 for _, path in fields):
        return None
    [(number, path)] = places
    value = documents[number].value
    if not path or value.get("kind") != "DynamoGraphDeployment":
        return None
    components = value["spec"][path[1]]
    if not hasattr(components, "__len__") or len(components) < 2:
        return None
    name = path[2] if path[1] == "services" else components[path[2]].get("name")
    if name.__class__ is not str:
        return None
    owner = identity(value, options.namespace or "default")
    return Focus(0, (), owner, frozenset((name,)), in_pods=True, narrow=True)


def _reached(
    documents: list[Document], fields: Iterable[tuple[int, Path]], focus: Focus, options: Options, findings: Findings
) -> Explained | None:
    """None where the fields may have an effect on what is made for other components."""
    with Watching() as watching:
        compilation, traced = traced_compilation(documents, options, findings, None, focus, kind=_Reaching)
        assert isinstance(compilation, _Reaching)
        compilation.watching, compilation.focus = watching, focus
        compilation.keys = frozenset(
            (USER, documents[number].file, documents[number].index, path) for number, path in fields
        )
        objects = compilation.run(traced)
    aside = list(_of_others(objects, focus))
    if not compilation.reaches or any(reach.has_left(aside) for reach in compilation.reaches):
        return None
    explained = Explained(objects, traced, compilation.removed, options, findings)
    explained.aside = frozenset(map(id, aside))
    for index in range(len(objects)):
        settle_object(explained, index)
    return explained


def _of_others(objects: list[Tree], focus: Focus) -> Iterator[Tree]:
    """Objects, and parts of a PodCliqueSet, that are made for other components."""
    for item in objects:
        if _is_of_another(item, (), focus):
            yield item
        elif item["kind"] == "PodCliqueSet":
            cliques = entries(mapping(item, *CLIQUES[:-1]), CLIQUES[-1], CLIQUES[:-1])
            yield from (clique for path, clique in cliques if _is_of_another(item, (*path, "spec"), focus))


def _is_of_another(item: Tree, path: Path, focus: Focus) -> bool:
    component = component_at(item, path)
    return component is not None and focus.components is not None and component not in focus.components


class _Reaching(TracedCompilation):
    """Looks at the steps for one component; judges objects as a compilation does that is not traced."""

    keys: frozenset[Key]
    release: TracedRelease

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.reaches: list[_Reach] = []

    def watch(self, document: Document) -> Watch:
        assert self.focus is not None
        self.reaches.append(_Reach(document, self.focus, self.keys, self.release))
        return self.reaches[-1]

    def sources(self, document: Document, _objects: list[Tree]) -> Sources:
        return trace_objects(self, document)


class _Reach(Watch):
    """Notices where a value of interest, by the key of its origin, comes into what nobody looks at."""

    def __init__(self, document: Document, focus: Focus, keys: frozenset[Key], release: TracedRelease) -> None:
        super().__init__(document, focus)
        self._own = focus.components or ()
        self._release = release
        self._keys = keys
        self._paths = frozenset(key[3] for key in keys)
        self._depth = 0
        self._has_left = False

    def has_left(self, aside: list[Tree]) -> bool:
        """Whether a value of interest is in a result that was passed over, or `aside`, or may have been read for it."""
        if self._has_left:
            return True
        made = {text for text, origin in self.made.origins.items() if self._is_wanted(origin)}
        waiting, seen = [*self.passed_over.values(), *aside], set()
        while waiting:
            item = waiting.pop()
            # `__class__` of a traced text is that of a plain one.
            kind = type(item)
            if kind is dict or kind is list or kind is tuple:
                if id(item) not in seen:
                    seen.add(id(item))
                    waiting += item.values() if kind is dict else item
            elif kind is str:
                if item in made:
                    return True
            elif kind in ORIGINAL:
                if self._is_wanted(item.origin):
                    return True
            elif hasattr(item, "value"):
                waiting.append(item.value)
        return False

    def call(self, function: Callable[..., Any], step: Step, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        if self._depth and not self._is_of_interest(args):
            if step.kind == RULE:
                self._look_at_reads()
                READING.reads.clear()
            return function(*args, **named)
        return super().call(function, step, args, named)

    def pass_over(self, function: Callable[..., Any], step: Step, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        READING.reads.append(_MARK)
        self._depth += 1
        self._release.is_asked = False
        try:
            return super().pass_over(function, step, args, named)
        finally:
            self._depth -= 1
            self._release.is_asked = not self._depth
            self._look_at_reads()

    def _is_of_interest(self, args: tuple[Any, ...]) -> bool:
        """Whether a step is for the component whose fields are asked for."""
        return any(
            part.__class__ is Component and part.name in self._own
            for part in (getattr(item, "component", item) for item in args)
        )

    def _look_at_reads(self) -> None:
        for read in reversed(READING.reads):
            if read is _MARK:
                return
            origin = origin_of(read)
            if origin is not None and self._is_wanted(origin):
                self._has_left = True
        # Of more, the first are forgotten.
        self._has_left = self._has_left or len(READING.reads) == MOST_READS

    def _is_wanted(self, origin: Origin) -> bool:
        if origin.path in self._paths and origin.key() in self._keys:
            return True
        return any(map(self._is_wanted, origin.inputs))
