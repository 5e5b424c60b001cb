"""GPU memory service inside the pod: a sidecar holds the GPU memory, and engines attach to it.

Source: internal/gms/gms.go and internal/dynamo/graph.go GenerateBasePodSpec since 1.2.
"""

from __future__ import annotations

from dynamoc.diagnostics.finding import Refusal
from dynamoc.model.experimental import enabled_checkpoint, gpu_memory_service, is_intra_pod_gms
from dynamoc.rules.dra import (
    SHARED_CLAIM,
    claim_from_template,
    claim_template_name,
    tolerate_gpu_taint,
    use_shared_claim,
)
from dynamoc.rules.registry import rule
from dynamoc.rules.snapshot_storage import add_once

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Path
    from dynamoc.rules.draft import Pod

    Tree = dict[str, Any]

CONTROL_DIR = "/gms-intrapod-control"
SERVER = "gms-server"
SERVER_MODULE = "gpu_memory_service.cli.server"
SOCKET_DIR_ENV = "GMS_SOCKET_DIR"

_MOUNT = {"name": "gms-intrapod-control", "mountPath": CONTROL_DIR}
_ENV = {"name": SOCKET_DIR_ENV, "value": CONTROL_DIR}
_NEWER = {"name": "DYN_GMS_USE_V1", "value": "true"}


@rule("gms/intra-pod", source="internal/dynamo/graph.go GenerateBasePodSpec, internal/dra/dra.go ApplyClaim")
def intra_pod(pod: Pod) -> None:
    """Moves the GPUs of `main` into a claim that it shares with the sidecar `gms-server`.

    `extraClientContainers` are attached too. The user's environment, mount and volume with the same names give
    way. Since 1.5, server and clients speak the newer protocol where `checkpoint` is enabled.
    """
    service = gpu_memory_service(pod.component.spec)
    if service is None or not is_intra_pod_gms(pod.component.spec):
        return
    extra = service.get("extraClientContainers") or []
    if pod.release.has("gms/clients-must-exist"):
        check_clients(extra, pod.spec["containers"], (*pod.component.path, "experimental", "gpuMemoryService"))
    use_shared_claim(pod.spec["containers"][0])
    tolerate_gpu_taint(pod.spec)
    claim_from_template(pod.spec, claim_template_name(pod.owner, pod.service))
    newer = pod.release.has("gms/newer-with-snapshots")
    newer = newer and enabled_checkpoint(pod.component.spec, pod.release) is not None
    attach(pod.spec, pod.spec["containers"][0], extra, newer=newer)


def attach(spec: Tree, target: Tree, extra: list[str], *, newer: bool = False) -> None:
    """The sidecar with the target's image, and target and extra containers as its clients (EnsureServerSidecar)."""
    attach_client(spec, target, newer=newer)
    initial = spec.setdefault("initContainers", [])
    if all(container.get("name") != SERVER for container in initial):
        initial.append(memory_container(SERVER, SERVER_MODULE, target.get("image", "")))
        if newer:
            _put(initial[-1], "env", dict(_NEWER))
    for container in spec["containers"]:
        if container.get("name") in extra:
            attach_client(spec, container, newer=newer)


def attach_client(spec: Tree, container: Tree, *, newer: bool = False) -> None:
    """Socket directory as volume, mount and environment, and the shared claim (EnsureClient, EnableV1)."""
    _put(spec, "volumes", {"name": _MOUNT["name"], "emptyDir": {}})
    _put(container, "volumeMounts", dict(_MOUNT))
    _put(container, "env", dict(_ENV))
    if newer:
        _put(container, "env", dict(_NEWER))
    use_shared_claim(container)


def check_clients(extra: list[str], containers: list[Tree], path: Path) -> None:
    """Raises `Refusal` for names given twice or of no container (gmsExtraClientContainersError)."""
    known = {container.get("name") for container in containers}
    missing = [name for name in extra if name not in known]
    if missing or len(set(extra)) < len(extra):
        raise Refusal(
            "gms/extra-clients",
            "extraClientContainers must name containers of podTemplate, each once; the operator fails to render the "
            f"component{f', it has no {missing[0]}' if missing else ''}.",
            (*path, "extraClientContainers"),
        )


def attach_directory(spec: Tree, container: Tree) -> None:
    """The socket directory, where the user has nothing of its name (EnsureSharedVolume of release 1.1)."""
    add_once(spec, "volumes", {"name": _MOUNT["name"], "emptyDir": {}})
    add_once(container, "volumeMounts", dict(_MOUNT))
    add_once(container, "env", dict(_ENV))


def memory_container(name: str, module: str, image: str) -> Tree:
    """An init container that keeps running, so that it starts before the engines and stops after them."""
    return {
        "name": name,
        **({"image": image} if image else {}),
        "command": ["python3", "-m", module],
        "env": [dict(_ENV)],
        "volumeMounts": [dict(_MOUNT)],
        "resources": {"claims": [{"name": SHARED_CLAIM}]},
        "restartPolicy": "Always",
    }


def _put(owner: Tree, field: str, entry: Tree) -> None:
    """In the place of the first entry of that name, else at the end."""
    entries = owner.setdefault(field, [])
    for index, existing in enumerate(entries):
        if existing.get("name") == entry["name"]:
            entries[index] = entry
            return
    entries.append(entry)
