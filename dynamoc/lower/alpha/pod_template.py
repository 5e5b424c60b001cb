"""The pod template of a DynamoComponentDeployment, and its labels and annotations."""

from __future__ import annotations

from dynamoc.kube.labels import (
    DISCOVERY_LABELS,
    GRAPH_LABEL,
    NAMESPACE_LABEL,
    SELECTOR_LABEL,
    TYPE_LABEL,
    WORKER_HASH_LABEL,
)
from dynamoc.lower.graph_objects import RESTART
from dynamoc.lower.labels import metrics_label, model_label, type_labels
from dynamoc.rules.backend import determine_backend
from dynamoc.rules.checkpoint import HASH_LABEL, RESTORE_LABEL, resolve_checkpoint
from dynamoc.rules.draft import Pod
from dynamoc.rules.multinode import LwsHosts
from dynamoc.rules.order import build_pod
from dynamoc.tracing import builder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.model.graph import Component
    from dynamoc.model.operator import Operator
    from dynamoc.rules.checkpoint import CheckpointInfo
    from dynamoc.rules.snapshot_state import Snapshot

    Tree = dict[str, Any]


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
        from dynamoc.rules.shared_marks import mark_main

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
        hosts=LwsHosts(operator.release),
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
    from dynamoc.rules.snapshot_state import resolve_snapshot

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
        labels.update(_system_labels(component))
        return labels
    # Only the operator may mark a pod as the target of a restore.
    labels.pop(RESTORE_LABEL, None)
    return labels


@builder(
    "lower/alpha/pod_template/system-labels",
    source="controller/dynamocomponentdeployment_controller.go generatePodTemplateSpec",
    when="labels/system-last",
)
def _system_labels(component: Component) -> dict[str, str]:
    """What selects and finds pods: the user's labels must not replace it. Discovery labels may be replaced."""
    labels = {GRAPH_LABEL: component.labels.get(GRAPH_LABEL, "")}
    if component.type:
        labels[TYPE_LABEL] = component.type
    if component.dynamo_namespace:
        labels[NAMESPACE_LABEL] = component.dynamo_namespace
    if component.worker_hash:
        labels[WORKER_HASH_LABEL] = component.worker_hash
    return labels
