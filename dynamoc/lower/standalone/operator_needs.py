"""What of a document needs an operator that runs."""

from __future__ import annotations

from dynamoc.cluster.chart import HELM_RELEASE
from dynamoc.kube.labels import COMPONENT_LABEL, TYPE_LABEL, WORKER_HASH_LABEL
from dynamoc.kube.scope import GROVE_SETS
from dynamoc.lower.standalone.pod_templates import pod_templates
from dynamoc.model.graph import WORKER_TYPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.model.operator import Operator
    from dynamoc.model.standalone import Standalone
    from dynamoc.release.registry import Release

    Tree = dict[str, Any]

_ENGINE_GROUP = "nvidia.com/dynamo-failover-engine-group-member"
_TOPOLOGY = ("nvidia.com/topology-label-key", "nvidia.com/topology-cluster-topology-name")
#: variables with addresses from the operator's configuration
_ADDRESSES = ("NATS_SERVER", "ETCD_ENDPOINTS")


def note_losses(value: Tree, objects: list[Tree], operator: Operator) -> None:
    """Remembers what will not happen to the `objects` of a document."""
    standalone = operator.standalone
    if standalone is None:
        return
    owner = value["metadata"].get("name") or ""
    standalone.lose("upkeep")
    for item in objects:
        _note_object(item, owner, operator.release, standalone)
    for _, template in pod_templates(objects):
        _note_pods(template, owner, standalone)


def _note_object(item: Tree, owner: str, release: Release, standalone: Standalone) -> None:
    kind, labels = item["kind"], item["metadata"].get("labels") or {}
    if kind in GROVE_SETS:
        standalone.lose("grove-scaling", owner)
    elif kind == "LeaderWorkerSet" and "instance-id" in labels:
        standalone.lose("lws-scaling", owner)
    if kind in ("Deployment", "LeaderWorkerSet") and release.has("worker/generations") and _runs_workers(item):
        standalone.lose("generations" if labels.get(WORKER_HASH_LABEL) else "rollouts", owner)


def _runs_workers(item: Tree) -> bool:
    return any(
        ((template.get("metadata") or {}).get("labels") or {}).get(TYPE_LABEL) in WORKER_TYPES
        for _, template in pod_templates([item])
    )


def _note_pods(template: Tree, owner: str, standalone: Standalone) -> None:
    metadata = template.get("metadata") or {}
    labels, annotations = metadata.get("labels") or {}, metadata.get("annotations") or {}
    name = "/".join(part for part in (owner, labels.get(COMPONENT_LABEL, "")) if part)
    if labels.get(TYPE_LABEL) == "planner":
        standalone.lose("planners", name)
    if any(annotations.get(key) for key in _TOPOLOGY):
        standalone.lose("topology", name)
    if labels.get(_ENGINE_GROUP) == "true":
        standalone.lose("failover", name)
    for container in (template.get("spec") or {}).get("containers") or ():
        for variable in container.get("env") or ():
            address = variable.get("value", "")
            if variable.get("name") in _ADDRESSES and f"{HELM_RELEASE}-" in address:
                standalone.lose("services", address)
