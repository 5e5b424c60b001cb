"""Labels and annotations by which snapshots that graphs share are restored, as of release 1.1.

What the user wrote there goes, with a snapshot or without.
Source: internal/checkpoint/podspec.go ApplyRestorePodMetadata; deploy/snapshot/protocol/common.go.
"""

from __future__ import annotations

from dynamoc.rules.snapshot_marks import RESTORE_STATUS, mark_restored

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.rules.snapshot_state import Snapshot


def mark_main(labels: dict[str, str], annotations: dict[str, str], snapshot: Snapshot | None) -> None:
    """Marks of release 1.1, which restores the container `main` only."""
    for key in RESTORE_STATUS:
        annotations.pop(key, None)
    mark_restored(labels, annotations, snapshot)
