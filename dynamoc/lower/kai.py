"""The KAI scheduler, which schedules the pods of Grove where it is there."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.model.graph import Graph
    from dynamoc.model.operator import Operator

    Tree = dict[str, Any]

#: the queue of graphs that name none; without the operator it is added
KAI_QUEUE = "dynamo"


def kai_queue(graph: Graph, operator: Operator) -> str | None:
    """The queue of the KAI scheduler, None where it isn't used (grove.go DetermineKaiSchedulerQueue)."""
    if not operator.capabilities.kai:
        return None
    queue = graph.annotations.get("nvidia.com/kai-scheduler-queue", "").strip() or KAI_QUEUE
    if operator.cluster.get("Queue", "", queue) is None and not (operator.standalone and queue == KAI_QUEUE):
        path = ("metadata", "annotations", "nvidia.com/kai-scheduler-queue")
        operator.unknown("Queue", "", queue, "the operator renders no PodCliqueSet until it exists", path)
    return queue


def schedule_with_kai(clique: Tree, queue: str) -> None:
    """Another scheduler of the user's choice is left alone (controller_common injectKaiSchedulerIfEnabled)."""
    spec = clique["spec"]["podSpec"]
    if spec.get("schedulerName", "") in ("", "kai-scheduler"):
        spec["schedulerName"] = "kai-scheduler"
        clique["labels"]["kai.scheduler/queue"] = queue
