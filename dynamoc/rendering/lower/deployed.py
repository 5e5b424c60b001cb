"""A DynamoComponentDeployment: its labels, annotations and pod template.

Source: internal/dynamo/v1beta1_helpers.go, controller/dynamocomponentdeployment_renderer.go of release 1.4;
controller/dynamocomponentdeployment_controller.go of releases that work with v1alpha1.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from dynamoc.admission.adapters import for_role, has_role_templates, spec_of_role
from dynamoc.admission.graph import Component
from dynamoc.admission.operator import Operator
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import (
    CLASS_LABEL,
    COMPONENT_LABEL,
    DISCOVERY_LABELS,
    GRAPH_LABEL,
    NAMESPACE_LABEL,
    SELECTOR_LABEL,
    SUB_TYPE_LABEL,
    TYPE_LABEL,
    WORKER_HASH_LABEL,
    dynamo_namespace,
)
from dynamoc.kube.tracing import NOT_EARLY, builder
from dynamoc.reference.releases import Release
from dynamoc.rendering.lower.common import metrics_label, model_label, type_labels
from dynamoc.rendering.lower.graph_objects import RESTART
from dynamoc.rendering.lower.ignored import tell_overwritten_labels
from dynamoc.rendering.rules.backend import determine_backend
from dynamoc.rendering.rules.checkpoint import (
    HASH_LABEL,
    RESTORE_LABEL,
    component_snapshot,
    resolve_checkpoint,
    resolve_snapshot,
)
from dynamoc.rendering.rules.draft import Pod
from dynamoc.rendering.rules.multinode import lws_hosts
from dynamoc.rendering.rules.order import build_pod
from dynamoc.rendering.rules.snapshot import mark_main
from dynamoc.rendering.rules.snapshot_storage import CheckpointInfo, Snapshot, mark_pods

_ORIGIN = "nvidia.com/dynamo-operator-origin-version"


@dataclass(eq=False, slots=True)
class DeployedComponent:
    """A DynamoComponentDeployment, on its own or created from a graph.

    value      the object
    component  its spec; what v1beta1 cannot say was looked up in the v1alpha1 view. It has the name that the spec gives
    owner      the DynamoGraphDeployment that owns it, "" without one
    snapshot   what it starts from, where its graph found that out; None leaves it to `component_snapshot`
    is_kept_worker   whether its pods exist and are workers by label, whatever the component's type is
    pods       pod specs by role, once they are made: all replicas have the same
    """

    value: Tree
    component: Component
    owner: str
    snapshot: Snapshot | None = None
    is_kept_worker: bool = False
    pods: dict[str, Tree] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return str(self.value["metadata"].get("name", ""))

    @property
    def namespace(self) -> str:
        return str(self.value["metadata"]["namespace"])

    @property
    def labels(self) -> dict[str, str]:
        return self.value["metadata"].get("labels") or {}

    @property
    def annotations(self) -> dict[str, str]:
        return self.value["metadata"].get("annotations") or {}

    @property
    def spec(self) -> Tree:
        return self.value["spec"] or {}

    def component_name(self, release: Release) -> str:
        """GetDCDComponentName; conversion never leaves the name empty where v1alpha1 had one."""
        label = self.labels.get(COMPONENT_LABEL, "") if release.has("hub/v1beta1") else ""
        return self.component.name or label or self.name

    @property
    def graph_name(self) -> str:
        """The graph by owner, else by label, "" without one."""
        return self.owner or self.labels.get(GRAPH_LABEL, "")

    @builder("lower/hub/deployed/dynamo-namespace", "internal/dynamo/v1beta1_helpers.go GetDCDDynamoNamespace")
    def dynamo_namespace(self, release: Release) -> str:
        """GetDCDDynamoNamespace: the value of v1alpha1, else the label, else that of a graph with this name.

        Up to 1.2, only an owner identifies the graph.
        """
        component = self.component
        if component.dynamo_namespace is not None:
            return component.dynamo_namespace
        graph = self.graph_name if release.has("dynamo-namespace/of-graph-label") else self.owner
        return self.labels.get(NAMESPACE_LABEL, "") or dynamo_namespace(
            component.global_dynamo_namespace, self.namespace, graph or self.name
        )

    @property
    def workload_type(self) -> str:
        """The component type of pods and selectors: `worker` for prefill and decode where the labels say so.

        Such labels are on objects of operators that had no other type (getDCDWorkloadComponentType).
        """
        labels, spec_type = self.labels, self.component.type
        is_labelled = labels.get(TYPE_LABEL) == "worker" and labels.get(SUB_TYPE_LABEL, "") in ("", spec_type)
        is_legacy = is_labelled or self.is_kept_worker
        return "worker" if is_legacy and spec_type in ("prefill", "decode") else spec_type


@builder(
    "lower/hub/deployed/kube-labels",
    "internal/dynamo/v1beta1_helpers.go GetDCDKubeLabels; up to 1.1 controller getKubeLabels",
    NOT_EARLY,
)
def kube_labels(deployed: DeployedComponent, release: Release) -> dict[str, str]:
    """Labels of the objects: of the metadata, under v1alpha1's, under those of the pods; system labels last.

    Up to 1.1, those of the spec, under those of the metadata.
    """
    component, own = deployed.component, deployed.labels
    if not release.has("hub/v1beta1"):
        return {**component.labels, **own, **model_label(component)}
    labels = {**own, **component.labels, **component.pod_labels}
    labels.update(model_label(component))
    if component.sub_type:
        labels[SUB_TYPE_LABEL] = component.sub_type
    labels[COMPONENT_LABEL] = deployed.component_name(release)
    namespace = deployed.dynamo_namespace(release)
    if namespace:
        labels[NAMESPACE_LABEL] = namespace
    for key in (COMPONENT_LABEL, NAMESPACE_LABEL, GRAPH_LABEL, WORKER_HASH_LABEL, CLASS_LABEL):
        if own.get(key):
            labels[key] = own[key]
    return labels


@builder(
    "lower/hub/deployed/resource-annotations",
    "internal/dynamo/v1beta1_helpers.go GetDCDPreservedAlphaAnnotations, up to 1.1 getKubeAnnotations",
    NOT_EARLY,
)
def resource_annotations(deployed: DeployedComponent) -> dict[str, str]:
    """v1alpha1's annotations of the component, under those of its pods."""
    return {**deployed.component.annotations, **deployed.component.pod_annotations}


@builder(
    "lower/hub/deployed/kube-annotations",
    "internal/dynamo/v1beta1_helpers.go GetDCDKubeAnnotations; up to 1.1 controller getKubeAnnotations",
    NOT_EARLY,
)
def kube_annotations(deployed: DeployedComponent, release: Release) -> dict[str, str]:
    """Annotations of the objects and of the pods; the operator's internal annotations are not among them."""
    annotations = resource_annotations(deployed)
    model = (deployed.component.model_ref or {}).get("name")
    if model:
        annotations["nvidia.com/dynamo-base-model"] = model
    if not release.has("hub/v1beta1"):
        return annotations
    topology = release["topology/annotations"]
    for key in (_ORIGIN, *topology):
        annotations.pop(key, None)
    for key in topology:
        if deployed.annotations.get(key):
            annotations[key] = deployed.annotations[key]
    return annotations


@builder(
    "lower/hub/deployed/pod-template",
    "controller/dynamocomponentdeployment_{controller,renderer}.go generatePodTemplateSpec",
    NOT_EARLY,
)
def pod_template(deployed: DeployedComponent, operator: Operator, role: str) -> Tree:
    """The pod template of a DynamoComponentDeployment, with labels and annotations."""
    if operator.release.has("hub/v1beta1"):
        labels, annotations, spec = _of_v1beta1(_of_role(deployed, role), operator, role)
    else:
        labels, annotations, spec = _of_v1alpha1(deployed, operator, role)
    if not spec.get("serviceAccountName"):
        spec["serviceAccountName"] = operator.cluster.component_service_account(deployed.namespace) or "default"
    metadata: Tree = {"labels": labels}
    if annotations:
        metadata["annotations"] = annotations
    return {"metadata": metadata, "spec": spec}


def _of_v1beta1(deployed: DeployedComponent, operator: Operator, role: str) -> tuple[Tree, Tree, Tree]:
    """Labels, annotations and what a pod runs."""
    release = operator.release
    labels, annotations = _pod_labels(deployed, release), kube_annotations(deployed, release)
    snapshot = deployed.snapshot
    if snapshot is None and deployed.component.experimental:
        snapshot = component_snapshot(deployed.component, deployed.namespace, operator)
    component = deployed.component.with_spec(deployed.spec)
    component.type = deployed.workload_type
    component.keeps_launch = deployed.component.keeps_launch
    component.worker_hash = deployed.labels.get(WORKER_HASH_LABEL, "") or component.worker_hash
    owner = deployed.owner or deployed.name
    spec = _pod_spec(deployed, component, operator, role, owner=owner, snapshot=snapshot)
    if operator.kubernetes_discovery(annotations):
        labels.update(DISCOVERY_LABELS)
    tell_overwritten_labels(deployed.component, labels, operator)
    mark_pods(labels, annotations, snapshot, operator, deployed.component.path)
    return labels, annotations, spec


def _of_v1alpha1(deployed: DeployedComponent, operator: Operator, role: str) -> tuple[Tree, Tree, Tree]:
    """The same up to 1.1: annotations of the component stay with the objects around the pods."""
    component, wanted = deployed.component, deployed.component.checkpoint or {}
    checkpoint = snapshot = None
    shared = operator.release.has("snapshots/by-agent")
    if not shared:
        checkpoint = resolve_checkpoint(operator, deployed.namespace, component.checkpoint)
    elif wanted.get("enabled") and operator.config.checkpoint.enabled:
        snapshot = resolve_snapshot(operator, deployed.namespace, wanted, (*component.path, "checkpoint"))
    if role not in deployed.pods:
        owner = deployed.owner
        spec = _pod_spec(deployed, component, operator, role, owner=owner, checkpoint=checkpoint, snapshot=snapshot)
        deployed.pods[role] = spec
    labels, annotations = _alpha_pod_labels(deployed, operator), dict(component.pod_annotations)
    if checkpoint is not None and checkpoint.ready:
        labels[RESTORE_LABEL] = "true"
        if checkpoint.hash:
            labels[HASH_LABEL] = checkpoint.hash
    if shared:
        mark_main(labels, annotations, snapshot)
    if RESTART in component.annotations:
        annotations[RESTART] = component.annotations[RESTART]
    return labels, annotations, deployed.pods[role]


def _pod_spec(
    deployed: DeployedComponent,
    component: Component,
    operator: Operator,
    role: str,
    *,
    owner: str,
    checkpoint: CheckpointInfo | None = None,
    snapshot: Snapshot | None = None,
) -> Tree:
    """What a pod in a role runs."""
    return build_pod(
        Pod(
            operator,
            component,
            owner=owner,
            namespace=deployed.namespace,
            service=deployed.component_name(operator.release),
            role=role,
            nodes=component.nodes,
            backend=determine_backend(deployed.component, deployed.spec.get("backendFramework", "")),
            hosts=lws_hosts(operator.release),
            checkpoint=checkpoint,
            snapshot=snapshot,
        )
    )


def _of_role(deployed: DeployedComponent, role: str) -> DeployedComponent:
    """The component with the pod template of its leader or its workers, if these have their own."""
    if not has_role_templates(deployed.spec):
        return deployed
    value = {**deployed.value, "spec": spec_of_role(deployed.spec, role)}
    other = DeployedComponent(value, for_role(deployed.component, role), owner=deployed.owner)
    other.snapshot, other.is_kept_worker = deployed.snapshot, deployed.is_kept_worker
    return other


@builder("lower/hub/deployed/pod-labels", "controller/dynamocomponentdeployment_renderer.go getDCDWorkloadPodLabels")
def _pod_labels(deployed: DeployedComponent, release: Release) -> dict[str, str]:
    """Labels of the pods of a DynamoComponentDeployment."""
    labels = kube_labels(deployed, release)
    labels.update(metrics_label(kube_annotations(deployed, release)))
    graph = deployed.labels.get(GRAPH_LABEL, "") or deployed.owner
    if graph:
        labels[GRAPH_LABEL] = graph
    if deployed.workload_type:
        labels[TYPE_LABEL] = deployed.workload_type
    labels[COMPONENT_LABEL] = deployed.component_name(release)
    namespace = deployed.dynamo_namespace(release)
    if namespace:
        labels[NAMESPACE_LABEL] = namespace
    if deployed.labels.get(WORKER_HASH_LABEL):
        labels[WORKER_HASH_LABEL] = deployed.labels[WORKER_HASH_LABEL]
    labels[SELECTOR_LABEL] = deployed.name
    return labels


@builder(
    "lower/alpha/pod_template/pod-labels", "controller/dynamocomponentdeployment_controller.go generatePodTemplateSpec"
)
def _alpha_pod_labels(deployed: DeployedComponent, operator: Operator) -> dict[str, str]:
    """Labels of the pods of a DynamoComponentDeployment."""
    component, system_last = deployed.component, operator.release.has("labels/system-last")
    labels = kube_labels(deployed, operator.release)
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
    "controller/dynamocomponentdeployment_controller.go generatePodTemplateSpec",
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
