"""Snapshots that graphs share by their identity, as of releases 1.1 and 1.2: found, or taken for the first that asks.

Source: controller/dynamographdeployment_controller.go reconcileCheckpoints, internal/checkpoint/resource.go
CreateOrGetAutoCheckpoint, controller/dynamocheckpoint_controller.go handlePending.
"""

from __future__ import annotations

from dynamoc.diagnostics.finding import Refusal
from dynamoc.kube.labels import COMPONENT_LABEL
from dynamoc.lower.graph_objects import discovery_objects
from dynamoc.lower.metadata import metadata
from dynamoc.lower.snapshots.shared_job import job_target, shared_snapshot_job
from dynamoc.model.v1alpha1 import component_from_spec
from dynamoc.rules.checkpoint import identity_hash
from dynamoc.rules.draft import CHECKPOINT, Pod
from dynamoc.rules.multinode import GroveHosts
from dynamoc.rules.order import build_pod
from dynamoc.rules.snapshot_marks import ID_LABEL, VERSION
from dynamoc.rules.snapshot_state import DEFAULT_VERSION, Snapshot, checkpoint_id, resolve_snapshot
from dynamoc.tree import copy_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Path
    from dynamoc.model.graph import Component, Graph
    from dynamoc.model.operator import Operator

    Tree = dict[str, Any]


def graph_snapshots(graph: Graph, operator: Operator) -> tuple[list[Tree], dict[str, Snapshot]]:
    """What is created for snapshots of a v1alpha1 graph, and what each component with one knows about it."""
    objects: list[Tree] = []
    snapshots: dict[str, Snapshot] = {}
    for component in graph.components:
        wanted = component.checkpoint or {}
        if not wanted.get("enabled"):
            continue
        path = (*component.path, "checkpoint")
        snapshot = snapshots[component.name] = shared_snapshot(operator, graph.namespace, wanted, path)
        if is_to_be_taken(wanted, snapshot):
            template = _job_template(graph, component, operator)
            service = component.spec.get("gpuMemoryService")
            value = dynamo_checkpoint(operator, graph.namespace, wanted["identity"], template, service)
            snapshot.read(value, operator.release)
            objects += [*checkpoint_objects(value, operator, path), value]
    return objects, snapshots


def shared_snapshot(operator: Operator, namespace: str, wanted: Tree, path: Path) -> Snapshot:
    """The snapshot that a `checkpoint` block refers to (resolve.go ResolveCheckpointForService)."""
    if not wanted.get("checkpointRef") and wanted.get("identity") is None:
        raise Refusal(
            "checkpoint/no-identity",
            "checkpoint is enabled, but sets neither checkpointRef nor identity; the operator creates no pods.",
            path,
            "Set one of the two.",
        )
    return resolve_snapshot(operator, namespace, wanted, path)


def is_to_be_taken(wanted: Tree, snapshot: Snapshot) -> bool:
    """In mode Auto, a snapshot that does not exist is taken; a reference is never invented."""
    return wanted.get("mode") == "Auto" and not wanted.get("checkpointRef") and not snapshot.name


def dynamo_checkpoint(
    operator: Operator, namespace: str, identity: Tree, template: Tree, service: Tree | None, target: str | None = None
) -> Tree:
    """A new DynamoCheckpoint, named by the hash of its identity, as the API server defaults it."""
    from dynamoc.schema import check

    digest = identity_hash(identity)
    job: Tree = {"podTemplateSpec": template, **({"targetContainerName": target} if target else {})}
    spec: Tree = {"identity": copy_tree(identity), "job": job}
    if service is not None:
        spec["gpuMemoryService"] = copy_tree(service)
    version = "nvidia.com/v1alpha1"
    value = {
        "apiVersion": version,
        "kind": "DynamoCheckpoint",
        "metadata": metadata(f"checkpoint-{digest}", namespace, {ID_LABEL: digest}, {VERSION: DEFAULT_VERSION}),
        "spec": spec,
    }
    return check(operator.release.name, "DynamoCheckpoint", version, value)[0]


def checkpoint_objects(value: Tree, operator: Operator, path: Path) -> list[Tree]:
    """What the operator creates for a DynamoCheckpoint: its own account, maybe a claim for its GPUs, and the Job."""
    name, namespace = value["metadata"]["name"], value["metadata"]["namespace"]
    objects = discovery_objects(name, namespace, operator.release)
    if (value["spec"].get("gpuMemoryService") or {}).get("enabled"):
        objects += _gpu_claim(value, namespace, operator, path)
    return [*objects, shared_snapshot_job(value, operator, path)]


def _gpu_claim(value: Tree, namespace: str, operator: Operator, path: Path) -> list[Tree]:
    from dynamoc.lower.gpu_claims import claim_template
    from dynamoc.rules.dra import claim_template_name, scalar_gpus

    if not operator.capabilities.dra:
        raise Refusal(
            "dra/not-available",
            "GPU memory service needs resource claims, but they are not available; the operator takes no snapshot.",
            path,
        )
    target = job_target(value, value["spec"]["job"]["podTemplateSpec"].get("spec") or {}, operator.release, path)
    name = claim_template_name(f"checkpoint-{checkpoint_id(value, operator.release)}", "worker")
    gpus = scalar_gpus(target.get("resources"), path)
    return claim_template(name, namespace, value["spec"]["gpuMemoryService"], gpus, operator, path)


def _job_template(graph: Graph, component: Component, operator: Operator) -> Tree:
    """The pod of the component as Grove would run it on one node, without sidecar and GPU memory service.

    Source: controller/dynamographdeployment_controller.go buildCheckpointJobPodTemplate of release 1.1.
    """
    spec = copy_tree(component.spec)
    for field in ("checkpoint", "gpuMemoryService", "frontendSidecar"):
        spec.pop(field, None)
    pod = Pod(
        operator,
        component_from_spec(component.name, spec, component.path),
        owner=graph.name,
        namespace=graph.namespace,
        service=component.name,
        role=CHECKPOINT,
        nodes=1,
        backend=(component.checkpoint or {})["identity"]["backendFramework"],
        hosts=GroveHosts(operator.release),
    )
    labels = {COMPONENT_LABEL: component.name}
    return {"metadata": {"labels": labels}, "spec": {**build_pod(pod), "restartPolicy": "Never"}}
