"""A multinode component as LeaderWorkerSets, each with a Volcano PodGroup for gang scheduling."""

from __future__ import annotations

from dynamoc.kube.labels import SELECTOR_LABEL
from dynamoc.lower.alpha.pod_template import kube_labels, pod_template
from dynamoc.lower.workloads import check_main, leader_worker_set, pod_group, require_gpu_limit
from dynamoc.rules.draft import LEADER, WORKER
from dynamoc.tracing import builder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.lower.alpha.pod_template import DeployedComponent
    from dynamoc.model.operator import Operator

    Tree = dict[str, Any]


def leader_worker_sets(deployed: DeployedComponent, operator: Operator) -> list[Tree]:
    """One PodGroup and one LeaderWorkerSet per replica.

    Source: controller/dynamocomponentdeployment_controller.go reconcileLeaderWorkerSetResources.
    """
    replicas = 1 if deployed.component.replicas is None else deployed.component.replicas
    objects = []
    for index in range(replicas):
        group = pod_group(deployed.name, deployed.namespace, index, deployed.component.nodes)
        objects += [group, _leader_worker_set(deployed, operator, index)]
    return objects


@builder(
    "lower/alpha/lws/leader-worker-set",
    source="controller/dynamocomponentdeployment_controller.go generateLeaderWorkerSet",
)
def _leader_worker_set(deployed: DeployedComponent, operator: Operator, index: int) -> Tree:
    """The LeaderWorkerSet of one replica: its size, and how it is rolled out."""
    name = f"{deployed.name}-{index}"
    labels = {**kube_labels(deployed), "instance-id": str(index)}
    leader, worker = (_template(deployed, operator, role, name, labels) for role in (LEADER, WORKER))
    return leader_worker_set(
        name, deployed.namespace, labels, leader=leader, worker=worker, nodes=deployed.component.nodes
    )


@builder(
    "lower/alpha/lws/template",
    source="controller/dynamocomponentdeployment_controller.go generate{Leader,Worker}PodTemplateSpec",
)
def _template(deployed: DeployedComponent, operator: Operator, role: str, name: str, labels: dict[str, str]) -> Tree:
    """The template of a leader or of its workers, with what Volcano schedules by."""
    template = pod_template(deployed, operator, role)
    meta = template["metadata"]
    meta["labels"] |= {**labels, "role": role}
    del meta["labels"][SELECTOR_LABEL]
    meta.setdefault("annotations", {})["scheduling.k8s.io/group-name"] = name
    template["spec"]["schedulerName"] = "volcano"
    check_main(deployed.component, operator, template["spec"])
    if role == WORKER:
        require_gpu_limit(deployed.component)
    return template
