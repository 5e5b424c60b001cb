"""Parts of Deployments and LeaderWorkerSets that all releases share."""

from __future__ import annotations

from dynamoc.diagnostics.finding import Refusal
from dynamoc.lower.metadata import int_or_string, metadata
from dynamoc.tracing import ALPHA, EARLY, HUB, builder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.model.graph import Component, Graph
    from dynamoc.model.operator import Operator

    Tree = dict[str, Any]


@builder(
    "lower/workloads/rolling-update",
    source="controller/dynamocomponentdeployment_controller.go getDeploymentRollingUpdateMaxSurgeAndMaxUnavailable",
    generations=(ALPHA, HUB),
)
def rolling_update(annotations: dict[str, str]) -> Tree:
    """How a Deployment replaces its pods; annotations change it."""
    prefix = "nvidia.com/deployment-rolling-update-"
    limits = {
        field: int_or_string(annotations.get(prefix + name) or "25%")
        for field, name in (("maxSurge", "max-surge"), ("maxUnavailable", "max-unavailable"))
    }
    return {"type": "RollingUpdate", "rollingUpdate": limits}


def check_main(component: Component, operator: Operator, spec: Tree) -> None:
    """A LeaderWorkerSet pod must set what it runs: `main` needs command and args (checkMainContainer).

    If only one container is left, that one needs them, whatever its name.
    """
    name = operator.release["main-container"]
    if not operator.release.has("deployments/all-containers"):
        name = spec["containers"][0].get("name")
    main = next((container for container in spec["containers"] if container.get("name") == name), None)
    missing = "" if main is not None else "container main"
    if main is not None:
        missing = "command" if not main.get("command") else "args" if not main.get("args") else ""
    if missing:
        raise Refusal(
            "lws/incomplete-main-container",
            f"A multinode component needs a {missing}; the operator fails to render its LeaderWorkerSet.",
            component.main_path,
            "Set command and args of the container main.",
        )


def require_multinode_orchestrator(graph: Graph, operator: Operator, wanted: str) -> None:
    """Refuses multinode components if the cluster has neither Grove nor what else is `wanted`."""
    if operator.capabilities.lws:
        return
    for component in graph.components:
        if component.is_multinode:
            raise Refusal(
                "target/no-multinode-orchestrator",
                f"{component.name} needs {component.nodes} nodes, but the cluster has neither Grove nor "
                f"{wanted}; the operator creates no pods of this graph.",
                (*component.path, "multinode"),
                "Render with --target grove or --target lws, or remove multinode.",
            )


def require_gpu_limit(component: Component) -> None:
    """The workers of a LeaderWorkerSet need a limit of GPUs."""
    if not ((component.resources or {}).get("limits") or {}).get("gpu"):
        raise Refusal(
            "lws/no-gpu-limit",
            "A multinode component needs limits.gpu; the operator fails to render its LeaderWorkerSet.",
            (*component.path, "resources"),
            "Set resources.limits.gpu to the GPUs of one node.",
        )


@builder(
    "lower/workloads/pod-group",
    source="controller/dynamocomponentdeployment_controller.go generateVolcanoPodGroup",
    generations=(EARLY, ALPHA),
)
def pod_group(name: str, namespace: str, index: int, nodes: int) -> Tree:
    """Volcano's group of the pods of one LeaderWorkerSet, which it schedules together."""
    return {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "PodGroup",
        "metadata": metadata(f"{name}-{index}", namespace, {"instance-id": str(index)}),
        "spec": {"minMember": nodes},
    }


def leader_worker_set(
    name: str, namespace: str, labels: dict[str, str], *, leader: Tree, worker: Tree, nodes: int, replicas: int = 1
) -> Tree:
    """A LeaderWorkerSet of replicas on `nodes` nodes each, whose workers start after their leader."""
    return {
        "apiVersion": "leaderworkerset.x-k8s.io/v1",
        "kind": "LeaderWorkerSet",
        "metadata": metadata(name, namespace, labels),
        "spec": {
            "replicas": replicas,
            "startupPolicy": "LeaderCreated",
            "leaderWorkerTemplate": {"leaderTemplate": leader, "workerTemplate": worker, "size": nodes},
        },
    }
