"""A multinode component as LeaderWorkerSets, each with a Volcano PodGroup for gang scheduling."""

from __future__ import annotations

from dynamoc.diagnostics.finding import Refusal
from dynamoc.kube.labels import SELECTOR_LABEL
from dynamoc.lower.early.pod_template import pod_template
from dynamoc.lower.workloads import check_main, leader_worker_set, pod_group, require_gpu_limit
from dynamoc.rules.draft import LEADER, WORKER
from dynamoc.tracing import builder
from dynamoc.tree import copy_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.lower.early.pod_template import Deployed
    from dynamoc.model.operator import Operator

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
    objects = []
    for index in range(replicas):
        group = pod_group(deployed.name, deployed.namespace, index, deployed.component.nodes)
        objects += [group, _leader_worker_set(deployed, operator, index)]
    return objects


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
    meta = template["metadata"]
    meta["labels"].update(labels, role=role)
    del meta["labels"][SELECTOR_LABEL]
    meta["annotations"]["scheduling.k8s.io/group-name"] = name
    template["spec"]["schedulerName"] = "volcano"
    check_main(deployed.component, operator, template["spec"])
    if role == WORKER:
        require_gpu_limit(deployed.component)
    return template
