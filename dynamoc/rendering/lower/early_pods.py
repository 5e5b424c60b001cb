"""Pod templates of releases 0.4 to 0.6, with their Dynamo namespace, autoscalers and claims."""

from __future__ import annotations

from dynamoc.admission.adapters import component_from_v1alpha1
from dynamoc.admission.graph import Component, Graph
from dynamoc.admission.operator import Operator
from dynamoc.documents.findings.finding import Path, Refusal
from dynamoc.kube.merge import Tree, copy_tree
from dynamoc.kube.names import GRAPH_LABEL, SELECTOR_LABEL
from dynamoc.kube.tracing import builder, sharing
from dynamoc.rendering.lower.common import int32, metadata, metrics_label, type_labels
from dynamoc.rendering.lower.graph_objects import claim_object
from dynamoc.rendering.rules.backend import early_backend
from dynamoc.rendering.rules.draft import Pod
from dynamoc.rendering.rules.multinode import lws_hosts
from dynamoc.rendering.rules.order import build_pod


@builder("lower/early/namespace/settle-dynamo-namespace", "internal/dynamo/graph.go getDynamoNamespace")
def settle_dynamo_namespace(graph: Graph, operator: Operator) -> str:
    """Gives all components the namespace that the services set, `dynamo-<graph>` if none does.

    Raises `Refusal` if two services set different ones. If only some set one, the operator fails until it
    happens to read those last, and then uses theirs.
    """
    named = {component.dynamo_namespace: component for component in graph.components if component.dynamo_namespace}
    if len(named) > 1:
        (first, _), (other, component) = sorted(named.items(), key=lambda item: item[1].name)[:2]
        raise Refusal(
            "dynamo-namespace/mismatch",
            f"{component.name} sets dynamoNamespace {other}, but another service sets {first}; the operator "
            "creates no pods of this graph.",
            (*component.path, "dynamoNamespace"),
            "Set the same dynamoNamespace on all services, or on none.",
        )
    silent = [component for component in graph.components if not component.dynamo_namespace]
    namespace = next(iter(named), None) or f"dynamo-{graph.name}"
    if named and silent:
        operator.warn(
            "dynamo-namespace/partly-set",
            f"Some services set dynamoNamespace {namespace}, {silent[0].name} does not: the operator fails at "
            "random, until it happens to read a service that sets it last.",
            silent[0].path,
            f"Set dynamoNamespace: {namespace} on all services.",
        )
    for component in graph.components:
        component.dynamo_namespace = namespace
    return namespace


def is_wanted(component: Component) -> bool:
    return bool((component.spec.get("autoscaling") or {}).get("enabled"))


@builder("lower/early/autoscaler/autoscaler", "controller/dynamocomponentdeployment_controller.go generateHPA")
def autoscaler(name: str, namespace: str, component: Component, operator: Operator) -> Tree:
    """Scales the Deployment of its name, by CPU use unless the user gives metrics. `behavior` is not passed on.

    Metadata holds neither labels nor annotations yet.
    """
    wanted = component.spec["autoscaling"]
    if wanted.get("behavior") is not None:
        operator.warn(
            "autoscaling/behavior-ignored",
            "The operator ignores autoscaling.behavior: the HorizontalPodAutoscaler gets the Kubernetes default.",
            (*component.path, "autoscaling", "behavior"),
            "Remove it, or create your own HorizontalPodAutoscaler.",
        )
    return {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": metadata(name, namespace),
        "spec": {
            "minReplicas": int32(wanted.get("minReplicas", 0)),
            "maxReplicas": int32(wanted.get("maxReplicas", 0)),
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": name},
            "metrics": copy_tree(wanted.get("metrics")) or [_cpu(operator.release["autoscaling/cpu-utilization"])],
        },
    }


def _cpu(percent: int) -> Tree:
    target = {"type": "Utilization", "averageUtilization": percent}
    return {"type": "Resource", "resource": {"name": "cpu", "target": target}}


def warn_of_no_autoscaler(component: Component, operator: Operator, workload: str) -> None:
    """Warns that only Deployments are scaled."""
    if is_wanted(component):
        operator.warn(
            "autoscaling/ignored",
            f"The operator ignores autoscaling of {component.name}: {workload} get no HorizontalPodAutoscaler.",
            (*component.path, "autoscaling"),
            "Set replicas, or scale the component yourself.",
        )


_EFFECT = "the pods that mount it wait until it exists"


def component_claims(name: str, namespace: str, component: Component, operator: Operator) -> list[Tree]:
    """The claim of a DynamoComponentDeployment named `name`, if it asks for one that does not exist yet.

    Source: controller/dynamocomponentdeployment_controller.go reconcilePVC, controller/common.go constructPVC.
    """
    claim = component.spec.get("pvc")
    if claim is None or not operator.release.has("storage/claims-of-components"):
        return []
    claim_name = claim.get("name", name)
    known = operator.cluster.spares if claim.get("create") else operator.cluster.exists
    if known("PersistentVolumeClaim", namespace, claim_name):
        return []
    path = (*component.path, "pvc")
    if not claim.get("create"):
        effect = "the operator creates no pods of this component until it exists"
        operator.unknown("PersistentVolumeClaim", namespace, claim_name, effect, path)
        return []
    return [claim_object(claim_name, namespace, claim)]


def tell_unmade_claims(namespace: str, component: Component, operator: Operator) -> None:
    """Under Grove, nothing creates the claims."""
    claim = component.spec.get("pvc")
    if claim is None or operator.cluster.get("PersistentVolumeClaim", namespace, claim.get("name", "")) is not None:
        return
    path = (*component.path, "pvc")
    if not claim.get("create"):
        operator.unknown("PersistentVolumeClaim", namespace, claim.get("name", ""), _EFFECT, path)
        return
    operator.warn(
        "storage/claim-not-made",
        f"Under Grove, the operator does not create the claim {claim.get('name', '')}: {_EFFECT}.",
        (*path, "create"),
        "Create the PersistentVolumeClaim yourself.",
    )


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
        self.component = component_from_v1alpha1(spec.get("serviceName", ""), copy_tree(spec), path)
        self._labels: dict[str, str] | None = dict(metadata.get("labels") or {}) or None

    @sharing
    def labels(self) -> dict[str, str]:
        """The labels of the metadata: the map itself, to which objects add; a new one each time where there are none.

        Source: controller/dynamocomponentdeployment_controller.go getKubeLabels.
        """
        return {} if self._labels is None else self._labels

    @builder(
        "lower/early/pod_template/annotations", "controller/dynamocomponentdeployment_controller.go getKubeAnnotations"
    )
    def annotations(self) -> dict[str, str]:
        """Annotations of all objects are those for pods."""
        return dict(self.component.pod_annotations)


def backend_of(component: Component, explicit: str, operator: Operator) -> str:
    return early_backend(component, explicit, must_be_known=operator.release.has("backend/must-be-known"))


@builder(
    "lower/early/pod_template/pod-template",
    "controller/dynamocomponentdeployment_controller.go generatePodTemplateSpec",
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
        hosts=lws_hosts(operator.release),
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
    "lower/early/pod_template/add-labels", "controller/dynamocomponentdeployment_controller.go generatePodTemplateSpec"
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
