"""Schedulers that Grove hands its pods to: KAI and Volcano.

Source: internal/dynamo/grove.go, graph.go resolveGroveSchedulerQueue of release 1.4.
"""

from __future__ import annotations

from dynamoc.diagnostics.finding import Refusal
from dynamoc.lower.kai import chosen_queue, schedule_with_kai

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.model.graph import Graph
    from dynamoc.model.operator import Operator

    Tree = dict[str, Any]

_VOLCANO = "volcano"


def kai_queue(graph: Graph, operator: Operator) -> str:
    """The queue of the KAI scheduler. A queue that is not in the input or --context is unknown.

    Raises `Refusal` if Volcano is enabled too.
    """
    if operator.capabilities.volcano_scheduler:
        raise Refusal(
            "scheduler/two",
            "The operator is configured with both the KAI and the Volcano scheduler; it renders no PodCliqueSet.",
            (),
            "Disable either orchestrators.kaiScheduler or orchestrators.volcanoScheduler.",
        )
    return chosen_queue(graph, operator)


def volcano_queue(graph: Graph) -> dict[str, str]:
    """The annotation by which Grove puts the whole set into a queue of Volcano."""
    queue = graph.annotations.get("nvidia.com/volcano-queue", "").strip()
    return {"scheduling.grove.io/volcano-queue": queue} if queue else {}


def schedule(clique: Tree, operator: Operator, queue: str | None) -> None:
    """Names the scheduler, and KAI's queue; a scheduler that the user chose is kept."""
    spec = clique["spec"]["podSpec"]
    wanted = spec.get("schedulerName", "")
    if queue is not None:
        schedule_with_kai(clique, queue)
    if operator.capabilities.volcano_scheduler and wanted in ("", _VOLCANO):
        spec["schedulerName"] = _VOLCANO
