"""A checked and admitted document as objects, of releases that work with v1alpha1, and those that convert it first."""

from __future__ import annotations

from typing import Any

from dynamoc.admission.adapters import (
    component_from_v1alpha1,
    component_from_v1beta1,
    graph_from_v1alpha1,
    graph_from_v1beta1,
)
from dynamoc.admission.convert.kinds import KINDS, to_alpha
from dynamoc.admission.graph import Component, Graph, enabled_checkpoint
from dynamoc.admission.operator import Operator
from dynamoc.kube.merge import Tree, copy_tree
from dynamoc.kube.names import (
    COMPONENT_LABEL,
    DISCOVERY_BACKEND_LABEL,
    GRAPH_LABEL,
    NAMESPACE_LABEL,
    WORKER_HASH_LABEL,
    dynamo_namespace,
)
from dynamoc.kube.tracing import builder, restoring
from dynamoc.rendering.lower import shared_checkpoints, snapshot_jobs, snapshots
from dynamoc.rendering.lower.checkpoints import checkpoint_job, graph_checkpoints
from dynamoc.rendering.lower.common import (
    metadata,
    owning_graph,
    require_multinode_orchestrator,
    wait_for_leader_script,
)
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
from dynamoc.rendering.lower.hub_components import (
    active_worker_hash,
    alpha_worker_hash,
    component_deployments,
    is_kept_worker,
    keep_leftovers,
    keep_worker_types,
    worker_hash,
)
from dynamoc.rendering.lower.hub_pods import mark_generation
from dynamoc.rendering.lower.ignored import tell_ignored, tell_ignored_of_graph, tell_no_epp_config
from dynamoc.rendering.lower.network import epp_destination_rule, epp_objects
from dynamoc.rendering.lower.scheduling import gpu_claim_template, gpu_claim_templates, ssh_secrets
from dynamoc.rendering.lower.shared_checkpoints import lower_checkpoint
from dynamoc.rendering.lower.snapshots import graph_snapshots, start_from
from dynamoc.rendering.lower.workloads import lower_component
from dynamoc.rendering.rules.snapshot_storage import CheckpointInfo, Snapshot


def lower_graph(graph: Graph, operator: Operator) -> list[Tree]:
    """All objects of a graph, DynamoComponentDeployments included.

    The order of the steps is the operator's: an error in one keeps the later ones from happening.
    Source: controller/dgd_component_program.go, dgd_grove_program.go, dgd_shared_resources_reconciler.go.
    """
    if graph.of_type("lpx"):
        return _left_alone(graph, operator)
    digest = computed = worker_hash(graph, operator.release)
    if "nvidia.com/current-worker-hash" in graph.annotations:
        digest = active_worker_hash(graph, operator.release, digest)
    if operator.stable_names:
        digest = ""
    tell_ignored_of_graph(graph, operator)
    objects = operator_accounts(graph, operator)
    objects += persistent_volume_claims(graph, operator)
    objects += discovery_access(graph, operator)
    if any(component.experimental for component in graph.components):
        objects += gpu_claim_templates(graph, operator)
    snapshots: dict[str, Snapshot] = {}
    if any(enabled_checkpoint(component.spec, operator.release) is not None for component in graph.components):
        taken, snapshots = _snapshots(graph, operator, digest)
        objects += taken
    if graph.of_type("epp"):
        objects += [*epp_objects(graph, operator), *epp_destination_rule(graph, operator)]
    if graph.is_multinode:
        objects += [*wait_for_leader_script(graph), *ssh_secrets(graph, operator)]
    if operator.grove_pathway(graph.annotations):
        if operator.running is not None:
            keep_worker_types(graph, operator.release, operator.running)
        if operator.release.has("grove/worker-generations"):
            mark_generation(graph, operator, computed)
        objects += lower_grove(graph, operator, snapshots)
    else:
        objects += _lower_components(graph, operator, digest, snapshots)
    if any(snapshot.is_waited_for for snapshot in snapshots.values()):
        # Nothing may raise the replicas of a component that waits for its snapshot.
        return objects
    return objects + scaling_adapters(graph, operator)


def _left_alone(graph: Graph, operator: Operator) -> list[Tree]:
    """With `lpx.enabled` off, the operator reconciles nothing of a graph with an LPX component (reference of 1.6)."""
    message = "With `lpx.enabled` off, the operator changes no object of a graph with a component of type `lpx`."
    hint = "the objects of the graph stay in the cluster as they are; dynamoc prints none"
    operator.warn("lpx/left-alone", message, graph.of_type("lpx")[0].path, hint)
    return []


def _snapshots(graph: Graph, operator: Operator, digest: str) -> tuple[list[Tree], dict[str, Snapshot]]:
    if operator.release.has("snapshots/operator-of-their-own"):
        return snapshot_jobs.graph_snapshots(graph, operator, digest)
    if operator.release.has("snapshots/of-graphs"):
        return graph_snapshots(graph, operator, digest)
    return snapshots.shared_graph_snapshots(graph, operator)


def _lower_components(graph: Graph, operator: Operator, digest: str, snapshots: dict[str, Snapshot]) -> list[Tree]:
    require_multinode_orchestrator(graph, operator, "LeaderWorkerSet with Volcano")
    objects: list[Tree] = []
    components = component_deployments(graph, operator.release, digest)
    if operator.intermediate:
        keep_leftovers(graph, components)
    for deployed in components:
        snapshot = snapshots.get(deployed.component.name)
        if snapshot is not None and operator.release.has("snapshots/of-graphs"):
            start_from(deployed, snapshot, operator)
        if operator.running is not None:
            deployed.is_kept_worker = is_kept_worker(deployed, operator.running)
        objects += [deployed.value, *lower_component(deployed, operator)]
    return objects


def _alpha_component_deployments(graph: Graph, operator: Operator) -> list[Tree]:
    """One v1alpha1 DynamoComponentDeployment per component.

    Workers have a hash of all worker specs in name and label: a change of any worker creates a new generation of all.
    Source: internal/dynamo/graph.go generateSingleDCD, controller buildRollingUpdateContext.
    """
    # The hash is taken before the graph's environment and annotations reach the components.
    digest = "" if operator.stable_names else alpha_worker_hash(operator.release.name, graph.value)[0]
    merged_env(graph)
    propagate_annotations(graph, operator)
    fill_metadata(graph)
    restarts = checked_restart(graph)
    for component in graph.components:
        if component.name in restarts:
            component.annotations[RESTART] = restarts[component.name]
    return [_alpha_component_deployment(graph, component, operator, digest) for component in graph.components]


@builder("lower/alpha/components/component-deployment", "internal/dynamo/graph.go generateSingleDCD")
def _alpha_component_deployment(graph: Graph, component: Component, operator: Operator, digest: str) -> Tree:
    """The DynamoComponentDeployment of a component: its spec, and the labels that select and find its pods."""
    name = f"{graph.name}-{component.name.lower()}"
    namespace = dynamo_namespace(component.global_dynamo_namespace, graph.namespace, graph.name)
    # Up to 1.0 the component's own labels are lost here; only those of its pods reach an object.
    own = component.labels if operator.release.has("components/keep-labels") else {}
    labels = {**own, COMPONENT_LABEL: component.name, NAMESPACE_LABEL: namespace, GRAPH_LABEL: graph.name}
    if component.is_worker and digest:
        name = f"{name}-{digest}"
        labels[WORKER_HASH_LABEL] = digest
    return component_deployment(graph, component, operator, metadata(name, graph.namespace, labels))


def lower_alpha_graph(graph: Graph, operator: Operator) -> list[Tree]:
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
        taken, snapshots = shared_checkpoints.graph_snapshots(graph, operator)
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
    for value in _alpha_component_deployments(graph, operator):
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


V1ALPHA1 = "nvidia.com/v1alpha1"
#: annotations in which a conversion keeps what v1beta1 cannot say
_LEFTOVERS = frozenset(("nvidia.com/dgd-spec", "nvidia.com/dcd-spec"))


#: fields whose values are handed through
_KEPT_WHOLE = ("eppConfig", "providerOverride")


def lower_document(value: Tree, operator: Operator, written: str, alpha: Tree | None = None) -> list[Tree]:
    """The objects that the operator creates for a canonical document, intermediate ones included.

    `written` is the apiVersion that the user wrote: findings are placed there. `alpha` is the document as it is stored
    in v1alpha1, where it is; else its v1alpha1 view is made of `value`.
    Raises `Refusal` where the operator admits the document and then fails.
    """
    is_hub, kind = operator.release.has("hub/v1beta1"), value["kind"]
    if is_hub:
        value = without_nulls(value)
    if kind == "DynamoCheckpoint":
        shared = operator.release.has("snapshots/by-agent")
        return lower_checkpoint(value, operator) if shared else [value, checkpoint_job(value, operator)]
    view = _alpha_view(value, written) if is_hub and alpha is None else alpha or {}
    if kind == "DynamoGraphDeployment":
        if not is_hub:
            return lower_alpha_graph(graph_from_v1alpha1(value), operator)
        return lower_graph(graph_from_v1beta1(value, view, submitted_alpha=written == V1ALPHA1), operator)
    spec = value.get("spec") or {}
    if is_hub:
        own = view.get("spec") or {}
        component = component_from_v1beta1(spec, own, ("spec",), submitted_alpha=written == V1ALPHA1)
    else:
        component = component_from_v1alpha1(spec.get("serviceName", ""), spec, ("spec",))
    tell_ignored(component, operator)
    tell_no_epp_config(component, operator)
    return lower_component(DeployedComponent(value, component, owner=owning_graph(value)), operator)


def without_nulls(value: Any) -> Any:
    """The tree without null fields, as Go prints lists and maps that do not exist.

    An EPP's configuration keeps them: they go into its ConfigMap. So do fragments of Grove's objects.
    """
    if value.__class__ is dict:
        return {
            key: item if key in _KEPT_WHOLE else without_nulls(item) for key, item in value.items() if item is not None
        }
    return [without_nulls(item) for item in value] if value.__class__ is list else value


@restoring
def _alpha_view(value: Tree, written: str) -> Tree:
    """The document in v1alpha1, as far as rendering needs it.

    One that always was v1beta1 says nothing there that it doesn't say itself, but for the sub type of workers.
    """
    annotations = value["metadata"].get("annotations") or {}
    if written == V1ALPHA1 or _LEFTOVERS.intersection(annotations):
        return to_alpha(value, KINDS[value["kind"]])
    spec = value.get("spec") or {}
    if value["kind"] == "DynamoComponentDeployment":
        return {"spec": _sub_type(spec)}
    return {"spec": {"services": {item.get("name", ""): _sub_type(item) for item in spec.get("components") or ()}}}


def _sub_type(spec: Tree) -> Tree:
    return {"subComponentType": spec["type"]} if spec.get("type") in ("prefill", "decode") else {}
