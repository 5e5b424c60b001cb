"""v1beta1 documents as a component graph.

Operators that store v1beta1 convert v1alpha1 documents to it first. What v1beta1 cannot say of a v1alpha1 document
(labels, annotations and ingress of a service, claims) is looked up in the document's v1alpha1 view, as the operator
does.
"""

from __future__ import annotations

from dynamoc.kube.labels import WORKER_HASH_LABEL
from dynamoc.model.experimental import node_count
from dynamoc.model.graph import Component, Graph
from dynamoc.model.provider import has_role_templates, spec_of_role

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.diagnostics.finding import Path
    from dynamoc.model.graph import Tree

MAIN = "main"


def graph_from_dgd(value: Tree, alpha: Tree, *, submitted_alpha: bool) -> Graph:
    """A canonical, defaulted DynamoGraphDeployment as a graph.

    alpha            its v1alpha1 view
    submitted_alpha  whether the user wrote v1alpha1, so that paths lead into `spec.services`
    """
    metadata, spec = value["metadata"], value.get("spec") or {}
    alpha_spec = alpha.get("spec") or {}
    graph = Graph()
    graph.value = value
    graph.alpha = alpha
    graph.name = metadata.get("name", "")
    graph.namespace = metadata["namespace"]
    graph.annotations = metadata.get("annotations") or {}
    graph.spec_annotations = spec.get("annotations") or {}
    graph.spec_labels = spec.get("labels") or {}
    graph.backend_framework = spec.get("backendFramework", "")
    graph.env = spec.get("env") or []
    graph.pvcs = alpha_spec.get("pvcs") or []
    graph.restart = spec.get("restart")
    services = alpha_spec.get("services") or {}
    graph.components = []
    for index, item in enumerate(spec.get("components") or []):
        name = item.get("name", "")
        path: Path = ("spec", "services", name) if submitted_alpha else ("spec", "components", index)
        component = component_from_spec(item, services.get(name) or {}, path, submitted_alpha=submitted_alpha)
        graph.components.append(component)
    return graph


def component_from_spec(spec: Tree, alpha: Tree, path: Path, *, submitted_alpha: bool) -> Component:
    """A canonical DynamoComponentDeploymentSharedSpec as a component; `alpha` is its v1alpha1 view."""
    component = Component()
    component.name = spec.get("name", "")
    component.path = path
    component.spec = spec
    component.keeps_launch = False
    component.type = spec.get("type", "")
    component.replicas = spec.get("replicas")
    component.min_available = spec.get("minAvailable")
    component.nodes = node_count(spec)
    component.model_ref = spec.get("modelRef")
    component.epp_config = spec.get("eppConfig")
    component.compilation_cache = spec.get("compilationCache")
    component.topology_constraint = spec.get("topologyConstraint")
    component.experimental = spec.get("experimental")
    component.checkpoint = (component.experimental or {}).get("checkpoint")
    component.scaling_adapter = spec.get("scalingAdapter") is not None
    component.global_dynamo_namespace = bool(spec.get("globalDynamoNamespace"))
    component.shared_memory = _shared_memory(spec.get("sharedMemorySize"))
    component.sidecar = spec.get("frontendSidecar")
    _read_pod_template(component, spec.get("podTemplate"))
    component.main_path = _main_path(component, spec.get("podTemplate"), submitted_alpha=submitted_alpha)
    _read_alpha(component, alpha)
    component.env = []
    component.volume_mounts = []
    component.env_from_secret = component.liveness_probe = component.readiness_probe = None
    component.frontend_sidecar = component.resources = None
    return component


def for_role(component: Component, name: str) -> Component:
    """The component as its leader or its workers see it; itself where all have one pod template."""
    if not has_role_templates(component.spec):
        return component
    index = next((index for index, role in enumerate(component.spec["roles"]) if role.get("name") == name), None)
    other = with_spec(component, spec_of_role(component.spec, name))
    other.keeps_launch = True
    if index is not None:
        other.main_path = (*component.path, "roles", index, "podTemplate")
    return other


def with_spec(component: Component, spec: Tree) -> Component:
    """The component with another canonical spec of the same version; what v1alpha1 said of it stays."""
    other = component_from_spec(spec, {}, component.path, submitted_alpha=False)
    for field in ("name", "labels", "annotations", "sub_type", "ingress", "dynamo_namespace", "main_path"):
        setattr(other, field, getattr(component, field))
    return other


def _shared_memory(size: str | None) -> Tree | None:
    """A size of zero, however it is written, turns shared memory off."""
    if size is None:
        return None
    return {"disabled": True} if size == "0" else {"size": size}


def _read_pod_template(component: Component, template: Tree | None) -> None:
    metadata = (template or {}).get("metadata") or {}
    pod_spec = dict((template or {}).get("spec") or {})
    containers = pod_spec.pop("containers", None) or []
    component.pod_labels = metadata.get("labels") or {}
    component.pod_annotations = component.steering = metadata.get("annotations") or {}
    component.worker_hash = component.pod_labels.get(WORKER_HASH_LABEL, "")
    component.main = next((container for container in containers if container.get("name") == MAIN), None)
    component.containers = [container for container in containers if container.get("name") != MAIN]
    component.pod_spec = None if template is None else pod_spec


def _main_path(component: Component, template: Tree | None, *, submitted_alpha: bool) -> Path:
    if submitted_alpha:
        return (*component.path, "extraPodSpec", "mainContainer")
    containers = ((template or {}).get("spec") or {}).get("containers") or []
    for index, container in enumerate(containers):
        if container is component.main:
            return (*component.path, "podTemplate", "spec", "containers", index)
    return (*component.path, "podTemplate")


def _read_alpha(component: Component, alpha: Tree) -> None:
    component.labels = alpha.get("labels") or {}
    component.annotations = alpha.get("annotations") or {}
    component.sub_type = alpha.get("subComponentType", "")
    component.ingress = alpha.get("ingress")
    component.dynamo_namespace = alpha.get("dynamoNamespace")
