"""Pods that start from a checkpoint."""

from __future__ import annotations

from dynamoc.diagnostics.finding import Refusal
from dynamoc.golang.json_text import dumps
from dynamoc.kube.sha256 import hex_digest
from dynamoc.rules.registry import rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.model.operator import Operator
    from dynamoc.rules.draft import Pod

    Tree = dict[str, Any]

HASH_LABEL = "nvidia.com/snapshot-checkpoint-hash"
RESTORE_LABEL = "nvidia.com/snapshot-is-restore-target"


class CheckpointInfo:
    """What is known about the checkpoint of a component.

    identity  what makes two checkpoints the same, or None
    hash      16 hex digits over the identity, "" where unknown
    name      of the DynamoCheckpoint, "" where there is none yet
    ready     whether pods can start from it
    location  of the material in the storage, "" where unknown
    """

    __slots__ = ("hash", "identity", "location", "name", "ready")

    def __init__(
        self, *, identity: Tree | None, hash: str, name: str = "", ready: bool = False, location: str = ""
    ) -> None:
        self.identity = identity
        self.hash = hash
        self.name = name
        self.ready = ready
        self.location = location


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


def resolve_checkpoint(operator: Operator, namespace: str, checkpoint: Tree | None) -> CheckpointInfo | None:
    """The checkpoint that a component's `checkpoint` means, None where it isn't enabled.

    A reference that nobody gave is unknown offline: it is taken as not ready, and told.
    Source: internal/checkpoint/dgd_integration.go ResolveCheckpointForService.
    """
    if checkpoint is None or not checkpoint.get("enabled"):
        return None
    reference = checkpoint.get("checkpointRef")
    if reference:
        found = operator.cluster.get("DynamoCheckpoint", namespace, reference)
        if found is None:
            operator.unknown(
                "DynamoCheckpoint", namespace, reference, "the pods are rendered as if it were not ready yet"
            )
            return CheckpointInfo(identity=None, hash="", name=reference)
        return _info_from(found)
    identity = checkpoint.get("identity")
    if identity is None:
        raise Refusal(
            "checkpoint/no-identity", "checkpoint is enabled, but sets neither checkpointRef nor identity.", ("spec",)
        )
    computed = identity_hash(identity)
    for candidate in operator.cluster.list("DynamoCheckpoint", namespace):
        if ((candidate["metadata"].get("labels")) or {}).get(HASH_LABEL) == computed:
            info = _info_from(candidate)
            info.identity, info.hash = identity, computed
            return info
    return CheckpointInfo(identity=identity, hash=computed)


def _info_from(value: Tree) -> CheckpointInfo:
    status = value.get("status") or {}
    return CheckpointInfo(
        identity=(value.get("spec") or {}).get("identity"),
        hash=status.get("identityHash", ""),
        name=value["metadata"]["name"],
        ready=status.get("phase") == "Ready",
        location=status.get("location", ""),
    )


@rule("checkpoint/restore", source="internal/checkpoint/dgd_integration.go InjectCheckpointIntoPodSpec")
def restore(pod: Pod) -> None:
    """Prepares a pod for a restore from outside: seccomp profile, checkpoint storage, pod identity and environment.

    If the checkpoint is ready, the command becomes `sleep infinity`, and the node's agent restores the process.
    """
    info = pod.checkpoint
    if info is None:
        return
    if not info.hash:
        if info.identity is None:
            raise Refusal(
                "checkpoint/no-hash",
                "The checkpoint has neither an identity hash nor an identity yet; the operator cannot render the pod.",
                (*pod.component.path, "checkpoint"),
            )
        info.hash = identity_hash(info.identity)
    name = pod.release["main-container"]
    containers = pod.spec["containers"]
    main = next((container for container in containers if container.get("name") == name), containers[0])
    if info.ready:
        main["command"] = ["sleep", "infinity"]
        main.pop("args", None)
    profile = {"type": "Localhost", "localhostProfile": pod.release["checkpoint/seccomp-profile"]}
    pod.spec["securityContext"] = {**(pod.spec.get("securityContext") or {}), "seccompProfile": profile}
    env = _mount_storage(pod, main, info)
    add_pod_info(pod.spec, main)
    env.append({"name": "DYN_CHECKPOINT_HASH", "value": info.hash})
    main["env"] = env + (main.get("env") or [])


def _mount_storage(pod: Pod, main: Tree, info: CheckpointInfo) -> list[Tree]:
    """Storage as the operator is configured with it; returns the environment that tells where it is."""
    path = (*pod.component.path, "checkpoint")
    checkpoint = pod.operator.config.checkpoint
    storage = checkpoint.storage if checkpoint.enabled else None
    kind = storage.type if storage is not None and storage.type else "pvc"
    if storage is not None and kind in ("s3", "oci"):
        uri = (storage.s3 if kind == "s3" else storage.oci).uri
        if not uri:
            raise Refusal("checkpoint/no-storage", f"checkpoint.storage.{kind}.uri is not configured.", path)
        location = f"{uri}/{info.hash}.tar" if kind == "s3" else f"{uri}:{info.hash}"
        return [{"name": "DYN_CHECKPOINT_LOCATION", "value": location}]
    if storage is None or not storage.pvc.pvc_name or not storage.pvc.base_path:
        raise Refusal(
            "checkpoint/no-storage",
            "checkpoint is enabled, but the operator has no checkpoint storage; it fails to render the pod.",
            path,
            "Set checkpoint.enabled and checkpoint.storage.pvc.{pvcName,basePath} in the operator's configuration.",
        )
    add_storage(pod.spec, main, storage.pvc.pvc_name, storage.pvc.base_path)
    return [{"name": "DYN_CHECKPOINT_PATH", "value": storage.pvc.base_path}]


def add_storage(spec: Tree, main: Tree, claim: str, mount_path: str) -> None:
    """The checkpoint claim as volume and mount, unless they are there (InjectCheckpointVolume, …VolumeMount)."""
    _add_once(spec, "volumes", {"name": "checkpoint-storage", "persistentVolumeClaim": {"claimName": claim}})
    _add_once(main, "volumeMounts", {"name": "checkpoint-storage", "mountPath": mount_path})


def add_pod_info(spec: Tree, main: Tree) -> None:
    """Files that tell a restored process who it is now; its environment is the checkpoint's (InjectPodInfoVolume)."""
    fields = [("pod_name", "metadata.name"), ("pod_uid", "metadata.uid"), ("pod_namespace", "metadata.namespace")]
    for path, annotation in (
        ("dyn_namespace", "dyn-namespace"),
        ("dyn_component", "dyn-component"),
        ("dyn_parent_dgd_name", "dyn-parent-dgd-name"),
        ("dyn_parent_dgd_namespace", "dyn-parent-dgd-namespace"),
        ("dyn_discovery_backend", "dyn-discovery-backend"),
    ):
        fields.append((path, f"metadata.annotations['nvidia.com/{annotation}']"))
    items = [{"path": path, "fieldRef": {"fieldPath": field}} for path, field in fields]
    _add_once(spec, "volumes", {"name": "podinfo", "downwardAPI": {"items": items}})
    _add_once(main, "volumeMounts", {"name": "podinfo", "mountPath": "/etc/podinfo", "readOnly": True})


def _add_once(owner: Tree, field: str, entry: Tree) -> None:
    entries = owner.setdefault(field, [])
    if all(existing.get("name") != entry["name"] for existing in entries):
        entries.append(entry)
