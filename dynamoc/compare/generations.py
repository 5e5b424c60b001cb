"""Generations of workers: a hash in names, labels and environment, which changes with the workers' specs.

What differs by the hash alone is one change of the graph, not a removal and an addition of every object.
"""

from __future__ import annotations

from dynamoc.compare.result import Generation
from dynamoc.kube.identity import identity
from dynamoc.kube.labels import GRAPH_LABEL, WORKER_HASH_LABEL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.compare.result import Change
    from dynamoc.kube.identity import Identity

    Tree = dict[str, Any]
    Graph = tuple[str, str]
    """(namespace, name)"""

_SUFFIX_VARIABLE = "DYN_NAMESPACE_WORKER_SUFFIX"


def labels_of(value: Tree) -> dict[str, str]:
    return (value.get("metadata") or {}).get("labels") or {}


class Generations:
    """The worker generations of both sides, by graph; "" where the workers of a graph carry no hash."""

    def __init__(self, old: list[Tree], new: list[Tree]) -> None:
        self._old, self._new = _hashes(old), _hashes(new)
        graphs = {**self._old, **self._new}
        # A graph that is new, or gone, has no new generation.
        lasting = _graphs(old) & _graphs(new)
        self.changed: dict[Graph, Generation] = {
            graph: Generation(*graph, self._old.get(graph, ""), self._new.get(graph, ""))
            for graph in graphs
            if graph in lasting and self._old.get(graph, "") != self._new.get(graph, "")
        }
        self._multinode = _graphs(old, "LeaderWorkerSet") | _graphs(new, "LeaderWorkerSet")
        self._by_namespace: dict[str, list[Generation]] = {}
        for (namespace, _), generation in self.changed.items():
            self._by_namespace.setdefault(namespace, []).append(generation)

    def timeless(self, value: Tree, *, new: bool) -> Identity:
        """The identity of an object without the hash of its generation."""
        group, kind, namespace, name = identity(value)
        for generation in self._by_namespace.get(namespace, ()):
            digest = generation.new if new else generation.old
            if digest and f"-{digest}" in name:
                name = name.replace(f"-{digest}", "", 1)
        return group, kind, namespace, name

    def of(self, old: Tree, new: Tree) -> Generation | None:
        """The new generation that two objects of different names belong to."""
        namespace = (new.get("metadata") or {}).get("namespace") or ""
        name = (new.get("metadata") or {}).get("name") or ""
        before = (old.get("metadata") or {}).get("name") or ""
        for generation in self._by_namespace.get(namespace, ()):
            if is_same_but_for(generation, before, name):
                return generation
        return None

    def of_old(self, old: Tree) -> Generation | None:
        """The changed generation whose old hash is in the name of an object."""
        metadata = old.get("metadata") or {}
        candidates = self._by_namespace.get(metadata.get("namespace") or "", ())
        return next((item for item in candidates if item.old and f"-{item.old}" in metadata.get("name", "")), None)

    def is_multinode(self, generation: Generation) -> bool:
        """Whether the graph has LeaderWorkerSets, whose generations the operator does not roll from one to the next."""
        return (generation.namespace, generation.graph) in self._multinode

    def within(self, new: Tree) -> Generation | None:
        """The changed generation of the graph that an object belongs to."""
        namespace = (new.get("metadata") or {}).get("namespace") or ""
        return self.changed.get((namespace, labels_of(new).get(GRAPH_LABEL, "")))


def is_same_but_for(generation: Generation, old: str, new: str) -> bool:
    """Whether two texts differ in the hash only."""
    if old == new:
        return True
    return without(old, generation.old) == without(new, generation.new)


def without(text: str, digest: str) -> str:
    """The text without the hash, and without the dash in front of it."""
    return text.replace(f"-{digest}", "").replace(digest, "") if digest else text


def is_of_generation(change: Change, generation: Generation) -> bool:
    """A label or variable that says the hash alone, and came or went with it."""
    last = change.steps[-1]
    value = change.new if change.old is None else change.old
    if last == WORKER_HASH_LABEL:
        return value in (generation.old, generation.new)
    return last == ("name", _SUFFIX_VARIABLE)


def _hashes(objects: list[Tree]) -> dict[Graph, str]:
    found: dict[Graph, str] = {}
    for value in objects:
        labels = labels_of(value)
        digest, graph = labels.get(WORKER_HASH_LABEL), labels.get(GRAPH_LABEL)
        if digest and graph:
            found[(value["metadata"].get("namespace") or "", graph)] = digest
    return found


def _graphs(objects: list[Tree], kind: str = "") -> set[Graph]:
    """Graphs that have objects, or such of one kind."""
    return {
        (value["metadata"].get("namespace") or "", labels_of(value)[GRAPH_LABEL])
        for value in objects
        if GRAPH_LABEL in labels_of(value) and kind in ("", value["kind"])
    }
