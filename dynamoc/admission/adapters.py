"""v1alpha1 and v1beta1 documents as a component graph, and fragments of Grove's objects in them.

Operators that store v1beta1 convert v1alpha1 documents to it first. What v1beta1 cannot say of a v1alpha1 document
(labels, annotations and ingress of a service, claims) is looked up in its v1alpha1 view, as the operator does.
Source: internal/provideroverride/registry.go of operator 1.5.
"""

from __future__ import annotations

from typing import Any

from dynamoc.admission.graph import MAIN, Component, Graph, is_inter_pod_gms, node_count, uses_scaling_group
from dynamoc.documents.findings.finding import Path
from dynamoc.kube.merge import Tree

ENABLE_GROVE = "nvidia.com/enable-grove"
ALPHA_MAIN = ("extraPodSpec", "mainContainer")


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


def component_from_v1alpha1(name: str, spec: Tree, path: Path) -> Component:
    """A canonical DynamoComponentDeploymentSharedSpec as a component called `name`."""
    return Component(name, path, spec, main_path=(*path, *ALPHA_MAIN))


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
    main_path = _main_path(spec, path, submitted_alpha=submitted_alpha)
    return Component(spec.get("name", ""), path, spec, alpha, main_path)


def for_role(component: Component, name: str) -> Component:
    """The component as its leader or its workers see it; itself where all have one pod template."""
    if not has_role_templates(component.spec):
        return component
    index = next((index for index, role in enumerate(component.spec["roles"]) if role.get("name") == name), None)
    other = component.with_spec(spec_of_role(component.spec, name))
    other.keeps_launch = True
    if index is not None:
        other.main_path = (*component.path, "roles", index, "podTemplate")
    return other


def _main_path(spec: Tree, path: Path, *, submitted_alpha: bool) -> Path:
    if submitted_alpha:
        return (*path, *ALPHA_MAIN)
    containers = ((spec.get("podTemplate") or {}).get("spec") or {}).get("containers") or []
    for index, container in enumerate(containers):
        if container.get("name") == MAIN:
            return (*path, "podTemplate", "spec", "containers", index)
    return (*path, "podTemplate")
