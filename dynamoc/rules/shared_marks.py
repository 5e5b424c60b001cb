"""Labels and annotations by which snapshots that graphs share are restored, as of releases 1.1 and 1.2.

What the user wrote there goes, with a snapshot or without.
Source: internal/checkpoint/podspec.go ApplyRestorePodMetadata; deploy/snapshot/protocol/common.go.
"""

from __future__ import annotations

from dynamoc.rules.snapshot_marks import (
    CHECKPOINT_STATUS,
    ID_LABEL,
    RESTORE_LABEL,
    RESTORE_STATUS,
    SOURCE_LABEL,
    STORAGE_PATH,
    STORAGE_TYPE,
    TARGETS,
    VERSION,
    clear_restore_status,
    joined,
    mark_storage,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.diagnostics.finding import Path
    from dynamoc.model.operator import Operator
    from dynamoc.rules.snapshot_state import Snapshot


def mark_main(labels: dict[str, str], annotations: dict[str, str], snapshot: Snapshot | None) -> None:
    """Marks of release 1.1, which restores the container `main` only."""
    for key in RESTORE_STATUS:
        annotations.pop(key, None)
    _mark(labels, annotations, snapshot)


def mark_targets(
    labels: dict[str, str], annotations: dict[str, str], snapshot: Snapshot | None, operator: Operator, path: Path
) -> None:
    """Marks of release 1.2, which restores the containers that it is told."""
    clear_restore_status(annotations)
    for key in (TARGETS, STORAGE_TYPE, STORAGE_PATH):
        annotations.pop(key, None)
    _mark(labels, annotations, snapshot)
    if snapshot is None or not snapshot.ready:
        return
    annotations[TARGETS] = joined(snapshot.targets)
    from dynamoc.rules.snapshot_storage import pod_storage

    storage = pod_storage(operator, path)
    if storage is not None:
        mark_storage(annotations, storage[1])


def _mark(labels: dict[str, str], annotations: dict[str, str], snapshot: Snapshot | None) -> None:
    for label in (ID_LABEL, RESTORE_LABEL, SOURCE_LABEL):
        labels.pop(label, None)
    for key in (VERSION, CHECKPOINT_STATUS):
        annotations.pop(key, None)
    if snapshot is not None and snapshot.ready:
        labels[RESTORE_LABEL] = "true"
        labels[ID_LABEL] = snapshot.id
        annotations[VERSION] = snapshot.version
