"""A checked and admitted v1alpha1 document as the objects of releases 1.0 and 1.1."""

from __future__ import annotations

from typing import Any

from dynamoc.admission.adapters import component_from_v1alpha1, graph_from_v1alpha1
from dynamoc.admission.graph import Component, Graph
from dynamoc.admission.operator import Operator
from dynamoc.kube.go_types import load, typed
from dynamoc.kube.merge import copy_tree
from dynamoc.kube.names import (
    COMPONENT_LABEL,
    DISCOVERY_BACKEND_LABEL,
    GRAPH_LABEL,
    NAMESPACE_LABEL,
    WORKER_HASH_LABEL,
    dynamo_namespace,
)
from dynamoc.kube.text import dumps, hex_digest
from dynamoc.kube.tracing import ALPHA, HUB, builder, naming
from dynamoc.rendering.lower.checkpoints import checkpoint_job, graph_checkpoints
from dynamoc.rendering.lower.deployed import DeployedComponent
from dynamoc.rendering.lower.deployment_config import component_deployment
from dynamoc.rendering.lower.graph_objects import (
    RESTART,
    checked_restart,
    discovery_access,
    fill_metadata,
    merged_env,
    operator_accounts,
    persistent_volume_claims,
    propagate_annotations,
    scaling_adapters,
)
from dynamoc.rendering.lower.grove import lower_grove
from dynamoc.rendering.lower.ignored import tell_ignored, tell_ignored_of_graph, tell_no_epp_config
from dynamoc.rendering.lower.network import epp_objects
from dynamoc.rendering.lower.parts import metadata, owning_graph, require_multinode_orchestrator, wait_for_leader_script
from dynamoc.rendering.lower.scheduling import gpu_claim_template, ssh_secrets
from dynamoc.rendering.lower.shared_checkpoints import graph_snapshots, lower_checkpoint
from dynamoc.rendering.lower.workloads import lower_component
from dynamoc.rendering.rules.checkpoint import CheckpointInfo, Snapshot

# Source: internal/dynamo/graph.go IsWorkerComponent.
_WORKER_TYPES = ("worker", "prefill", "decode")
# Identity, scaling, networking and metadata of objects: what does not reach the pod template is not hashed.
# Source: internal/dynamo/hash.go stripNonPodTemplateFields of release 1.0; api/v1alpha1/legacy_worker_hash.go
# stripV1alpha1NonPodTemplateFields of release 1.4, the first to know runtimeVersionOverride.
_UNHASHED = frozenset(
    (
        "annotations",
        "labels",
        "serviceName",
        "componentType",
        "subComponentType",
        "dynamoNamespace",
        "replicas",
        "autoscaling",
        "scalingAdapter",
        "ingress",
        "modelRef",
        "eppConfig",
        "runtimeVersionOverride",
    )
)

Tree = dict[str, Any]


def component_deployments(graph: Graph, operator: Operator) -> list[Tree]:
    """One v1alpha1 DynamoComponentDeployment per component.

    Workers have a hash of all worker specs in name and label: a change of any worker creates a new generation of all.
    Source: internal/dynamo/graph.go generateSingleDCD, controller buildRollingUpdateContext.
    """
    # The hash is taken before the graph's environment and annotations reach the components.
    digest = "" if operator.stable_names else worker_hash(operator.release.name, graph.value)[0]
    merged_env(graph)
    propagate_annotations(graph, operator)
    fill_metadata(graph)
    restarts = checked_restart(graph)
    for component in graph.components:
        if component.name in restarts:
            component.annotations[RESTART] = restarts[component.name]
    return [_component_deployment(graph, component, operator, digest) for component in graph.components]


@builder("lower/alpha/components/component-deployment", source="internal/dynamo/graph.go generateSingleDCD")
def _component_deployment(graph: Graph, component: Component, operator: Operator, digest: str) -> Tree:
    """The DynamoComponentDeployment of a component: its spec, and the labels that select and find its pods."""
    name = f"{graph.name}-{component.name.lower()}"
    namespace = dynamo_namespace(component.global_dynamo_namespace, graph.namespace, graph.name)
    # Up to 1.0 the component's own labels are lost here; only those of its pods reach an object.
    own = component.labels if operator.release.has("components/keep-labels") else {}
    labels = {
        **own,
        COMPONENT_LABEL: component.name,
        NAMESPACE_LABEL: namespace,
        GRAPH_LABEL: graph.name,
    }
    if component.is_worker and digest:
        name = f"{name}-{digest}"
        labels[WORKER_HASH_LABEL] = digest
    return component_deployment(graph, component, operator, metadata(name, graph.namespace, labels))


def lower_graph(graph: Graph, operator: Operator) -> list[Tree]:
    """All objects of a graph, DynamoComponentDeployments included.

    The order of the steps is the operator's: an error in one keeps the later ones from happening.
    Source: controller/dynamographdeployment_controller.go reconcileResources.
    """
    tell_ignored_of_graph(graph, operator)
    objects = operator_accounts(graph, operator)
    objects += persistent_volume_claims(graph, operator)
    checkpoints: dict[str, CheckpointInfo] = {}
    snapshots: dict[str, Snapshot] = {}
    if operator.release.has("snapshots/by-agent"):
        taken, snapshots = graph_snapshots(graph, operator)
    else:
        taken, checkpoints = graph_checkpoints(graph, operator)
    objects += taken
    objects += scaling_adapters(graph, operator)
    objects += discovery_access(graph, operator)
    objects += epp_objects(graph, operator)
    if operator.release.has("vllm/wait-leader-config-map"):
        objects += wait_for_leader_script(graph)
    objects += ssh_secrets(graph, operator)
    if operator.grove_pathway(graph.annotations):
        merged_env(graph)
        _annotate(graph, operator)
        for component in graph.components:
            objects += gpu_claim_template(component, graph.name, graph.namespace, operator)
        return objects + lower_grove(graph, operator, snapshots, checkpoints)
    require_multinode_orchestrator(graph, operator, "LeaderWorkerSet with Volcano")
    for value in component_deployments(graph, operator):
        objects.append(value)
        name = value["spec"]["serviceName"]
        component = component_from_v1alpha1(name, copy_tree(value["spec"]), ("spec", "services", name))
        objects += lower_component(DeployedComponent(value, component, owner=graph.name), operator)
    return objects


def _annotate(graph: Graph, operator: Operator) -> None:
    """Under Grove, the graph's discovery backend overrides a component's own; the others only fill gaps."""
    backend = operator.discovery_backend(graph.annotations)
    if backend:
        for component in graph.components:
            component.annotations[DISCOVERY_BACKEND_LABEL] = backend
    propagate_annotations(graph, operator)
    fill_metadata(graph)


def lower_document(value: Tree, operator: Operator, written: str) -> list[Tree]:  # noqa: ARG001
    """The objects that the operator creates for a canonical document, intermediate ones included.

    `written` is the apiVersion that the user wrote; there is only one here.

    Raises `Refusal` where the operator admits the document and then fails.
    """
    return _LOWER[value["kind"]](value, operator)


def _graph(value: Tree, operator: Operator) -> list[Tree]:
    return lower_graph(graph_from_v1alpha1(value), operator)


def _component(value: Tree, operator: Operator) -> list[Tree]:
    spec = value["spec"]
    component = component_from_v1alpha1(spec.get("serviceName", ""), spec, ("spec",))
    tell_ignored(component, operator)
    tell_no_epp_config(component, operator)
    return lower_component(DeployedComponent(value, component, owner=owning_graph(value)), operator)


def _checkpoint(value: Tree, operator: Operator) -> list[Tree]:
    if operator.release.has("snapshots/by-agent"):
        return lower_checkpoint(value, operator)

    return [value, checkpoint_job(value, operator)]


_LOWER = {
    "DynamoGraphDeployment": _graph,
    "DynamoComponentDeployment": _component,
    "DynamoCheckpoint": _checkpoint,
}


@naming(
    "kube/workerhash/worker-hash",
    source="internal/dynamo/hash.go ComputeDGDWorkersSpecHash",
    generations=(ALPHA, HUB),
    when="worker/generations",
    unless="worker-hash/of-components",
)
def worker_hash(release: str, graph: dict[str, Any]) -> tuple[str, bytes]:
    """8 hex digits and the bytes that they are computed from, for a v1alpha1 DynamoGraphDeployment after defaulting.

    A graph without workers has a hash too. ValueError where Go could not read a service.
    """
    data = worker_hash_input(release, (graph.get("spec") or {}).get("services") or {})
    return hex_digest(data)[:8], data


def worker_hash_input(release: str, services: dict[str, Any]) -> bytes:
    """The workers among the services as Go prints a map of their specs."""
    workers = {
        name: {field: value for field, value in spec.items() if field not in _UNHASHED}
        for name, spec in services.items()
        if spec and spec.get("componentType") in _WORKER_TYPES
    }
    kind = "map[string]dynamo/v1alpha1.DynamoComponentDeploymentSharedSpec"
    return dumps(typed(workers, kind, load(release)))
