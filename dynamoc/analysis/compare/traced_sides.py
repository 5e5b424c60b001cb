"""One release of an upgrade, traced: the graphs for which reasons are asked."""

from __future__ import annotations

from typing import Any

from dynamoc.analysis.compare.trees import Step, Steps
from dynamoc.compiler.explain.traced import Origin, leaves
from dynamoc.compiler.explain.traced_compilation import Explained, explain_documents
from dynamoc.compiler.objects import owner_of, related
from dynamoc.compiler.options import Options
from dynamoc.documents.findings.finding import Findings, Path
from dynamoc.documents.source.document import Document
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import Identity, identity


class TracedSide:
    """One rendering, of which a document is traced when it is asked for, among those that tell of the cluster."""

    def __init__(self, documents: list[Document], options: Options) -> None:
        self.options = options
        self._documents = documents
        self._owners = {owner_of(document.value, options.namespace) for document in documents}
        self._traced: dict[Identity | None, tuple[Explained, dict[Identity, int]]] = {}

    def origin(self, owner: Identity | None, value: Tree | None, steps: Steps) -> Origin | None:
        """The origin of a field of an object that is made of a document."""
        if value is None:
            return None
        owner = owner if owner in self._owners else None
        if owner not in self._traced:
            among = related(self._documents, [owner], self.options.namespace)
            # Of two documents with one name, one may be refused.
            judged = owner is None or sum(owner_of(item.value, self.options.namespace) == owner for item in among) > 1
            explained = explain_documents(among, self.options, Findings(), judged=judged)
            self._traced[owner] = explained, {identity(item): at for at, item in enumerate(explained.objects)}
        explained, numbers = self._traced[owner]
        index = numbers.get(identity(value))
        if index is None:
            return None
        path, found = resolve(explained.objects[index], steps)
        named = None
        for below, leaf in leaves(found, path):
            origin = explained.origin(index, below, leaf)
            # The name of an element says less about its origin than what it holds.
            if origin is not None and below[-1] != "name":
                return origin
            named = named or origin
        return named


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
