"""The pod that a snapshot is taken of: one engine of the component, without its neighbours.

Source: controller/dgd_checkpoints_reconciler.go buildCheckpointJobPodTemplate of release 1.4; since 1.2.
"""

from __future__ import annotations

from dynamoc.diagnostics.finding import Refusal
from dynamoc.golang.mergo import merge_container, merge_pod_spec
from dynamoc.kube.labels import COMPONENT_LABEL
from dynamoc.lower.hub.snapshot_contract import SHARED_MEMORY
from dynamoc.lower.hub.template import apply_graph_defaults
from dynamoc.model.experimental import enabled_checkpoint, is_intra_pod_failover
from dynamoc.model.v1beta1 import for_role, with_spec
from dynamoc.rules.discovery import discovery_account
from dynamoc.rules.draft import CHECKPOINT, LEADER, Pod
from dynamoc.rules.env import merge_env
from dynamoc.rules.failover import METRIC_PORT
from dynamoc.rules.multinode import GroveHosts
from dynamoc.rules.order import build_pod
from dynamoc.rules.snapshot import find_container
from dynamoc.tracing import builder
from dynamoc.tree import copy_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Path
    from dynamoc.model.graph import Component, Graph
    from dynamoc.model.operator import Operator

    Tree = dict[str, Any]


@builder(
    "lower/hub/snapshot_template/job-template",
    source="controller/dgd_checkpoints_reconciler.go buildCheckpointJobPodTemplate",
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
    return build_pod(
        Pod(
            operator,
            with_spec(component, spec),
            owner=graph.name,
            namespace=graph.namespace,
            service=component.name,
            role=CHECKPOINT,
            nodes=1,
            backend=backend,
            hosts=GroveHosts(operator.release),
        )
    )


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
