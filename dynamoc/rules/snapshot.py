"""Pods that start from a snapshot of a running engine, as of release 1.4.

Source: internal/checkpoint/podspec.go, resolve.go, storage.go; deploy/snapshot/protocol.
"""

from __future__ import annotations

from dynamoc.diagnostics.finding import Refusal
from dynamoc.kube.tree import copy_tree
from dynamoc.model.experimental import (
    IMMEDIATE,
    WAIT_FOR_CHECKPOINT,
    enabled_checkpoint,
    gpu_memory_service,
    is_intra_pod_failover,
)
from dynamoc.rules.failover import ENGINES
from dynamoc.rules.gms import attach
from dynamoc.rules.registry import rule
from dynamoc.rules.snapshot_storage import add_mount, add_once, add_volume, agent_storage, pod_storage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.cluster.config import Checkpoint as CheckpointConfig
    from dynamoc.diagnostics.finding import Path
    from dynamoc.model.graph import Component
    from dynamoc.model.operator import Operator
    from dynamoc.rules.draft import Pod

    Tree = dict[str, Any]

ID_LABEL = "nvidia.com/snapshot-checkpoint-id"
SOURCE_LABEL = "nvidia.com/snapshot-is-checkpoint-source"
RESTORE_LABEL = "nvidia.com/snapshot-is-restore-target"
VERSION = "nvidia.com/snapshot-artifact-version"
DEFAULT_VERSION = "1"
CONTROL_DIR = "/snapshot-control"

_TARGETS = "nvidia.com/snapshot-target-containers"
_STORAGE_TYPE = "nvidia.com/snapshot-storage-type"
_STORAGE_PATH = "nvidia.com/snapshot-storage-base-path"
_CANDIDATE = "nvidia.com/dynamo-checkpoint-restore-candidate"
_NAME = "nvidia.com/dynamo-checkpoint-name"
_POLICY = "nvidia.com/dynamo-checkpoint-startup-policy"
_OWN_ANNOTATIONS = (VERSION, _TARGETS, _STORAGE_TYPE, _STORAGE_PATH, _CANDIDATE, _NAME, _POLICY)
_RESTORE_STATUS = ("nvidia.com/snapshot-restore-status", "nvidia.com/snapshot-restore-container-id")


class Snapshot:
    """What is known about the DynamoCheckpoint that a component's `checkpoint` means.

    name            of the DynamoCheckpoint, "" where there is none
    id              of the artifact, "" where unknown
    ready           whether pods can start from it
    startup_policy  Immediate, or WaitForCheckpoint
    targets         containers to restore
    service         GPU memory service that the snapshot was taken with, a v1alpha1 tree or None
    version         of the artifact
    """

    __slots__ = ("id", "name", "ready", "service", "startup_policy", "targets", "version")

    def __init__(self, *, startup_policy: str = IMMEDIATE, targets: list[str] | None = None) -> None:
        self.name = ""
        self.id = ""
        self.ready = False
        self.startup_policy = startup_policy or IMMEDIATE
        self.targets = targets or ["main"]
        self.service: Tree | None = None
        self.version = DEFAULT_VERSION

    def read(self, value: Tree) -> None:
        """Takes over what a DynamoCheckpoint says (checkpointInfoFromObject)."""
        self.name = value["metadata"]["name"]
        self.id = checkpoint_id(value)
        self.ready = (value.get("status") or {}).get("phase") == "Ready"
        self.service = (value.get("spec") or {}).get("gpuMemoryService")
        self.version = artifact_version(value)

    @property
    def is_waited_for(self) -> bool:
        """Whether pods must not start before the snapshot is taken."""
        return self.startup_policy == WAIT_FOR_CHECKPOINT and not self.ready


def checkpoint_id(value: Tree) -> str:
    """The artifact's id: as recorded, as labelled, or else computed from the identity (resource.go CheckpointID)."""
    status, labels = value.get("status") or {}, value["metadata"].get("labels") or {}
    known = status.get("checkpointID") or status.get("identityHash") or labels.get(ID_LABEL)
    return known or _identity_hash((value.get("spec") or {}).get("identity") or {})


def _identity_hash(identity: Tree) -> str:
    # Most graphs take no snapshots and need no hash of any.
    from dynamoc.rules.checkpoint import identity_hash

    return identity_hash(identity)


def artifact_version(value: Tree) -> str:
    return ((value["metadata"].get("annotations") or {}).get(VERSION) or "").strip() or DEFAULT_VERSION


def component_snapshot(component: Component, namespace: str, operator: Operator) -> Snapshot | None:
    """What a DynamoComponentDeployment starts from, None where snapshots are off.

    Source: controller/dynamocomponentdeployment_renderer.go generatePodTemplateSpec.
    """
    checkpoint = enabled_checkpoint(component.spec)
    if checkpoint is None or not operator.config.checkpoint.enabled:
        return None
    path = (*component.path, "experimental", "checkpoint")
    snapshot = resolve_snapshot(operator, namespace, checkpoint, path)
    if is_intra_pod_failover(component.spec):
        snapshot.targets = list(ENGINES)
    use_service_of(snapshot, gpu_memory_service(component.spec), path)
    return snapshot


def resolve_snapshot(operator: Operator, namespace: str, checkpoint: Tree, path: Path) -> Snapshot:
    """The snapshot of an enabled `checkpoint`: by its reference, else by its identity.

    A reference that nobody gave is unknown offline: it is taken to exist without being ready.
    Source: resolve.go ResolveCheckpointForService.
    """
    target = checkpoint.get("targetContainerName")
    snapshot = Snapshot(startup_policy=checkpoint.get("startupPolicy", ""), targets=[target] if target else None)
    reference = checkpoint.get("checkpointRef")
    if reference:
        found = operator.cluster.get("DynamoCheckpoint", namespace, reference)
        if found is not None:
            snapshot.read(found)
            return snapshot
        operator.unknown(
            "DynamoCheckpoint",
            namespace,
            reference,
            "the pods are rendered as if it weren't ready; the operator creates none until it exists",
            (*path, "checkpointRef"),
        )
        snapshot.name = reference
        return snapshot
    identity = checkpoint.get("identity")
    if identity is not None:
        snapshot.id = _identity_hash(identity)
        known = operator.cluster.list("DynamoCheckpoint", namespace)
        same = [value for value in known if checkpoint_id(value) == snapshot.id]
        if len(same) > 1:
            names = " and ".join(value["metadata"]["name"] for value in same)
            raise Refusal(
                "snapshot/ambiguous",
                f"{names} have the identity that this component names; the operator cannot tell which one is meant.",
                (*path, "identity"),
                "Name one of them in checkpointRef.",
            )
        for value in same:
            snapshot.read(value)
    return snapshot


def use_service_of(snapshot: Snapshot, service: Tree | None, path: Path) -> None:
    """Lets a component with GPU memory service restore with its own settings (internal/gms/clients.go OverlayClients).

    Raises `Refusal` where the snapshot was taken without one. `service` is a v1beta1 tree.
    """
    if service is None or not snapshot.name or not snapshot.id:
        return
    if not (snapshot.service or {}).get("enabled"):
        raise Refusal(
            "snapshot/no-gpu-memory-service",
            f"DynamoCheckpoint {snapshot.name} was taken without gpuMemoryService; a component with one cannot be "
            "restored from it, and the operator fails.",
            path,
        )
    snapshot.service = alpha_service(service)


def alpha_service(service: Tree) -> Tree:
    """A v1beta1 gpuMemoryService as DynamoCheckpoints, which are v1alpha1, say it."""
    mode = service.get("mode", "")
    return {**service, "enabled": True, **({"mode": mode[0].lower() + mode[1:]} if mode else {})}


@rule("snapshot/probe-cadence", source="internal/dynamo/graph.go applyCheckpointProbeCadence")
def probe_cadence(pod: Pod) -> None:
    """Probes workers that start from a ready snapshot each second: they are up long before a cold start would be."""
    snapshot = pod.snapshot
    if snapshot is None or not snapshot.ready or not pod.component.is_worker:
        return
    for probe in ("readinessProbe", "startupProbe"):
        if pod.main.get(probe) is not None:
            pod.main[probe]["periodSeconds"] = 1


@rule("snapshot/restore", source="internal/checkpoint/podspec.go InjectResolvedCheckpointIntoPodSpec")
def restore(pod: Pod) -> None:
    """Shapes pods that waited for their snapshot, once it is ready: storage, control volume, standby, startup probe.

    Pods with the policy Immediate stay as they are; a webhook shapes each one as it is created.
    """
    snapshot = pod.snapshot
    if snapshot is None or not snapshot.ready or snapshot.startup_policy != WAIT_FOR_CHECKPOINT:
        return
    path = (*pod.component.path, "experimental", "checkpoint")
    restrict_syscalls(pod.spec, pod.operator.config.checkpoint)
    storage = pod_storage(pod.operator, path) or agent_storage(pod, path)
    if storage is not None:
        add_volume(pod.spec, storage[0])
    targets = [find_container(pod.spec, name, path) for name in snapshot.targets]
    for target in targets:
        if storage is not None:
            add_mount(target, storage[1])
        add_control_volume(pod.spec, target)
        _stand_by(target)
    service = snapshot.service or {}
    if service.get("enabled"):
        attach(pod.spec, targets[0], [*snapshot.targets, *(service.get("extraClientContainers") or ())])


def find_container(spec: Tree, name: str, path: Path) -> Tree:
    """The container that a snapshot is taken of or restores. Raises `Refusal` where the pod has none of that name."""
    for container in spec.get("containers") or ():
        if container.get("name") == name:
            found: Tree = container
            return found
    raise Refusal(
        "snapshot/no-target",
        f"The pod has no container {name} to take a snapshot of or to restore; the operator fails to render it.",
        (*path, "targetContainerName"),
    )


def _stand_by(container: Tree) -> None:
    """The engine sleeps until the node's agent has put the snapshot in its place, for half an hour at most."""
    put_env(container, "DYN_SNAPSHOT_RESTORE_STANDBY", "1")
    probe: Tree | None = None
    for field in ("startupProbe", "livenessProbe", "readinessProbe"):
        probe = probe or container.get(field)
    if probe is None:
        probe = {"exec": {"command": ["cat", f"{CONTROL_DIR}/restore-complete"]}, "timeoutSeconds": 1}
    probe = copy_tree(probe)
    assert probe is not None
    probe.pop("initialDelaySeconds", None)
    container["startupProbe"] = {**probe, "periodSeconds": 1, "failureThreshold": 1800, "successThreshold": 1}


def put_env(container: Tree, name: str, value: str) -> None:
    for variable in container.get("env") or ():
        if variable.get("name") == name:
            variable.pop("valueFrom", None)
            variable["value"] = value
            return
    container.setdefault("env", []).append({"name": name, "value": value})


def restrict_syscalls(spec: Tree, config: CheckpointConfig) -> None:
    """A seccomp profile without io_uring, which cannot be snapshot; none where the administrator turned it off."""
    if config.seccomp_profile:
        profile = {"type": "Localhost", "localhostProfile": config.seccomp_profile}
        spec["securityContext"] = {**(spec.get("securityContext") or {}), "seccompProfile": profile}


def add_control_volume(spec: Tree, container: Tree) -> None:
    """Where the node's agent and the container tell each other how far they are; each container sees its own part."""
    name = container.get("name", "")
    add_once(spec, "volumes", {"name": "snapshot-control", "emptyDir": {}})
    mount = {"name": "snapshot-control", "mountPath": CONTROL_DIR, **({"subPath": name} if name else {})}
    add_once(container, "volumeMounts", mount)
    add_once(container, "env", {"name": "DYN_SNAPSHOT_CONTROL_DIR", "value": CONTROL_DIR})


def mark_pods(
    labels: dict[str, str], annotations: dict[str, str], snapshot: Snapshot | None, operator: Operator, path: Path
) -> None:
    """Labels and annotations that steer restores; what the user wrote there goes, with a snapshot or without.

    Source: podspec.go ApplyRestoreCandidateMetadata, ApplyRestorePodMetadataWithStorageConfig.
    """
    for label in (ID_LABEL, RESTORE_LABEL, SOURCE_LABEL):
        labels.pop(label, None)
    for key in _OWN_ANNOTATIONS:
        annotations.pop(key, None)
    if snapshot is not None and snapshot.startup_policy == IMMEDIATE:
        if snapshot.name:
            annotations[_CANDIDATE] = "true"
            annotations[_NAME] = snapshot.name
            annotations[_POLICY] = IMMEDIATE
            annotations[_TARGETS] = _joined(snapshot.targets)
        return
    for key in [key for key in annotations if key.rpartition(".")[0] in _RESTORE_STATUS or key in _RESTORE_STATUS]:
        del annotations[key]
    if snapshot is None or not snapshot.ready:
        return
    labels[RESTORE_LABEL] = "true"
    labels[ID_LABEL] = snapshot.id
    annotations[VERSION] = snapshot.version
    annotations[_TARGETS] = _joined(snapshot.targets)
    storage = pod_storage(operator, path)
    if storage is not None:
        mark_storage(annotations, storage[1])


def mark_storage(annotations: dict[str, str], base_path: str) -> None:
    annotations[_STORAGE_TYPE] = "pvc"
    annotations[_STORAGE_PATH] = base_path


def _joined(targets: list[str]) -> str:
    return ",".join(target.strip() for target in targets if target.strip())
