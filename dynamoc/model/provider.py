"""Fragments of Grove's objects that a graph hands through: where each belongs, and what it may hold.

Source: internal/provideroverride/registry.go of operator 1.5.
"""

from __future__ import annotations

from dynamoc.model.experimental import is_inter_pod_gms, node_count, uses_scaling_group

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Tree = dict[str, Any]

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
    """Whether the leader and the workers have pod templates of their own, since 1.6."""
    return any(role.get("podTemplate") is not None for role in spec.get("roles") or ())


def spec_of_role(spec: Tree, name: str) -> Tree:
    """The spec with the pod template of a role in place of that of the component; itself where there is none."""
    if not has_role_templates(spec):
        return spec
    role: Tree = next((role for role in spec["roles"] if role.get("name") == name), {})
    kept = {key: value for key, value in spec.items() if key not in ("podTemplate", "roles")}
    template = role.get("podTemplate")
    return kept if template is None else {**kept, "podTemplate": template}


def says_no_more(spec: Tree) -> bool:
    """Whether roles are the leader and the workers that a multinode component has anyway, with nothing of their own."""
    roles = spec.get("roles") or []
    if spec.get("multinode") is None or sorted(role.get("name", "") for role in roles) != sorted(ROLES):
        return False
    return all(
        role.get("providerOverride") is None
        and role.get("podTemplate") is None
        and role.get("replicas") in (None, role_replicas(spec, role["name"]))
        for role in roles
    )
