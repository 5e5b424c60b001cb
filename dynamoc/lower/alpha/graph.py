"""A graph as objects: what stands beside the pods, then the pods by way of Grove or of DynamoComponentDeployments."""

from __future__ import annotations

from dynamoc.lower.alpha.components import component_deployments
from dynamoc.lower.alpha.pod_template import DeployedComponent
from dynamoc.lower.alpha.workload import lower_component
from dynamoc.lower.epp import epp_objects
from dynamoc.lower.graph_objects import (
    discovery_access,
    operator_accounts,
    persistent_volume_claims,
    scaling_adapters,
)
from dynamoc.lower.ignored import tell_ignored_of_graph
from dynamoc.lower.ssh_keys import ssh_secrets
from dynamoc.lower.workloads import require_multinode_orchestrator
from dynamoc.model.v1alpha1 import component_from_spec
from dynamoc.tree import copy_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.model.graph import Graph
    from dynamoc.model.operator import Operator
    from dynamoc.rules.checkpoint import CheckpointInfo
    from dynamoc.rules.snapshot_state import Snapshot

    Tree = dict[str, Any]


def lower_graph(graph: Graph, operator: Operator) -> list[Tree]:
    """All objects of a graph, DynamoComponentDeployments included.

    The order of the steps is the operator's: an error in one keeps the later ones from happening.
    Source: controller/dynamographdeployment_controller.go reconcileResources.
    """
    tell_ignored_of_graph(graph, operator)
    objects = operator_accounts(graph, operator)
    objects += persistent_volume_claims(graph, operator)
    checkpoints: dict[str, CheckpointInfo] = {}
    snapshots: dict[str, Snapshot] = {}
    if operator.release.has("snapshots/by-agent"):
        from dynamoc.lower.snapshots.shared import graph_snapshots

        taken, snapshots = graph_snapshots(graph, operator)
    else:
        from dynamoc.lower.snapshots.first import graph_checkpoints

        taken, checkpoints = graph_checkpoints(graph, operator)
    objects += taken
    objects += scaling_adapters(graph, operator)
    objects += discovery_access(graph, operator)
    objects += epp_objects(graph, operator)
    if operator.release.has("vllm/wait-leader-config-map"):
        from dynamoc.lower.wait_for_leader import wait_for_leader_script

        objects += wait_for_leader_script(graph)
    objects += ssh_secrets(graph, operator)
    if operator.grove_pathway(graph.annotations):
        from dynamoc.lower.alpha.grove import lower_grove

        return objects + lower_grove(graph, operator, checkpoints, snapshots)
    require_multinode_orchestrator(graph, operator, "LeaderWorkerSet with Volcano")
    for value in component_deployments(graph, operator):
        objects.append(value)
        name = value["spec"]["serviceName"]
        component = component_from_spec(name, copy_tree(value["spec"]), ("spec", "services", name))
        objects += lower_component(DeployedComponent(value, component, owner=graph.name), operator)
    return objects
