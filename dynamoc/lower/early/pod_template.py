"""The pod template of a DynamoComponentDeployment, and the labels that it shares with other objects."""

from __future__ import annotations

from dynamoc.kube.labels import GRAPH_LABEL, SELECTOR_LABEL
from dynamoc.lower.labels import metrics_label, type_labels
from dynamoc.model.v1alpha1 import component_from_spec
from dynamoc.rules.backend import early_backend
from dynamoc.rules.draft import Pod
from dynamoc.rules.multinode import LwsHosts
from dynamoc.rules.order import build_pod
from dynamoc.tracing import builder, sharing
from dynamoc.tree import copy_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Path
    from dynamoc.model.graph import Component
    from dynamoc.model.operator import Operator

    Tree = dict[str, Any]

TARGET_LABEL = "nvidia.com/dynamo-deployment-target-type"
DEBUG_TARGET = {TARGET_LABEL: "debug"}

_DEBUG_MODE = "nvidia.com/enable-debug-mode"
_DEBUGGER = {
    "name": "debugger",
    "command": ["sleep", "infinity"],
    "securityContext": {"capabilities": {"add": ["SYS_PTRACE"]}},
    "resources": {
        "requests": {"cpu": "100m", "memory": "100Mi"},
        "limits": {"cpu": "1", "memory": "1000Mi"},
    },
    "stdin": True,
    "tty": True,
}


class Deployed:
    """A DynamoComponentDeployment while its objects are made.

    owner    the DynamoGraphDeployment that owns it, "" where it stands alone
    backend  spec.backendFramework, "" where not set
    """

    __slots__ = ("_labels", "backend", "component", "name", "namespace", "owner")

    def __init__(self, value: Tree, path: Path, owner: str) -> None:
        metadata, spec = value["metadata"], value.get("spec") or {}
        self.name: str = metadata.get("name", "")
        self.namespace: str = metadata["namespace"]
        self.owner = owner
        self.backend: str = spec.get("backendFramework", "")
        self.component = component_from_spec(spec.get("serviceName", ""), copy_tree(spec), path)
        self._labels: dict[str, str] | None = dict(metadata.get("labels") or {}) or None

    @sharing
    def labels(self) -> dict[str, str]:
        """The labels of the metadata: the map itself, to which objects add; a new one each time where there are none.

        Source: controller/dynamocomponentdeployment_controller.go getKubeLabels.
        """
        return {} if self._labels is None else self._labels

    @builder(
        "lower/early/pod_template/annotations",
        source="controller/dynamocomponentdeployment_controller.go getKubeAnnotations",
    )
    def annotations(self) -> dict[str, str]:
        """Annotations of all objects are those for pods."""
        return dict(self.component.pod_annotations)


def backend_of(component: Component, explicit: str, operator: Operator) -> str:
    return early_backend(component, explicit, must_be_known=operator.release.has("backend/must-be-known"))


@builder(
    "lower/early/pod_template/pod-template",
    source="controller/dynamocomponentdeployment_controller.go generatePodTemplateSpec",
)
def pod_template(deployed: Deployed, operator: Operator, role: str, *, name: str, stealing: bool = False) -> Tree:
    """The template of the pods that the selector `name` finds; its labels are the shared map.

    `stealing` makes the pods of the debug Deployment that takes traffic from the real one.
    """
    component = deployed.component
    pod = Pod(
        operator,
        component,
        owner=deployed.owner,
        namespace=deployed.namespace,
        service=deployed.name,
        role=role,
        nodes=component.nodes,
        backend=backend_of(component, deployed.backend, operator),
        hosts=LwsHosts(operator.release),
    )
    spec = build_pod(pod)
    if not operator.release.has("deployments/all-containers"):
        _keep_first_container(spec, component, operator)
    if stealing or component.annotations.get(_DEBUG_MODE) == "true":
        spec["containers"].append({**copy_tree(_DEBUGGER), "image": operator.config.images.debugger})
        spec["shareProcessNamespace"] = True
    if not spec.get("serviceAccountName"):
        spec["serviceAccountName"] = operator.cluster.component_service_account(deployed.namespace) or "default"
    graph_label = operator.release.has("labels/graph-of-pods")
    return {
        "metadata": {
            "labels": _add_labels(deployed, name, stealing, graph_label=graph_label),
            "annotations": deployed.annotations(),
        },
        "spec": spec,
    }


@builder(
    "lower/early/pod_template/add-labels",
    source="controller/dynamocomponentdeployment_controller.go generatePodTemplateSpec",
)
def _add_labels(deployed: Deployed, name: str, stealing: bool, *, graph_label: bool) -> dict[str, str]:
    """Labels of the pods of a DynamoComponentDeployment."""
    component, labels = deployed.component, deployed.labels()
    if stealing:
        labels.update(DEBUG_TARGET)
    labels.update(metrics_label(component.annotations))
    if graph_label:
        labels[GRAPH_LABEL] = component.labels.get(GRAPH_LABEL, "")
    labels.update(type_labels(component))
    labels[SELECTOR_LABEL] = name
    labels.update(component.pod_labels)
    return labels


def _keep_first_container(spec: Tree, component: Component, operator: Operator) -> None:
    """Source: controller/dynamocomponentdeployment_controller.go generatePodTemplateSpec."""
    kept, *lost = spec["containers"]
    if lost:
        names = ", ".join(container.get("name", "") for container in lost)
        operator.warn(
            "containers/lost",
            f"Without Grove, the operator keeps only the first container by name, {kept.get('name', '')}: "
            f"{names} of {component.name} will not run.",
            (*component.path, "extraPodSpec", "containers"),
            "Use Grove, or a release from 0.6 on.",
        )
        spec["containers"] = [kept]
