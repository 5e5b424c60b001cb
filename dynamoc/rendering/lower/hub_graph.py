"""A checked and admitted document, converted to v1beta1, as objects; sets of Grove apart.

Source: controller/dynamocomponentdeployment_controller.go Reconcile of release 1.4.
"""

from __future__ import annotations

from typing import Any

from dynamoc.admission.adapters import component_from_v1beta1, graph_from_v1beta1
from dynamoc.admission.convert.kinds import KINDS, to_alpha
from dynamoc.admission.graph import Graph, enabled_checkpoint
from dynamoc.admission.operator import Operator
from dynamoc.documents.findings.finding import Refusal
from dynamoc.kube import quantity
from dynamoc.kube.names import SUB_TYPE_LABEL, TYPE_LABEL, kube_resource_name
from dynamoc.kube.tracing import builder, restoring
from dynamoc.reference.releases import Release
from dynamoc.rendering.lower import snapshot_jobs, snapshots
from dynamoc.rendering.lower.checkpoint_jobs import component_storage
from dynamoc.rendering.lower.graph_objects import (
    discovery_access,
    model_services,
    operator_accounts,
    persistent_volume_claims,
    scaling_adapters,
)
from dynamoc.rendering.lower.hub_components import (
    active_worker_hash,
    component_deployments,
    is_kept_worker,
    keep_leftovers,
    keep_worker_types,
    worker_hash,
)
from dynamoc.rendering.lower.hub_deployed import (
    DeployedComponent,
    epp_destination_rule,
    kube_annotations,
    kube_labels,
    pod_template,
    resource_annotations,
)
from dynamoc.rendering.lower.hub_grove import lower_grove
from dynamoc.rendering.lower.hub_pods import mark_generation
from dynamoc.rendering.lower.ignored import tell_ignored, tell_ignored_of_graph, tell_no_epp_config
from dynamoc.rendering.lower.network import component_service, default_ingress, epp_objects, ingress_objects
from dynamoc.rendering.lower.parts import (
    deployment,
    leader_worker_set,
    metadata,
    owning_graph,
    require_multinode_orchestrator,
    rolling_update,
    set_member,
    wait_for_leader_script,
)
from dynamoc.rendering.lower.scheduling import gpu_claim_templates, ssh_secrets
from dynamoc.rendering.lower.shared_checkpoints import lower_checkpoint
from dynamoc.rendering.lower.snapshots import graph_snapshots, start_from
from dynamoc.rendering.rules.checkpoint import Snapshot
from dynamoc.rendering.rules.draft import LEADER, MAIN, WORKER

#: stands on the LeaderWorkerSets of operators that made one a replica
_OLD_INSTANCE = "instance-id"

Tree = dict[str, Any]


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
    return _LOWER[value["kind"]](without_nulls(value), operator, written, alpha)


def without_nulls(value: Any) -> Any:
    """The tree without null fields, as Go prints lists and maps that do not exist.

    An EPP's configuration keeps them: they go into its ConfigMap. So do fragments of Grove's objects.
    """
    if value.__class__ is dict:
        return {
            key: item if key in _KEPT_WHOLE else without_nulls(item) for key, item in value.items() if item is not None
        }
    return [without_nulls(item) for item in value] if value.__class__ is list else value


def _graph(value: Tree, operator: Operator, written: str, alpha: Tree | None) -> list[Tree]:
    view = _alpha_view(value, written) if alpha is None else alpha
    graph = graph_from_v1beta1(value, view, submitted_alpha=written == V1ALPHA1)
    return lower_graph(graph, operator)


def _component(value: Tree, operator: Operator, written: str, alpha: Tree | None) -> list[Tree]:
    view = _alpha_view(value, written) if alpha is None else alpha
    component = component_from_v1beta1(
        value.get("spec") or {}, view.get("spec") or {}, ("spec",), submitted_alpha=written == V1ALPHA1
    )
    tell_ignored(component, operator)
    tell_no_epp_config(component, operator)
    return lower_component(DeployedComponent(value, component, owner=owning_graph(value)), operator)


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


def _checkpoint(value: Tree, operator: Operator, written: str, alpha: Tree | None) -> list[Tree]:  # noqa: ARG001
    return lower_checkpoint(value, operator)


_LOWER = {
    "DynamoGraphDeployment": _graph,
    "DynamoComponentDeployment": _component,
    "DynamoCheckpoint": _checkpoint,
}


def lower_component(deployed: DeployedComponent, operator: Operator) -> list[Tree]:
    """The objects of a DynamoComponentDeployment, on its own or created from a graph."""
    objects = component_storage(deployed.component, deployed.namespace, operator)
    if operator.capabilities.lws and deployed.component.is_multinode:
        objects.append(_leader_worker_set(deployed, operator))
    else:
        objects.append(_deployment(deployed, operator))
    objects += _service(deployed, operator)
    model = (deployed.component.model_ref or {}).get("name")
    objects += model_services([model] if model else [], deployed.namespace)
    name = kube_resource_name(deployed.name)
    return objects + ingress_objects(name, deployed.namespace, _ingress(deployed, operator), operator)


@builder(
    "lower/hub/workload/deployment", source="controller/dynamocomponentdeployment_controller.go generateDeployment"
)
def _deployment(deployed: DeployedComponent, operator: Operator) -> Tree:
    """The Deployment of a component: replicas, selector, and how pods are replaced."""
    annotations = kube_annotations(deployed, operator.release)
    recreate = resource_annotations(deployed).get("nvidia.com/deployment-strategy") == "Recreate"
    template = pod_template(deployed, operator, MAIN)
    strategy = {"type": "Recreate"} if recreate else rolling_update(annotations)
    meta = metadata(deployed.name, deployed.namespace, kube_labels(deployed, operator.release), annotations)
    return deployment(meta, deployed.name, template, strategy, deployed.component.replicas)


@builder(
    "lower/hub/workload/leader-worker-set",
    source="controller/dynamocomponentdeployment_controller.go generateLeaderWorkerSet",
)
def _leader_worker_set(deployed: DeployedComponent, operator: Operator) -> Tree:
    """One for all replicas; the name leaves room for the Service, and the first one of an older operator is adopted.

    The label that such an operator wrote is removed, whoever wrote it (reconcileLeaderWorkerSetResources).
    """
    labels = {key: value for key, value in kube_labels(deployed, operator.release).items() if key != _OLD_INSTANCE}
    replicas = deployed.component.replicas
    return leader_worker_set(
        f"{deployed.name}-0",
        deployed.namespace,
        labels,
        leader=_member(deployed, operator, LEADER),
        worker=_member(deployed, operator, WORKER),
        nodes=deployed.component.nodes,
        replicas=1 if replicas is None else replicas,
    )


@builder(
    "lower/hub/workload/member",
    source="controller/dynamocomponentdeployment_renderer.go generate{Leader,Worker}PodTemplateSpec",
)
def _member(deployed: DeployedComponent, operator: Operator, role: str) -> Tree:
    """The template of a leader or of its workers."""
    labels = _member_labels(deployed, operator.release)
    template = set_member(pod_template(deployed, operator, role), deployed.component, operator, labels, role)
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


@builder("lower/hub/workload/service", source="controller/dynamocomponentdeployment_renderer.go generateService")
def _service(deployed: DeployedComponent, operator: Operator) -> list[Tree]:
    """The Service of a component that is no part of a Grove graph."""
    component, annotations = deployed.component, kube_annotations(deployed, operator.release)
    discovery = operator.kubernetes_discovery(annotations)
    if not discovery and component.type != "frontend":
        return []
    namespace = deployed.dynamo_namespace(operator.release)
    if not namespace:
        raise Refusal(
            "service/no-dynamo-namespace",
            "dynamoNamespace is empty; the operator fails to create the component's Service.",
            component.path,
            "Set a Dynamo namespace, or remove dynamoNamespace.",
        )
    service = component_service(
        kube_resource_name(deployed.name),
        deployed.namespace,
        component=deployed.component_name,
        component_type=deployed.workload_type,
        dynamo_namespace=namespace,
        labels=kube_labels(deployed, operator.release),
        annotations=annotations,
        kubernetes_discovery=discovery,
    )
    if component.is_multinode:
        service["spec"]["selector"]["role"] = "leader"
    return [service]


@builder("lower/hub/workload/ingress", source="controller/dynamocomponentdeployment_controller.go dcdIngressSpec")
def _ingress(deployed: DeployedComponent, operator: Operator) -> Tree | None:
    """The ingress of v1alpha1, else the default for the frontend of a graph."""
    component = deployed.component
    if component.ingress is not None:
        return component.ingress
    if component.type != "frontend" or not deployed.graph_name:
        return None
    return default_ingress(deployed.graph_name, operator)
