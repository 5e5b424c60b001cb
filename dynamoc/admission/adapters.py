"""v1alpha1 and v1beta1 documents as a component graph, and fragments of Grove's objects in them.

Operators that store v1beta1 convert v1alpha1 documents to it first. What v1beta1 cannot say of a v1alpha1 document
(labels, annotations and ingress of a service, claims) is looked up in its v1alpha1 view, as the operator does.
Source: internal/provideroverride/registry.go of operator 1.5.
"""

from __future__ import annotations

from typing import Any

from dynamoc.admission.graph import Component, Graph, is_inter_pod_gms, node_count, uses_scaling_group
from dynamoc.documents.findings.finding import Path
from dynamoc.kube.merge import Tree, copy_tree
from dynamoc.kube.names import WORKER_HASH_LABEL

ENABLE_GROVE = "nvidia.com/enable-grove"


def graph_from_v1alpha1(value: Tree) -> Graph:
    """A canonical, defaulted DynamoGraphDeployment as a graph."""
    spec = value.get("spec") or {}
    services = spec.get("services") or {}
    components = [
        component_from_v1alpha1(name, services[name], ("spec", "services", name))
        for name in sorted(services, key=str.encode)
        if services[name] is not None
    ]
    return _graph(value, value, components, spec.get("envs"))


def _graph(value: Tree, alpha: Tree, components: list[Component], env: list[Tree] | None) -> Graph:
    metadata, spec = value["metadata"], value.get("spec") or {}
    return Graph(
        value,
        alpha,
        name=metadata.get("name", ""),
        namespace=metadata["namespace"],
        components=components,
        annotations=dict(metadata.get("annotations") or {}),
        backend_framework=spec.get("backendFramework", ""),
        spec_annotations=spec.get("annotations") or {},
        spec_labels=spec.get("labels") or {},
        env=env or [],
        pvcs=(alpha.get("spec") or {}).get("pvcs") or [],
        restart=spec.get("restart"),
    )


def _component(name: str, spec: Tree, path: Path) -> Component:
    """A component with what both versions say alike."""
    return Component(
        name,
        path,
        spec,
        replicas=spec.get("replicas"),
        nodes=node_count(spec),
        model_ref=spec.get("modelRef"),
        epp_config=spec.get("eppConfig"),
        topology_constraint=spec.get("topologyConstraint"),
        global_dynamo_namespace=bool(spec.get("globalDynamoNamespace")),
    )


def component_from_v1alpha1(name: str, spec: Tree, path: Path) -> Component:
    """A canonical DynamoComponentDeploymentSharedSpec as a component called `name`."""
    component = _component(name, spec, path)
    component.type = spec.get("componentType", "")
    component.sub_type = spec.get("subComponentType", "")
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
    component.ingress = spec.get("ingress")
    component.checkpoint = spec.get("checkpoint")
    component.scaling_adapter = bool((spec.get("scalingAdapter") or {}).get("enabled"))
    component.dynamo_namespace = spec.get("dynamoNamespace")
    return component


def _split_extra_pod_spec(extra: Tree | None) -> tuple[Tree | None, Tree | None]:
    """extraPodSpec inlines a PodSpec *pointer*: it is nil where none of its fields is set."""
    if extra is None:
        return None, None
    pod_spec = {key: value for key, value in extra.items() if key != "mainContainer"}
    return extra.get("mainContainer"), pod_spec or None


PROVIDER = "nvidia.com/workload-provider"
GROVE, COMPONENT = "grove", "component"
API_VERSION = "grove.io/v1alpha1"
SET, CLIQUE, GROUP = "PodCliqueSet", "PodCliqueTemplateSpec", "PodCliqueScalingGroupConfig"
LEADER, WORKER = "leader", "worker"
ROLES = (LEADER, WORKER)
#: the field that a fragment may write
CONSTRAINT = "topologyConstraint"
MINIMUM = "minAvailable"


def component_target(spec: Tree) -> str:
    """What a component's own fragment belongs to."""
    return GROUP if uses_scaling_group(spec) else CLIQUE


def role_target(spec: Tree) -> str | None:
    """What a fragment of the leader or of the workers belongs to; None where they have no clique to write to."""
    return CLIQUE if node_count(spec) > 1 and not is_inter_pod_gms(spec) else None


def owner_path(target: str) -> tuple[str, ...]:
    """Where in a fragment the constraint is."""
    return ("spec", "template") if target == SET else ()


def constraint_of(override: Tree) -> Any:
    """The constraint in a checked fragment, as it was written; None where it only says a minimum."""
    value = override.get("value") or {}
    for step in owner_path(override.get("target", "")):
        value = value[step]
    return value.get(CONSTRAINT)


def said_minimum(spec: Tree) -> int | None:
    """`minAvailable` in the fragment of a component, None where it says none, or nothing that is a number."""
    override = spec.get("providerOverride") or {}
    value = override.get("value")
    if override.get("apiVersion") != API_VERSION or value.__class__ is not dict:
        return None
    found = value.get(MINIMUM)
    if found is None and value.get("spec").__class__ is dict:
        found = value["spec"].get(MINIMUM)
    return found if found.__class__ is int else None


def minimum(spec: Tree) -> int:
    """Replicas that must be available: as the component says, or its fragment, else 1 (EffectiveGroveMinAvailable)."""
    own = spec.get(MINIMUM)
    said = said_minimum(spec) if own is None else own
    return 1 if said is None else int(said)


def template_part(override: Tree | None) -> Tree | None:
    """A fragment without what says how many pods must be available; None where nothing is left of it."""
    if override is None or override.get("apiVersion") != API_VERSION:
        return override
    value = {key: item for key, item in (override.get("value") or {}).items() if key != MINIMUM}
    spec = value.get("spec")
    if spec.__class__ is dict:
        value["spec"] = {key: item for key, item in spec.items() if key != MINIMUM}
        if not value["spec"]:
            del value["spec"]
    return {**override, "value": value} if value else None


def role_replicas(spec: Tree, name: str) -> int | None:
    """Pods of a role in one replica; None for a name that is no role."""
    return {LEADER: 1, WORKER: node_count(spec) - 1}.get(name)


def has_role_templates(spec: Tree) -> bool:
    """Whether the leader and the workers have separate pod templates, since 1.6."""
    return any(role.get("podTemplate") is not None for role in spec.get("roles") or ())


def spec_of_role(spec: Tree, name: str) -> Tree:
    """The spec with the pod template of a role in place of that of the component; itself without one."""
    if not has_role_templates(spec):
        return spec
    role: Tree = next((role for role in spec["roles"] if role.get("name") == name), {})
    kept = {key: value for key, value in spec.items() if key not in ("podTemplate", "roles")}
    template = role.get("podTemplate")
    return kept if template is None else {**kept, "podTemplate": template}


def says_no_more(spec: Tree) -> bool:
    """Whether roles are the leader and the workers that a multinode component has anyway, without own settings."""
    roles = spec.get("roles") or []
    if spec.get("multinode") is None or sorted(role.get("name", "") for role in roles) != sorted(ROLES):
        return False
    return all(
        role.get("providerOverride") is None
        and role.get("podTemplate") is None
        and role.get("replicas") in (None, role_replicas(spec, role["name"]))
        for role in roles
    )


MAIN = "main"


def graph_from_v1beta1(value: Tree, alpha: Tree, *, submitted_alpha: bool) -> Graph:
    """A canonical, defaulted DynamoGraphDeployment as a graph.

    alpha            its v1alpha1 view
    submitted_alpha  whether the user wrote v1alpha1, so that paths lead into `spec.services`
    """
    spec = value.get("spec") or {}
    services = (alpha.get("spec") or {}).get("services") or {}
    components = []
    for index, item in enumerate(spec.get("components") or []):
        name = item.get("name", "")
        path: Path = ("spec", "services", name) if submitted_alpha else ("spec", "components", index)
        component = component_from_v1beta1(item, services.get(name) or {}, path, submitted_alpha=submitted_alpha)
        components.append(component)
    return _graph(value, alpha, components, spec.get("env"))


def component_from_v1beta1(spec: Tree, alpha: Tree, path: Path, *, submitted_alpha: bool) -> Component:
    """A canonical DynamoComponentDeploymentSharedSpec as a component; `alpha` is its v1alpha1 view."""
    component = _component(spec.get("name", ""), spec, path)
    component.type = spec.get("type", "")
    component.min_available = spec.get("minAvailable")
    component.compilation_cache = spec.get("compilationCache")
    component.experimental = spec.get("experimental")
    component.checkpoint = (component.experimental or {}).get("checkpoint")
    component.scaling_adapter = spec.get("scalingAdapter") is not None
    component.shared_memory = _shared_memory(spec.get("sharedMemorySize"))
    component.sidecar = spec.get("frontendSidecar")
    read_pod_template(component, spec.get("podTemplate"))
    component.main_path = _main_path(component, spec.get("podTemplate"), submitted_alpha=submitted_alpha)
    component.labels = alpha.get("labels") or {}
    component.annotations = alpha.get("annotations") or {}
    component.sub_type = alpha.get("subComponentType", "")
    component.ingress = alpha.get("ingress")
    component.dynamo_namespace = alpha.get("dynamoNamespace")
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
    other = component_from_v1beta1(spec, {}, component.path, submitted_alpha=False)
    for field in ("name", "labels", "annotations", "sub_type", "ingress", "dynamo_namespace", "main_path"):
        setattr(other, field, getattr(component, field))
    return other


def _shared_memory(size: str | None) -> Tree | None:
    """A size of zero, however it is written, turns shared memory off."""
    if size is None:
        return None
    return {"disabled": True} if size == "0" else {"size": size}


def read_pod_template(component: Component, template: Tree | None) -> None:
    """Take from a pod template what the component says of its pods."""
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
