"""A graph as one Grove PodCliqueSet, with schedulers, the graph's own fragments, Services and Ingresses.

Source: internal/dynamo/{graph,grove}.go, internal/provideroverride/grove.go, controller/dgd_grove_*.go since 1.4.
"""

from __future__ import annotations

from dynamoc.admission.adapters import CONSTRAINT, GROUP, LEADER, constraint_of, minimum
from dynamoc.admission.graph import Component, Graph, is_inter_pod_gms, uses_scaling_group
from dynamoc.admission.operator import Operator
from dynamoc.documents.findings.finding import Refusal
from dynamoc.kube.merge import Tree, copy_tree
from dynamoc.kube.names import (
    COMPONENT_LABEL,
    GRAPH_LABEL,
    NAMESPACE_LABEL,
    TYPE_LABEL,
    dynamo_namespace,
    kube_resource_name,
)
from dynamoc.kube.tracing import NOT_EARLY, builder
from dynamoc.reference.releases import Release
from dynamoc.rendering.lower.cliques import claim_sharing, claim_templates, component_cliques
from dynamoc.rendering.lower.common import metadata
from dynamoc.rendering.lower.graph_objects import model_services
from dynamoc.rendering.lower.hub_pods import (
    CliqueRole,
    GraphRendering,
    clique_roles,
    pod_clique_set_name,
    ray_service_name,
    start_dependencies,
)
from dynamoc.rendering.lower.network import grove_network
from dynamoc.rendering.lower.scheduling import (
    chosen_queue,
    component_constraint,
    graph_constraint,
    main_gpus,
    pack,
    set_template,
)
from dynamoc.rendering.rules.snapshot_storage import CheckpointInfo, Snapshot
from dynamoc.rendering.rules.vllm import is_alone

Snapshots = dict[str, Snapshot]


def lower_grove(
    graph: Graph, operator: Operator, snapshots: Snapshots, checkpoints: dict[str, CheckpointInfo] | None = None
) -> list[Tree]:
    """The PodCliqueSet, and what makes its components reachable."""
    models = [(component.model_ref or {}).get("name", "") for component in graph.components]
    annotations = graph.spec_annotations if operator.release.has("services/annotated") else {}
    objects = [
        _pod_clique_set(graph, operator, snapshots, checkpoints or {}),
        *model_services([name for name in models if name], graph.namespace, annotations),
    ]
    for component in graph.components:
        objects += _network(graph, component, operator)
        if operator.release.has("vllm/elastic-ep-address") and is_alone(component, operator.release):
            objects.append(_ray_service(graph, component))
    return objects


@builder("lower/hub/grove/pod-clique-set", "internal/dynamo/graph.go GenerateGrovePodCliqueSet", NOT_EARLY)
def _pod_clique_set(
    graph: Graph, operator: Operator, snapshots: Snapshots, checkpoints: dict[str, CheckpointInfo]
) -> Tree:
    """The PodCliqueSet of a graph, with its name, labels and annotations."""
    annotations = dict(graph.spec_annotations)
    if operator.capabilities.volcano_scheduler:
        annotations.update(volcano_queue(graph))
    queue = kai_queue(graph, operator) if operator.capabilities.kai else None
    rendering = GraphRendering(graph, operator, queue, snapshots, checkpoints)
    spec: Tree = {"replicas": 1, "template": _template(rendering)}
    name, labels = graph.name, dict(graph.spec_labels)
    if operator.release.has("grove/cut-names"):
        name = pod_clique_set_name(graph, operator.release)
        labels[GRAPH_LABEL] = graph.name
    strategy = graph.annotations.get("nvidia.com/grove-update-strategy")
    if strategy is not None and operator.release.has("grove/update-strategy"):
        spec["updateStrategy"] = {"type": strategy}
    return {
        "apiVersion": "grove.io/v1alpha1",
        "kind": "PodCliqueSet",
        "metadata": metadata(name, graph.namespace, labels, annotations),
        "spec": spec,
    }


@builder("lower/hub/grove/template", "internal/dynamo/graph.go GenerateGrovePodCliqueSet", NOT_EARLY)
def _template(rendering: GraphRendering) -> Tree:
    """The template of a PodCliqueSet: its cliques, and the settings that they share."""
    graph, operator = rendering.graph, rendering.operator
    spec = graph.value.get("spec") or {}
    template = set_template(operator)
    if spec.get("priorityClassName"):
        template["priorityClassName"] = spec["priorityClassName"]
    pack(template, graph_constraint(spec.get("topologyConstraint"), operator.release))
    groups: list[Tree] = []
    claims: list[Tree] = []
    for component in graph.components:
        roles = clique_roles(component.name, component.spec)
        cliques, backend = component_cliques(rendering, component, roles)
        for name, after in start_dependencies(roles, backend=backend).items():
            next(clique for clique in cliques if clique["name"] == name)["spec"]["startsAfter"] = after
            template["cliqueStartupType"] = "CliqueStartupTypeExplicit"
        template["cliques"] += cliques
        if is_inter_pod_gms(component.spec):
            claims += claim_templates(component.name, component.spec, roles, main_gpus(component))
        if uses_scaling_group(component.spec):
            groups.append(_scaling_group(component, roles, rendering))
    template["cliques"] = _settled(template["cliques"], operator.release)
    if groups:
        template["podCliqueScalingGroups"] = _settled(groups, operator.release)
    if claims:
        template["resourceClaimTemplates"] = _settled(claims, operator.release)
    if operator.release.has("grove/chosen-once"):
        compose(template, graph)
    return template


def _settled(items: list[Tree], release: Release) -> list[Tree]:
    """The items after a few passes: of those with the same name except for case, the last one stays.

    Up to 1.1, the operator walks a Go map: any order is right, so take a stable one.
    Source: controller/dgd_grove_workload_renderer.go orderLikeExisting.
    """
    if not release.has("grove/kept-order"):
        return sorted(items, key=lambda item: str(item["name"]))
    last = {item["name"]: item for item in items}
    return [last[item["name"]] for item in items]


@builder("lower/hub/grove/scaling-group", "internal/dynamo/graph.go GenerateGrovePodCliqueSet", NOT_EARLY)
def _scaling_group(component: Component, roles: list[CliqueRole], rendering: GraphRendering) -> Tree:
    """The cliques of a multinode component, which are scaled together."""
    snapshot = rendering.snapshots.get(component.name)
    group: Tree = {
        "name": component.name.lower(),
        "cliqueNames": [role.name for role in roles],
        "minAvailable": minimum(component.spec),
    }
    if component.replicas is not None:
        group["replicas"] = component.replicas
    if snapshot is not None and snapshot.is_waited_for:
        group["replicas"] = 0
    of_graph = (rendering.graph.value.get("spec") or {}).get("topologyConstraint")
    pack(group, component_constraint(component.topology_constraint, of_graph, rendering.operator.release))
    if is_inter_pod_gms(component.spec):
        group["resourceSharing"] = claim_sharing(component.name, roles)
    return group


def _network(graph: Graph, component: Component, operator: Operator) -> list[Tree]:
    name = f"{graph.name}-{component.name.lower()}"
    labels = {**graph.spec_labels, **component.labels}
    if operator.release.has("ingress/without-dots"):
        name = kube_resource_name(f"{graph.name}-{component.name}")
    if operator.release.has("labels/pods-on-services"):
        labels.update(component.pod_labels)
    annotations = _service_annotations(graph, component, operator.release)
    return grove_network(graph, component, operator, name=name, labels=labels, annotations=annotations)


@builder(
    "lower/hub/grove/ray-service",
    "internal/dynamo/graph.go GenerateElasticEPHeadlessService",
    when="vllm/elastic-ep-address",
)
def _ray_service(graph: Graph, component: Component) -> Tree:
    """The address of the Ray head in the only pod of a component, ready or not."""
    ports: list[Tree] = [
        {"name": "ray-gcs", "port": 6379, "targetPort": 6379, "protocol": "TCP"},
        {"name": "system", "port": 9090, "targetPort": "system", "protocol": "TCP"},
    ]
    selector = {
        TYPE_LABEL: component.type,
        NAMESPACE_LABEL: dynamo_namespace(component.global_dynamo_namespace, graph.namespace, graph.name),
        COMPONENT_LABEL: component.name,
    }
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": metadata(
            ray_service_name(f"{graph.name}-{component.name.lower()}"),
            graph.namespace,
            {**graph.spec_labels, **component.labels, **component.pod_labels},
            {**graph.spec_annotations, **component.annotations, **component.pod_annotations},
        ),
        "spec": {"clusterIP": "None", "publishNotReadyAddresses": True, "selector": selector, "ports": ports},
    }


def _service_annotations(graph: Graph, component: Component, release: Release) -> dict[str, str]:
    """Source: internal/dynamo/v1beta1_helpers.go GetDGDComponentResourceAnnotations."""
    if not release.has("services/annotated"):
        return {}
    return {**graph.spec_annotations, **component.annotations, **component.pod_annotations}


def kai_queue(graph: Graph, operator: Operator) -> str:
    """The queue of the KAI scheduler. A queue that is not in the input or --cluster is unknown.

    Raises `Refusal` if Volcano is enabled too.
    """
    if operator.capabilities.volcano_scheduler:
        raise Refusal(
            "scheduler/two",
            "The operator is configured with both the KAI and the Volcano scheduler; it renders no PodCliqueSet.",
            (),
            "Disable either orchestrators.kaiScheduler or orchestrators.volcanoScheduler.",
        )
    return chosen_queue(graph, operator)


def volcano_queue(graph: Graph) -> dict[str, str]:
    """The annotation by which Grove puts the whole set into a queue of Volcano."""
    queue = graph.annotations.get("nvidia.com/volcano-queue", "").strip()
    return {"scheduling.grove.io/volcano-queue": queue} if queue else {}


def compose(template: Tree, graph: Graph) -> None:
    """Writes the constraints of all fragments into a rendered `spec.template`, over the existing ones."""
    root = (graph.value.get("spec") or {}).get("providerOverride")
    if root is not None:
        template[CONSTRAINT] = copy_tree(constraint_of(root))
    for component in graph.components:
        _compose_component(template, component)


def _compose_component(template: Tree, component: Component) -> None:
    name, own = component.name.lower(), component.spec.get("providerOverride")
    if own is not None:
        field = "podCliqueScalingGroups" if own.get("target") == GROUP else "cliques"
        _write(template[field], name, own)
    for role in component.spec.get("roles") or ():
        if role.get("providerOverride") is not None:
            suffix = "ldr" if role["name"] == LEADER else "wkr"
            _write(template["cliques"], f"{name}-{suffix}", role["providerOverride"])


def _write(items: list[Tree], name: str, override: Tree) -> None:
    constraint = constraint_of(override)
    for item in items:
        if item["name"] == name and constraint is not None:
            item[CONSTRAINT] = copy_tree(constraint)
