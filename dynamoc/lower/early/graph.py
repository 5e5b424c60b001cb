"""A graph as objects: what stands beside the pods, then the pods by way of Grove or of DynamoComponentDeployments."""

from __future__ import annotations

from dynamoc.diagnostics.finding import Refusal
from dynamoc.lower.early.components import component_deployments
from dynamoc.lower.early.deployed import lower_component
from dynamoc.lower.early.grove import lower_grove
from dynamoc.lower.early.ignored import tell_ignored_graph
from dynamoc.lower.graph_objects import operator_accounts, persistent_volume_claims
from dynamoc.lower.workloads import require_multinode_orchestrator
from dynamoc.tracing import builder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.model.graph import Graph
    from dynamoc.model.operator import Operator

    Tree = dict[str, Any]


def lower_graph(graph: Graph, operator: Operator) -> list[Tree]:
    """All objects of a graph, DynamoComponentDeployments included.

    Source: controller/dynamographdeployment_controller.go reconcileResources.
    """
    release = operator.release
    tell_ignored_graph(graph, operator)
    objects = operator_accounts(graph, operator) if release.has("planner/makes-account") else []
    objects += persistent_volume_claims(graph, operator)
    objects += _ssh_secret(graph, operator) if release.has("mpi/brings-key-pair") else []
    if operator.grove_pathway(graph.annotations):
        return objects + lower_grove(graph, operator)
    if release.has("multinode/needs-orchestrator"):
        require_multinode_orchestrator(graph, operator, "LeaderWorkerSet")
    for value in component_deployments(graph, operator):
        objects.append(value)
        path = ("spec", "services", value["spec"]["serviceName"])
        objects += lower_component(value, path, graph.name, operator)
    return objects


@builder("lower/early/graph/ssh-secret", source="secret_replicator.go Replicate", when="mpi/brings-key-pair")
def _ssh_secret(graph: Graph, operator: Operator) -> list[Tree]:
    """A copy of the key pair that the chart created, also for single-node graphs."""
    mpi, cluster = operator.config.mpi, operator.cluster
    if operator.standalone is not None:
        return []
    if cluster.spares("Secret", graph.namespace, mpi.ssh_secret_name):
        return []
    is_shown = cluster.get("Secret", mpi.ssh_secret_namespace, mpi.ssh_secret_name) is not None
    if not is_shown and not mpi.secret_present:
        raise Refusal(
            "mpi/no-key-pair",
            f"The operator finds no Secret {mpi.ssh_secret_namespace}/{mpi.ssh_secret_name} to copy for mpirun, and "
            "creates no pods of any graph without it.",
            (),
            "Create the Secret, or set mpiSecretPresent in the operator's configuration to true.",
        )
    if graph.namespace == mpi.ssh_secret_namespace:
        return []
    return cluster.key_pair_secrets(operator.report, mpi.ssh_secret_name, [graph.namespace])
