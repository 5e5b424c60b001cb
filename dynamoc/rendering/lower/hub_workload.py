"""One v1beta1 DynamoComponentDeployment as a Deployment or LeaderWorkerSet, with Service and Ingress.

Source: controller/dynamocomponentdeployment_controller.go Reconcile of release 1.4.
"""

from __future__ import annotations

from typing import Any

from dynamoc.admission.operator import Operator
from dynamoc.documents.findings.finding import Refusal
from dynamoc.kube import quantity
from dynamoc.kube.names import SUB_TYPE_LABEL, TYPE_LABEL, kube_resource_name
from dynamoc.kube.tracing import builder
from dynamoc.reference.releases import Release
from dynamoc.rendering.lower.checkpoint_jobs import component_storage
from dynamoc.rendering.lower.graph_objects import model_services
from dynamoc.rendering.lower.hub_deployed import (
    DeployedComponent,
    kube_annotations,
    kube_labels,
    pod_template,
    resource_annotations,
)
from dynamoc.rendering.lower.network import component_service, default_ingress, ingress_objects
from dynamoc.rendering.lower.parts import deployment, leader_worker_set, metadata, rolling_update, set_member
from dynamoc.rendering.rules.draft import LEADER, MAIN, WORKER

Tree = dict[str, Any]

#: stands on the LeaderWorkerSets of operators that made one a replica
_OLD_INSTANCE = "instance-id"


def lower_component(deployed: DeployedComponent, operator: Operator) -> list[Tree]:
    """The objects of a DynamoComponentDeployment, on its own or created from a graph."""
    objects = component_storage(deployed.component, deployed.namespace, operator)
    if operator.capabilities.lws and deployed.component.is_multinode:
        objects.append(_leader_worker_set(deployed, operator))
    else:
        objects.append(_deployment(deployed, operator))
    objects += _service(deployed, operator)
    model = (deployed.component.model_ref or {}).get("name")
    objects += model_services([model] if model else [], deployed.namespace)
    name = kube_resource_name(deployed.name)
    return objects + ingress_objects(name, deployed.namespace, _ingress(deployed, operator), operator)


@builder(
    "lower/hub/workload/deployment", source="controller/dynamocomponentdeployment_controller.go generateDeployment"
)
def _deployment(deployed: DeployedComponent, operator: Operator) -> Tree:
    """The Deployment of a component: replicas, selector, and how pods are replaced."""
    annotations = kube_annotations(deployed, operator.release)
    recreate = resource_annotations(deployed).get("nvidia.com/deployment-strategy") == "Recreate"
    template = pod_template(deployed, operator, MAIN)
    strategy = {"type": "Recreate"} if recreate else rolling_update(annotations)
    meta = metadata(deployed.name, deployed.namespace, kube_labels(deployed, operator.release), annotations)
    return deployment(meta, deployed.name, template, strategy, deployed.component.replicas)


@builder(
    "lower/hub/workload/leader-worker-set",
    source="controller/dynamocomponentdeployment_controller.go generateLeaderWorkerSet",
)
def _leader_worker_set(deployed: DeployedComponent, operator: Operator) -> Tree:
    """One for all replicas; the name leaves room for the Service, and the first one of an older operator is adopted.

    The label that such an operator wrote is removed, whoever wrote it (reconcileLeaderWorkerSetResources).
    """
    labels = {key: value for key, value in kube_labels(deployed, operator.release).items() if key != _OLD_INSTANCE}
    replicas = deployed.component.replicas
    return leader_worker_set(
        f"{deployed.name}-0",
        deployed.namespace,
        labels,
        leader=_member(deployed, operator, LEADER),
        worker=_member(deployed, operator, WORKER),
        nodes=deployed.component.nodes,
        replicas=1 if replicas is None else replicas,
    )


@builder(
    "lower/hub/workload/member",
    source="controller/dynamocomponentdeployment_renderer.go generate{Leader,Worker}PodTemplateSpec",
)
def _member(deployed: DeployedComponent, operator: Operator, role: str) -> Tree:
    """The template of a leader or of its workers."""
    labels = _member_labels(deployed, operator.release)
    template = set_member(pod_template(deployed, operator, role), deployed.component, operator, labels, role)
    if role == WORKER and not operator.release.has("lws/no-gpu-limit"):
        _require_gpu_limit(deployed)
    return template


def _require_gpu_limit(deployed: DeployedComponent) -> None:
    """Source: controller/dynamocomponentdeployment_controller.go generateWorkerPodTemplateSpec of release 1.2."""
    limits = ((deployed.component.main or {}).get("resources") or {}).get("limits") or {}
    if quantity.is_zero(limits.get("nvidia.com/gpu", "0")):
        raise Refusal(
            "lws/no-gpu-limit",
            "A multinode component needs a limit of nvidia.com/gpu; the operator fails to render its LeaderWorkerSet.",
            (*deployed.component.main_path, "resources"),
            "Set the limit of the container main to the GPUs of one node.",
        )


def _member_labels(deployed: DeployedComponent, release: Release) -> dict[str, str]:
    """Source: controller/dynamocomponentdeployment_renderer.go getDCDWorkloadPodLabels."""
    labels, workload_type = kube_labels(deployed, release), deployed.workload_type
    if workload_type:
        labels[TYPE_LABEL] = workload_type
    if workload_type != deployed.component.type and not labels.get(SUB_TYPE_LABEL):
        labels[SUB_TYPE_LABEL] = deployed.component.type
    return labels


@builder("lower/hub/workload/service", source="controller/dynamocomponentdeployment_renderer.go generateService")
def _service(deployed: DeployedComponent, operator: Operator) -> list[Tree]:
    """The Service of a component that is no part of a Grove graph."""
    component, annotations = deployed.component, kube_annotations(deployed, operator.release)
    discovery = operator.kubernetes_discovery(annotations)
    if not discovery and component.type != "frontend":
        return []
    namespace = deployed.dynamo_namespace(operator.release)
    if not namespace:
        raise Refusal(
            "service/no-dynamo-namespace",
            "dynamoNamespace is empty; the operator fails to create the component's Service.",
            component.path,
            "Set a Dynamo namespace, or remove dynamoNamespace.",
        )
    service = component_service(
        kube_resource_name(deployed.name),
        deployed.namespace,
        component=deployed.component_name,
        component_type=deployed.workload_type,
        dynamo_namespace=namespace,
        labels=kube_labels(deployed, operator.release),
        annotations=annotations,
        kubernetes_discovery=discovery,
    )
    if component.is_multinode:
        service["spec"]["selector"]["role"] = "leader"
    return [service]


@builder("lower/hub/workload/ingress", source="controller/dynamocomponentdeployment_controller.go dcdIngressSpec")
def _ingress(deployed: DeployedComponent, operator: Operator) -> Tree | None:
    """The ingress of v1alpha1, else the default for the frontend of a graph."""
    component = deployed.component
    if component.ingress is not None:
        return component.ingress
    if component.type != "frontend" or not deployed.graph_name:
        return None
    return default_ingress(deployed.graph_name, operator)
