"""v1alpha1 documents as a component graph."""

from __future__ import annotations

from dynamoc.kube.labels import WORKER_HASH_LABEL
from dynamoc.model.experimental import node_count
from dynamoc.model.graph import Component, Graph
from dynamoc.tree import copy_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.diagnostics.finding import Path
    from dynamoc.model.graph import Tree


def graph_from_dgd(value: Tree) -> Graph:
    """A canonical, defaulted DynamoGraphDeployment as a graph."""
    metadata, spec = value["metadata"], value.get("spec") or {}
    graph = Graph()
    graph.value = graph.alpha = value
    graph.name = metadata.get("name", "")
    graph.namespace = metadata["namespace"]
    graph.annotations = dict(metadata.get("annotations") or {})
    graph.backend_framework = spec.get("backendFramework", "")
    graph.spec_annotations = spec.get("annotations") or {}
    graph.spec_labels = spec.get("labels") or {}
    graph.env = spec.get("envs") or []
    graph.pvcs = spec.get("pvcs") or []
    graph.restart = spec.get("restart")
    services = spec.get("services") or {}
    graph.components = [
        component_from_spec(name, services[name], ("spec", "services", name))
        for name in sorted(services, key=str.encode)
        if services[name] is not None
    ]
    return graph


def component_from_spec(name: str, spec: Tree, path: Path) -> Component:
    """A canonical DynamoComponentDeploymentSharedSpec as a component called `name`."""
    component = Component()
    component.keeps_launch = False
    component.name = name
    component.path = path
    component.spec = spec
    component.type = spec.get("componentType", "")
    component.sub_type = spec.get("subComponentType", "")
    component.replicas = spec.get("replicas")
    component.nodes = node_count(spec)
    component.labels = dict(spec.get("labels") or {})
    component.annotations = component.steering = dict(spec.get("annotations") or {})
    component.worker_hash = component.labels.get(WORKER_HASH_LABEL, "")
    pod_metadata = spec.get("extraPodMetadata") or {}
    component.pod_labels = pod_metadata.get("labels") or {}
    component.pod_annotations = pod_metadata.get("annotations") or {}
    component.env = spec.get("envs") or []
    component.env_from_secret = spec.get("envFromSecret")
    component.main_path = (*path, "extraPodSpec", "mainContainer")
    component.main, component.pod_spec = _split_extra_pod_spec(spec.get("extraPodSpec"))
    component.liveness_probe = spec.get("livenessProbe")
    component.readiness_probe = spec.get("readinessProbe")
    component.resources = copy_tree(spec.get("resources"))
    component.volume_mounts = spec.get("volumeMounts") or []
    component.shared_memory = spec.get("sharedMemory")
    component.frontend_sidecar = spec.get("frontendSidecar")
    component.model_ref = spec.get("modelRef")
    component.ingress = spec.get("ingress")
    component.epp_config = spec.get("eppConfig")
    component.checkpoint = spec.get("checkpoint")
    component.scaling_adapter = bool((spec.get("scalingAdapter") or {}).get("enabled"))
    component.global_dynamo_namespace = bool(spec.get("globalDynamoNamespace"))
    component.dynamo_namespace = spec.get("dynamoNamespace")
    component.containers = []
    component.sidecar = component.min_available = None
    component.topology_constraint = spec.get("topologyConstraint")
    component.compilation_cache = component.experimental = None
    return component


def _split_extra_pod_spec(extra: Tree | None) -> tuple[Tree | None, Tree | None]:
    """extraPodSpec inlines a PodSpec *pointer*: it is nil where none of its fields is set."""
    if extra is None:
        return None, None
    pod_spec = {key: value for key, value in extra.items() if key != "mainContainer"}
    return extra.get("mainContainer"), pod_spec or None
