"""Where snapshots are stored, and how pods get there, since release 1.1.

Source: internal/checkpoint/storage.go; deploy/snapshot/protocol/restore.go.
"""

from __future__ import annotations

from dynamoc.diagnostics.finding import Refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Path
    from dynamoc.model.operator import Operator

    Tree = dict[str, Any]

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
    from posixpath import normpath

    return name, "/" + normpath(base_path).lstrip("/")


def _storage_refusal(what: str, path: Path) -> Refusal:
    return Refusal("snapshot/storage", f"The operator cannot store snapshots: {what}.", path)


def agent_storage(operator: Operator, namespace: str, path: Path) -> tuple[str, str] | None:
    """Claim and directory of the snapshot agent in the namespace; None, and told, where nobody gave its DaemonSet.

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


def add_once(owner: Tree, field: str, entry: Tree) -> None:
    entries = owner.setdefault(field, [])
    if all(existing.get("name") != entry["name"] for existing in entries):
        entries.append(entry)
