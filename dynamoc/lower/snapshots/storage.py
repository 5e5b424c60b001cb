"""The claim that snapshots are stored in.

Source: internal/checkpoint/storage.go of release 1.4.
"""

from __future__ import annotations

from dynamoc.diagnostics.finding import Refusal
from dynamoc.golang import quantity
from dynamoc.lower.metadata import metadata
from dynamoc.model.experimental import enabled_checkpoint
from dynamoc.rules.snapshot_storage import pod_storage
from dynamoc.tracing import HUB, builder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Path
    from dynamoc.model.graph import Component
    from dynamoc.model.operator import Operator

    Tree = dict[str, Any]


def component_storage(component: Component, namespace: str, operator: Operator) -> list[Tree]:
    """The result of `storage_claim`, for a component that may take or restore a snapshot.

    Source: controller/dcd_checkpoint_storage_reconciler.go up to 1.4.
    """
    if operator.release.has("snapshots/operator-of-their-own"):
        return []
    if not operator.config.checkpoint.enabled or enabled_checkpoint(component.spec, operator.release) is None:
        return []
    return storage_claim(namespace, operator, (*component.path, "experimental", "checkpoint"))


@builder(
    "lower/snapshots/storage/storage-claim",
    source="internal/checkpoint/storage.go EnsureStoragePVC",
    generations=(HUB,),
    unless="snapshots/operator-of-their-own",
)
def storage_claim(namespace: str, operator: Operator, path: Path) -> list[Tree]:
    """The claim for snapshots in a namespace that takes or restores some, if the operator creates it."""
    storage, claim = pod_storage(operator, path), operator.config.checkpoint.storage.pvc
    known = operator.cluster.spares if claim.create else operator.cluster.exists
    if storage is None or known("PersistentVolumeClaim", namespace, storage[0]):
        return []
    if not claim.create:
        operator.unknown(
            "PersistentVolumeClaim",
            namespace,
            storage[0],
            "the operator creates no pods until it exists, because checkpoint.storage.pvc.create is false",
            path,
        )
        return []
    spec: Tree = {
        "accessModes": [claim.access_mode.strip() or "ReadWriteMany"],
        "volumeMode": "Filesystem",
        "resources": {"requests": {"storage": _claim_size(claim.size.strip(), path)}},
    }
    if claim.storage_class_name.strip():
        spec["storageClassName"] = claim.storage_class_name.strip()
    labels = {
        "app.kubernetes.io/name": "dynamo",
        "app.kubernetes.io/component": "checkpoint-storage",
        "app.kubernetes.io/managed-by": "dynamo-operator",
    }
    return [
        {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "metadata": metadata(storage[0], namespace, labels),
            "spec": spec,
        }
    ]


def _claim_size(size: str, path: Path) -> str:
    try:
        if quantity.sign(size) > 0:
            return quantity.canonical_as_read(size)
    except ValueError:
        pass
    raise Refusal(
        "snapshot/storage",
        f'checkpoint.storage.pvc.size "{size}" is not an amount of storage; the operator cannot create the claim.',
        path,
    )
