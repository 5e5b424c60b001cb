"""Pods that start from a checkpoint, and the DynamoCheckpoint that they name by reference or identity.

Source: internal/checkpoint/resolve.go, resource.go, internal/gms/clients.go.
"""

from __future__ import annotations

from dynamoc.admission.graph import Component, enabled_checkpoint, gpu_memory_service, is_intra_pod_failover
from dynamoc.admission.operator import Operator
from dynamoc.documents.findings.finding import Path, Refusal
from dynamoc.kube.merge import Tree
from dynamoc.rendering.rules.draft import Pod, rule
from dynamoc.rendering.rules.failover import ENGINES
from dynamoc.rendering.rules.snapshot_storage import (
    CheckpointInfo,
    Snapshot,
    add_once,
    checkpoint_id,
    identity_hash,
    mount_fields,
)

HASH_LABEL = "nvidia.com/snapshot-checkpoint-hash"
RESTORE_LABEL = "nvidia.com/snapshot-is-restore-target"


def resolve_checkpoint(operator: Operator, namespace: str, checkpoint: Tree | None) -> CheckpointInfo | None:
    """The checkpoint that a component's `checkpoint` means, None where it isn't enabled.

    A reference that is not given is unknown offline: it is taken as not ready, and reported.
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
    """Storage as the operator is configured with it; returns the environment that holds its path."""
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
    add_once(spec, "volumes", {"name": "checkpoint-storage", "persistentVolumeClaim": {"claimName": claim}})
    add_once(main, "volumeMounts", {"name": "checkpoint-storage", "mountPath": mount_path})


def add_pod_info(spec: Tree, main: Tree) -> None:
    """Files with the identity of a restored process; its environment is the checkpoint's (InjectPodInfoVolume)."""
    fields = [("pod_name", "metadata.name"), ("pod_uid", "metadata.uid"), ("pod_namespace", "metadata.namespace")]
    for path, annotation in (
        ("dyn_namespace", "dyn-namespace"),
        ("dyn_component", "dyn-component"),
        ("dyn_parent_dgd_name", "dyn-parent-dgd-name"),
        ("dyn_parent_dgd_namespace", "dyn-parent-dgd-namespace"),
        ("dyn_discovery_backend", "dyn-discovery-backend"),
    ):
        fields.append((path, f"metadata.annotations['nvidia.com/{annotation}']"))
    mount_fields(spec, main, fields)


def component_snapshot(component: Component, namespace: str, operator: Operator) -> Snapshot | None:
    """What a DynamoComponentDeployment starts from, None where snapshots are off.

    Since 1.5, only graphs know what their components start from.
    Source: controller/dynamocomponentdeployment_renderer.go generatePodTemplateSpec.
    """
    checkpoint = enabled_checkpoint(component.spec, operator.release)
    if operator.release.has("snapshots/operator-of-their-own"):
        return None
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

    A reference that is not given is unknown offline: it is taken to exist without being ready.
    Source: resolve.go ResolveCheckpointForService.
    """
    snapshot = Snapshot.wanted(checkpoint)
    reference = checkpoint.get("checkpointRef")
    if reference:
        found = operator.cluster.get("DynamoCheckpoint", namespace, reference)
        if found is not None:
            snapshot.read(found, operator.release)
            require_gate_of_service(snapshot.service, operator, path)
            return snapshot
        operator.unknown(
            "DynamoCheckpoint",
            namespace,
            reference,
            "the pods are rendered as if it were not ready; the operator creates none until it exists",
            (*path, "checkpointRef"),
        )
        snapshot.name = reference
        return snapshot
    identity = checkpoint.get("identity")
    if identity is not None:
        snapshot.id = identity_hash(identity)
        known = operator.cluster.list("DynamoCheckpoint", namespace)
        same = [value for value in known if checkpoint_id(value, operator.release) == snapshot.id]
        if len(same) > 1:
            names = " and ".join(value["metadata"]["name"] for value in same)
            raise Refusal(
                "snapshot/ambiguous",
                f"{names} have the identity that this component sets; the operator cannot choose one.",
                (*path, "identity"),
                "Set checkpointRef to one of them.",
            )
        for value in same:
            snapshot.read(value, operator.release)
            require_gate_of_service(snapshot.service, operator, path)
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
            f"DynamoCheckpoint {snapshot.name} was taken without gpuMemoryService; a component with "
            "gpuMemoryService cannot be restored from it, and the operator fails.",
            path,
        )
    snapshot.service = alpha_service(service)


def require_gate_of_service(service: Tree | None, operator: Operator, path: Path) -> None:
    """Refuses snapshots with GPU memory service where a switch of the operator has to allow them.

    `service` is a v1alpha1 tree. Source: internal/checkpoint/gms_snapshot_gate.go ValidateGMSSnapshotGate.
    """
    if not (service or {}).get("enabled") or operator.config.checkpoint.gms_snapshot:
        return
    if operator.release.has("snapshots/memory-switch"):
        raise Refusal(
            "snapshot/gpu-memory-service-disabled",
            "This operator does not take snapshots with gpuMemoryService unless DYN_OPERATOR_ALLOW_GMS_SNAPSHOT "
            "is set.",
            path,
            "Set dynamo-operator.featureGates.gmsSnapshot in the chart's values.",
        )


def alpha_service(service: Tree) -> Tree:
    """A v1beta1 gpuMemoryService as DynamoCheckpoints, which are v1alpha1, say it."""
    mode = service.get("mode", "")
    return {**service, "enabled": True, **({"mode": mode[0].lower() + mode[1:]} if mode else {})}
