"""Pods that a snapshot is taken of, and pods that start from one, the graph's own or, in 1.1 and 1.2, a shared one.

Until the snapshot is taken pods start as without it; then the container sleeps, and the node's agent puts the process
in its place. Source: internal/checkpoint/{podspec,podinfo,gms}.go; deploy/snapshot/protocol.
"""

from __future__ import annotations

from dynamoc.admission.cluster.config import Checkpoint as CheckpointConfig
from dynamoc.admission.graph import WAIT_FOR_CHECKPOINT
from dynamoc.documents.findings.finding import Path, Refusal
from dynamoc.kube.merge import Tree, copy_tree
from dynamoc.rendering.rules.draft import Pod, rule
from dynamoc.rendering.rules.memory import SERVER, SERVER_MODULE, attach, attach_directory, memory_container
from dynamoc.rendering.rules.snapshot_storage import (
    RESTORE_STATUS,
    Snapshot,
    add_mount,
    add_once,
    add_volume,
    agent_storage,
    mark_restored,
    mount_fields,
    pod_storage,
)

CONTROL_DIR = "/snapshot-control"


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
    targets = _restored(pod, snapshot)
    for target in targets:
        _stand_by(target)
    _attach_clients(pod, snapshot, targets)


def _restored(pod: Pod, snapshot: Snapshot) -> list[Tree]:
    """The containers that a snapshot restores, with storage and control volume."""
    path = (*pod.component.path, "experimental", "checkpoint")
    storage = pod_storage(pod.operator, path) or agent_storage(pod.operator, pod.namespace, path)
    restrict_syscalls(pod.spec, pod.operator.config.checkpoint)
    if storage is not None:
        add_volume(pod.spec, storage[0])
    targets = [find_container(pod.spec, name, path) for name in snapshot.targets]
    for target in targets:
        if storage is not None:
            add_mount(target, storage[1])
        add_control_volume(pod.spec, target)
    return targets


def _attach_clients(pod: Pod, snapshot: Snapshot, targets: list[Tree]) -> None:
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
        f"The pod has no container {name} to snapshot or restore; the operator fails to render it.",
        (*path, "targetContainerName"),
    )


def _stand_by(container: Tree) -> None:
    """The engine sleeps until the node's agent has put the snapshot in its place, for half an hour at most."""
    put_env(container, "DYN_SNAPSHOT_RESTORE_STANDBY", "1")
    _await_restore(container, 1800)


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


def add_control_volume(spec: Tree, container: Tree, *, own_part: bool = True) -> None:
    """Where the node's agent and the container exchange their progress.

    Each container sees its own part; in 1.1 there is only one.
    """
    name = container.get("name", "") if own_part else ""
    add_once(spec, "volumes", {"name": "snapshot-control", "emptyDir": {}})
    mount = {"name": "snapshot-control", "mountPath": CONTROL_DIR, **({"subPath": name} if name else {})}
    add_once(container, "volumeMounts", mount)
    add_once(container, "env", {"name": "DYN_SNAPSHOT_CONTROL_DIR", "value": CONTROL_DIR})


#: the startup probe of a restore never gives up
_NEVER = 2**31 - 1
_POD_FIELDS = (
    ("pod_name", "metadata.name"),
    ("pod_uid", "metadata.uid"),
    ("pod_namespace", "metadata.namespace"),
    ("dyn_namespace", "metadata.labels['nvidia.com/dynamo-namespace']"),
    ("dyn_namespace_worker_suffix", "metadata.labels['nvidia.com/dynamo-worker-hash']"),
    ("dyn_component", "metadata.labels['nvidia.com/dynamo-component-type']"),
    ("dyn_parent_dgd_k8s_name", "metadata.labels['nvidia.com/dynamo-graph-deployment-name']"),
    ("dyn_parent_dgd_k8s_namespace", "metadata.namespace"),
)


@rule(
    "shared_snapshot/restore-main", source="internal/checkpoint/podspec.go InjectCheckpointIntoPodSpec of release 1.1"
)
def restore_main(pod: Pod) -> None:
    """Prepares `main` for a restore once its snapshot is ready.

    That is a seccomp profile, the storage of the node's agent, the control volume, files that show the restored process
    who it is, and a command that sleeps. A separate sidecar restores GPU memory.
    """
    snapshot = _ready(pod)
    if snapshot is None:
        return
    path = (*pod.component.path, "checkpoint")
    main = find_container(pod.spec, pod.release["main-container"], path)
    restrict_syscalls(pod.spec, pod.operator.config.checkpoint)
    storage = agent_storage(pod.operator, pod.namespace, path)
    if storage is not None:
        add_volume(pod.spec, storage[0])
        add_mount(main, storage[1])
    add_control_volume(pod.spec, main, own_part=False)
    _sleep(main)
    probe = _first_probe(main)
    if probe is not None:
        main["startupProbe"] = {**probe, "failureThreshold": _NEVER, "successThreshold": 1}
    add_pod_info(pod.spec, main)
    if (snapshot.service or {}).get("enabled"):
        _load_memory(pod.spec, main, snapshot, storage[1] if storage is not None else "")


@rule("shared_snapshot/restore", source="internal/checkpoint/podspec.go injectCheckpointIntoPodSpec of release 1.2")
def restore_shared(pod: Pod) -> None:
    """The same for all containers that a snapshot restores; the operator's configuration may name the storage."""
    snapshot = _ready(pod)
    if snapshot is None:
        return
    targets = _restored(pod, snapshot)
    for target in targets:
        _sleep(target)
        _await_restore(target, _NEVER)
    for target in targets:
        add_pod_info(pod.spec, target)
    _attach_clients(pod, snapshot, targets)


def _ready(pod: Pod) -> Snapshot | None:
    snapshot = pod.snapshot
    is_ready = snapshot is not None and snapshot.ready and pod.operator.config.checkpoint.enabled
    return snapshot if is_ready else None


def _sleep(container: Tree) -> None:
    container["command"] = ["sleep", "infinity"]
    container.pop("args", None)


def _first_probe(container: Tree) -> Tree | None:
    for field in ("startupProbe", "livenessProbe", "readinessProbe"):
        if container.get(field) is not None:
            probe: Tree = copy_tree(container[field])
            return probe
    return None


def _await_restore(container: Tree, attempts: int) -> None:
    """Source: deploy/snapshot/protocol/restore.go ensureRestoreStartupProbe of release 1.2."""
    probe = _first_probe(container)
    if probe is None:
        probe = {"exec": {"command": ["cat", f"{CONTROL_DIR}/restore-complete"]}, "timeoutSeconds": 1}
    probe.pop("initialDelaySeconds", None)
    container["startupProbe"] = {**probe, "periodSeconds": 1, "failureThreshold": attempts, "successThreshold": 1}


def add_pod_info(spec: Tree, container: Tree) -> None:
    """Files by which a restored process learns its new identity (EnsurePodInfoVolume, EnsurePodInfoMount)."""
    mount_fields(spec, container, _POD_FIELDS)


def _load_memory(spec: Tree, main: Tree, snapshot: Snapshot, base_path: str) -> None:
    """A server without its probe, and a loader that fills it (EnsureGMSRestoreSidecars of release 1.1)."""
    initial: list[Tree] = spec.setdefault("initContainers", [])
    for index, container in enumerate(initial):
        if container.get("name") == SERVER:
            del initial[index]
            break
    attach_directory(spec, main)
    image = main.get("image", "")
    initial.append(memory_container(SERVER, SERVER_MODULE, image))
    initial.append(memory_sidecar("gms-loader", "loader", image, (snapshot.id, snapshot.version), base_path))


def memory_sidecar(name: str, module: str, image: str, artifact: tuple[str, str], base_path: str) -> Tree:
    """A sidecar that saves GPU memory to the storage of snapshots, or loads it from there.

    `artifact` is id and version; `base_path` is "" where the storage is unknown. Source: internal/checkpoint/gms.go.
    """
    sidecar = memory_container(name, f"gpu_memory_service.cli.snapshot.{module}", image)
    if base_path:
        sidecar["volumeMounts"].append({"name": "checkpoint-storage", "mountPath": base_path})
        directory = f"{base_path}/gms/{artifact[0]}/versions/{artifact[1]}"
        sidecar["env"].append({"name": "GMS_CHECKPOINT_DIR", "value": directory})
    return sidecar


def mark_main(labels: dict[str, str], annotations: dict[str, str], snapshot: Snapshot | None) -> None:
    """Marks of release 1.1, which restores the container `main` only."""
    for key in RESTORE_STATUS:
        annotations.pop(key, None)
    mark_restored(labels, annotations, snapshot)
