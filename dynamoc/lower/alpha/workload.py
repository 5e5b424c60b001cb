"""One component as a Deployment, with Service and Ingress."""

from __future__ import annotations

from dynamoc.diagnostics.finding import Refusal
from dynamoc.kube.labels import SELECTOR_LABEL
from dynamoc.lower.alpha.pod_template import (
    DeployedComponent,
    kube_annotations,
    kube_labels,
    pod_template,
)
from dynamoc.lower.graph_objects import model_services
from dynamoc.lower.metadata import metadata
from dynamoc.lower.network import component_service, ingress_objects
from dynamoc.lower.workloads import rolling_update
from dynamoc.rules.checkpoint import RESTORE_LABEL
from dynamoc.rules.draft import MAIN
from dynamoc.tracing import builder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.model.operator import Operator

    Tree = dict[str, Any]


def lower_component(deployed: DeployedComponent, operator: Operator) -> list[Tree]:
    """The objects of a DynamoComponentDeployment, on its own or created from a graph.

    Source: controller/dynamocomponentdeployment_controller.go Reconcile.
    """
    objects: list[Tree] = []
    if deployed.component.spec.get("gpuMemoryService"):
        from dynamoc.lower.alpha.gpu_claims import gpu_claim_template

        name = deployed.service_name or deployed.name
        objects += gpu_claim_template(deployed.component, deployed.owner, deployed.namespace, operator, name=name)
    if operator.capabilities.lws and deployed.component.is_multinode:
        from dynamoc.lower.alpha.lws import leader_worker_sets

        objects += leader_worker_sets(deployed, operator)
    else:
        objects.append(_deployment(deployed, operator))
    objects += _service(deployed, operator)
    model = (deployed.component.model_ref or {}).get("name")
    objects += model_services([model] if model else [], deployed.namespace)
    return objects + ingress_objects(deployed.name, deployed.namespace, deployed.component.ingress, operator)


@builder(
    "lower/alpha/workload/deployment", source="controller/dynamocomponentdeployment_controller.go generateDeployment"
)
def _deployment(deployed: DeployedComponent, operator: Operator) -> Tree:
    """The Deployment of a component: replicas, selector, and how pods are replaced."""
    annotations = kube_annotations(deployed)
    template = pod_template(deployed, operator, MAIN)
    spec: Tree = {
        "selector": {"matchLabels": {SELECTOR_LABEL: deployed.name}},
        "template": template,
        "strategy": _strategy(annotations, deployed, template),
    }
    if deployed.component.replicas is not None:
        spec["replicas"] = deployed.component.replicas
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": metadata(deployed.name, deployed.namespace, kube_labels(deployed), annotations),
        "spec": spec,
    }


@builder(
    "lower/alpha/workload/strategy",
    source="controller/dynamocomponentdeployment_controller.go getDeploymentRollingUpdateMaxSurgeAndMaxUnavailable",
)
def _strategy(annotations: dict[str, str], deployed: DeployedComponent, template: Tree) -> Tree:
    """RollingUpdate of 25 %, changed by annotations; a pod that restores a checkpoint must not overlap with the old."""
    wanted = deployed.component.annotations.get("nvidia.com/deployment-strategy")
    if wanted == "Recreate" or template["metadata"]["labels"].get(RESTORE_LABEL) == "true":
        return {"type": "Recreate"}
    return rolling_update(annotations)


@builder("lower/alpha/workload/service", source="controller/dynamocomponentdeployment_controller.go generateService")
def _service(deployed: DeployedComponent, operator: Operator) -> list[Tree]:
    """The Service of a component that is no part of a Grove graph."""
    component = deployed.component
    discovery = operator.kubernetes_discovery(component.annotations)
    if not discovery and component.type != "frontend":
        return []
    if component.dynamo_namespace is None:
        raise Refusal(
            "service/no-dynamo-namespace",
            "A DynamoComponentDeployment needs spec.dynamoNamespace; the operator fails to create its Service.",
            component.path,
            "Set spec.dynamoNamespace, or use a DynamoGraphDeployment, which sets it.",
        )
    service = component_service(
        deployed.name,
        deployed.namespace,
        component=deployed.service_name,
        component_type=component.type,
        dynamo_namespace=component.dynamo_namespace,
        labels=kube_labels(deployed),
        annotations=kube_annotations(deployed),
        kubernetes_discovery=discovery,
    )
    if component.is_multinode:
        service["spec"]["selector"]["role"] = "leader"
    return [service]
