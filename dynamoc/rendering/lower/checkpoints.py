"""Checkpoints that a graph asks for: the DynamoCheckpoint and the Job that takes it."""

from __future__ import annotations

from dynamoc.admission.graph import Component, Graph
from dynamoc.admission.operator import Operator
from dynamoc.documents.schema.check import check
from dynamoc.kube.merge import Tree, copy_tree
from dynamoc.kube.names import COMPONENT_LABEL, GRAPH_LABEL
from dynamoc.kube.tracing import ALPHA, builder
from dynamoc.rendering.lower.common import metadata
from dynamoc.rendering.rules.checkpoint import HASH_LABEL, add_pod_info, add_storage, resolve_checkpoint
from dynamoc.rendering.rules.draft import CHECKPOINT
from dynamoc.rendering.rules.order import build_graph_pod
from dynamoc.rendering.rules.snapshot_storage import CheckpointInfo, identity_hash

_IDENTITY_FIELDS = (
    "model", "backendFramework", "dynamoVersion", "tensorParallelSize", "pipelineParallelSize", "dtype",
    "maxModelLen", "extraParameters",
)  # fmt: skip


def graph_checkpoints(graph: Graph, operator: Operator) -> tuple[list[Tree], dict[str, CheckpointInfo]]:
    """New DynamoCheckpoints with their Jobs, and what each component knows about its checkpoint.

    In mode Auto, a checkpoint that does not exist is created; it is not ready on the first reconciliation.
    Source: controller/dynamographdeployment_controller.go reconcileCheckpoints.
    """
    objects: list[Tree] = []
    infos: dict[str, CheckpointInfo] = {}
    for component in graph.components:
        info = resolve_checkpoint(operator, graph.namespace, component.checkpoint)
        if info is None:
            continue
        infos[component.name] = info
        if not info.name and info.identity is not None and (component.checkpoint or {}).get("mode") == "Auto":
            checkpoint = _checkpoint(graph, component, operator, info.identity)
            info.name = info.hash = checkpoint["metadata"]["name"]
            objects += [checkpoint, checkpoint_job(checkpoint, operator)]
    return objects, infos


def _checkpoint(graph: Graph, component: Component, operator: Operator, identity: Tree) -> Tree:
    """Named by the hash of its identity, so that the same identity is the same checkpoint (createCheckpointCR).

    The Job is created from what the API server stores: with defaults, and without the labels that the operator gives
    the pod, as the CRD (config/crd/bases/nvidia.com_dynamocheckpoints.yaml) has no field of a pod template's metadata.
    """
    digest = identity_hash(identity)
    labels = {GRAPH_LABEL: graph.name, COMPONENT_LABEL: component.name, HASH_LABEL: digest}
    pod = build_graph_pod(graph, component, operator, CHECKPOINT, identity["backendFramework"], nodes=1)
    template = {
        "metadata": {"labels": {COMPONENT_LABEL: component.name}},
        "spec": {**pod, "restartPolicy": "Never"},
    }
    version = "nvidia.com/v1alpha1"
    value = {
        "apiVersion": version,
        "kind": "DynamoCheckpoint",
        "metadata": metadata(digest, graph.namespace, labels),
        "spec": {
            "identity": {field: identity[field] for field in _IDENTITY_FIELDS if field in identity},
            "job": {"podTemplateSpec": template},
        },
    }
    return check(operator.release.name, "DynamoCheckpoint", version, value)[0]


@builder(
    "lower/snapshots/first/checkpoint-job",
    "controller/dynamocheckpoint_controller.go buildCheckpointJob",
    (ALPHA,),
    unless="snapshots/by-agent",
)
def checkpoint_job(checkpoint: Tree, operator: Operator) -> Tree:
    """The Job that takes a checkpoint."""
    spec = checkpoint["spec"]
    digest = (checkpoint.get("status") or {}).get("identityHash") or identity_hash(spec["identity"])
    job = spec["job"]
    template = copy_tree(job["podTemplateSpec"])
    template.setdefault("metadata", {}).setdefault("labels", {}).update(
        {HASH_LABEL: digest, "nvidia.com/snapshot-is-checkpoint-source": "true"}
    )
    pod = template.setdefault("spec", {})
    if pod.get("containers"):
        _prepare_main(pod, digest, operator)
    pod["restartPolicy"] = "Never"
    profile = {"type": "Localhost", "localhostProfile": operator.release["checkpoint/seccomp-profile"]}
    pod["securityContext"] = {"seccompProfile": profile}
    name = checkpoint["metadata"]["name"]
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": metadata(f"checkpoint-{name}", checkpoint["metadata"]["namespace"], {HASH_LABEL: digest}),
        "spec": {
            "activeDeadlineSeconds": job.get("activeDeadlineSeconds", 3600),
            "backoffLimit": job.get("backoffLimit", 3),
            "ttlSecondsAfterFinished": job.get("ttlSecondsAfterFinished", 300),
            "template": template,
        },
    }


@builder(
    "lower/snapshots/first/prepare-main",
    "controller/dynamocheckpoint_controller.go buildCheckpointJob",
    (ALPHA,),
    unless="snapshots/by-agent",
)
def _prepare_main(pod: Tree, digest: str, operator: Operator) -> None:
    """Storage, identity and a readiness probe that waits for the loaded model; no restarts while it loads."""
    config, main = operator.config.checkpoint, pod["containers"][0]
    base_path = config.storage.pvc.base_path
    main.setdefault("env", []).extend(
        {"name": name, **({"value": value} if value else {})}
        for name, value in (
            ("DYN_READY_FOR_CHECKPOINT_FILE", config.ready_for_checkpoint_file_path),
            ("DYN_CHECKPOINT_HASH", digest),
            ("DYN_CHECKPOINT_LOCATION", f"{base_path}/{digest}"),
            ("DYN_CHECKPOINT_STORAGE_TYPE", config.storage.type),
        )
    )
    if config.storage.pvc.pvc_name:
        add_storage(pod, main, config.storage.pvc.pvc_name, base_path)
    add_pod_info(pod, main)
    main["readinessProbe"] = {
        "exec": {"command": ["cat", config.ready_for_checkpoint_file_path]},
        "initialDelaySeconds": 15,
        "periodSeconds": 2,
    }
    main.pop("livenessProbe", None)
    main.pop("startupProbe", None)
