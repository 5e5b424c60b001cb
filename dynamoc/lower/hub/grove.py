"""A v1beta1 graph as one Grove PodCliqueSet, with Services and Ingresses.

Source: internal/dynamo/graph.go GenerateGrovePodCliqueSet, controller/dgd_grove_*.go of release 1.4.
"""

from __future__ import annotations

from dynamoc.kube.labels import COMPONENT_LABEL, GRAPH_LABEL, NAMESPACE_LABEL, TYPE_LABEL
from dynamoc.kube.names import dynamo_namespace, kube_resource_name
from dynamoc.lower.graph_objects import model_services
from dynamoc.lower.hub.clique import GraphRendering, component_cliques
from dynamoc.lower.hub.clique_roles import clique_roles, start_dependencies
from dynamoc.lower.hub.grove_names import pod_clique_set_name, ray_service_name
from dynamoc.lower.metadata import metadata
from dynamoc.lower.network import grove_network
from dynamoc.model.experimental import is_inter_pod_gms, uses_scaling_group
from dynamoc.model.provider import minimum
from dynamoc.tracing import builder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.lower.hub.clique_roles import CliqueRole
    from dynamoc.model.graph import Component, Graph
    from dynamoc.model.operator import Operator
    from dynamoc.release.registry import Release
    from dynamoc.rules.snapshot_state import Snapshot

    Tree = dict[str, Any]
    Snapshots = dict[str, Snapshot]


def lower_grove(graph: Graph, operator: Operator, snapshots: Snapshots) -> list[Tree]:
    """The PodCliqueSet, and what makes its components reachable."""
    models = [(component.model_ref or {}).get("name", "") for component in graph.components]
    annotations = graph.spec_annotations if operator.release.has("services/annotated") else {}
    objects = [
        _pod_clique_set(graph, operator, snapshots),
        *model_services([name for name in models if name], graph.namespace, annotations),
    ]
    for component in graph.components:
        objects += _network(graph, component, operator)
        if operator.release.has("vllm/elastic-ep-address"):
            from dynamoc.rules.backends.elastic_ep import is_alone

            if is_alone(component, operator.release):
                objects.append(_ray_service(graph, component))
    return objects


@builder("lower/hub/grove/pod-clique-set", source="internal/dynamo/graph.go GenerateGrovePodCliqueSet")
def _pod_clique_set(graph: Graph, operator: Operator, snapshots: Snapshots) -> Tree:
    """The PodCliqueSet of a graph, with its name, labels and annotations."""
    annotations = dict(graph.spec_annotations)
    if operator.capabilities.volcano_scheduler:
        from dynamoc.lower.hub.schedulers import volcano_queue

        annotations.update(volcano_queue(graph))
    spec: Tree = {"replicas": 1, "template": _template(graph, operator, snapshots)}
    strategy = graph.annotations.get("nvidia.com/grove-update-strategy")
    if strategy is not None and operator.release.has("grove/update-strategy"):
        spec["updateStrategy"] = {"type": strategy}
    return {
        "apiVersion": "grove.io/v1alpha1",
        "kind": "PodCliqueSet",
        "metadata": metadata(
            pod_clique_set_name(graph, operator.release),
            graph.namespace,
            {**graph.spec_labels, GRAPH_LABEL: graph.name},
            annotations,
        ),
        "spec": spec,
    }


@builder("lower/hub/grove/template", source="internal/dynamo/graph.go GenerateGrovePodCliqueSet")
def _template(graph: Graph, operator: Operator, snapshots: Snapshots) -> Tree:
    """The template of a PodCliqueSet: its cliques, and the settings that they share."""
    spec = graph.value.get("spec") or {}
    template: Tree = {
        "cliques": [],
        "headlessServiceConfig": {"publishNotReadyAddresses": True},
        "cliqueStartupType": "CliqueStartupTypeAnyOrder",
    }
    if spec.get("priorityClassName"):
        template["priorityClassName"] = spec["priorityClassName"]
    delay = operator.config.orchestrators.grove.termination_delay
    if delay:
        template["terminationDelay"] = delay
    if spec.get("topologyConstraint") is not None:
        from dynamoc.lower.topology import graph_constraint

        constraint = graph_constraint(spec["topologyConstraint"], operator.release)
        if constraint is not None:
            template["topologyConstraint"] = constraint
    rendering = GraphRendering(graph, operator, queue=_kai_queue(graph, operator))
    groups: list[Tree] = []
    claims: list[Tree] = []
    for component in graph.components:
        roles = clique_roles(component.name, component.spec)
        cliques, backend = component_cliques(rendering, component, roles, snapshots.get(component.name))
        for name, after in start_dependencies(roles, backend=backend).items():
            next(clique for clique in cliques if clique["name"] == name)["spec"]["startsAfter"] = after
            template["cliqueStartupType"] = "CliqueStartupTypeExplicit"
        template["cliques"] += cliques
        if is_inter_pod_gms(component.spec):
            from dynamoc.lower.gpu_claims import main_gpus
            from dynamoc.lower.hub.memory_pods import claim_templates

            claims += claim_templates(component.name, component.spec, roles, main_gpus(component))
        if uses_scaling_group(component.spec):
            groups.append(_scaling_group(component, roles, graph, operator.release, snapshots.get(component.name)))
    template["cliques"] = _settled(template["cliques"])
    if groups:
        template["podCliqueScalingGroups"] = _settled(groups)
    if claims:
        template["resourceClaimTemplates"] = _settled(claims)
    if operator.release.has("grove/chosen-once"):
        from dynamoc.lower.hub.provider import compose

        compose(template, graph)
    return template


def _kai_queue(graph: Graph, operator: Operator) -> str | None:
    if not operator.capabilities.kai:
        return None
    from dynamoc.lower.hub.schedulers import kai_queue

    return kai_queue(graph, operator)


def _settled(items: list[Tree]) -> list[Tree]:
    """The items after a few passes: of those with the same name except for case, the last one stays.

    Source: controller/dgd_grove_workload_renderer.go orderLikeExisting.
    """
    last = {item["name"]: item for item in items}
    return [last[item["name"]] for item in items]


@builder("lower/hub/grove/scaling-group", source="internal/dynamo/graph.go GenerateGrovePodCliqueSet")
def _scaling_group(
    component: Component, roles: list[CliqueRole], graph: Graph, release: Release, snapshot: Snapshot | None
) -> Tree:
    """The cliques of a multinode component, which are scaled together."""
    group: Tree = {
        "name": component.name.lower(),
        "cliqueNames": [role.name for role in roles],
        "minAvailable": minimum(component.spec),
    }
    if component.replicas is not None:
        group["replicas"] = component.replicas
    if snapshot is not None and snapshot.is_waited_for:
        group["replicas"] = 0
    if component.topology_constraint is not None:
        from dynamoc.lower.topology import component_constraint

        of_graph = (graph.value.get("spec") or {}).get("topologyConstraint")
        constraint = component_constraint(component.topology_constraint, of_graph, release)
        if constraint is not None:
            group["topologyConstraint"] = constraint
    if is_inter_pod_gms(component.spec):
        from dynamoc.lower.hub.memory_pods import claim_sharing

        group["resourceSharing"] = claim_sharing(component.name, roles)
    return group


def _network(graph: Graph, component: Component, operator: Operator) -> list[Tree]:
    name = kube_resource_name(f"{graph.name}-{component.name}")
    labels = {**graph.spec_labels, **component.labels, **component.pod_labels}
    annotations = _service_annotations(graph, component, operator.release)
    return grove_network(graph, component, operator, name=name, labels=labels, annotations=annotations)


@builder(
    "lower/hub/grove/ray-service",
    source="internal/dynamo/graph.go GenerateElasticEPHeadlessService",
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
