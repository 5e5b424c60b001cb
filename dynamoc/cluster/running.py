"""What an earlier release of the operator left in the cluster, for the release that takes over."""

from __future__ import annotations

from dynamoc.kube.identity import identity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.source.document import Document

    Tree = dict[str, Any]
    Key = tuple[str, str, str]
    """(kind, namespace, name)"""


class Running:
    """Documents that were admitted once, and the objects that were made of them.

    They are not admitted again: an operator that starts anew reconciles what is stored. What the earlier webhooks and
    controllers wrote into their annotations stays there.

    defaulted  what the webhooks of the later release are known to make of documents
    """

    __slots__ = ("_annotations", "_complete", "_objects", "defaulted")

    def __init__(
        self, objects: list[Tree], annotations: dict[Key, dict[str, str | None]], *, complete: bool = True
    ) -> None:
        """`annotations` are those of documents; with None, the later release must not write one either.

        Without `complete`, only documents with an entry there were admitted.
        """
        self._objects = {identity(item)[1:]: item for item in objects}
        self._annotations = annotations
        self._complete = complete
        self.defaulted: dict[Document, Tree] = {}

    def holds(self, value: Tree) -> bool:
        """Whether a document was admitted before."""
        return self._complete or identity(value)[1:] in self._annotations

    def get(self, kind: str, namespace: str, name: str) -> Tree | None:
        """An object that the earlier release made."""
        return self._objects.get((kind, namespace, name))

    def adopt(self, value: Tree) -> Tree:
        """A defaulted document with the annotations that it carries since the earlier release."""
        kept = self._annotations.get(identity(value)[1:])
        if not kept:
            return value
        annotations = {**(value["metadata"].get("annotations") or {}), **kept}
        metadata = {
            **value["metadata"],
            "annotations": {key: text for key, text in annotations.items() if text is not None},
        }
        return {**value, "metadata": metadata}
