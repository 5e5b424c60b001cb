"""SGLang: one process a node, joined by an address, the number of nodes and a rank."""

from __future__ import annotations

from dynamoc.rules.backends import nixl_ports
from dynamoc.rules.backends.backend import Backend
from dynamoc.rules.backends.command import inject_flags
from dynamoc.rules.backends.probes import drop_probes
from dynamoc.rules.draft import LEADER, WORKER
from dynamoc.rules.multinode_aliases import LEADER_ADDRESS, RANK, uses_aliases

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.rules.draft import Pod


def update_container(pod: Pod) -> None:
    """Source: internal/dynamo/backend_sglang.go UpdateContainer."""
    if pod.release.has("sglang/nixl-ports"):
        nixl_ports.reserve(pod)
    if not pod.is_multinode:
        return
    if pod.role == WORKER:
        drop_probes(pod.main)
    if pod.component.keeps_launch:
        return
    needs_shell = pod.role != LEADER and pod.hosts.rank_needs_shell and not uses_aliases(pod)
    inject_flags(pod.main, multinode_flags(pod), pod.release, needs_shell=needs_shell, framework="sglang")


def multinode_flags(pod: Pod) -> str:
    rank = "0" if pod.role == LEADER else pod.hosts.node_rank
    leader = pod.hosts.leader(pod.service)
    if uses_aliases(pod):
        leader, rank = LEADER_ADDRESS, RANK
    address = f"{leader}:{pod.release['sglang/port']}"
    return f"--dist-init-addr {address} --nnodes {pod.nodes} --node-rank {rank}"


def update_pod(pod: Pod) -> None:
    """SGLang needs nothing around its container."""


SGLANG = Backend(update_container, update_pod)
