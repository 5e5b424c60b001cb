"""A DynamoCheckpoint that the user wrote, with the Job that takes the snapshot.

Source: controller/dynamocheckpoint_controller.go since release 1.1.
"""

from __future__ import annotations

from dynamoc.lower.snapshots.job import snapshot_job
from dynamoc.lower.snapshots.storage import storage_claim
from dynamoc.rules.snapshot_marks import ID_LABEL
from dynamoc.rules.snapshot_state import checkpoint_id
from dynamoc.tracing import ALPHA, HUB, builder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.model.operator import Operator

    Tree = dict[str, Any]


@builder(
    "lower/snapshots/checkpoint/lower-checkpoint",
    source="controller/dynamocheckpoint_controller.go handlePending",
    generations=(ALPHA, HUB),
    when="snapshots/by-agent",
    unless="snapshots/operator-of-their-own",
)
def lower_checkpoint(value: Tree, operator: Operator) -> list[Tree]:
    """The DynamoCheckpoint with its id as a label; storage and Job until the snapshot is taken.

    A second DynamoCheckpoint of the same id fails: an identity can be used once in a namespace.
    """
    metadata, identifier = value["metadata"], checkpoint_id(value, operator.release)
    value = {**value, "metadata": {**metadata, "labels": {**(metadata.get("labels") or {}), ID_LABEL: identifier}}}
    if (value.get("status") or {}).get("phase") in ("Creating", "Ready", "Failed"):
        return [value]
    for other in operator.cluster.list("DynamoCheckpoint", metadata["namespace"]):
        if other["metadata"]["name"] != metadata["name"] and checkpoint_id(other, operator.release) == identifier:
            operator.warn(
                "snapshot/duplicate",
                f"DynamoCheckpoint {other['metadata']['name']} has the same identity; in the operator, the later "
                "one of the two fails.",
                ("spec", "identity"),
                "Refer to one DynamoCheckpoint by checkpointRef.",
            )
    storage = storage_claim(metadata["namespace"], operator, ("spec",)) if operator.release.has("hub/v1beta1") else []
    if operator.release.has("snapshots/of-graphs"):
        return [value, *storage, snapshot_job(value, operator, [])]
    from dynamoc.lower.snapshots.shared import checkpoint_objects

    return [value, *storage, *checkpoint_objects(value, operator, ("spec",))]
