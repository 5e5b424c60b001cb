"""The KAI scheduler, which schedules the pods of Grove where it is there."""

from __future__ import annotations

from dynamoc.tracing import ALPHA, EARLY, HUB, builder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.model.graph import Graph
    from dynamoc.model.operator import Operator

    Tree = dict[str, Any]

#: the queue of graphs that name none; without the operator it is added
KAI_QUEUE = "dynamo"
_ANNOTATION = "nvidia.com/kai-scheduler-queue"


def kai_queue(graph: Graph, operator: Operator) -> str | None:
    """The queue of the KAI scheduler, None if it is not used (grove.go DetermineKaiSchedulerQueue)."""
    if not operator.capabilities.kai:
        return None
    return chosen_queue(graph, operator)


@builder(
    "lower/kai/chosen-queue",
    source="internal/dynamo/grove.go DetermineKaiSchedulerQueue",
    generations=(EARLY, ALPHA, HUB),
    when="grove/kai",
)
def chosen_queue(graph: Graph, operator: Operator) -> str:
    """The queue that a graph names, or the chart's. One that is not in the input or --context is unknown."""
    queue = graph.annotations.get(_ANNOTATION, "").strip() or KAI_QUEUE
    if not operator.cluster.exists("Queue", None, queue) and not (operator.standalone and queue == KAI_QUEUE):
        effect = "the operator renders no PodCliqueSet until it exists"
        operator.unknown("Queue", None, queue, effect, ("metadata", "annotations", _ANNOTATION))
    return queue


@builder(
    "lower/kai/schedule-with-kai",
    source="internal/dynamo/grove.go injectKaiSchedulerIfEnabled",
    generations=(EARLY, ALPHA, HUB),
    when="grove/kai",
)
def schedule_with_kai(clique: Tree, queue: str) -> None:
    """A scheduler that the user chose is kept."""
    spec = clique["spec"]["podSpec"]
    if spec.get("schedulerName", "") in ("", "kai-scheduler"):
        spec["schedulerName"] = "kai-scheduler"
        clique["labels"]["kai.scheduler/queue"] = queue
