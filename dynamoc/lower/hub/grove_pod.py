"""The pods of Grove's cliques, with everything that their graph adds."""

from __future__ import annotations

from dynamoc.lower.hub.template import apply_graph_defaults
from dynamoc.model.v1beta1 import with_spec
from dynamoc.rules.draft import Pod
from dynamoc.rules.order import build_pod
from dynamoc.tree import copy_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.lower.hub.clique import GraphRendering
    from dynamoc.model.graph import Component
    from dynamoc.rules.multinode import Hosts
    from dynamoc.rules.snapshot_state import Snapshot

    Tree = dict[str, Any]


def grove_pod(
    rendering: GraphRendering,
    component: Component,
    part: str,
    nodes: int,
    backend: str,
    hosts: Hosts,
    snapshot: Snapshot | None,
) -> Tree:
    """The PodSpec of a component with everything that its graph adds (generatePodSpecForComponent)."""
    graph, operator = rendering.graph, rendering.operator
    spec = copy_tree(component.spec)
    apply_graph_defaults(spec, graph, component, operator.release, rendering.domains)
    final = with_spec(component, spec)
    final.keeps_launch = component.keeps_launch
    return build_pod(
        Pod(
            operator,
            final,
            owner=graph.name,
            namespace=graph.namespace,
            service=component.name,
            role=part,
            nodes=nodes,
            backend=backend,
            hosts=hosts,
            snapshot=snapshot,
        )
    )
