"""The PodCliques that a component becomes under Grove since 1.4, and how they depend on each other.

Source: internal/dynamo/graph.go expandRolesForComponent, applyCliqueStartupDependencies; failover.go.
"""

from __future__ import annotations

from dynamoc.model.experimental import (
    engine_pods,
    forces_scaling_group,
    is_inter_pod_gms,
    node_count,
    uses_scaling_group,
)
from dynamoc.rules.draft import LEADER, MAIN, WORKER
from dynamoc.tracing import builder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Tree = dict[str, Any]

#: the part of a GMS weight server, beside those of `dynamoc.rules.draft`
WEIGHT_SERVER = "gms"


class CliqueRole:
    """One PodClique of a component.

    name    of the clique
    part    leader, worker, main or gms
    pods    replicas of the clique
    rank    node of the replica that the clique is; only meaningful with inter-pod GMS
    """

    __slots__ = ("name", "part", "pods", "rank")

    def __init__(self, name: str, part: str, pods: int, rank: int = 0) -> None:
        self.name = name
        self.part = part
        self.pods = pods
        self.rank = rank


@builder("lower/hub/clique_roles/clique-roles", source="internal/dynamo/graph.go expandRolesForComponent")
def clique_roles(name: str, spec: Tree) -> list[CliqueRole]:
    """The cliques of the component named `name` with the canonical v1beta1 `spec`, in the order they are created."""
    name, nodes = name.lower(), node_count(spec)
    if is_inter_pod_gms(spec):
        return _with_weight_servers(name, nodes, engine_pods(spec))
    if nodes > 1:
        return [CliqueRole(f"{name}-ldr", LEADER, 1), CliqueRole(f"{name}-wkr", WORKER, nodes - 1)]
    if forces_scaling_group(spec):
        # The scaling group's replicas carry the number that the user asked for.
        return [CliqueRole(name, MAIN, 1)]
    replicas = spec.get("replicas")
    return [CliqueRole(name, MAIN, 1 if replicas is None else replicas)]


def longest_clique_name(name: str, spec: Tree) -> str:
    """The name that counts against Grove's limit (LongestPodCliqueNameForDGDComponent)."""
    names = [name.lower()]
    if uses_scaling_group(spec):
        names += [role.name for role in clique_roles(name, spec)]
    return max(names, key=len)


def _with_weight_servers(name: str, nodes: int, engines: int) -> list[CliqueRole]:
    """For each rank its weight server, then its engines: the primary and the shadows."""
    roles = []
    for rank in range(max(nodes, 1)):
        roles.append(CliqueRole(f"{name}-gms-{rank}", WEIGHT_SERVER, 1, rank))
        if nodes <= 1:
            roles.append(CliqueRole(name, MAIN, engines, rank))
        elif rank == 0:
            roles.append(CliqueRole(f"{name}-ldr", LEADER, engines, rank))
        else:
            roles.append(CliqueRole(f"{name}-wkr-{rank}", WORKER, engines, rank))
    return roles


@builder("lower/hub/clique_roles/start-dependencies", source="internal/dynamo/graph.go applyCliqueStartupDependencies")
def start_dependencies(roles: list[CliqueRole], *, backend: str) -> dict[str, list[str]]:
    """Clique name to the cliques that it starts after.

    Engines need their weight server, whatever the backend; mpirun on the leader needs the workers' sshd.
    """
    servers = {role.rank: role.name for role in roles if role.part == WEIGHT_SERVER}
    workers = [role.name for role in roles if role.part == WORKER]
    after: dict[str, list[str]] = {}
    for role in roles:
        if role.part == WEIGHT_SERVER:
            continue
        names = [servers[role.rank]] if role.rank in servers else []
        if role.part == LEADER and backend == "trtllm":
            names += workers
        if names:
            after[role.name] = names
    return after
