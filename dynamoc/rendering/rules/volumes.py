"""Volumes and mounts of a pod that is described by a pod template."""

from __future__ import annotations

from dynamoc.documents.findings.finding import Path, Refusal
from dynamoc.kube.merge import Tree
from dynamoc.kube.quantity import binary, value
from dynamoc.rendering.rules.draft import Pod, pod_path, rule
from dynamoc.rendering.rules.snapshot_storage import add_once

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
def service_shared_memory(pod: Pod) -> None:
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


@rule("volumes/compilation-cache-mount", source="internal/dynamo/graph.go applyCompilationCache")
def compilation_cache_mount(pod: Pod) -> None:
    """Mounts the claim of `compilationCache` at its path, or where the backend keeps its cache; once, and writable."""
    cache = pod.component.compilation_cache
    if cache is None:
        return
    path: Path = (*pod.component.path, "compilationCache")
    claim, mount_path = _cache_place(pod, cache)
    mounts: list[Tree] = []
    mounted = False
    for user in pod.main.get("volumeMounts") or ():
        # Conversions of older operators left cache mounts without a path.
        pathless = user.get("name") == claim and not user.get("mountPath")
        mount = {**user, "mountPath": mount_path} if pathless else user
        if mount.get("mountPath") == mount_path:
            _check_cache_mount(mount, claim, path)
            if mounted:
                continue
            mounted = True
        mounts.append(mount)
    if not mounted:
        mounts.append({"name": claim, "mountPath": mount_path})
    pod.main["volumeMounts"] = mounts


@rule(
    "volumes/compilation-cache-mount-appended", source="internal/dynamo/graph.go applyCompilationCache of release 1.2"
)
def compilation_cache_mount_appended(pod: Pod) -> None:
    """Mounts the claim of `compilationCache`, even if it is mounted already.

    Conversion of a v1alpha1 mount without a path leaves one that the check before this refuses.
    """
    cache = pod.component.compilation_cache
    if cache is None:
        return
    claim, mount_path = _cache_place(pod, cache)
    pod.main.setdefault("volumeMounts", []).append({"name": claim, "mountPath": mount_path})


def _cache_place(pod: Pod, cache: Tree) -> tuple[str, str]:
    """Claim and directory of the cache; a default directory is noted in the component, for the backend to see."""
    path: Path = (*pod.component.path, "compilationCache")
    claim, mount_path = cache.get("pvcName", ""), cache.get("mountPath", "")
    tell_partial_cache(pod, path)
    if not claim:
        raise Refusal("storage/cache-without-claim", "compilationCache needs pvcName.", path)
    if not mount_path:
        mount_path = default_cache_mount_point(pod, "mountPath", path)
        pod.component.compilation_cache = {**cache, "mountPath": mount_path}
    return claim, mount_path


def _check_cache_mount(mount: Tree, claim: str, path: Path) -> None:
    if mount.get("name", "") != claim:
        raise Refusal(
            "storage/cache-path-taken",
            f'{mount["mountPath"]} is mounted from volume "{mount.get("name", "")}" already; '
            "the operator fails to render the pod.",
            path,
            "Move one of the two mounts.",
        )
    if mount.get("readOnly"):
        raise Refusal(
            "storage/cache-read-only",
            f"The compilation cache at {mount['mountPath']} is mounted read-only; the operator fails to render it.",
            path,
            "Remove readOnly from that mount.",
        )


@rule("volumes/complete-mounts", source="internal/dynamo/graph.go validateContainerVolumeMounts")
def complete_mounts(pod: Pod) -> None:
    """Refuses mounts of `main` without a volume or a path."""
    for index, mount in enumerate(pod.main.get("volumeMounts") or ()):
        path = (*pod.component.main_path, "volumeMounts", index)
        if not mount.get("name"):
            raise Refusal("storage/mount-without-name", "A volume mount needs the name of a volume.", path)
        if not mount.get("mountPath"):
            raise Refusal(
                "storage/mount-without-mount-point", "A volume mount needs a mountPath.", path, "add `mountPath`"
            )


@rule("volumes/compilation-cache-volume", source="internal/dynamo/graph.go applyCompilationCacheVolume")
def compilation_cache_volume(pod: Pod) -> None:
    """Adds the claim of `compilationCache` as a volume of its name, unless the pod has it."""
    cache = pod.component.compilation_cache
    if cache is None:
        return
    claim = cache["pvcName"]
    found = [volume for volume in pod.spec.get("volumes") or () if volume.get("name") == claim]
    path = (*pod.component.path, "compilationCache")
    for volume in found:
        source = volume.get("persistentVolumeClaim") or {}
        if source.get("claimName", "") != claim or source.get("readOnly"):
            raise Refusal(
                "storage/cache-volume",
                f'The volume "{claim}" is not the writable claim "{claim}"; the operator fails to render the pod.',
                path,
                "Rename the volume, or change it to that claim.",
            )
    if len(found) > 1:
        raise Refusal("storage/cache-volume", f'The volume "{claim}" is defined more than once.', path)
    if not found:
        volume = {"name": claim, "persistentVolumeClaim": {"claimName": claim}}
        pod.spec.setdefault("volumes", []).append(volume)


@rule("volumes/compilation-cache-volume-by-name", source="internal/dynamo/graph.go GenerateBasePodSpec of release 1.2")
def compilation_cache_volume_by_name(pod: Pod) -> None:
    """Adds the claim of `compilationCache` as a volume, unless the pod has one with its name, of any kind."""
    cache = pod.component.compilation_cache
    if cache is not None:
        claim = cache["pvcName"]
        add_once(pod.spec, "volumes", {"name": claim, "persistentVolumeClaim": {"claimName": claim}})


@rule("volumes/shared-memory", source="internal/dynamo/shared_memory.go ApplySharedMemoryVolumeAndMount")
def shared_memory(pod: Pod) -> None:
    """Mounts 8Gi of memory at /dev/shm, in place of a volume of that name and of mounts of that name or path.

    `sharedMemorySize` resizes it; a size of zero leaves everything as the user wrote it.
    """
    size = shared_memory_size(pod)
    if size is None:
        return
    name, path = "shared-memory", "/dev/shm"
    own = pod.spec.get("volumes") or ()
    volumes = [volume for volume in own if volume.get("name") != name]
    pod.spec["volumes"] = [*volumes, {"name": name, "emptyDir": {"medium": "Memory", "sizeLimit": size}}]
    mounts, replaced = [], [name] * (len(own) > len(volumes))
    for mount in pod.main.get("volumeMounts") or ():
        if mount.get("name") != name and mount.get("mountPath") != path:
            mounts.append(mount)
        else:
            replaced.append(mount.get("name", ""))
    for volume in dict.fromkeys(replaced):
        _tell_replaced(pod, volume, size)
    pod.main["volumeMounts"] = [*mounts, {"name": name, "mountPath": path}]


def _tell_replaced(pod: Pod, volume: str, size: str) -> None:
    written = (pod.component.pod_spec or {}).get("volumes") or ()
    mounts = (pod.component.main or {}).get("volumeMounts") or ()
    paths = [(*pod.component.main_path, "volumeMounts")] if mounts else []
    paths += [(*pod_path(pod), "volumes", index) for index, item in enumerate(written) if item.get("name") == volume]
    pod.operator.warn(
        "storage/shared-memory-replaced",
        f"The operator mounts its own {size} of memory at /dev/shm, and drops the mount of the volume {volume}.",
        paths[0] if paths else pod.component.main_path,
        "Set the size of the component's shared memory instead, or disable it to keep your own.",
        others=tuple(paths[1:]),
    )


@rule("volumes/claims-of-mounts", source="internal/dynamo/graph.go appendMissingPVCVolumesForMounts")
def claims_of_mounts(pod: Pod) -> None:
    """Sorts volumes as the first container mounts them; a mount without a volume gets the claim of its name.

    Mounts of other containers create no volumes. Other volumes come after them. In 1.2, a volume is there once for each
    of its mounts.
    """
    once = pod.release.has("volumes/once-for-all-mounts")
    volumes = pod.spec.get("volumes") or []
    by_name = {volume.get("name", ""): volume for volume in volumes}
    mounted = [mount["name"] for mount in pod.spec["containers"][0].get("volumeMounts") or () if mount.get("name")]
    if once:
        mounted = list(dict.fromkeys(mounted))
    ordered = [by_name.get(name) or {"name": name, "persistentVolumeClaim": {"claimName": name}} for name in mounted]
    rest = [volume for volume in volumes if volume.get("name", "") not in mounted]
    if ordered or rest:
        pod.spec["volumes"] = [*ordered, *rest]
