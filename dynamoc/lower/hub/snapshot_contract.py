"""What a process needs of its pod to be restored there, as one hash: pods with the same hash share snapshots.

Source: internal/checkpoint/compatibility.go ComputeSnapshotCompatibilityHash of operators 1.5 and 1.6.
"""

from __future__ import annotations

from dynamoc.golang.json_text import dumps
from dynamoc.golang.types import load, typed
from dynamoc.kube.sha256 import hex_digest
from dynamoc.tracing import builder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.release.registry import Release

    Tree = dict[str, Any]

#: of what is hashed, and of how
CONTRACT = "v2"
#: whether memory that GPUs of several processes share is saved, too (ai-dynamo/snapshot, docs on cuinterpose)
SHARED_MEMORY = "nvidia.com/cuda-shared-memory-support"
#: health, ports and the end of a container say nothing about whether a saved process runs in it
_UNHASHED = frozenset(
    (
        "lifecycle",
        "livenessProbe",
        "readinessProbe",
        "startupProbe",
        "ports",
        "terminationMessagePath",
        "terminationMessagePolicy",
        "resizePolicy",
        "stdin",
        "stdinOnce",
        "tty",
    )
)
#: fields of a pod that are hashed as they are, in the order of the operator's struct; then their Go types
_OF_POD = (
    ("hostNetwork", "bool"),
    ("hostPID", "bool"),
    ("hostIPC", "bool"),
    ("shareProcessNamespace", "*bool"),
    ("securityContext", "*core/v1.PodSecurityContext"),
    ("runtimeClassName", "*string"),
    ("nodeName", "string"),
    ("nodeSelector", "map[string]string"),
    ("nodeAffinity", "*core/v1.NodeAffinity"),
    ("schedulerName", "string"),
    ("resourceClaims", "[]core/v1.PodResourceClaim"),
)


@builder(
    "lower/hub/snapshot_contract/contract-hash",
    source="internal/checkpoint/compatibility.go ComputeSnapshotCompatibilityHash",
    when="snapshots/operator-of-their-own",
)
def contract_hash(template: Tree, target: Tree, release: Release, *, backend: str, memory: tuple[str, str]) -> str:
    """64 hex digits over the container that is saved, and what it shares with its pod.

    `template` is a pod template with the container `target`; `memory` are the mode of the GPU memory service,
    `disabled` without one, and its device class. The graph, other containers, and what Dynamo tells a restored process
    anew make no difference.
    """
    spec = template["spec"]
    initial = spec.get("initContainers") or []
    annotations = (template.get("metadata") or {}).get("annotations") or {}
    claims = sorted(spec.get("resourceClaims") or [], key=_name)
    pod = {**spec, "resourceClaims": claims, "nodeAffinity": (spec.get("affinity") or {}).get("nodeAffinity")}
    contract: Tree = {
        "version": CONTRACT,
        "backendFramework": backend,
        "gmsMode": memory[0],
        "gmsDeviceClassName": memory[1],
        "cudaSharedMemorySupport": annotations.get(SHARED_MEMORY) if release.has("snapshots/shared-memory") else "",
        "targetContainer": _container({**target, "name": ""}, release),
        "initContainers": [_container(item, release) for item in initial],
        "volumes": _typed(_volumes(spec, [target, *initial]), "[]core/v1.Volume", release),
        **{field: _typed(pod.get(field), type_name, release) for field, type_name in _OF_POD},
    }
    # Go leaves out what is empty, but for what is behind a pointer.
    pointers = {field for field, type_name in _OF_POD if type_name[0] == "*"}
    kept = {key: value for key, value in contract.items() if value or (key in pointers and value is not None)}
    return hex_digest(dumps(kept))


def _container(container: Tree, release: Release) -> Tree:
    kept = {key: value for key, value in container.items() if key not in _UNHASHED}
    refreshed = release["snapshot/refreshed-env"]
    kept["env"] = [item for item in container.get("env") or () if item.get("name") not in refreshed]
    for field, path in (("volumeMounts", "mountPath"), ("volumeDevices", "devicePath")):
        kept[field] = sorted(container.get(field) or (), key=lambda item, path=path: (_text(item, path), _name(item)))
    resources = container.get("resources") or {}
    if resources.get("claims"):
        claims = sorted(resources["claims"], key=lambda item: (_name(item), _text(item, "request")))
        kept["resources"] = {**resources, "claims": claims}
    found: Tree = _typed(kept, "core/v1.Container", release)
    return found


def _volumes(spec: Tree, containers: list[Tree]) -> list[Tree]:
    """Volumes that the containers mount, by name."""
    used = {
        item.get("name")
        for container in containers
        for field in ("volumeMounts", "volumeDevices")
        for item in container.get(field) or ()
    }
    return sorted((volume for volume in spec.get("volumes") or () if volume.get("name") in used), key=_name)


def _name(item: Tree) -> bytes:
    return _text(item, "name")


def _text(item: Tree, field: str) -> bytes:
    # Go compares bytes.
    return str(item.get(field) or "").encode()


def _typed(value: Any, type_name: str, release: Release) -> Any:
    return typed(value, type_name, load(release.name))
