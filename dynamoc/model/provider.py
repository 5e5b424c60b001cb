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
    """The constraint in a checked fragment, as it was written."""
    value = override.get("value") or {}
    for step in owner_path(override.get("target", "")):
        value = value[step]
    return value[CONSTRAINT]


def role_replicas(spec: Tree, name: str) -> int | None:
    """Pods of a role in one replica; None for a name that is no role."""
    return {LEADER: 1, WORKER: node_count(spec) - 1}.get(name)


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
