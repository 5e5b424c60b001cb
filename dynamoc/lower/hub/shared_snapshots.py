"""Snapshots that graphs share by their identity, for v1beta1, as of release 1.2.

Source: controller/dynamographdeployment_controller.go reconcileCheckpoints, createCheckpointCR.
"""

from __future__ import annotations

from dynamoc.lower.hub.snapshot_template import job_template
from dynamoc.lower.snapshots.shared import checkpoint_objects, dynamo_checkpoint, is_to_be_taken, shared_snapshot
from dynamoc.lower.snapshots.storage import storage_claim
from dynamoc.model.experimental import enabled_checkpoint, gpu_memory_service, is_intra_pod_failover
from dynamoc.rules.failover import ENGINES
from dynamoc.rules.snapshot_state import alpha_service, require_gate_of_service, use_service_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.model.graph import Component, Graph
    from dynamoc.model.operator import Operator
    from dynamoc.rules.snapshot_state import Snapshot

    Tree = dict[str, Any]


def graph_snapshots(graph: Graph, operator: Operator) -> tuple[list[Tree], dict[str, Snapshot]]:
    """What is created for snapshots, and what each component with a `checkpoint` knows about its own."""
    objects: list[Tree] = []
    snapshots: dict[str, Snapshot] = {}
    for component in graph.components:
        checkpoint = enabled_checkpoint(component.spec, operator.release)
        if checkpoint is None:
            continue
        path = (*component.path, "experimental", "checkpoint")
        if not snapshots:
            objects += storage_claim(graph.namespace, operator, path)
        snapshot = snapshots[component.name] = shared_snapshot(operator, graph.namespace, checkpoint, path)
        if is_intra_pod_failover(component.spec):
            snapshot.targets = list(ENGINES)
        use_service_of(snapshot, gpu_memory_service(component.spec), path)
        if is_to_be_taken(checkpoint, snapshot):
            value = _dynamo_checkpoint(graph, component, operator, checkpoint)
            objects += [*checkpoint_objects(value, operator, path), value]
    return objects, snapshots


def _dynamo_checkpoint(graph: Graph, component: Component, operator: Operator, checkpoint: Tree) -> Tree:
    identity = checkpoint["identity"]
    template = job_template(graph, component, operator, identity["backendFramework"])
    service = gpu_memory_service(component.spec)
    if service is not None:
        clients = (checkpoint.get("job") or {}).get("gmsClientContainers") or []
        service = {key: value for key, value in service.items() if key != "extraClientContainers"}
        service = {**alpha_service(service), **({"extraClientContainers": clients} if clients else {})}
        require_gate_of_service(service, operator, (*component.path, "experimental", "checkpoint"))
    target = checkpoint.get("targetContainerName") or "main"
    return dynamo_checkpoint(operator, graph.namespace, identity, template, service, target)
