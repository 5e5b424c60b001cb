"""What operators create and dynamoc does not render: refused by name, so that nothing is missing in silence."""

from __future__ import annotations

from dynamoc.diagnostics.finding import Refusal
from dynamoc.model.experimental import enabled_checkpoint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from dynamoc.model.graph import Component
    from dynamoc.release.registry import Release


def refuse_checkpoints(components: Iterable[Component], release: Release) -> None:
    """Since 1.5, a separate operator takes and restores checkpoints with SnapshotJobs and PodSnapshots."""
    if not release.has("snapshots/operator-of-their-own"):
        return
    for component in components:
        if enabled_checkpoint(component.spec, release) is not None:
            raise Refusal(
                "checkpoint/not-rendered",
                f"The operator ai-dynamo/snapshot creates the checkpoints of release {release.name}; dynamoc "
                "does not render them.",
                (*component.path, "experimental", "checkpoint"),
                "Render the graph without `checkpoint`, or for release 1.4.",
            )
