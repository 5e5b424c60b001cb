"""The pod that a snapshot is taken of, and the hash of what a process needs of a pod to be restored there.

Source: controller/dgd_checkpoints_reconciler.go, internal/checkpoint/compatibility.go of operators 1.5 and 1.6.
"""

from __future__ import annotations

from typing import Any

from dynamoc.admission.adapters import for_role
from dynamoc.admission.graph import Component, Graph, enabled_checkpoint, is_intra_pod_failover
from dynamoc.admission.operator import Operator
from dynamoc.documents.findings.finding import Path, Refusal
from dynamoc.kube.go_types import load, typed
from dynamoc.kube.merge import Tree, copy_tree, merge_container, merge_pod_spec
from dynamoc.kube.names import COMPONENT_LABEL
from dynamoc.kube.text import dumps, hex_digest
from dynamoc.kube.tracing import builder
from dynamoc.reference.releases import Release
from dynamoc.rendering.lower.hub_pods import apply_graph_defaults
from dynamoc.rendering.rules.container import discovery_account
from dynamoc.rendering.rules.draft import CHECKPOINT, LEADER
from dynamoc.rendering.rules.env import merge_env
from dynamoc.rendering.rules.failover import METRIC_PORT
from dynamoc.rendering.rules.order import build_graph_pod
from dynamoc.rendering.rules.snapshot import find_container

#: of what is hashed, and of how
CONTRACT = "v2"
#: whether memory that GPUs of several processes share is saved, too (ai-dynamo/snapshot, docs on cuinterpose)
SHARED_MEMORY = "nvidia.com/cuda-shared-memory-support"
#: health, ports and the end of a container say nothing about whether a saved process runs in it
_UNHASHED = frozenset((
    "lifecycle", "livenessProbe", "readinessProbe", "startupProbe", "ports", "terminationMessagePath",
    "terminationMessagePolicy", "resizePolicy", "stdin", "stdinOnce", "tty",
))  # fmt: skip
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
    "internal/checkpoint/compatibility.go ComputeSnapshotCompatibilityHash",
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


@builder(
    "lower/hub/snapshot_template/job-template", "controller/dgd_checkpoints_reconciler.go buildCheckpointJobPodTemplate"
)
def job_template(graph: Graph, component: Component, operator: Operator, backend: str) -> Tree:
    """The pod template of a Job that takes a snapshot, with the user's `checkpoint.job.podTemplate` over it.

    It has labels, possibly empty, and runs on one node, whatever `multinode` is. Roles with pod templates are taken
    snapshots of by that of the leader.
    """
    component = for_role(component, LEADER)
    checkpoint = enabled_checkpoint(component.spec, operator.release) or {}
    spec = _pod_spec(graph, component, operator, backend)
    target = checkpoint.get("targetContainerName") or "main"
    path = (*component.path, "experimental", "checkpoint")
    spec["containers"] = [find_container(spec, target, path)]
    spec["restartPolicy"] = "Never"
    # Snapshots that graphs share say nothing of the graph that had them taken.
    own = operator.release.has("snapshots/of-graphs")
    labels = {**(component.pod_labels if own else {}), COMPONENT_LABEL: component.name}
    annotations = dict(component.pod_annotations) if own else {}
    overrides = (checkpoint.get("job") or {}).get("podTemplate")
    if overrides is not None:
        override_metadata = overrides.get("metadata") or {}
        labels.update(override_metadata.get("labels") or {})
        annotations.update(override_metadata.get("annotations") or {})
        spec = _overridden(spec, overrides.get("spec") or {})
    if operator.kubernetes_discovery(graph.annotations) and not spec.get("serviceAccountName"):
        spec["serviceAccountName"] = discovery_account(graph.name)
    if operator.release.has("snapshots/shared-memory"):
        _share_memory(annotations, find_container(spec, target, path), path)
    if operator.release.has("failover/from-snapshot") and is_intra_pod_failover(component.spec):
        # Restored in two engines of one pod, it would be one port for both.
        engine = find_container(spec, target, path)
        engine["env"] = [item for item in engine.get("env") or () if item.get("name") != METRIC_PORT]
    metadata: Tree = {"labels": labels}
    if annotations:
        metadata["annotations"] = annotations
    return {"metadata": metadata, "spec": spec}


def _share_memory(annotations: dict[str, str], target: Tree, path: Path) -> None:
    """Has the snapshot include memory that GPUs of several processes share, by a program that starts the command."""
    enabled = annotations.setdefault(SHARED_MEMORY, "enabled").strip() == "enabled"
    if enabled and not target.get("command"):
        raise Refusal(
            "snapshot/no-command",
            f"The container {target['name']}, which a snapshot is to be taken of, has no `command`; the operator "
            "creates no SnapshotJob, because a program that saves shared GPU memory must start it.",
            (*path, "targetContainerName"),
            f'Write the command of the container, or annotate the pods with {SHARED_MEMORY}: "disabled".',
        )


def _pod_spec(graph: Graph, component: Component, operator: Operator, backend: str) -> Tree:
    """The pod as Grove would run it, without sidecars, GPU memory service and failover."""
    spec = copy_tree(component.spec)
    for field in ("experimental", "frontendSidecar"):
        spec.pop(field, None)
    apply_graph_defaults(spec, graph, component, operator.release, [])
    return build_graph_pod(graph, component.with_spec(spec), operator, CHECKPOINT, backend, nodes=1)


def _overridden(spec: Tree, overrides: Tree) -> Tree:
    """Volumes and init containers replace those of the same name, containers are merged, all else is merged too."""
    rest = {key: value for key, value in overrides.items() if key not in ("containers", "initContainers", "volumes")}
    spec = merge_pod_spec(spec, rest)
    for field in ("volumes", "initContainers"):
        if overrides.get(field):
            spec[field] = _replaced(spec.get(field) or [], copy_tree(overrides[field]))
    for override in copy_tree(overrides.get("containers") or []):
        names = [container.get("name", "") for container in spec["containers"]]
        name = override.get("name", "")
        if name and name in names:
            index = names.index(name)
            spec["containers"][index] = _merged(spec["containers"][index], override)
        else:
            spec["containers"].append(override)
    return spec


def _replaced(base: list[Tree], overrides: list[Tree]) -> list[Tree]:
    by_name = {entry.get("name", ""): entry for entry in base}
    by_name.update((entry.get("name", ""), entry) for entry in overrides)
    return list(by_name.values())


def _merged(container: Tree, override: Tree) -> Tree:
    merged = merge_container(container, override)
    merged["env"] = merge_env(container.get("env"), override.get("env"))
    for probe in ("livenessProbe", "readinessProbe", "startupProbe"):
        if probe in override:
            merged[probe] = override[probe]
    return merged
