"""Pods that a snapshot is taken of, and pods that start from one, as of release 1.4.

Source: internal/checkpoint/podspec.go; deploy/snapshot/protocol.
"""

from __future__ import annotations

from dynamoc.diagnostics.finding import Refusal
from dynamoc.model.experimental import WAIT_FOR_CHECKPOINT
from dynamoc.rules.gms import attach
from dynamoc.rules.registry import rule
from dynamoc.rules.snapshot_storage import add_mount, add_once, add_volume, agent_storage, pod_storage
from dynamoc.tree import copy_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.cluster.config import Checkpoint as CheckpointConfig
    from dynamoc.diagnostics.finding import Path
    from dynamoc.rules.draft import Pod

    Tree = dict[str, Any]

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
    path = (*pod.component.path, "experimental", "checkpoint")
    restrict_syscalls(pod.spec, pod.operator.config.checkpoint)
    storage = pod_storage(pod.operator, path) or agent_storage(pod.operator, pod.namespace, path)
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
        f"The pod has no container {name} to snapshot or restore; the operator fails to render it.",
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


def add_control_volume(spec: Tree, container: Tree, *, own_part: bool = True) -> None:
    """Where the node's agent and the container tell each other how far they are.

    Each container sees its own part; in 1.1 there is only one.
    """
    name = container.get("name", "") if own_part else ""
    add_once(spec, "volumes", {"name": "snapshot-control", "emptyDir": {}})
    mount = {"name": "snapshot-control", "mountPath": CONTROL_DIR, **({"subPath": name} if name else {})}
    add_once(container, "volumeMounts", mount)
    add_once(container, "env", {"name": "DYN_SNAPSHOT_CONTROL_DIR", "value": CONTROL_DIR})
