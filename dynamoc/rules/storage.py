"""Volumes of the pod and their mounts."""

from __future__ import annotations

from dynamoc.diagnostics.finding import Refusal
from dynamoc.rules.registry import rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.diagnostics.finding import Path
    from dynamoc.rules.draft import Pod


#: backends that do not read the cache that the operator mounts
_PARTLY = {"sglang": "SGLang", "trtllm": "TensorRT-LLM"}


@rule("storage/volume-mounts", source="internal/dynamo/graph.go GenerateBasePodSpec")
def volume_mounts(pod: Pod) -> None:
    """Mounts each claim of the component's `volumeMounts`; the volume has the claim's name.

    A compilation cache without a mount point goes to the backend's own directory; only vLLM has one.
    """
    for index, mount in enumerate(pod.component.volume_mounts):
        name, mount_point = mount.get("name", ""), mount.get("mountPoint", "")
        path = (*pod.component.path, "volumeMounts", index)
        if mount.get("useAsCompilationCache"):
            tell_partial_cache(pod, path)
        if not name:
            raise Refusal("storage/mount-without-name", "A volumeMount needs the name of a claim.", path)
        if not mount_point:
            mount_point = _cache_mount_point(pod, mount.get("useAsCompilationCache", False), path)
        pod.volumes.append({"name": name, "persistentVolumeClaim": {"claimName": name}})
        pod.main.setdefault("volumeMounts", []).append({"name": name, "mountPath": mount_point})


def _cache_mount_point(pod: Pod, is_cache: bool, path: Path) -> str:
    if not is_cache:
        raise Refusal("storage/mount-without-mount-point", "A volumeMount needs a mountPoint.", path)
    return default_cache_mount_point(pod, "mountPoint", path)


def default_cache_mount_point(pod: Pod, field: str, path: Path) -> str:
    """Where the backend keeps its compilation cache (graph.go getDefaultCompilationCacheMountPoint)."""
    if pod.backend != "vllm":
        raise Refusal(
            "storage/cache-without-mount-point",
            f"The backend {pod.backend} has no default directory for a compilation cache; the operator fails to "
            "render the pod.",
            path,
            f"Set {field} to the directory where the backend keeps its compilation cache.",
        )
    return str(pod.release["compilation-cache/vllm"])


def tell_partial_cache(pod: Pod, path: Path) -> None:
    """Says what the operator logs: it mounts the cache, and nothing makes the backend use it.

    Source: internal/dynamo/backend_sglang.go, backend_trtllm.go UpdateContainer.
    """
    backend = _PARTLY.get(pod.backend)
    if backend is not None:
        message = f"The operator supports a compilation cache of {backend} only in part: it mounts the claim, and sets "
        message += f"no variable that makes {backend} use it."
        hint = f"set the variables of {backend} that name its cache directory yourself"
        pod.operator.warn("storage/partial-cache", message, path, hint)


@rule("storage/claim", source="internal/dynamo/graph.go GenerateBasePodSpec")
def claim(pod: Pod) -> None:
    """Mounts the claim of the component's `pvc` at its `mountPoint`; the volume has the claim's name."""
    pvc = pod.component.spec.get("pvc")
    if pvc is None:
        return
    for field in ("name", "mountPoint"):
        if pvc.get(field) is None:
            raise Refusal(
                "storage/incomplete-claim",
                f"The claim of {pod.component.name} has no {field}; the operator crashes.",
                (*pod.component.path, "pvc"),
                f"Set pvc.{field}.",
            )
    name = pvc["name"]
    pod.volumes.append({"name": name, "persistentVolumeClaim": {"claimName": name}})
    pod.main.setdefault("volumeMounts", []).append({"name": name, "mountPath": pvc["mountPoint"]})


@rule("storage/shared-memory", source="internal/dynamo/graph.go generateSharedMemoryVolumeAndMount")
def shared_memory(pod: Pod) -> None:
    """Mounts 8Gi of memory at /dev/shm. `sharedMemory.size` resizes it, `sharedMemory.disabled` removes it."""
    size = shared_memory_size(pod)
    if size is None:
        return
    _mount_memory(pod, size)


@rule("storage/shared-memory-of-limit", source="internal/dynamo/graph.go generateSharedMemoryVolumeAndMount")
def shared_memory_of_limit(pod: Pod) -> None:
    """Mounts a quarter of the container's memory limit at /dev/shm, at least 512Mi, at most 8Gi.

    512Mi without a limit; no field of the component changes it.
    """
    from dynamoc.golang.quantity import binary, value

    limit = ((pod.main.get("resources") or {}).get("limits") or {}).get("memory", "0")
    least, most = pod.release["shared-memory/least"], pod.release["shared-memory/size"]
    quarter = value(limit) // 4
    size = least
    if quarter >= value(most):
        size = most
    elif quarter > value(least):
        size = binary(quarter)
    _mount_memory(pod, size)


def _mount_memory(pod: Pod, size: str) -> None:
    pod.volumes.append({"name": "shared-memory", "emptyDir": {"medium": "Memory", "sizeLimit": size}})
    pod.main.setdefault("volumeMounts", []).append({"name": "shared-memory", "mountPath": "/dev/shm"})


def shared_memory_size(pod: Pod) -> str | None:
    """The size that the component asks for, the default one, or None where it turns shared memory off."""
    wanted = pod.component.shared_memory or {}
    if wanted.get("disabled"):
        return None
    size = wanted.get("size", "0")
    return str(pod.release["shared-memory/size"] if size == "0" else size)
