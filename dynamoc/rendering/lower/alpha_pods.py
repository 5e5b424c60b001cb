"""The pods of a v1alpha1 component: PodClique or pod template, with labels, and the claim by which they share GPUs.

Source: internal/dra/dra.go ExtractGPUParams, GenerateResourceClaimTemplate.
"""

from __future__ import annotations

from typing import Any

from dynamoc.admission.graph import Component, Graph
from dynamoc.admission.operator import Operator
from dynamoc.documents.findings.finding import Refusal
from dynamoc.kube.merge import merge_maps
from dynamoc.kube.names import (
    COMPONENT_LABEL,
    DISCOVERY_LABELS,
    GRAPH_LABEL,
    NAMESPACE_LABEL,
    SELECTOR_LABEL,
    TYPE_LABEL,
    WORKER_HASH_LABEL,
    dynamo_namespace,
)
from dynamoc.kube.tracing import builder
from dynamoc.rendering.lower.graph_objects import RESTART
from dynamoc.rendering.lower.parts import metrics_label, model_label, type_labels
from dynamoc.rendering.lower.scheduling import claim_template, component_constraint, pack
from dynamoc.rendering.rules.backend import determine_backend
from dynamoc.rendering.rules.checkpoint import (
    HASH_LABEL,
    RESTORE_LABEL,
    CheckpointInfo,
    Snapshot,
    identity_hash,
    resolve_checkpoint,
    resolve_snapshot,
)
from dynamoc.rendering.rules.command import parse_int64
from dynamoc.rendering.rules.draft import Pod
from dynamoc.rendering.rules.memory import claim_template_name
from dynamoc.rendering.rules.multinode import lws_hosts
from dynamoc.rendering.rules.order import build_graph_pod, build_pod
from dynamoc.rendering.rules.snapshot import mark_main

Tree = dict[str, Any]


@builder("lower/alpha/clique/component-clique", source="internal/dynamo/graph.go GenerateGrovePodCliqueSet")
def component_clique(
    graph: Graph,
    component: Component,
    operator: Operator,
    role: tuple[str, str, int],
    backend: str,
    checkpoint: CheckpointInfo | None,
    snapshot: Snapshot | None,
) -> Tree:
    """The PodClique of one role: its name, its pods, and when they start."""
    name, part, pods = role
    release = operator.release
    pod = build_graph_pod(graph, component, operator, part, backend, checkpoint=checkpoint, snapshot=snapshot)
    needed = pods if component.is_multinode and release.has("grove/all-nodes-needed") else 1
    clique: Tree = {
        "name": name,
        "labels": _labels(graph, component),
        "spec": {"roleName": name, "replicas": pods, "minAvailable": needed, "podSpec": pod},
    }
    annotations = merge_maps(component.annotations, component.pod_annotations)
    if release.has("labels/system-last"):
        clique["labels"].update(_system_labels(graph, component, operator))
        mark_main(clique["labels"], annotations, snapshot)
    else:
        clique["labels"].update(_checkpoint_labels(component, checkpoint))
    if annotations:
        clique["annotations"] = annotations
    if component.topology_constraint is not None and not component.is_multinode:
        pack(clique, component_constraint(component.topology_constraint, None, release))
    return clique


@builder("lower/alpha/clique/labels", source="internal/dynamo/graph.go generateLabels")
def _labels(graph: Graph, component: Component) -> dict[str, str]:
    """Labels of a clique: the operator's, under the component's, under its pods'."""
    labels = {
        SELECTOR_LABEL: f"{graph.name}-{component.name.lower()}",
        GRAPH_LABEL: graph.name,
        COMPONENT_LABEL: component.name,
        NAMESPACE_LABEL: dynamo_namespace(component.global_dynamo_namespace, graph.namespace, graph.name),
    }
    labels.update(type_labels(component))
    labels.update(model_label(component))
    labels.update(metrics_label(graph.annotations))
    return merge_maps(merge_maps(labels, component.labels), component.pod_labels)


@builder(
    "lower/alpha/clique/system-labels", source="internal/dynamo/graph.go generateLabels", when="labels/system-last"
)
def _system_labels(graph: Graph, component: Component, operator: Operator) -> dict[str, str]:
    """What selects and finds pods: the user's labels must not replace it."""
    labels = {
        GRAPH_LABEL: graph.name,
        NAMESPACE_LABEL: dynamo_namespace(component.global_dynamo_namespace, graph.namespace, graph.name),
    }
    if component.type:
        labels[TYPE_LABEL] = component.type
    if component.worker_hash:
        labels[WORKER_HASH_LABEL] = component.worker_hash
    if operator.kubernetes_discovery(graph.annotations):
        labels.update(DISCOVERY_LABELS)
    return labels


def _checkpoint_labels(component: Component, checkpoint: CheckpointInfo | None) -> dict[str, str]:
    """These labels control restores, so the user's labels cannot override them."""
    labels = {}
    wanted = component.checkpoint or {}
    if wanted.get("enabled") and wanted.get("identity") is not None:
        labels[HASH_LABEL] = identity_hash(wanted["identity"])
    if checkpoint is not None and checkpoint.ready:
        labels[RESTORE_LABEL] = "true"
        labels[HASH_LABEL] = checkpoint.hash
    return labels


class DeployedComponent:
    """A DynamoComponentDeployment: a component with a name, labels and an owner of its own.

    owner         the DynamoGraphDeployment that owns it, "" where it stands alone
    labels        of its metadata; those of its spec are the component's
    service_name  spec.serviceName, the component's name as its graph knows it
    backend       spec.backendFramework, "" where not set
    pods          pod specs by role, once they are made: all replicas have the same
    """

    __slots__ = ("backend", "component", "labels", "name", "namespace", "owner", "pods", "service_name")

    def __init__(self, value: Tree, component: Component, *, owner: str) -> None:
        metadata, spec = value["metadata"], value["spec"]
        self.name: str = metadata.get("name", "")
        self.namespace: str = metadata["namespace"]
        self.labels: dict[str, str] = metadata.get("labels") or {}
        self.component = component
        self.owner = owner
        self.pods: dict[str, Tree] = {}
        self.service_name: str = spec.get("serviceName", "")
        self.backend: str = spec.get("backendFramework", "")


@builder(
    "lower/alpha/pod_template/kube-labels", source="controller/dynamocomponentdeployment_controller.go getKubeLabels"
)
def kube_labels(deployed: DeployedComponent) -> dict[str, str]:
    """Labels of the objects: those of the spec, under those of the metadata."""
    labels = {**deployed.component.labels, **deployed.labels}
    labels.update(model_label(deployed.component))
    return labels


@builder(
    "lower/alpha/pod_template/kube-annotations",
    source="controller/dynamocomponentdeployment_controller.go getKubeAnnotations",
)
def kube_annotations(deployed: DeployedComponent) -> dict[str, str]:
    """Annotations of the objects: those of the spec, under those for its pods."""
    annotations = {**deployed.component.annotations, **deployed.component.pod_annotations}
    model = (deployed.component.model_ref or {}).get("name")
    if model:
        annotations["nvidia.com/dynamo-base-model"] = model
    return annotations


@builder(
    "lower/alpha/pod_template/pod-template",
    source="controller/dynamocomponentdeployment_controller.go generatePodTemplateSpec",
)
def pod_template(deployed: DeployedComponent, operator: Operator, role: str) -> Tree:
    """The pod template of a DynamoComponentDeployment, with labels and annotations."""
    component = deployed.component
    shared = operator.release.has("snapshots/by-agent")
    checkpoint = None if shared else resolve_checkpoint(operator, deployed.namespace, component.checkpoint)
    snapshot = _snapshot(deployed, operator) if shared else None
    if role not in deployed.pods:
        deployed.pods[role] = _pod_spec(deployed, operator, role, checkpoint, snapshot)
    labels = _pod_labels(deployed, operator)
    if checkpoint is not None and checkpoint.ready:
        labels[RESTORE_LABEL] = "true"
        if checkpoint.hash:
            labels[HASH_LABEL] = checkpoint.hash
    annotations = dict(component.pod_annotations)
    if shared:
        mark_main(labels, annotations, snapshot)
    restart = component.annotations.get(RESTART)
    if restart is not None:
        annotations[RESTART] = restart
    metadata: Tree = {"labels": labels}
    if annotations:
        metadata["annotations"] = annotations
    return {"metadata": metadata, "spec": deployed.pods[role]}


def _pod_spec(
    deployed: DeployedComponent,
    operator: Operator,
    role: str,
    checkpoint: CheckpointInfo | None,
    snapshot: Snapshot | None,
) -> Tree:
    """What a pod in a role runs."""
    pod = Pod(
        operator,
        deployed.component,
        owner=deployed.owner,
        namespace=deployed.namespace,
        service=deployed.service_name or deployed.name,
        role=role,
        nodes=deployed.component.nodes,
        backend=determine_backend(deployed.component, deployed.backend),
        hosts=lws_hosts(operator.release),
        checkpoint=checkpoint,
        snapshot=snapshot,
    )
    spec = build_pod(pod)
    if not spec.get("serviceAccountName"):
        spec["serviceAccountName"] = operator.cluster.component_service_account(deployed.namespace) or "default"
    return spec


def _snapshot(deployed: DeployedComponent, operator: Operator) -> Snapshot | None:
    wanted = deployed.component.checkpoint or {}
    if not wanted.get("enabled") or not operator.config.checkpoint.enabled:
        return None

    return resolve_snapshot(operator, deployed.namespace, wanted, (*deployed.component.path, "checkpoint"))


@builder(
    "lower/alpha/pod_template/pod-labels",
    source="controller/dynamocomponentdeployment_controller.go generatePodTemplateSpec",
)
def _pod_labels(deployed: DeployedComponent, operator: Operator) -> dict[str, str]:
    """Labels of the pods of a DynamoComponentDeployment."""
    component, system_last = deployed.component, operator.release.has("labels/system-last")
    labels = kube_labels(deployed)
    labels.update(metrics_label(component.annotations))
    labels[GRAPH_LABEL] = component.labels.get(GRAPH_LABEL, "")
    labels.update(type_labels(component))
    labels[SELECTOR_LABEL] = deployed.name
    if system_last and operator.kubernetes_discovery(component.annotations):
        labels.update(DISCOVERY_LABELS)
    labels.update(component.pod_labels)
    if system_last:
        labels.update(_template_labels(component))
        return labels
    # Only the operator may mark a pod as the target of a restore.
    labels.pop(RESTORE_LABEL, None)
    return labels


@builder(
    "lower/alpha/pod_template/system-labels",
    source="controller/dynamocomponentdeployment_controller.go generatePodTemplateSpec",
    when="labels/system-last",
)
def _template_labels(component: Component) -> dict[str, str]:
    """What selects and finds pods: the user's labels must not replace it. Discovery labels may be replaced."""
    labels = {GRAPH_LABEL: component.labels.get(GRAPH_LABEL, "")}
    if component.type:
        labels[TYPE_LABEL] = component.type
    if component.dynamo_namespace:
        labels[NAMESPACE_LABEL] = component.dynamo_namespace
    if component.worker_hash:
        labels[WORKER_HASH_LABEL] = component.worker_hash
    return labels


def gpu_claim_template(
    component: Component, owner: str, namespace: str, operator: Operator, *, name: str | None = None
) -> list[Tree]:
    """The ResourceClaimTemplate of a component with GPU memory service, else none; none without GPUs.

    `name` is the component's own by default. Raises `Refusal` if resource claims are not available.
    """
    service = component.spec.get("gpuMemoryService") or {}
    if not service.get("enabled"):
        return []

    path = (*component.path, "gpuMemoryService")
    if not operator.capabilities.dra:
        raise Refusal(
            "dra/not-available",
            "gpuMemoryService needs resource claims (resource.k8s.io, Kubernetes 1.32), but they are not "
            "available; the operator creates no pods.",
            path,
            "Remove gpuMemoryService, or render for a cluster with resource claims.",
        )
    template = claim_template_name(owner, component.name if name is None else name)
    return claim_template(template, namespace, service, _gpus(component.resources), operator, path)


def _gpus(resources: Tree | None) -> int:
    """limits.gpu, else requests.gpu, as strconv.Atoi reads it; 0 where it doesn't."""
    for part in ("limits", "requests"):
        text = ((resources or {}).get(part) or {}).get("gpu")
        if text:
            return parse_int64(text) or 0
    return 0
