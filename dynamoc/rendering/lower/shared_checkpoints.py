"""Snapshots that graphs share by their identity, as of releases 1.1 and 1.2: found, or taken for the first that asks.

Source: controller/{dynamographdeployment_controller,dynamocheckpoint_controller,checkpoint_job}.go,
internal/checkpoint/resource.go CreateOrGetAutoCheckpoint; deploy/snapshot/protocol/checkpoint.go NewCheckpointJob.
"""

from __future__ import annotations

from dynamoc.admission.adapters import component_from_v1alpha1
from dynamoc.admission.graph import WORKER_TYPES, Component, Graph
from dynamoc.admission.operator import Operator
from dynamoc.documents.findings.finding import Path, Refusal
from dynamoc.documents.schema.check import check
from dynamoc.kube.merge import Tree, copy_tree
from dynamoc.kube.names import COMPONENT_LABEL, GRAPH_LABEL, NAMESPACE_LABEL, TYPE_LABEL, WORKER_HASH_LABEL
from dynamoc.kube.tracing import HUB, NOT_EARLY, builder
from dynamoc.reference.releases import Release
from dynamoc.rendering.lower.checkpoint_jobs import (
    await_readiness,
    checkpoint_job,
    prepare_service,
    run_by_cuda_checkpoint,
    share_memory,
    snapshot_job,
    storage_claim,
)
from dynamoc.rendering.lower.common import metadata
from dynamoc.rendering.lower.graph_objects import discovery_objects
from dynamoc.rendering.lower.scheduling import claim_template
from dynamoc.rendering.rules.checkpoint import resolve_snapshot
from dynamoc.rendering.rules.container import discovery_account
from dynamoc.rendering.rules.draft import CHECKPOINT
from dynamoc.rendering.rules.env import infrastructure_env, merge_env
from dynamoc.rendering.rules.failover import add_server, share_gpus
from dynamoc.rendering.rules.memory import claim_template_name, scalar_gpus
from dynamoc.rendering.rules.order import build_graph_pod
from dynamoc.rendering.rules.snapshot import add_pod_info, find_container, memory_sidecar, restrict_syscalls
from dynamoc.rendering.rules.snapshot_storage import (
    DEFAULT_VERSION,
    ID_LABEL,
    RESTORE_LABEL,
    SOURCE_LABEL,
    TARGETS,
    VERSION,
    Snapshot,
    add_volume,
    agent_storage,
    artifact_version,
    checkpoint_id,
    identity_hash,
    mount_storage,
    pod_storage,
)


@builder(
    "lower/snapshots/shared_job/shared-snapshot-job",
    "controller/checkpoint_job.go buildCheckpointJob; deploy/snapshot/protocol/checkpoint.go NewCheckpointJob",
    NOT_EARLY,
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
    if release.has("snapshots/named-target"):
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
    if release.has("snapshots/named-target"):
        return find_container(spec, checkpoint["spec"]["job"].get("targetContainerName") or "main", path)
    containers = spec.get("containers")
    if not containers:
        raise Refusal("snapshot/no-target", "The Job of a checkpoint needs a container.", path)
    first: Tree = containers[0]
    return first


@builder(
    "lower/snapshots/shared_job/worker-env",
    "controller/checkpoint_job.go buildCheckpointWorkerDefaultEnv",
    NOT_EARLY,
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
    "controller/checkpoint_job.go buildCheckpointJob",
    (HUB,),
    when="snapshots/by-agent",
    unless="snapshots/of-graphs",
)
def _prepare_target(
    checkpoint: Tree, spec: Tree, target: Tree, annotations: dict[str, str], operator: Operator, path: Path
) -> None:
    """Storage as configured, and GPU memory service in the pod, as of release 1.2."""
    mount_storage(spec, target, annotations, pod_storage(operator, path))
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
    "controller/checkpoint_job.go buildCheckpointJob",
    NOT_EARLY,
    when="snapshots/by-agent",
    unless="snapshots/of-graphs",
)
def _launch_as_job(target: Tree, path: Path) -> None:
    """The pod of a snapshot's Job starts the engine in its own way."""
    run_by_cuda_checkpoint(target, path)


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
    plain = component_from_v1alpha1(component.name, spec, component.path)
    backend = (component.checkpoint or {})["identity"]["backendFramework"]
    pod = build_graph_pod(graph, plain, operator, CHECKPOINT, backend, nodes=1)
    return {"metadata": {"labels": {COMPONENT_LABEL: component.name}}, "spec": {**pod, "restartPolicy": "Never"}}


@builder(
    "lower/snapshots/checkpoint/lower-checkpoint",
    "controller/dynamocheckpoint_controller.go handlePending",
    NOT_EARLY,
    when="snapshots/by-agent",
    unless="snapshots/operator-of-their-own",
)
def lower_checkpoint(value: Tree, operator: Operator) -> list[Tree]:
    """The DynamoCheckpoint with its id as a label; storage and Job until the snapshot is taken.

    A second DynamoCheckpoint of the same id fails: an identity can be used once in a namespace.
    """
    metadata, identifier = value["metadata"], checkpoint_id(value, operator.release)
    value = {**value, "metadata": {**metadata, "labels": {**(metadata.get("labels") or {}), ID_LABEL: identifier}}}
    if (value.get("status") or {}).get("phase") in ("Creating", "Ready", "Failed"):
        return [value]
    for other in operator.cluster.list("DynamoCheckpoint", metadata["namespace"]):
        if other["metadata"]["name"] != metadata["name"] and checkpoint_id(other, operator.release) == identifier:
            operator.warn(
                "snapshot/duplicate",
                f"DynamoCheckpoint {other['metadata']['name']} has the same identity; in the operator, the later "
                "one of the two fails.",
                ("spec", "identity"),
                "Refer to one DynamoCheckpoint by checkpointRef.",
            )
    storage = (
        storage_claim(metadata["namespace"], operator, ("spec",)) if operator.release.has("snapshots/claims") else []
    )
    if operator.release.has("snapshots/of-graphs"):
        return [value, *storage, snapshot_job(value, operator, [])]
    return [value, *storage, *checkpoint_objects(value, operator, ("spec",))]
