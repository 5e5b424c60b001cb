"""A DynamoComponentDeployment as a Deployment or LeaderWorkerSets, with the objects that go with them.

All objects take their labels from one map, the labels of the DynamoComponentDeployment itself, and the operator adds to
that map on the way: a label that one object needs is on all that are created later, and in the selector of the Service.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from dynamoc.admission.operator import Operator
from dynamoc.documents.findings.finding import Path, Refusal
from dynamoc.kube.merge import copy_tree
from dynamoc.kube.tracing import builder
from dynamoc.rendering.lower.early_pods import (
    DEBUG_TARGET,
    Deployed,
    autoscaler,
    component_claims,
    is_wanted,
    pod_template,
    warn_of_no_autoscaler,
)
from dynamoc.rendering.lower.ignored import tell_ignored_component
from dynamoc.rendering.lower.network import frontend_service, ingress_objects
from dynamoc.rendering.lower.parts import (
    deployment,
    leader_worker_set,
    metadata,
    require_gpu_limit,
    schedule_with_volcano,
    set_member,
    volcano_sets,
)
from dynamoc.rendering.rules.draft import LEADER, MAIN, WORKER

Tree = dict[str, Any]


def leader_worker_sets(deployed: Deployed, operator: Operator) -> list[Tree]:
    """One PodGroup and one LeaderWorkerSet per replica.

    Source: controller/dynamocomponentdeployment_controller.go Reconcile.
    """
    replicas = 1 if deployed.component.replicas is None else deployed.component.replicas
    if replicas > 0 and not operator.capabilities.volcano:
        raise Refusal(
            "lws/no-volcano",
            "The cluster has LeaderWorkerSet, but not Volcano. The operator does not look for Volcano, and fails at "
            "the PodGroup of this component.",
            (*deployed.component.path, "multinode"),
            "Install Volcano, or Grove.",
        )
    made = partial(_leader_worker_set, deployed, operator)
    return volcano_sets(deployed.name, deployed.namespace, deployed.component, made)


@builder(
    "lower/early/lws/leader-worker-set",
    source="controller/dynamocomponentdeployment_controller.go generateLeaderWorkerSet",
)
def _leader_worker_set(deployed: Deployed, operator: Operator, index: int) -> Tree:
    """Both templates and the set share one map of labels, so that leaders are labelled as workers in the end."""
    name = f"{deployed.name}-{index}"
    labels = deployed.labels()
    labels["instance-id"] = str(index)
    leader, worker = (_template(deployed, operator, role, name, dict(labels)) for role in (LEADER, WORKER))
    nodes = deployed.component.nodes
    made = leader_worker_set(name, deployed.namespace, labels, leader=leader, worker=worker, nodes=nodes)
    value: Tree = copy_tree(made)
    return value


@builder(
    "lower/early/lws/template",
    source="controller/dynamocomponentdeployment_controller.go generate{Leader,Worker}PodTemplateSpec",
)
def _template(deployed: Deployed, operator: Operator, role: str, name: str, labels: dict[str, str]) -> Tree:
    """The template of a leader or of its workers, with what Volcano schedules by."""
    template = pod_template(deployed, operator, role, name=deployed.name)
    set_member(template, deployed.component, operator, labels, role)
    schedule_with_volcano(template, name)
    if role == WORKER:
        require_gpu_limit(deployed.component)
    return template


_STEALING = "nvidia.com/enable-stealing-traffic-debug-mode"


def lower_component(value: Tree, path: Path, owner: str, operator: Operator) -> list[Tree]:
    """The objects of a DynamoComponentDeployment, on its own or created from a graph; `path` is the component's.

    Source: controller/dynamocomponentdeployment_controller.go Reconcile.
    """
    deployed = Deployed(value, path, owner)
    component = deployed.component
    tell_ignored_component(deployed, operator)
    claims = component_claims(deployed.name, deployed.namespace, component, operator)
    if operator.capabilities.lws and component.is_multinode:
        warn_of_no_autoscaler(component, operator, "LeaderWorkerSets")
        objects = leader_worker_sets(deployed, operator)
    else:
        objects = [_deployment(deployed, operator)]
        if _is_stealing(deployed):
            objects.append(_deployment(deployed, operator, stealing=True))
        if is_wanted(component):
            objects.append(_labelled(autoscaler(deployed.name, deployed.namespace, component, operator), deployed))
    if _is_frontend(deployed, operator):
        objects += _services(deployed)
    return claims + objects + ingress_objects(deployed.name, deployed.namespace, component.ingress, operator)


def _is_frontend(deployed: Deployed, operator: Operator) -> bool:
    """Source: api/v1alpha1/dynamocomponentdeployment_types.go IsFrontendComponent."""
    component = deployed.component
    if component.type == "frontend" or not operator.release.has("frontend/by-dynamo-tag"):
        return component.type == "frontend"
    tag: str = component.spec.get("dynamoTag", "")
    if not tag.endswith(component.name):
        return False
    operator.warn(
        "component/frontend-by-tag",
        "dynamoTag ends in serviceName (an empty one always matches): the operator gives the component the "
        "Service of a frontend, but not its port or probes.",
        component.path,
        "Set serviceName, and either no dynamoTag or one that does not end in it.",
    )
    return True


def _is_stealing(deployed: Deployed) -> bool:
    return deployed.component.annotations.get(_STEALING) == "true"


@builder(
    "lower/early/deployed/deployment", source="controller/dynamocomponentdeployment_controller.go generateDeployment"
)
def _deployment(deployed: Deployed, operator: Operator, *, stealing: bool = False) -> Tree:
    """The Deployment, or its double for debugging: one pod that takes traffic from the real ones."""
    name = f"{deployed.name}-d" if stealing else deployed.name
    template = pod_template(deployed, operator, MAIN, name=name, stealing=stealing)
    strategy = deployed.component.annotations.get("nvidia.com/deployment-strategy", "")
    how = _STRATEGIES.get(strategy) or _rolling_update("25%", "25%")
    replicas = 1 if stealing else deployed.component.replicas
    return _labelled(deployment(metadata(name, deployed.namespace), name, template, how, replicas), deployed)


@builder(
    "lower/early/deployed/rolling-update",
    source="controller/dynamocomponentdeployment_controller.go getDeploymentRollingUpdateMaxSurgeAndMaxUnavailable",
)
def _rolling_update(surge: int | str, unavailable: int | str) -> Tree:
    """How a Deployment replaces its pods; annotations change it."""
    return {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": surge, "maxUnavailable": unavailable}}


#: Any other word is as good as none (generateDeployment).
_STRATEGIES = {
    "Recreate": {"type": "Recreate"},
    "RampedSlowRollout": _rolling_update(1, 0),
    "BestEffortControlledRollout": _rolling_update(0, "20%"),
}


def _services(deployed: Deployed) -> list[Tree]:
    """The Service of a frontend; with a debug Deployment also one for each of the two (generateService).

    The selector is the whole map of labels, and names leaders where there are several nodes.
    """
    selector = dict(deployed.labels())
    if deployed.component.is_multinode:
        selector["role"] = "leader"
    names = [(deployed.name, selector)]
    if _is_stealing(deployed):
        names += [(f"{deployed.name}-p", dict(selector)), (f"{deployed.name}-d", {**selector, **DEBUG_TARGET})]
    return [_labelled(frontend_service(metadata(name, deployed.namespace), chosen), deployed) for name, chosen in names]


@builder(
    "lower/early/deployed/labelled", source="controller/dynamocomponentdeployment_controller.go generateDeployment"
)
def _labelled(value: Tree, deployed: Deployed) -> Tree:
    """The object as it is sent: with the labels collected so far."""
    name = value["metadata"]["name"]
    labelled: Tree = copy_tree(value)
    labelled["metadata"] = metadata(name, deployed.namespace, dict(deployed.labels()), deployed.annotations())
    return labelled
