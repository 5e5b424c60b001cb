"""Pods of the inter-pod GPU memory service: a weight server for each rank, and engines that attach to it.

Source: internal/dynamo/graph.go generatePodSpecForRole of release 1.4.
"""

from __future__ import annotations

from dynamoc.kube.names import kube_resource_name
from dynamoc.lower.gpu_claims import main_gpus
from dynamoc.lower.hub.clique_roles import WEIGHT_SERVER
from dynamoc.lower.hub.grove_pod import grove_pod
from dynamoc.model.experimental import gpu_memory_service, is_inter_pod_failover
from dynamoc.rules.dra import DEFAULT_DEVICE_CLASS, device_requests
from dynamoc.rules.draft import MAIN
from dynamoc.rules.inter_pod_gms import RankHosts, engine_pod, weight_server_pod
from dynamoc.rules.multinode import GroveHosts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.lower.hub.clique import GraphRendering
    from dynamoc.lower.hub.clique_roles import CliqueRole
    from dynamoc.model.graph import Component
    from dynamoc.rules.multinode import Hosts
    from dynamoc.rules.snapshot_state import Snapshot

    Tree = dict[str, Any]


def memory_pod(
    rendering: GraphRendering, component: Component, role: CliqueRole, backend: str, snapshot: Snapshot | None
) -> Tree:
    """The PodSpec of one role. A weight server starts like a single-node engine; it has no snapshots."""
    hosts: Hosts = GroveHosts(rendering.operator.release)
    if role.part == WEIGHT_SERVER:
        spec = grove_pod(rendering, component, MAIN, 1, backend, hosts, None)
        weight_server_pod(spec, rank=role.rank, gpus=main_gpus(component))
        return spec
    if component.is_multinode:
        hosts = RankHosts(role.rank)
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
