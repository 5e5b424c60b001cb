"""The script by which workers of a multinode replica wait for their leader, as a ConfigMap of the graph."""

from __future__ import annotations

from dynamoc.kube.labels import GRAPH_LABEL
from dynamoc.lower.metadata import metadata
from dynamoc.programs import WAIT_FOR_LEADER
from dynamoc.rules.backends.wait_for_leader import KEY, config_map_name
from dynamoc.tracing import ALPHA, HUB, builder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.model.graph import Graph

    Tree = dict[str, Any]


def wait_for_leader_script(graph: Graph) -> list[Tree]:
    """One for each graph with a multinode component, whatever its backend.

    Source: internal/dynamo/backend_vllm.go GenerateWaitLeaderConfigMap, controller/dgd_wait_for_leader_reconciler.go.
    """
    return [script_of(graph.name, graph.namespace)] if graph.is_multinode else []


@builder(
    "lower/wait_for_leader/script-of",
    source="internal/dynamo/backend_vllm.go GenerateWaitLeaderConfigMap",
    generations=(ALPHA, HUB),
    when="vllm/wait-leader-config-map",
)
def script_of(owner: str, namespace: str) -> Tree:
    """The ConfigMap that pods of a graph, or of a component without one, mount by the name of their owner."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": metadata(config_map_name(owner), namespace, {GRAPH_LABEL: owner}),
        "data": {KEY: WAIT_FOR_LEADER},
    }
