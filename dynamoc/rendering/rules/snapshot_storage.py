"""What is known of a snapshot, where it is stored, and the labels and annotations by which pods take and restore it.

Source: internal/checkpoint/{storage,podspec}.go; deploy/snapshot/protocol/{restore,common}.go.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from posixpath import normpath

from dynamoc.admission.graph import IMMEDIATE, WAIT_FOR_CHECKPOINT
from dynamoc.admission.operator import Operator
from dynamoc.documents.findings.finding import Path, Refusal
from dynamoc.kube.merge import Tree
from dynamoc.kube.text import dumps, hex_digest
from dynamoc.reference.releases import Release

DEFAULT_VERSION = "1"


_VOLUME = "checkpoint-storage"


def pod_storage(operator: Operator, path: Path) -> tuple[str, str] | None:
    """Claim and directory of snapshots as configured, None where storage is left to the snapshot agent.

    Raises `Refusal` where the configuration is incomplete (storage.go StorageFromConfig).
    """
    storage = operator.config.checkpoint.storage
    kind, claim = storage.type.strip(), storage.pvc
    name, base_path = claim.pvc_name.strip(), claim.base_path.strip()
    further = (claim.size.strip(), claim.storage_class_name.strip(), claim.access_mode.strip())
    if not (name or base_path or claim.create or any(further)) and kind in ("", "s3", "oci"):
        return None
    if kind not in ("", "pvc"):
        raise _storage_refusal(f"the storage type {kind} is not supported", path)
    if not name or not base_path:
        raise _storage_refusal("checkpoint.storage.pvc needs pvcName and basePath", path)
    if not base_path.startswith("/"):
        raise _storage_refusal(f"checkpoint.storage.pvc.basePath {base_path} must be absolute", path)
    if claim.create and further[2] not in ("", "ReadWriteOnce", "ReadWriteMany"):
        raise _storage_refusal(f"checkpoint.storage.pvc.accessMode {further[2]} is not supported", path)

    return name, "/" + normpath(base_path).lstrip("/")


def _storage_refusal(what: str, path: Path) -> Refusal:
    return Refusal("snapshot/storage", f"The operator cannot store snapshots: {what}.", path)


def agent_storage(operator: Operator, namespace: str, path: Path) -> tuple[str, str] | None:
    """Claim and directory of the snapshot agent in the namespace; None, with a finding, without its DaemonSet.

    Source: deploy/snapshot/protocol/restore.go DiscoverStorageFromDaemonSets.
    """
    for agent in operator.cluster.list("DaemonSet", namespace):
        if (agent["metadata"].get("labels") or {}).get("app.kubernetes.io/component") != "snapshot-agent":
            continue
        spec = (((agent.get("spec") or {}).get("template") or {}).get("spec")) or {}
        mounts = {
            mount.get("name"): mount.get("mountPath", "").rstrip("/")
            for container in spec.get("containers") or ()
            if container.get("name") == "agent"
            for mount in container.get("volumeMounts") or ()
        }
        for volume in spec.get("volumes") or ():
            claim = (volume.get("persistentVolumeClaim") or {}).get("claimName", "").strip()
            if volume.get("name") == "checkpoints" and claim and mounts.get("checkpoints"):
                return claim, mounts["checkpoints"]
    operator.unknown(
        "DaemonSet",
        namespace,
        "snapshot-agent",
        "the claim for snapshots is unknown and not mounted; the operator creates no pods without it",
        path,
    )
    return None


def add_volume(spec: Tree, claim: str) -> None:
    add_once(spec, "volumes", {"name": _VOLUME, "persistentVolumeClaim": {"claimName": claim}})


def add_mount(container: Tree, base_path: str) -> None:
    add_once(container, "volumeMounts", {"name": _VOLUME, "mountPath": base_path})


def mount_storage(spec: Tree, target: Tree, annotations: dict[str, str], storage: tuple[str, str] | None) -> None:
    """The claim and directory of `pod_storage` in a pod that is saved there."""
    if storage is not None:
        add_volume(spec, storage[0])
        add_mount(target, storage[1])
        mark_storage(annotations, storage[1])


def add_once(owner: Tree, field: str, entry: Tree) -> None:
    entries = owner.setdefault(field, [])
    if all(existing.get("name") != entry["name"] for existing in entries):
        entries.append(entry)


def mount_fields(spec: Tree, container: Tree, fields: Iterable[tuple[str, str]]) -> None:
    """Files with fields of the pod, by which a restored process learns its new identity."""
    items = [{"path": path, "fieldRef": {"fieldPath": field}} for path, field in fields]
    add_once(spec, "volumes", {"name": "podinfo", "downwardAPI": {"items": items}})
    add_once(container, "volumeMounts", {"name": "podinfo", "mountPath": "/etc/podinfo", "readOnly": True})


ID_LABEL = "nvidia.com/snapshot-checkpoint-id"
VERSION = "nvidia.com/snapshot-artifact-version"
SOURCE_LABEL = "nvidia.com/snapshot-is-checkpoint-source"
RESTORE_LABEL = "nvidia.com/snapshot-is-restore-target"
TARGETS = "nvidia.com/snapshot-target-containers"
STORAGE_TYPE = "nvidia.com/snapshot-storage-type"
STORAGE_PATH = "nvidia.com/snapshot-storage-base-path"
_CANDIDATE = "nvidia.com/dynamo-checkpoint-restore-candidate"
_NAME = "nvidia.com/dynamo-checkpoint-name"
_POLICY = "nvidia.com/dynamo-checkpoint-startup-policy"
#: since 1.5: what the pods start from, a SnapshotJob or a PodSnapshot, and the state in which the operator saw it
SOURCE_KIND, JOB_UID = "nvidia.com/dynamo-restore-source-kind", "nvidia.com/dynamo-restore-snapshot-job-uid"
CONTRACT_HASH = "nvidia.com/dynamo-restore-snapshot-compatibility-hash"
_OF_SNAPSHOT = tuple(f"nvidia.com/dynamo-restore-snapshot-{part}" for part in ("uid", "content", "gms-mode", "version"))
_RESTORED = "nvidia.com/dynamo-restore-target-containers"
_MARKS = (_CANDIDATE, _NAME, _POLICY, SOURCE_KIND, JOB_UID, CONTRACT_HASH, *_OF_SNAPSHOT, _RESTORED)
_OWN_ANNOTATIONS = (VERSION, TARGETS, STORAGE_TYPE, STORAGE_PATH, _CANDIDATE, _NAME, _POLICY)
CHECKPOINT_STATUS = "nvidia.com/snapshot-checkpoint-status"
RESTORE_STATUS = ("nvidia.com/snapshot-restore-status", "nvidia.com/snapshot-restore-container-id")


def mark_pods(
    labels: dict[str, str], annotations: dict[str, str], snapshot: Snapshot | None, operator: Operator, path: Path
) -> None:
    """Labels and annotations that steer restores; what the user wrote there goes, with a snapshot or without.

    Source: podspec.go ApplyRestoreCandidateMetadata, ApplyRestorePodMetadataWithStorageConfig.
    """
    if operator.release.has("snapshots/operator-of-their-own"):
        if operator.config.checkpoint.enabled:
            for key in _MARKS:
                annotations.pop(key, None)
            annotations.update(snapshot.marks if snapshot is not None else {})
        return
    if not operator.release.has("snapshots/of-graphs"):
        _mark_targets(labels, annotations, snapshot, operator, path)
        return
    for label in (ID_LABEL, RESTORE_LABEL, SOURCE_LABEL):
        labels.pop(label, None)
    for key in _OWN_ANNOTATIONS:
        annotations.pop(key, None)
    if operator.release.has("snapshots/status-of-source"):
        annotations.pop(CHECKPOINT_STATUS, None)
    if snapshot is not None and snapshot.startup_policy == IMMEDIATE:
        if snapshot.name:
            annotations[_CANDIDATE] = "true"
            annotations[_NAME] = snapshot.name
            annotations[_POLICY] = IMMEDIATE
            annotations[TARGETS] = joined(snapshot.targets)
        return
    clear_restore_status(annotations)
    if snapshot is None or not snapshot.ready:
        return
    labels[RESTORE_LABEL] = "true"
    labels[ID_LABEL] = snapshot.id
    annotations[VERSION] = snapshot.version
    annotations[TARGETS] = joined(snapshot.targets)

    storage = pod_storage(operator, path)
    if storage is not None:
        mark_storage(annotations, storage[1])


def job_marks(snapshot: Snapshot, job: str, uid: str, contract: str) -> dict[str, str]:
    """Marks of pods that a SnapshotJob is to give a snapshot, ready or not (ApplyRestoreCandidateMetadata of 1.5)."""
    return {**_marks(snapshot, job, "SnapshotJob", contract), JOB_UID: uid}


def pod_snapshot_marks(snapshot: Snapshot, state: tuple[str, str, str, str], contract: str) -> dict[str, str]:
    """Marks of pods that start from a ready PodSnapshot; `state` is its UID, content, memory mode and contract."""
    return {**_marks(snapshot, snapshot.name, "PodSnapshot", contract), **dict(zip(_OF_SNAPSHOT, state, strict=True))}


def _marks(snapshot: Snapshot, name: str, kind: str, contract: str) -> dict[str, str]:
    return {
        _CANDIDATE: "true",
        _NAME: name,
        SOURCE_KIND: kind,
        CONTRACT_HASH: contract,
        _RESTORED: ",".join(snapshot.targets),
        _POLICY: snapshot.startup_policy,
    }


def clear_restore_status(annotations: dict[str, str]) -> None:
    """Takes away what the agent noted of a restore, of the pod or of one of its containers.

    Source: deploy/snapshot/protocol/common.go clearRestoreStatusKeys.
    """
    of_containers = tuple(f"{key}." for key in RESTORE_STATUS)
    for key in [key for key in annotations if key in RESTORE_STATUS or key.startswith(of_containers)]:
        del annotations[key]


def mark_storage(annotations: dict[str, str], base_path: str) -> None:
    annotations[STORAGE_TYPE] = "pvc"
    annotations[STORAGE_PATH] = base_path


def joined(targets: list[str]) -> str:
    return ",".join(target.strip() for target in targets if target.strip())


def _mark_targets(
    labels: dict[str, str], annotations: dict[str, str], snapshot: Snapshot | None, operator: Operator, path: Path
) -> None:
    """Marks of release 1.2, which restores the containers that it lists."""
    clear_restore_status(annotations)
    for key in (TARGETS, STORAGE_TYPE, STORAGE_PATH):
        annotations.pop(key, None)
    mark_restored(labels, annotations, snapshot)
    if snapshot is None or not snapshot.ready:
        return
    annotations[TARGETS] = joined(snapshot.targets)

    storage = pod_storage(operator, path)
    if storage is not None:
        mark_storage(annotations, storage[1])


def mark_restored(labels: dict[str, str], annotations: dict[str, str], snapshot: Snapshot | None) -> None:
    for label in (ID_LABEL, RESTORE_LABEL, SOURCE_LABEL):
        labels.pop(label, None)
    for key in (VERSION, CHECKPOINT_STATUS):
        annotations.pop(key, None)
    if snapshot is not None and snapshot.ready:
        labels[RESTORE_LABEL] = "true"
        labels[ID_LABEL] = snapshot.id
        annotations[VERSION] = snapshot.version


@dataclass(eq=False, slots=True, kw_only=True)
class CheckpointInfo:
    """What is known about the checkpoint of a component.

    identity  what makes two checkpoints the same, or None
    hash      16 hex digits over the identity, "" where unknown
    name      of the DynamoCheckpoint, "" without one yet
    ready     whether pods can start from it
    location  of the material in the storage, "" where unknown
    """

    identity: Tree | None
    hash: str
    name: str = ""
    ready: bool = False
    location: str = ""


def identity_hash(identity: Tree) -> str:
    """16 hex digits of sha256 over Go's JSON of the identity (internal/checkpoint/hash.go ComputeIdentityHash)."""
    ordered = {
        "model": identity.get("model", ""),
        "backendFramework": identity.get("backendFramework", ""),
        "dynamoVersion": identity.get("dynamoVersion") or None,
        "tensorParallelSize": identity.get("tensorParallelSize") or 1,
        "pipelineParallelSize": identity.get("pipelineParallelSize") or 1,
        "dtype": identity.get("dtype") or None,
        "maxModelLen": identity.get("maxModelLen") or None,
        "extraParameters": dict(sorted((identity.get("extraParameters") or {}).items())) or None,
    }
    text = dumps({key: value for key, value in ordered.items() if value is not None})
    return hex_digest(text)[:16]


@dataclass(eq=False, slots=True)
class Snapshot:
    """What is known about the DynamoCheckpoint that a component's `checkpoint` means.

    name            of the DynamoCheckpoint, "" without one
    id              of the artifact, "" where unknown
    ready           whether pods can start from it
    startup_policy  Immediate, or WaitForCheckpoint
    targets         containers to restore
    service         GPU memory service that the snapshot was taken with, a v1alpha1 tree or None
    version         of the artifact
    marks           annotations by which the operator's webhook finds pods to restore, since 1.5
    """

    startup_policy: str = IMMEDIATE
    targets: list[str] = field(default_factory=lambda: ["main"])
    name: str = field(default="", init=False)
    id: str = field(default="", init=False)
    ready: bool = field(default=False, init=False)
    service: Tree | None = field(default=None, init=False)
    version: str = field(default_factory=lambda: DEFAULT_VERSION, init=False)
    marks: dict[str, str] = field(default_factory=dict, init=False)

    @classmethod
    def wanted(cls, checkpoint: Tree) -> Snapshot:
        """What an enabled `checkpoint` says, before anything is looked up."""
        return cls(checkpoint.get("startupPolicy") or IMMEDIATE, [checkpoint.get("targetContainerName") or "main"])

    def read(self, value: Tree, release: Release) -> None:
        """Takes over what a DynamoCheckpoint says (checkpointInfoFromObject)."""
        self.name = value["metadata"]["name"]
        self.id = checkpoint_id(value, release)
        self.ready = (value.get("status") or {}).get("phase") == "Ready"
        self.service = (value.get("spec") or {}).get("gpuMemoryService")
        self.version = artifact_version(value)

    @property
    def is_waited_for(self) -> bool:
        """Whether pods must not start before the snapshot is taken."""
        return self.startup_policy == WAIT_FOR_CHECKPOINT and not self.ready


def checkpoint_id(value: Tree, release: Release) -> str:
    """The artifact's id: as recorded, as labelled, or else computed from the identity (resource.go CheckpointID).

    Up to 1.2 the operator sets the label itself, and does not read it (resource.go checkpointIdentityHash).
    """
    status, labels = value.get("status") or {}, value["metadata"].get("labels") or {}
    known = status.get("identityHash")
    if release.has("snapshots/of-graphs"):
        known = status.get("checkpointID") or known or labels.get(ID_LABEL)
    return known or identity_hash((value.get("spec") or {}).get("identity") or {})


def artifact_version(value: Tree) -> str:
    return ((value["metadata"].get("annotations") or {}).get(VERSION) or "").strip() or DEFAULT_VERSION
