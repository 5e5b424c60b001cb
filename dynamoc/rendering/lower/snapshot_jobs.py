"""Snapshots that another operator takes: the SnapshotJobs of a graph, and the PodSnapshots that it restores.

Source: controller/dgd_checkpoints_reconciler.go, internal/checkpoint/{native,podspec}.go, internal/gms/clients.go of
operators 1.5 (yueying-AIHorizon/dynamo@3d741331e) and 1.6 (karya0/dynamo@689a20b49); api/v1alpha1 of
ai-dynamo/snapshot.
"""

from __future__ import annotations

from dynamoc.admission.graph import (
    WAIT_FOR_CHECKPOINT,
    Component,
    Graph,
    enabled_checkpoint,
    gpu_memory_service,
    is_intra_pod_failover,
)
from dynamoc.admission.operator import Operator
from dynamoc.documents.findings.finding import Path, Refusal
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import COMPONENT_LABEL, GRAPH_LABEL, WORKER_HASH_LABEL
from dynamoc.kube.tracing import builder
from dynamoc.rendering.lower.checkpoint_jobs import prepare_service
from dynamoc.rendering.lower.common import metadata
from dynamoc.rendering.lower.scheduling import claim_template
from dynamoc.rendering.lower.snapshot_pods import CONTRACT, contract_hash, job_template
from dynamoc.rendering.lower.snapshots import PLACEHOLDER_UID, artifact_id, once, snapshot_backend
from dynamoc.rendering.rules.failover import ENGINES
from dynamoc.rendering.rules.memory import DEFAULT_DEVICE_CLASS, claim_template_name, scalar_gpus
from dynamoc.rendering.rules.snapshot import find_container
from dynamoc.rendering.rules.snapshot_storage import CONTRACT_HASH, Snapshot, job_marks, pod_snapshot_marks

_SECONDS = 3600
_AUTO = "nvidia.com/dynamo-auto-checkpoint"
_DELETION = "nvidia.com/dynamo-checkpoint-deletion-policy"
_OWNER = "nvidia.com/dynamo-checkpoint-owner-uid"
_OF_CONTRACT = "nvidia.com/dynamo-snapshot-compatibility"
_MEMORY = "nvidia.com/dynamo-snapshot-gms-mode"
#: modes of the GPU memory service as snapshots say them
_NO_MEMORY, _INTRA_POD = "disabled", "intraPod"


class _Capture:
    """What a snapshot of a component is taken of.

    template  the pod, of which `target` is saved
    contract  hash of what the saved process needs of its pod
    memory    mode and device class of the GPU memory service
    """

    __slots__ = ("checkpoint", "component", "contract", "graph", "memory", "path", "target", "template")

    def __init__(self, graph: Graph, component: Component, checkpoint: Tree, operator: Operator) -> None:
        self.graph = graph
        self.component = component
        self.checkpoint = checkpoint
        self.path: Path = (*component.path, "experimental", "checkpoint")
        backend = snapshot_backend(graph, component, self.path, {})
        self.template = job_template(graph, component, operator, backend)
        name = checkpoint.get("targetContainerName") or "main"
        self.target = find_container(self.template["spec"], name, self.path)
        service = gpu_memory_service(component.spec)
        self.memory = (_NO_MEMORY, "")
        if service is not None:
            self.memory = (_INTRA_POD, service.get("deviceClassName") or DEFAULT_DEVICE_CLASS)
        self.contract = contract_hash(self.template, self.target, operator.release, backend=backend, memory=self.memory)

    def snapshot(self) -> Snapshot:
        """What is known before anything was looked up."""
        snapshot = Snapshot.wanted(self.checkpoint)
        snapshot.targets = [self.target["name"]]
        if is_intra_pod_failover(self.component.spec):
            snapshot.targets = list(ENGINES)
        return snapshot


def graph_snapshots(graph: Graph, operator: Operator, worker_hash: str) -> tuple[list[Tree], dict[str, Snapshot]]:
    """What is created for snapshots, and what each component with an enabled `checkpoint` knows about its own.

    Without a reference, a SnapshotJob takes one, whatever the mode; there is none at first.
    """
    objects: list[Tree] = []
    snapshots: dict[str, Snapshot] = {}
    for component in graph.components:
        checkpoint = enabled_checkpoint(component.spec, operator.release)
        if checkpoint is None:
            continue
        capture = _Capture(graph, component, checkpoint, operator)
        reference = (checkpoint.get("checkpointRef") or "").strip()
        if reference:
            snapshots[component.name] = _referenced(capture, operator, reference)
            continue
        made, snapshots[component.name] = _taken(capture, operator, worker_hash if component.is_worker else "")
        objects += made
    return once(objects), snapshots


def _referenced(capture: _Capture, operator: Operator, reference: str) -> Snapshot:
    """The PodSnapshot that a component refers to. One that nobody gave is taken to exist without being ready."""
    snapshot, path = capture.snapshot(), (*capture.path, "checkpointRef")
    if snapshot.startup_policy == WAIT_FOR_CHECKPOINT and not operator.grove_pathway(capture.graph.annotations):
        raise Refusal(
            "snapshot/wait-without-grove",
            "Without Grove, the operator cannot start pods from a PodSnapshot that `checkpointRef` names and that "
            "`startupPolicy: WaitForCheckpoint` waits for; it creates no pods of the component.",
            (*capture.path, "startupPolicy"),
            "Write `startupPolicy: Immediate`, or run the graph on Grove.",
        )
    snapshot.name = reference
    found = operator.cluster.get("PodSnapshot", capture.graph.namespace, reference)
    if found is None:
        operator.unknown(
            "PodSnapshot",
            capture.graph.namespace,
            reference,
            "the pods are rendered as if it were not ready; the operator creates none until it exists",
            path,
        )
        snapshot.marks = {CONTRACT_HASH: capture.contract}
        return snapshot
    kept = _annotations(found)
    if kept.get(_AUTO) == "true" and kept.get(_DELETION) == "Retain":
        raise _unfit(reference, "belongs to the graph that took it, which retained it on deletion", path)
    content = _checked(found, capture, path)
    snapshot.ready = content is not None
    snapshot.marks = {CONTRACT_HASH: capture.contract}
    if content is not None:
        state = (found["metadata"]["uid"], content, kept[_MEMORY], CONTRACT)
        snapshot.marks = pod_snapshot_marks(snapshot, state, capture.contract)
    return snapshot


def _taken(capture: _Capture, operator: Operator, generation: str) -> tuple[list[Tree], Snapshot]:
    """The SnapshotJob of a component with the claim template of its pod, and what has come of it so far."""
    graph, path = capture.graph, capture.path
    identifier = artifact_id(graph, capture.component, operator, generation, path, (capture.contract, CONTRACT))
    claims = _claims(capture, operator, identifier)
    owner = graph.value["metadata"].get("uid") or PLACEHOLDER_UID
    job = _snapshot_job(capture, f"checkpoint-{identifier}", generation, owner)
    name = job["metadata"]["name"]
    snapshot = capture.snapshot()
    found = operator.cluster.get("SnapshotJob", graph.namespace, name)
    if found is None:
        operator.note(
            "snapshot/placeholder-uid",
            f"The pods refer to SnapshotJob {name} by its UID, which only the cluster knows; here, it is "
            f"{PLACEHOLDER_UID}.",
            path,
            "Give the SnapshotJob of the cluster with --cluster.",
        )
        uid = PLACEHOLDER_UID
    else:
        # Only its labels and annotations are brought up to date.
        job["spec"] = found.get("spec") or {}
        uid = found["metadata"].get("uid") or PLACEHOLDER_UID
        _read_job(found, capture, snapshot, operator, owner)
    snapshot.marks = job_marks(snapshot, name, uid, capture.contract)
    return [*claims, job], snapshot


def _claims(capture: _Capture, operator: Operator, identifier: str) -> list[Tree]:
    """The template of the claim by which a GPU memory service and its clients share GPUs in the pod of the Job."""
    service = gpu_memory_service(capture.component.spec)
    if service is None:
        return []
    clients = (capture.checkpoint.get("job") or {}).get("gmsClientContainers") or []
    for client in clients:
        find_container(capture.template["spec"], client, (*capture.path, "job", "gmsClientContainers"))
    name = claim_template_name(f"checkpoint-{identifier}", "worker")
    gpus = scalar_gpus(capture.target.get("resources"), (*capture.component.main_path, "resources"))
    path = (*capture.component.path, "experimental", "gpuMemoryService")
    claims = claim_template(name, capture.graph.namespace, service, gpus, operator, path)
    prepare_service(capture.template["spec"], capture.target, name, clients, newer=True)
    return claims


@builder(
    "lower/hub/snapshot_jobs/snapshot-job",
    "controller/dgd_checkpoints_reconciler.go buildAutomaticSnapshotJob",
    when="snapshots/operator-of-their-own",
)
def _snapshot_job(capture: _Capture, name: str, generation: str, owner: str) -> Tree:
    """The SnapshotJob that runs one engine of a component, and has a PodSnapshot taken of it once it is ready."""
    graph, template = capture.graph, capture.template
    labels = {GRAPH_LABEL: graph.name, COMPONENT_LABEL: capture.component.name}
    if generation:
        labels[WORKER_HASH_LABEL] = generation
    template["metadata"]["labels"].update(labels)
    annotations = {
        _AUTO: "true",
        _DELETION: capture.checkpoint.get("deletionPolicy") or "Delete",
        _OWNER: owner,
    }
    of_snapshot = {
        **annotations,
        f"{_OF_CONTRACT}-version": CONTRACT,
        f"{_OF_CONTRACT}-hash": capture.contract,
        _MEMORY: capture.memory[0],
    }
    return {
        "apiVersion": "nvidia.com/v1alpha1",
        "kind": "SnapshotJob",
        "metadata": metadata(name, graph.namespace, labels, annotations),
        "spec": {
            "podTemplate": template,
            "activeDeadlineSeconds": _SECONDS,
            "podSnapshotTemplate": {
                "metadata": {"labels": dict(labels), "annotations": of_snapshot},
                "targetContainers": [capture.target["name"]],
            },
        },
    }


def _read_job(job: Tree, capture: _Capture, snapshot: Snapshot, operator: Operator, owner: str) -> None:
    """Takes over what became of a SnapshotJob (syncAutomaticSnapshotJob, resolveAutomaticSnapshotJob)."""
    name, status = f"SnapshotJob {job['metadata']['name']}", job.get("status") or {}
    if _annotations(job).get(_AUTO) != "true" or _annotations(job).get(_OWNER) != owner:
        raise Refusal(
            "snapshot/unfit",
            f"{name} exists, but belongs to another graph; the operator creates no pods of this graph.",
            capture.path,
            "Delete the SnapshotJob.",
        )
    if _has(status, "Failed"):
        raise Refusal(
            "snapshot/unfit",
            f"{name} failed; the operator does not update this graph any more.",
            capture.path,
            "Correct what the SnapshotJob's condition Failed says, or disable `checkpoint`.",
        )
    made = status.get("podSnapshotName")
    found = operator.cluster.get("PodSnapshot", capture.graph.namespace, made) if made else None
    if not _has(status, "Completed") or found is None:
        return
    if _annotations(found).get(_AUTO) != "true" or _annotations(found).get(_OWNER) != owner:
        raise _unfit(made, "belongs to another graph", capture.path)
    if found["metadata"].get("uid") != status.get("podSnapshotUID"):
        raise _unfit(made, f"is not the one that {name} made", capture.path)
    if _checked(found, capture, capture.path) is not None:
        snapshot.name, snapshot.ready = str(made), True


def _checked(snapshot: Tree, capture: _Capture, path: Path) -> str | None:
    """The name of the content that a PodSnapshot is bound to, None while it is not ready.

    Raises `Refusal` where the component cannot be restored from it (ResolvePodSnapshotForService).
    """
    kept, status = _annotations(snapshot), snapshot.get("status") or {}
    source = ((snapshot.get("spec") or {}).get("source") or {}).get("podRef") or {}
    memory = kept.get(_MEMORY, "")
    content = (status.get("boundPodSnapshotContentName") or "").strip()
    ready = _has(status, "Ready")
    wrong = {
        "has no UID": not snapshot["metadata"].get("uid"),
        "has failed": _has(status, "Failed"),
        "does not name the one container that it was taken of": len(source.get("containers") or []) != 1,
        f"was not taken by Dynamo in a way that this release restores (`{_OF_CONTRACT}-version: {CONTRACT}`)": kept.get(
            f"{_OF_CONTRACT}-version"
        )
        != CONTRACT,
        "was taken of a process that needs another pod: compare image, command, arguments, environment, init "
        f"containers, volumes, GPUs and security settings ({capture.contract} is the hash of this component)": kept.get(
            f"{_OF_CONTRACT}-hash"
        )
        != capture.contract,
        f"was taken with `gpuMemoryService` {memory or 'unknown'}, but that of this component is {capture.memory[0]}": (
            memory != capture.memory[0]
        ),
        "is ready, but bound to no PodSnapshotContent": ready and not content,
    }
    for what, holds in wrong.items():
        if holds:
            raise _unfit(snapshot["metadata"]["name"], what, path)
    return content if ready else None


def _unfit(name: str | None, what: str, path: Path) -> Refusal:
    return Refusal(
        "snapshot/unfit",
        f"PodSnapshot {name} {what}; the operator creates no pods of this graph.",
        path,
        "Refer to another PodSnapshot, or remove `checkpointRef`, so that the graph takes its own.",
    )


def _has(status: Tree, condition: str) -> bool:
    return any(
        item.get("type") == condition and item.get("status") == "True" for item in status.get("conditions") or ()
    )


def _annotations(value: Tree) -> dict[str, str]:
    return value["metadata"].get("annotations") or {}
