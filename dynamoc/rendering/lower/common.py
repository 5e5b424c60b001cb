"""Labels, metadata and parts of workloads that all releases share."""

from __future__ import annotations

from collections.abc import Callable

from dynamoc.admission.cluster.config import OperatorConfig
from dynamoc.admission.graph import Component, Graph
from dynamoc.admission.operator import Operator
from dynamoc.documents.findings.finding import Refusal
from dynamoc.kube.limits import hint, limit
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import (
    GRAPH_LABEL,
    METRICS_LABEL,
    MODEL_HASH_LABEL,
    SELECTOR_LABEL,
    SUB_TYPE_LABEL,
    TYPE_LABEL,
    model_hash,
)
from dynamoc.kube.tracing import NOT_EARLY, NOT_HUB, builder
from dynamoc.reference.programs import WAIT_FOR_LEADER
from dynamoc.rendering.rules.command import parse_int64
from dynamoc.rendering.rules.multinode import KEY, config_map_name


def type_labels(component: Component) -> dict[str, str]:
    """What the component is, as far as it says so."""
    labels = {TYPE_LABEL: component.type, SUB_TYPE_LABEL: component.sub_type}
    return {label: value for label, value in labels.items() if value}


def model_label(component: Component) -> dict[str, str]:
    """By which the Service of a model finds its pods."""
    model = (component.model_ref or {}).get("name")
    return {MODEL_HASH_LABEL: model_hash(model)} if model else {}


def metrics_label(annotations: dict[str, str]) -> dict[str, str]:
    """By which the chart's PodMonitors find pods, unless an annotation says otherwise."""
    return {} if annotations.get("nvidia.com/enable-metrics") == "false" else {METRICS_LABEL: "true"}


def metadata(
    name: str, namespace: str, labels: dict[str, str] | None = None, annotations: dict[str, str] | None = None
) -> Tree:
    """ObjectMeta without empty maps."""
    result: Tree = {"name": name, "namespace": namespace}
    if labels:
        result["labels"] = labels
    if annotations:
        result["annotations"] = annotations
    return result


def owning_graph(value: Tree) -> str:
    """The DynamoGraphDeployment that owns an object, "" where none does."""
    owners = value["metadata"].get("ownerReferences") or []
    return next((item["name"] for item in owners if item.get("kind") == "DynamoGraphDeployment"), "")


def int_or_string(text: str) -> int | str:
    """intstr.Parse: an integer if strconv.Atoi reads one, else the string."""
    number = parse_int64(text)
    if number is None:
        return text
    return int32(number)


def int32(number: int) -> int:
    """A number in a type of 32 bits, as Go makes it from a wider one: the rest is cut off."""
    return (number + 2**31) % 2**32 - 2**31


@builder(
    "lower/workloads/rolling-update",
    "controller/dynamocomponentdeployment_controller.go getDeploymentRollingUpdateMaxSurgeAndMaxUnavailable",
    NOT_EARLY,
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


def volcano_sets(name: str, namespace: str, component: Component, make_set: Callable[[int], Tree]) -> list[Tree]:
    """One PodGroup and one LeaderWorkerSet per replica."""
    replicas = 1 if component.replicas is None else component.replicas
    refuse_many_sets(component, replicas)
    objects = []
    for index in range(replicas):
        objects += [pod_group(name, namespace, index, component.nodes), make_set(index)]
    return objects


def set_member(template: Tree, component: Component, operator: Operator, labels: dict[str, str], role: str) -> Tree:
    """The template of a leader or of its workers, whose labels say so; Services and selectors do not find it."""
    meta = template["metadata"]
    meta["labels"].update(labels, role=role)
    del meta["labels"][SELECTOR_LABEL]
    check_main(component, operator, template["spec"])
    return template


def schedule_with_volcano(template: Tree, group: str) -> None:
    """Names the scheduler and the PodGroup of a LeaderWorkerSet's pods."""
    template["metadata"].setdefault("annotations", {})["scheduling.k8s.io/group-name"] = group
    template["spec"]["schedulerName"] = "volcano"


def deployment(meta: Tree, selector: str, template: Tree, strategy: Tree, replicas: int | None) -> Tree:
    """A Deployment of pods with the name `selector` in their labels."""
    spec: Tree = {
        "selector": {"matchLabels": {SELECTOR_LABEL: selector}},
        "template": template,
        "strategy": strategy,
        **({} if replicas is None else {"replicas": replicas}),
    }
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": meta, "spec": spec}


@builder(
    "lower/workloads/pod-group", "controller/dynamocomponentdeployment_controller.go generateVolcanoPodGroup", NOT_HUB
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


def refuse_many_sets(component: Component, replicas: int) -> None:
    """Raises Refusal where each replica has a LeaderWorkerSet of its own, and they are too many."""
    if replicas > limit("pods"):
        message = (
            f"The component has {replicas:,} replicas, with a LeaderWorkerSet each; "
            f"the limit `pods` is {limit('pods'):,}."
        )
        raise Refusal("output/too-large", message, (*component.path, "replicas"), hint("pods", replicas))


def wait_for_leader_script(graph: Graph) -> list[Tree]:
    """One for each graph with a multinode component, whatever its backend.

    Source: internal/dynamo/backend_vllm.go GenerateWaitLeaderConfigMap, controller/dgd_wait_for_leader_reconciler.go.
    """
    return [script_of(graph.name, graph.namespace)] if graph.is_multinode else []


@builder(
    "lower/wait_for_leader/script-of",
    "internal/dynamo/backend_vllm.go GenerateWaitLeaderConfigMap",
    NOT_EARLY,
    when="vllm/wait-leader-config-map",
)
def script_of(owner: str, namespace: str) -> Tree:
    """The ConfigMap that pods of a graph, or of a component without one, mount by the name of their owner."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": metadata(config_map_name(owner), namespace, {GRAPH_LABEL: owner}),
        "data": {KEY: WAIT_FOR_LEADER},
    }


def check_namespace(namespace: str, config: OperatorConfig) -> None:
    """Raises `Refusal` if no controller of the operator sees the objects of a namespace.

    Source: internal/controller_common/predicate.go EphemeralDeploymentEventFilter, the same in all releases. Operators
    that share a cluster also keep off each other's namespaces, which nothing offline tells.
    """
    restricted = config.namespace.restricted
    if restricted and namespace != restricted:
        raise Refusal(
            "namespace/restricted",
            f"The operator is restricted to the namespace {restricted} and ignores {namespace}.",
            ("metadata", "namespace"),
            f"Use the namespace {restricted}, or an operator without this restriction.",
        )
    if not restricted and "ephemeral" in namespace:
        raise Refusal(
            "namespace/ephemeral",
            f'The operator ignores namespaces with "ephemeral" in their names, such as {namespace}.',
            ("metadata", "namespace"),
            "Use a namespace with a different name.",
        )
