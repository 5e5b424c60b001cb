"""Names that Grove must be able to lengthen."""

from __future__ import annotations

from dynamoc.kube.names import kube_resource_name
from dynamoc.lower.hub.clique_roles import longest_clique_name
from dynamoc.model.experimental import uses_scaling_group
from dynamoc.tracing import builder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.model.graph import Graph
    from dynamoc.release.registry import Release


@builder("lower/hub/grove_names/pod-clique-set-name", source="internal/dynamo/graph.go PCSNameForDGD")
def pod_clique_set_name(graph: Graph, release: Release) -> str:
    """The graph's name, cut to the length that the longest component leaves, with 4 hex digits for the rest.

    Grove joins the names of set, scaling group and clique, 45 characters in total.
    """
    longest = max((_component_length(component.name, component.spec) for component in graph.components), default=0)
    budget = max(release["grove/name-budget"] - longest, release["grove/least-name"])
    name = graph.name.encode()
    if len(name) <= budget:
        return graph.name
    return f"{name[: budget - 5].decode()}-{_fnv32a(name) & 0xFFFF:04x}"


def ray_service_name(name: str) -> str:
    """The Service of a Ray head, after that of the component; beyond 63 characters, 4 hex digits replace the end.

    Source: internal/dynamo/graph.go ElasticEPLeaderServiceName of release 1.5.
    """
    full = kube_resource_name(f"{name}-ray")
    if len(full) <= 63:
        return full
    return f"{full[:58]}-{_fnv32a(full.encode()) & 0xFFFF:04x}"


def _component_length(name: str, spec: dict[str, object]) -> int:
    length = len(name.lower())
    return length + len(longest_clique_name(name, spec)) if uses_scaling_group(spec) else length


def _fnv32a(data: bytes) -> int:
    value = 0x811C9DC5
    for byte in data:
        value = (value ^ byte) * 0x01000193 & 0xFFFFFFFF
    return value
