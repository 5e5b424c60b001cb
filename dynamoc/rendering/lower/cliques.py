"""The PodCliques of one component, with those of the inter-pod GPU memory service.

Source: internal/dynamo/graph.go buildCliqueForRole, generatePodSpecForRole, generateLabels of release 1.4,
GenerateGrovePodCliqueSet of releases that work with v1alpha1.
"""

from __future__ import annotations

from dynamoc.admission import adapters
from dynamoc.admission.adapters import for_role
from dynamoc.admission.graph import (
    Component,
    Graph,
    gpu_memory_service,
    is_inter_pod_failover,
    is_inter_pod_gms,
    uses_scaling_group,
)
from dynamoc.admission.operator import Operator
from dynamoc.kube.merge import Tree, merge_maps
from dynamoc.kube.names import (
    CLASS_LABEL,
    COMPONENT_LABEL,
    DISCOVERY_BACKEND_LABEL,
    DISCOVERY_ENABLED_LABEL,
    DISCOVERY_LABELS,
    GRAPH_LABEL,
    NAMESPACE_LABEL,
    SELECTOR_LABEL,
    TYPE_LABEL,
    WORKER_HASH_LABEL,
    dynamo_namespace,
    kube_resource_name,
)
from dynamoc.kube.tracing import NOT_EARLY, builder
from dynamoc.reference.releases import Release
from dynamoc.rendering.lower.common import metrics_label, model_label, type_labels
from dynamoc.rendering.lower.graph_objects import RESTART
from dynamoc.rendering.lower.hub_pods import (
    WEIGHT_SERVER,
    CliqueRole,
    GraphRendering,
    annotations_of,
    grove_pod,
    labels_of,
    propagate_annotations,
    with_own_pods,
)
from dynamoc.rendering.lower.ignored import tell_overwritten_labels
from dynamoc.rendering.lower.scheduling import component_constraint, main_gpus, pack, schedule_with_kai
from dynamoc.rendering.rules.backend import determine_backend
from dynamoc.rendering.rules.checkpoint import HASH_LABEL, RESTORE_LABEL
from dynamoc.rendering.rules.draft import MAIN, Hosts
from dynamoc.rendering.rules.env import mark_topology, worker_policy
from dynamoc.rendering.rules.failover import engine_pod, rank_hosts, weight_server_pod
from dynamoc.rendering.rules.memory import DEFAULT_DEVICE_CLASS, device_requests
from dynamoc.rendering.rules.multinode import grove_hosts
from dynamoc.rendering.rules.order import build_graph_pod
from dynamoc.rendering.rules.snapshot import mark_main
from dynamoc.rendering.rules.snapshot_storage import CheckpointInfo, Snapshot, identity_hash, mark_pods

_VOLCANO = "volcano"

#: labels of the system that those of the user do not replace even in 1.1
_LAST = (GRAPH_LABEL, NAMESPACE_LABEL, TYPE_LABEL)
_ENGINE_GROUP = "nvidia.com/dynamo-failover-engine-group-member"


def component_cliques(
    rendering: GraphRendering, component: Component, roles: list[CliqueRole]
) -> tuple[list[Tree], str]:
    """One clique per role, in order; and the backend of the component."""
    backend = determine_backend(component, rendering.graph.backend_framework)
    snapshot = rendering.snapshots.get(component.name)
    cliques = [
        _clique(rendering, _marked(rendering, for_role(component, role.part)), role, backend, snapshot)
        for role in roles
    ]
    return cliques, backend


def _marked(rendering: GraphRendering, component: Component) -> Component:
    """The component with what its pods get from the graph; components of v1alpha1 have it already."""
    graph, operator = rendering.graph, rendering.operator
    if not operator.release.has("hub/v1beta1"):
        return component
    tell_overwritten_labels(component, _system_labels(graph, component, operator.release), operator)
    spec = with_own_pods(component.spec)
    propagate_annotations(spec, graph, operator.release)
    labels_of(spec)[NAMESPACE_LABEL] = dynamo_namespace(component.global_dynamo_namespace, graph.namespace, graph.name)
    discovery = operator.discovery_backend(graph.annotations)
    if discovery:
        # What holds for the graph beats a component's own word.
        annotations_of(spec)[DISCOVERY_BACKEND_LABEL] = discovery
    marked = component.with_spec(spec)
    marked.keeps_launch = component.keeps_launch
    return marked


@builder(
    "lower/hub/clique/clique",
    "internal/dynamo/graph.go buildCliqueForRole, up to 1.1 GenerateGrovePodCliqueSet",
    NOT_EARLY,
)
def _clique(
    rendering: GraphRendering, component: Component, role: CliqueRole, backend: str, snapshot: Snapshot | None
) -> Tree:
    """The PodClique of one role: its name, its pods, and when they start."""
    graph, operator = rendering.graph, rendering.operator
    is_server = role.part == WEIGHT_SERVER
    waits = snapshot is not None and snapshot.is_waited_for and not is_server
    clique: Tree = {
        "name": role.name,
        "labels": _labels(rendering, component),
        "annotations": _annotations(graph, component, operator.release, is_server=is_server),
        "spec": {
            "roleName": role.name,
            "replicas": 0 if waits else role.pods,
            "minAvailable": _min_available(component, role, operator.release),
            "podSpec": _pod_spec(rendering, component, role, backend, snapshot),
        },
    }
    if component.topology_constraint is not None and not uses_scaling_group(component.spec):
        of_graph = (graph.value.get("spec") or {}).get("topologyConstraint")
        pack(clique, component_constraint(component.topology_constraint, of_graph, operator.release))
    if is_server:
        # It is not a part of the Dynamo runtime and registers nowhere.
        clique["labels"].pop(DISCOVERY_BACKEND_LABEL, None)
        clique["labels"].pop(DISCOVERY_ENABLED_LABEL, None)
    else:
        if is_inter_pod_failover(component.spec):
            clique["labels"][_ENGINE_GROUP] = "true"
        _mark(clique, component, snapshot, operator)
    if component.name in rendering.restarts:
        clique["annotations"][RESTART] = rendering.restarts[component.name]
    if operator.capabilities.kai or operator.capabilities.volcano_scheduler:
        schedule(clique, operator, rendering.queue)
    if not clique["annotations"]:
        del clique["annotations"]
    return clique


def _mark(clique: Tree, component: Component, snapshot: Snapshot | None, operator: Operator) -> None:
    if operator.release.has("hub/v1beta1"):
        path = (*component.path, "experimental", "checkpoint")
        mark_pods(clique["labels"], clique["annotations"], snapshot, operator, path)
    elif operator.release.has("snapshots/by-agent"):
        mark_main(clique["labels"], clique["annotations"], snapshot)


def _min_available(component: Component, role: CliqueRole, release: Release) -> int:
    """All nodes of a replica are needed together; the pods of a single clique are not."""
    if component.is_multinode and not is_inter_pod_failover(component.spec):
        return role.pods if release.has("grove/all-nodes-needed") else 1
    if release.has("grove/provider-minimum"):
        return 1 if uses_scaling_group(component.spec) else adapters.minimum(component.spec)
    if not uses_scaling_group(component.spec) and component.min_available is not None:
        return component.min_available
    return 1


def _pod_spec(
    rendering: GraphRendering, component: Component, role: CliqueRole, backend: str, snapshot: Snapshot | None
) -> Tree:
    if is_inter_pod_gms(component.spec):
        return memory_pod(rendering, component, role, backend, snapshot)
    if not rendering.operator.release.has("hub/v1beta1"):
        graph, checkpoint = rendering.graph, rendering.checkpoints.get(component.name)
        return build_graph_pod(
            graph, component, rendering.operator, role.part, backend, checkpoint=checkpoint, snapshot=snapshot
        )
    hosts = grove_hosts(rendering.operator.release)
    return grove_pod(rendering, component, role.part, component.nodes, backend, hosts, snapshot)


@builder("lower/hub/clique/labels", "internal/dynamo/graph.go generateLabels", NOT_EARLY)
def _labels(rendering: GraphRendering, component: Component) -> dict[str, str]:
    """The user's labels, most specific last, and over them those that select and find the pods."""
    graph, operator = rendering.graph, rendering.operator
    system, release = _system_labels(graph, component, operator.release), operator.release
    labels = {**system, **model_label(component), **metrics_label(graph.annotations)}
    of_graph = graph.spec_labels if release.has("grove/graph-metadata") else {}
    for user in (of_graph, component.labels, component.pod_labels):
        labels = merge_maps(labels, user)
    if not release.has("labels/system-last"):
        return {**labels, **_checkpoint_labels(component, rendering.checkpoints.get(component.name))}
    labels.update(
        (key, value) for key, value in system.items() if release.has("labels/all-system-last") or key in _LAST
    )
    if component.worker_hash:
        labels[WORKER_HASH_LABEL] = component.worker_hash
    if operator.kubernetes_discovery(graph.annotations):
        labels.update(DISCOVERY_LABELS)
    return labels


def _checkpoint_labels(component: Component, checkpoint: CheckpointInfo | None) -> dict[str, str]:
    """These labels control restores, so the user's labels cannot override them."""
    labels = {}
    wanted = component.checkpoint or {}
    if wanted.get("enabled") and wanted.get("identity") is not None:
        labels[HASH_LABEL] = identity_hash(wanted["identity"])
    if checkpoint is not None and checkpoint.ready:
        labels[RESTORE_LABEL] = "true"
        labels[HASH_LABEL] = checkpoint.hash
    return labels


@builder("lower/hub/clique/system-labels", "internal/dynamo/graph.go generateLabels", NOT_EARLY)
def _system_labels(graph: Graph, component: Component, release: Release) -> dict[str, str]:
    """Labels that select and find the pods of a clique."""
    labels = {
        SELECTOR_LABEL: f"{graph.name}-{component.name.lower()}",
        GRAPH_LABEL: graph.name,
        COMPONENT_LABEL: component.name,
        NAMESPACE_LABEL: dynamo_namespace(component.global_dynamo_namespace, graph.namespace, graph.name),
        **type_labels(component),
    }
    if component.is_worker and graph.of_type("epp") and release.has("labels/class-of-workers"):
        labels[CLASS_LABEL] = "worker"
    return labels


@builder(
    "lower/hub/clique/annotations",
    "internal/dynamo/graph.go generateAnnotations, up to 1.1 GenerateGrovePodCliqueSet",
    NOT_EARLY,
)
def _annotations(graph: Graph, component: Component, release: Release, *, is_server: bool) -> dict[str, str]:
    """Annotations of a clique: the graph's, under the component's, under those of its pods."""
    if not release.has("grove/graph-metadata"):
        return merge_maps(component.annotations, component.pod_annotations)
    annotations = merge_maps({}, graph.spec_annotations)
    for user in (component.annotations, component.pod_annotations):
        annotations = merge_maps(annotations, user)
    policy = worker_policy(graph.value.get("spec") or {}, component.type)
    mark_topology(annotations, None if is_server else policy, release)
    return annotations


def memory_pod(
    rendering: GraphRendering, component: Component, role: CliqueRole, backend: str, snapshot: Snapshot | None
) -> Tree:
    """The PodSpec of one role. A weight server starts like a single-node engine; it has no snapshots."""
    hosts: Hosts = grove_hosts(rendering.operator.release)
    if role.part == WEIGHT_SERVER:
        spec = grove_pod(rendering, component, MAIN, 1, backend, hosts, None)
        weight_server_pod(spec, rank=role.rank, gpus=main_gpus(component))
        return spec
    if component.is_multinode:
        hosts = rank_hosts(role.rank)
    spec = grove_pod(rendering, component, role.part, component.nodes, backend, hosts, snapshot)
    engine_pod(spec, rank=role.rank, failover=is_inter_pod_failover(component.spec))
    return spec


def claim_templates(name: str, spec: Tree, roles: list[CliqueRole], gpus: int) -> list[Tree]:
    """For each rank of the inter-pod layout a claim template of the PodCliqueSet (gmsResourceClaimTemplateConfigs)."""
    device_class = (gpu_memory_service(spec) or {}).get("deviceClassName") or DEFAULT_DEVICE_CLASS
    return [
        {"name": _claim_template(name, rank), "templateSpec": device_requests("gpu", device_class, gpus)}
        for rank in _ranks(roles)
    ]


def claim_sharing(name: str, roles: list[CliqueRole]) -> list[Tree]:
    """Which cliques of a scaling group share the claim of a rank (gmsResourceSharingEntries)."""
    return [
        {
            "name": _claim_template(name, rank),
            "scope": "PerReplica",
            "filter": {"childCliqueNames": [role.name for role in roles if role.rank == rank]},
        }
        for rank in _ranks(roles)
    ]


def _claim_template(name: str, rank: int) -> str:
    return f"{kube_resource_name(name)}-gpu-rank-{rank}"


def _ranks(roles: list[CliqueRole]) -> list[int]:
    return list(dict.fromkeys(role.rank for role in roles))


def schedule(clique: Tree, operator: Operator, queue: str | None) -> None:
    """Names the scheduler, and KAI's queue; a scheduler that the user chose is kept."""
    spec = clique["spec"]["podSpec"]
    wanted = spec.get("schedulerName", "")
    if queue is not None:
        schedule_with_kai(clique, queue)
    if operator.capabilities.volcano_scheduler and wanted in ("", _VOLCANO):
        spec["schedulerName"] = _VOLCANO
