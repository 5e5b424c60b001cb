"""The Job that takes a snapshot which graphs share, as of releases 1.1 and 1.2.

Source: controller/checkpoint_job.go buildCheckpointJob; deploy/snapshot/protocol/checkpoint.go NewCheckpointJob.
"""

from __future__ import annotations

from dynamoc.diagnostics.finding import Refusal
from dynamoc.kube.labels import GRAPH_LABEL, NAMESPACE_LABEL, TYPE_LABEL, WORKER_HASH_LABEL
from dynamoc.lower.snapshots.job import await_readiness, checkpoint_job, prepare_service, share_memory
from dynamoc.model.graph import WORKER_TYPES
from dynamoc.rules.discovery import discovery_account
from dynamoc.rules.dra import claim_template_name
from dynamoc.rules.env import infrastructure_env, merge_env
from dynamoc.rules.shared_snapshot import add_pod_info, memory_sidecar
from dynamoc.rules.snapshot import find_container, restrict_syscalls
from dynamoc.rules.snapshot_marks import ID_LABEL, RESTORE_LABEL, SOURCE_LABEL, TARGETS, VERSION, mark_storage
from dynamoc.rules.snapshot_state import artifact_version, checkpoint_id
from dynamoc.rules.snapshot_storage import add_mount, add_volume, agent_storage, pod_storage
from dynamoc.tracing import ALPHA, HUB, builder
from dynamoc.tree import copy_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Path
    from dynamoc.model.operator import Operator
    from dynamoc.release.registry import Release

    Tree = dict[str, Any]


@builder(
    "lower/snapshots/shared_job/shared-snapshot-job",
    source="controller/checkpoint_job.go buildCheckpointJob; deploy/snapshot/protocol/checkpoint.go NewCheckpointJob",
    generations=(ALPHA, HUB),
    when="snapshots/by-agent",
    unless="snapshots/of-graphs",
)
def shared_snapshot_job(checkpoint: Tree, operator: Operator, path: Path) -> Tree:
    """The Job of a DynamoCheckpoint. Its container gets the fields of a worker's, below the user's."""
    release, job = operator.release, checkpoint["spec"]["job"]
    name, namespace = checkpoint["metadata"]["name"], checkpoint["metadata"]["namespace"]
    identifier, version = checkpoint_id(checkpoint, operator.release), artifact_version(checkpoint)
    template = copy_tree(job["podTemplateSpec"])
    labels = template.setdefault("metadata", {}).setdefault("labels", {})
    annotations = template["metadata"].setdefault("annotations", {})
    spec = template.setdefault("spec", {})
    if not spec.get("serviceAccountName"):
        spec["serviceAccountName"] = discovery_account(name)
    target = job_target(checkpoint, spec, release, path)
    target["env"] = merge_env(_worker_env(labels, namespace, release), target.get("env"))
    target["env"] = merge_env(infrastructure_env(operator.config), target["env"])
    add_pod_info(spec, target)
    share_memory(spec, target, job.get("sharedMemory"))
    if release.has("hub/v1beta1"):
        annotations[TARGETS] = target.get("name", "")
        _prepare_target(checkpoint, spec, target, annotations, operator, path)
    elif (checkpoint["spec"].get("gpuMemoryService") or {}).get("enabled"):
        _save_memory(spec, target, (identifier, version), namespace, operator, path)
    labels.pop(RESTORE_LABEL, None)
    labels.update({SOURCE_LABEL: "true", ID_LABEL: identifier})
    annotations[VERSION] = version
    spec["restartPolicy"] = "Never"
    restrict_syscalls(spec, operator.config.checkpoint)
    await_readiness(spec, target, release)
    identity = checkpoint["spec"].get("identity") or {}
    if (identity.get("tensorParallelSize") or 1) * (identity.get("pipelineParallelSize") or 1) > 1:
        _launch_as_job(target, path)
    return checkpoint_job(checkpoint, template, release, is_deleted=True)


def job_target(checkpoint: Tree, spec: Tree, release: Release, path: Path) -> Tree:
    """The container that the snapshot is taken from: the first in 1.1, later the one that is named, or `main`."""
    if release.has("hub/v1beta1"):
        return find_container(spec, checkpoint["spec"]["job"].get("targetContainerName") or "main", path)
    containers = spec.get("containers")
    if not containers:
        raise Refusal("snapshot/no-target", "The Job of a checkpoint needs a container.", path)
    first: Tree = containers[0]
    return first


@builder(
    "lower/snapshots/shared_job/worker-env",
    source="controller/checkpoint_job.go buildCheckpointWorkerDefaultEnv",
    generations=(ALPHA, HUB),
    when="snapshots/by-agent",
    unless="snapshots/of-graphs",
)
def _worker_env(labels: dict[str, str], namespace: str, release: Release) -> list[Tree]:
    """What a worker of the graph that the labels name would have."""
    component = labels.get(TYPE_LABEL, "")
    env = [
        {"name": "DYN_NAMESPACE", "value": labels.get(NAMESPACE_LABEL) or "dynamo"},
        {"name": "DYN_COMPONENT", "value": component if component in WORKER_TYPES else "worker"},
        {"name": "DYN_PARENT_DGD_K8S_NAME", "value": labels.get(GRAPH_LABEL, "")},
        {"name": "DYN_PARENT_DGD_K8S_NAMESPACE", "value": namespace},
        {"name": "DYN_DISCOVERY_BACKEND", "value": "kubernetes"},
        *copy_tree(release["env/identity"]),
        *copy_tree(release["env/worker"]),
    ]
    if labels.get(WORKER_HASH_LABEL):
        env.append({"name": "DYN_NAMESPACE_WORKER_SUFFIX", "value": labels[WORKER_HASH_LABEL]})
    return env


@builder(
    "lower/snapshots/shared_job/prepare-target",
    source="controller/checkpoint_job.go buildCheckpointJob",
    generations=(HUB,),
    when="snapshots/by-agent",
    unless="snapshots/of-graphs",
)
def _prepare_target(
    checkpoint: Tree, spec: Tree, target: Tree, annotations: dict[str, str], operator: Operator, path: Path
) -> None:
    """Storage as configured, and GPU memory service in the pod, as of release 1.2."""
    storage = pod_storage(operator, path)
    if storage is not None:
        add_volume(spec, storage[0])
        add_mount(target, storage[1])
        mark_storage(annotations, storage[1])
    service = checkpoint["spec"].get("gpuMemoryService") or {}
    if not service.get("enabled"):
        return
    if service.get("mode", "") not in ("", "intraPod"):
        raise Refusal(
            "snapshot/mode",
            "Snapshots with GPU memory service between pods are not implemented; the operator creates no Job.",
            path,
        )
    claim = claim_template_name(f"checkpoint-{checkpoint_id(checkpoint, operator.release)}", "worker")
    prepare_service(spec, target, claim, service.get("extraClientContainers") or [])


def _save_memory(
    spec: Tree, target: Tree, artifact: tuple[str, str], namespace: str, operator: Operator, path: Path
) -> None:
    """A shared claim, the server and a saver, as of release 1.1 (internal/checkpoint/gms.go)."""
    from dynamoc.rules.first_gms import add_server, share_gpus

    share_gpus(spec, target, claim_template_name(f"checkpoint-{artifact[0]}", "worker"))
    storage = agent_storage(operator, namespace, path)
    add_server(spec, target)
    if storage is not None:
        add_volume(spec, storage[0])
    base_path = "" if storage is None else storage[1]
    saver = memory_sidecar("gms-saver", "saver", target.get("image", ""), artifact, base_path)
    spec["initContainers"].append(saver)


@builder(
    "lower/snapshots/shared_job/launch-as-job",
    source="controller/checkpoint_job.go buildCheckpointJob",
    generations=(ALPHA, HUB),
    when="snapshots/by-agent",
    unless="snapshots/of-graphs",
)
def _launch_as_job(target: Tree, path: Path) -> None:
    """The pod of a snapshot's Job starts the engine in its own way."""
    if not target.get("command"):
        raise Refusal(
            "snapshot/no-command",
            "A snapshot of several GPUs needs the command of the container; the operator creates no Job.",
            path,
            "Set command in the container, in addition to args.",
        )
    target["args"] = ["--launch-job", *target["command"], *(target.get("args") or [])]
    target["command"] = ["cuda-checkpoint"]
