"""A v1beta1 graph as objects: what stands beside the pods, the pods, and at last what scales them."""

from __future__ import annotations

from dynamoc.lower.graph_objects import (
    discovery_access,
    operator_accounts,
    persistent_volume_claims,
    scaling_adapters,
)
from dynamoc.lower.hub.components import component_deployments, keep_leftovers, worker_hash
from dynamoc.lower.ignored import tell_ignored_of_graph
from dynamoc.lower.workloads import require_multinode_orchestrator
from dynamoc.model.experimental import enabled_checkpoint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.model.graph import Graph
    from dynamoc.model.operator import Operator
    from dynamoc.rules.snapshot_state import Snapshot

    Tree = dict[str, Any]


def lower_graph(graph: Graph, operator: Operator) -> list[Tree]:
    """All objects of a graph, DynamoComponentDeployments included.

    The order of the steps is the operator's: an error in one keeps the later ones from happening. Modules of steps
    that few graphs need are imported by the steps.
    Source: controller/dgd_component_program.go, dgd_grove_program.go, dgd_shared_resources_reconciler.go.
    """
    if graph.of_type("lpx"):
        return _left_alone(graph, operator)
    digest = computed = worker_hash(graph, operator.release)
    if "nvidia.com/current-worker-hash" in graph.annotations:
        from dynamoc.lower.hub.adopted import active_worker_hash

        digest = active_worker_hash(graph, operator.release, digest)
    if operator.stable_names:
        digest = ""
    tell_ignored_of_graph(graph, operator)
    objects = operator_accounts(graph, operator)
    objects += persistent_volume_claims(graph, operator)
    objects += discovery_access(graph, operator)
    if any(component.experimental for component in graph.components):
        objects += _claims(graph, operator)
    snapshots: dict[str, Snapshot] = {}
    if any(enabled_checkpoint(component.spec, operator.release) is not None for component in graph.components):
        taken, snapshots = _snapshots(graph, operator, digest)
        objects += taken
    if graph.of_type("epp"):
        objects += _endpoint_picker(graph, operator)
    if graph.is_multinode:
        objects += _multinode(graph, operator)
    if operator.grove_pathway(graph.annotations):
        from dynamoc.lower.hub.grove import lower_grove

        if operator.running is not None:
            from dynamoc.lower.hub.adopted import keep_worker_types

            keep_worker_types(graph, operator.release, operator.running)
        if operator.release.has("grove/worker-generations"):
            from dynamoc.lower.hub.grove_workers import mark_generation

            mark_generation(graph, operator, computed)
        objects += lower_grove(graph, operator, snapshots)
    else:
        objects += _lower_components(graph, operator, digest, snapshots)
    if any(snapshot.is_waited_for for snapshot in snapshots.values()):
        # Nothing may raise the replicas of a component that waits for its snapshot.
        return objects
    return objects + scaling_adapters(graph, operator)


def _left_alone(graph: Graph, operator: Operator) -> list[Tree]:
    """With `lpx.enabled` off, the operator reconciles nothing of a graph with an LPX component (reference of 1.6)."""
    message = "With `lpx.enabled` off, the operator changes no object of a graph with a component of type `lpx`."
    hint = "the objects of the graph stay in the cluster as they are; dynamoc prints none"
    operator.warn("lpx/left-alone", message, graph.of_type("lpx")[0].path, hint)
    return []


def _snapshots(graph: Graph, operator: Operator, digest: str) -> tuple[list[Tree], dict[str, Snapshot]]:
    if operator.release.has("snapshots/operator-of-their-own"):
        from dynamoc.lower.hub import snapshot_jobs

        return snapshot_jobs.graph_snapshots(graph, operator, digest)
    if operator.release.has("snapshots/of-graphs"):
        from dynamoc.lower.hub.snapshots import graph_snapshots

        return graph_snapshots(graph, operator, digest)
    from dynamoc.lower.hub import shared_snapshots

    return shared_snapshots.graph_snapshots(graph, operator)


def _claims(graph: Graph, operator: Operator) -> list[Tree]:
    from dynamoc.lower.gpu_claims import gpu_claim_templates

    return gpu_claim_templates(graph, operator)


def _endpoint_picker(graph: Graph, operator: Operator) -> list[Tree]:
    from dynamoc.lower.epp import epp_objects
    from dynamoc.lower.hub.mesh import epp_destination_rule

    return [*epp_objects(graph, operator), *epp_destination_rule(graph, operator)]


def _multinode(graph: Graph, operator: Operator) -> list[Tree]:
    from dynamoc.lower.ssh_keys import ssh_secrets
    from dynamoc.lower.wait_for_leader import wait_for_leader_script

    return [*wait_for_leader_script(graph), *ssh_secrets(graph, operator)]


def _lower_components(graph: Graph, operator: Operator, digest: str, snapshots: dict[str, Snapshot]) -> list[Tree]:
    from dynamoc.lower.hub.workload import lower_component

    require_multinode_orchestrator(graph, operator, "LeaderWorkerSet with Volcano")
    objects: list[Tree] = []
    components = component_deployments(graph, operator.release, digest)
    if operator.intermediate:
        keep_leftovers(graph, components)
    for deployed in components:
        snapshot = snapshots.get(deployed.component.name)
        if snapshot is not None and operator.release.has("snapshots/of-graphs"):
            from dynamoc.lower.hub.snapshots import start_from

            start_from(deployed, snapshot, operator)
        if operator.running is not None:
            from dynamoc.lower.hub.adopted import is_kept_worker

            deployed.is_kept_worker = is_kept_worker(deployed, operator.running)
        objects += [deployed.value, *lower_component(deployed, operator)]
    return objects
