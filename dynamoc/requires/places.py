"""The line of the input behind a field of a rendered object."""

from __future__ import annotations

from dynamoc.kube.scope import with_namespace
from dynamoc.kube.shapes import identity_of
from dynamoc.kube.tree import at
from dynamoc.lower.origin import origin_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from dynamoc.compiler import Trace
    from dynamoc.diagnostics.finding import Path, Place
    from dynamoc.requires.model import Identity
    from dynamoc.source.document import Document

    Tree = dict[str, Any]


class Places:
    """Finds lines. `inputs` are the documents of the input by identity."""

    def __init__(self, documents: list[Document], trace: Trace, namespace: str) -> None:
        self.inputs: dict[Identity, Document] = {
            identity_of(with_namespace(document.value, namespace)): document for document in documents
        }
        self._owners = trace.owners

    def of(self, value: Tree, path: Path) -> Place | None:
        """Where the input says what stands at a field of an object of the output.

        A document that is an object itself has the field. A graph has its fields elsewhere, and its lists in another
        order: there the same text is looked for, in the component first. The component is all there is to tell where
        the operator made the text up; None where an object has no document.
        """
        key = identity_of(value)
        document = self.inputs.get(key)
        if document is not None:
            return document.place(path)
        owner = self._owners.get((key[0], key[1], key[2] or "default", key[3]))
        document = self.inputs.get(owner) if owner else None
        if document is None:
            return None
        component, text = _component(document.value, value, path), at(value, path)
        for base in (component, ()) if isinstance(text, str) else ():
            found = _find(at(document.value, base), text, path[-1:])
            if found is not None:
                return document.place((*base, *found))
        return document.place(component, key=True)


def _component(document: Tree, value: Tree, path: Path) -> Path:
    """The component of a graph that a field of an object belongs to, else the graph itself."""
    base = origin_path(document, value, path)
    return base[:3] if base[:2] in (("spec", "services"), ("spec", "components")) else ("metadata", "name")


def _find(value: Any, text: str, last: Path) -> Path | None:
    """The field that holds exactly this text: the first that is called like `last`, else the first."""
    found = list(_holders(value, text, ()))
    return next((path for path in found if path[-1:] == last), found[0] if found else None)


def _holders(value: Any, text: str, path: Path) -> Iterator[Path]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _holders(item, text, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _holders(item, text, (*path, index))
    elif value == text and path:
        yield path
