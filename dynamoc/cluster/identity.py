"""Which object a document is, and the objects of several documents in one cluster, where a name stands for one."""

from __future__ import annotations

from dynamoc.kube.identity import identity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from dynamoc.kube.identity import Identity
    from dynamoc.source.document import Document

    Tree = dict[str, Any]

GROUP = "nvidia.com"
_EARLY_KINDS = (
    "DynamoDeployment",
    "DynamoNimDeployment",
    "DynamoNimRequest",
    "DynamoNim",
    "DynamoComponent",
    "DynamoComponentRequest",
)
_KINDS_WITH_ARCHIVES = ("DynamoGraphDeployment", "DynamoComponentDeployment")
_ARCHIVES = frozenset(("dynamoGraph", "dynamoComponent"))


def is_dynamo(value: Tree) -> bool:
    """Whether the kind is the operator's. Others share its API group: the GPU operator's, for instance."""
    kind, group = str(value.get("kind", "")), str(value.get("apiVersion", "")).partition("/")[0]
    return group == GROUP and kind.startswith("Dynamo")


def may_be_early(value: Tree) -> bool:
    """Whether a Dynamo document may be of Dynamo 0.1 to 0.3; `dynamoc.generations` knows for certain."""
    kind, spec = value["kind"], value.get("spec")
    if kind in _EARLY_KINDS:
        return True
    return kind in _KINDS_WITH_ARCHIVES and isinstance(spec, dict) and not _ARCHIVES.isdisjoint(spec)


def duplicates(documents: list[Document], namespace: str | None) -> Iterator[tuple[Document, Document]]:
    """Each document whose object another one gave before, and that other one."""
    seen: dict[Identity, Document] = {}
    for document in documents:
        other = seen.setdefault(identity(document.value, namespace or "default"), document)
        if other is not document:
            yield document, other


class Conflict:
    """`document` makes `object` otherwise than `owner` made it; both are the same where one makes it twice."""

    __slots__ = ("document", "object", "owner")

    def __init__(self, document: Document, item: Tree, owner: Document) -> None:
        self.document = document
        self.object = item
        self.owner = owner


class Merged:
    """The objects that documents make, one an identity.

    Where one document makes two, the later stays; where two documents disagree, the first stays. `default` is the
    namespace of objects that name none.
    """

    __slots__ = ("conflicts", "objects")

    def __init__(self, made: list[tuple[Document, list[Tree]]], default: str) -> None:
        self.objects: dict[Identity, Tree] = {}
        self.conflicts: list[Conflict] = []
        owners: dict[Identity, Document] = {}
        for document, objects in made:
            for item in objects:
                key = identity(item, default)
                owner = owners.setdefault(key, document)
                if self.objects.setdefault(key, item) == item:
                    continue
                self.conflicts.append(Conflict(document, item, owner))
                if owner is document:
                    self.objects[key] = item
