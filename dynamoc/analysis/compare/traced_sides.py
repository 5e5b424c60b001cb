"""One release of an upgrade, traced: as much of it as reasons are asked for.

A document is compiled once more over values that know their origin. That takes longer than the rest of an upgrade, so
only the components are looked at that somebody asks for.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from dynamoc.analysis.compare.trees import Step, Steps
from dynamoc.compiler.explain.focus import Focus, component_names, owner_of
from dynamoc.compiler.explain.texts import settle_object
from dynamoc.compiler.explain.traced import Origin, leaves
from dynamoc.compiler.explain.traced_compilation import Explained, trace_documents
from dynamoc.compiler.options import Options
from dynamoc.documents.findings.finding import Path
from dynamoc.documents.source.document import Document
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import Identity, identity

Leaf = tuple[Path, Any]

Spec = tuple[frozenset[Any], Hashable]
"""The scalars of a component, and its shape."""

#: fields whose value decides which rules and defaults a component gets
_TYPES = ("componentType", "name", "subComponentType", "type")
#: what no component has a part in
_OF_GRAPHS = ("ConfigMap", "Role", "RoleBinding", "ServiceAccount")


class TracedSide:
    """One rendering, of which a document is traced when it is asked for.

    documents  what the release is given
    stored     as it stores them
    """

    def __init__(self, documents: list[Document], options: Options, stored: dict[Identity, Tree]) -> None:
        self.options = options
        self._stored = stored
        self._own: dict[Identity, list[Document]] = {}
        self._shared: list[Document] = []
        for document in documents:
            owner = owner_of(document.value, options.namespace)
            (self._shared if owner is None else self._own.setdefault(owner, [])).append(document)
        self._wanted: dict[Identity | None, frozenset[str] | None] = {}
        self._traced: dict[Identity | None, Traced] = {}
        self._specs: dict[Identity | None, dict[str | None, Spec]] = {}

    def want(self, owner: Identity | None, value: Tree | None, component: str | None) -> None:
        """An object, or a part of it, will be asked for: its component is to be traced with the others that are."""
        owner = self._known(owner)
        before, needed = self._wanted.get(owner, frozenset()), self._needed(owner, value, component)
        self._wanted[owner] = None if needed is None or before is None else before | needed

    def traced(self, owner: Identity | None, value: Tree | None, component: str | None) -> Traced:
        """The document, traced among those that tell of the cluster: another graph has no part in it."""
        owner = self._known(owner)
        needed = self._needed(owner, value, component)
        found = self._traced.get(owner)
        if found is None:
            wanted = self._wanted.get(owner, needed)
            found = self._traced[owner] = self._trace(owner, wanted if _includes(wanted, needed) else None)
        elif not _includes(found.components, needed):
            found = self._traced[owner] = self._trace(owner, None)
        if found.components is not None and value is not None and not found.has(value):
            found = self._traced[owner] = self._trace(owner, None)
        return found

    def likeness(self, owner: Identity | None, component: str | None, leaf: Any) -> tuple[Hashable, ...]:
        """What components have in common of which a scalar has the same origin.

        Which fields are written, of what type they are, and whether one of them, or the graph beside them, has it.
        """
        if owner not in self._specs:
            self._specs[owner] = _specs(self._stored.get(owner, {}) if owner else {})
        specs = self._specs[owner]
        texts, shape = specs.get(component, (frozenset(), None))
        # Of two documents of one name nobody knows which made a value.
        unclear = owner if owner and len(self._own.get(owner, ())) > 1 else None
        return unclear, shape, leaf in texts, leaf in specs[None][0]

    def _known(self, owner: Identity | None) -> Identity | None:
        return owner if owner in self._own else None

    def _trace(self, owner: Identity | None, components: frozenset[str] | None) -> Traced:
        documents = [*self._shared, *(self._own[owner] if owner else ())]
        # Of two documents with one name, one may be refused.
        several = owner is None or len(self._own[owner]) > 1
        focus = Focus(0, (), owner, components, in_pods=True, alone=not several)
        return Traced(trace_documents(documents, self.options, focus, judged=several), components)

    def _needed(self, owner: Identity | None, value: Tree | None, component: str | None) -> frozenset[str] | None:
        """The components that must be traced for a part of an object; None for all of them."""
        if owner is None or value is None or len(self._own[owner]) > 1:
            return None
        if component is None:
            return frozenset() if value["kind"] in _OF_GRAPHS else None
        stored = self._stored.get(owner)
        return frozenset((component,)) if stored is not None and component in component_names(stored) else None


class Traced:
    """Traced objects, by identity, of the components of one document; None for all."""

    def __init__(self, explained: Explained, components: frozenset[str] | None) -> None:
        self.components = components
        self._explained = explained
        self._index: dict[Identity, int] = {identity(item): at for at, item in enumerate(explained.objects)}
        self._settled: set[int] = set()

    def has(self, value: Tree) -> bool:
        """Whether an object was made."""
        return identity(value) in self._index

    def origin(self, value: Tree | None, steps: Steps) -> tuple[Origin | None, Leaf | None]:
        """The origin of a field, and the leaf below it that has this origin."""
        index = None if value is None else self._index.get(identity(value))
        if index is None:
            return None, None
        if index not in self._settled:
            self._settled.add(index)
            settle_object(self._explained, index)
        path, found = resolve(self._explained.objects[index], steps)
        named = None
        for below, leaf in leaves(found, path):
            origin = self._explained.origin(index, below, leaf)
            # The name of an element says less about its origin than what it holds.
            if origin is not None and below[-1] != "name":
                return origin, (below, leaf)
            if origin is not None and named is None:
                named = origin
        return named, None


def _includes(components: frozenset[str] | None, needed: frozenset[str] | None) -> bool:
    return components is None or (needed is not None and needed <= components)


def _specs(stored: Tree) -> dict[str | None, Spec]:
    """Each component of a graph, and, by None, what the graph has beside them."""
    spec = stored.get("spec") or {}
    parts = spec.get("services") or {item.get("name", ""): item for item in spec.get("components") or ()}
    found: dict[str | None, Spec] = {name: _spec(part) for name, part in parts.items()}
    beside = {name: part for name, part in spec.items() if name not in ("services", "components")}
    found[None] = _spec([beside, stored.get("metadata")])
    return found


def _spec(value: Any) -> Spec:
    known = [(path, leaf) for path, leaf in leaves(value) if leaf.__class__ is not dict and leaf.__class__ is not list]
    # Components differ in their own names, and not in those of containers and variables.
    shape = ((path, leaf if path[-1] in _TYPES and path != ("name",) else leaf.__class__) for path, leaf in known)
    return frozenset(leaf for _, leaf in known), frozenset(shape)


def resolve(value: Any, steps: Steps) -> tuple[Path, Any]:
    """The path with positions that a path with keys leads to, and what stands there; as far as it goes."""
    path: Path = ()
    for step in steps:
        found = _position(value, step)
        if found is None:
            break
        path, value = (*path, found), value[found]
    return path, value


def _position(value: Any, step: Step) -> str | int | None:
    if isinstance(value, dict):
        return step if isinstance(step, str) and step in value else None
    if not isinstance(value, list):
        return None
    if isinstance(step, int):
        return step if step < len(value) else None
    if not isinstance(step, tuple):
        return None
    field, wanted = step
    for position, item in enumerate(value):
        shown = item.get(field) if isinstance(item, dict) else item
        if str(shown) == wanted:
            return position
    return None
