"""The line of the input behind a field of a rendered object."""

from __future__ import annotations

from dynamoc.explain.origin import USER
from dynamoc.kube.identity import identity
from dynamoc.kube.scope import with_namespace
from dynamoc.tree import at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    from dynamoc.compilation import Trace
    from dynamoc.diagnostics.finding import Path, Place
    from dynamoc.explain.origin import Origin
    from dynamoc.kube.identity import Identity
    from dynamoc.options import Options
    from dynamoc.source.document import Document

    Tree = dict[str, Any]

    class Sources(Protocol):
        """Where the values of objects come from, by the index of the object and the path in it."""

        def written(self, index: int, path: Path) -> Origin | None: ...
        def owner(self, index: int, path: Path) -> list[Origin]: ...


_NAME = ("metadata", "name")
_COMPONENTS = (("spec", "services"), ("spec", "components"))


class Places:
    """Finds lines. `inputs` are the documents of the input by identity, `objects` what they become."""

    def __init__(
        self, documents: list[Document], objects: list[Tree], sources: Sources, trace: Trace, options: Options
    ) -> None:
        namespace = options.namespace or "default"
        self.inputs: dict[Identity, Document] = {
            identity(with_namespace(document.value, namespace)): document for document in documents
        }
        self._owners = trace.owners
        self._numbers = {identity(item): number for number, item in enumerate(objects)}
        self._sources = sources

    def of(self, value: Tree, path: Path) -> Place | None:
        """Where the input says what is at a field of an object of the output.

        A document that is an object itself has the field. A text of a graph is where it was written; what the operator
        makes up has the component that it is for, else the graph. None where an object has no document.
        """
        key = identity(value)
        document = self.inputs.get(key)
        if document is not None:
            return document.place(path)
        number = self._numbers.get(key)
        place = None if number is None else self._traced(number, path, at(value, path))
        if place is not None:
            return place
        owner = self._owners.get((key[0], key[1], key[2] or "default", key[3]))
        document = self.inputs.get(owner) if owner else None
        return document.place(_NAME, key=True) if document else None

    def _traced(self, number: int, path: Path, value: Any) -> Place | None:
        written = self._sources.written(number, path) if isinstance(value, str) else None
        if written is not None and written.kind == USER and written.path != _NAME:
            return written.place
        for origin in self._sources.owner(number, path):
            if origin.document is not None and origin.path[:2] in _COMPONENTS:
                return origin.document.place(origin.path[:3], key=True)
        return None
