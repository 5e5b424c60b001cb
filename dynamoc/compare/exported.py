"""Documents that `kubectl get` showed, as the objects that an operator finds in its cluster."""

from __future__ import annotations

from dynamoc.cluster.identity import is_dynamo
from dynamoc.cluster.previous import LAST_APPLIED, is_stored
from dynamoc.cluster.running import Running
from dynamoc.source.document import Document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Tree = dict[str, Any]

ORIGIN = "nvidia.com/dynamo-operator-origin-version"
_WITH_STATUS = ("DynamoCheckpoint", "PodSnapshot", "SnapshotJob")
_OF_THE_SERVER = ("creationTimestamp", "generation", "managedFields", "resourceVersion", "selfLink")


def stored_documents(documents: list[Document]) -> list[Document]:
    """The documents, exports without what only a server writes: metadata, status, kubectl's note.

    The annotations of the operator stay; they decide what the next one makes of the object. So does the UID, which
    names snapshots, and the status of those.
    """
    return [_without_server(document) if _is_export(document.value) else document for document in documents]


def admitted_before(documents: list[Document]) -> Running | None:
    """What marks exports among documents as admitted, with the origin version that they have; None without exports."""
    exports = [document.value for document in documents if _is_export(document.value)]
    if not exports:
        return None
    annotations: dict[tuple[str, str, str], dict[str, str | None]] = {}
    for value in exports:
        metadata = value["metadata"]
        key = (value["kind"], metadata.get("namespace") or "", metadata.get("name") or "")
        annotations[key] = {ORIGIN: (metadata.get("annotations") or {}).get(ORIGIN)}
    return Running([], annotations, complete=False)


def _is_export(value: Tree) -> bool:
    return is_dynamo(value) and isinstance(value.get("metadata"), dict) and is_stored(value)


def _without_server(document: Document) -> Document:
    value = document.value
    metadata = {key: item for key, item in value["metadata"].items() if key not in _OF_THE_SERVER}
    annotations = metadata.get("annotations")
    if isinstance(annotations, dict):
        metadata["annotations"] = {key: text for key, text in annotations.items() if key != LAST_APPLIED}
    kept = {key: item for key, item in value.items() if key != "status" or value["kind"] in _WITH_STATUS}
    value = {**kept, "metadata": metadata}
    return Document(value, document.file, document.index, document.shared_marks, document.source)
