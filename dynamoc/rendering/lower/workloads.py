"""What runs a component outside of Grove: a Deployment or LeaderWorkerSets, with a Service and an Ingress.

Source: controller/dynamocomponentdeployment_controller.go Reconcile.
"""

from __future__ import annotations

from functools import partial

from dynamoc.admission.operator import Operator
from dynamoc.documents.findings.finding import Refusal
from dynamoc.kube import quantity
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import SUB_TYPE_LABEL, TYPE_LABEL, kube_resource_name
from dynamoc.kube.tracing import NOT_EARLY, builder
from dynamoc.reference.releases import Release
from dynamoc.rendering.lower.checkpoint_jobs import component_storage
from dynamoc.rendering.lower.common import (
    deployment,
    leader_worker_set,
    metadata,
    require_gpu_limit,
    rolling_update,
    schedule_with_volcano,
    set_member,
    volcano_sets,
)
from dynamoc.rendering.lower.deployed import (
    DeployedComponent,
    kube_annotations,
    kube_labels,
    pod_template,
    resource_annotations,
)
from dynamoc.rendering.lower.graph_objects import model_services
from dynamoc.rendering.lower.network import component_service, default_ingress, ingress_objects
from dynamoc.rendering.lower.scheduling import gpu_claim_template
from dynamoc.rendering.rules.checkpoint import RESTORE_LABEL
from dynamoc.rendering.rules.draft import LEADER, MAIN, WORKER

#: which of the LeaderWorkerSets of a component it is, where operators make one a replica
_INSTANCE = "instance-id"


def lower_component(deployed: DeployedComponent, operator: Operator) -> list[Tree]:
    """The objects of a DynamoComponentDeployment, on its own or created from a graph."""
    component, namespace = deployed.component, deployed.namespace
    if operator.release.has("hub/v1beta1"):
        objects = component_storage(component, namespace, operator)
    else:
        name = deployed.component_name(operator.release)
        objects = gpu_claim_template(component, deployed.owner, namespace, operator, name=name)
    if operator.capabilities.lws and component.is_multinode:
        objects += _leader_worker_sets(deployed, operator)
    else:
        objects.append(_deployment(deployed, operator))
    objects += _service(deployed, operator)
    model = (component.model_ref or {}).get("name")
    objects += model_services([model] if model else [], namespace)
    return objects + ingress_objects(
        _network_name(deployed, operator.release), namespace, _ingress(deployed, operator), operator
    )


def _network_name(deployed: DeployedComponent, release: Release) -> str:
    return kube_resource_name(deployed.name) if release.has("ingress/without-dots") else deployed.name


@builder(
    "lower/hub/workload/deployment", "controller/dynamocomponentdeployment_controller.go generateDeployment", NOT_EARLY
)
def _deployment(deployed: DeployedComponent, operator: Operator) -> Tree:
    """The Deployment of a component: replicas, selector, and how pods are replaced."""
    annotations = kube_annotations(deployed, operator.release)
    template = pod_template(deployed, operator, MAIN)
    strategy = {"type": "Recreate"} if _recreates(deployed, operator, template) else rolling_update(annotations)
    meta = metadata(deployed.name, deployed.namespace, kube_labels(deployed, operator.release), annotations)
    return deployment(meta, deployed.name, template, strategy, deployed.component.replicas)


def _recreates(deployed: DeployedComponent, operator: Operator, template: Tree) -> bool:
    """Whether an annotation wants it so. Up to 1.1, a pod that is restored must not overlap with the old one either."""
    if not operator.release.has("snapshots/recreate"):
        return resource_annotations(deployed).get("nvidia.com/deployment-strategy") == "Recreate"
    wanted = deployed.component.annotations.get("nvidia.com/deployment-strategy")
    return wanted == "Recreate" or template["metadata"]["labels"].get(RESTORE_LABEL) == "true"


def _leader_worker_sets(deployed: DeployedComponent, operator: Operator) -> list[Tree]:
    """One for all replicas; up to 1.1 one a replica, in a group of Volcano (reconcileLeaderWorkerSetResources)."""
    if operator.release.has("lws/one-set"):
        return [_leader_worker_set(deployed, operator, 0)]
    make_set = partial(_leader_worker_set, deployed, operator)
    return volcano_sets(deployed.name, deployed.namespace, deployed.component, make_set)


@builder(
    "lower/hub/workload/leader-worker-set",
    "controller/dynamocomponentdeployment_controller.go generateLeaderWorkerSet",
    NOT_EARLY,
)
def _leader_worker_set(deployed: DeployedComponent, operator: Operator, index: int) -> Tree:
    """One for all replicas, and up to 1.1 one a replica: its size, and how it is rolled out.

    Since 1.2, the name leaves room for the Service, and the first one of an older operator is adopted. The label that
    such an operator wrote is removed, whoever wrote it (reconcileLeaderWorkerSetResources).
    """
    name, labels = f"{deployed.name}-{index}", kube_labels(deployed, operator.release)
    replicas: int | None = 1
    if operator.release.has("lws/one-set"):
        labels.pop(_INSTANCE, None)
        replicas = deployed.component.replicas
    else:
        labels[_INSTANCE] = str(index)
    return leader_worker_set(
        name,
        deployed.namespace,
        labels,
        leader=_member(deployed, operator, LEADER, name, labels),
        worker=_member(deployed, operator, WORKER, name, labels),
        nodes=deployed.component.nodes,
        replicas=1 if replicas is None else replicas,
    )


@builder(
    "lower/hub/workload/member",
    "controller/dynamocomponentdeployment_{controller,renderer}.go generate{Leader,Worker}PodTemplateSpec",
    NOT_EARLY,
)
def _member(deployed: DeployedComponent, operator: Operator, role: str, name: str, labels: dict[str, str]) -> Tree:
    """The template of a leader or of its workers; up to 1.1, with what Volcano schedules by."""
    component, template = deployed.component, pod_template(deployed, operator, role)
    if not operator.release.has("hub/v1beta1"):
        schedule_with_volcano(set_member(template, component, operator, labels, role), name)
        if role == WORKER:
            require_gpu_limit(component)
        return template
    set_member(template, component, operator, _member_labels(deployed, operator.release), role)
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


@builder(
    "lower/hub/workload/service",
    "controller/dynamocomponentdeployment_{controller,renderer}.go generateService",
    NOT_EARLY,
)
def _service(deployed: DeployedComponent, operator: Operator) -> list[Tree]:
    """The Service of a component that is no part of a Grove graph."""
    component, release = deployed.component, operator.release
    annotations = kube_annotations(deployed, release)
    is_hub = release.has("hub/v1beta1")
    discovery = operator.kubernetes_discovery(annotations if is_hub else component.annotations)
    if not discovery and component.type != "frontend":
        return []
    service = component_service(
        _network_name(deployed, release),
        deployed.namespace,
        component=deployed.component_name(release) if is_hub else component.name,
        component_type=deployed.workload_type if is_hub else component.type,
        dynamo_namespace=_dynamo_namespace(deployed, release),
        labels=kube_labels(deployed, release),
        annotations=annotations,
        kubernetes_discovery=discovery,
    )
    if component.is_multinode:
        service["spec"]["selector"]["role"] = "leader"
    return [service]


def _dynamo_namespace(deployed: DeployedComponent, release: Release) -> str:
    """The Dynamo namespace of a Service. Up to 1.1 it must be set, but may be empty."""
    component = deployed.component
    if not release.has("dynamo-namespace/computed"):
        if component.dynamo_namespace is not None:
            return component.dynamo_namespace
        raise Refusal(
            "service/no-dynamo-namespace",
            "A DynamoComponentDeployment needs spec.dynamoNamespace; the operator fails to create its Service.",
            component.path,
            "Set spec.dynamoNamespace, or use a DynamoGraphDeployment, which sets it.",
        )
    namespace = deployed.dynamo_namespace(release)
    if not namespace:
        raise Refusal(
            "service/no-dynamo-namespace",
            "dynamoNamespace is empty; the operator fails to create the component's Service.",
            component.path,
            "Set a Dynamo namespace, or remove dynamoNamespace.",
        )
    return namespace


@builder("lower/hub/workload/ingress", "controller/dynamocomponentdeployment_controller.go dcdIngressSpec")
def _ingress(deployed: DeployedComponent, operator: Operator) -> Tree | None:
    """The ingress of v1alpha1, else the default for the frontend of a graph."""
    component = deployed.component
    if component.ingress is not None or not operator.release.has("ingress/default"):
        return component.ingress
    if component.type != "frontend" or not deployed.graph_name:
        return None
    return default_ingress(deployed.graph_name, operator)
