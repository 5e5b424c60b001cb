"""SGLang: one process a node, joined by an address, the number of nodes and a rank."""

from __future__ import annotations

from dynamoc.rules.backends.command import inject_flags
from dynamoc.rules.backends.probes import drop_probes
from dynamoc.rules.draft import LEADER, WORKER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.rules.draft import Pod


def update_container(pod: Pod) -> None:
    """Source: internal/dynamo/backend_sglang.go UpdateContainer."""
    if not pod.is_multinode:
        return
    if pod.role == WORKER:
        drop_probes(pod.main)
    is_leader = pod.role == LEADER
    rank = "0" if is_leader else pod.hosts.node_rank
    address = f"{pod.hosts.leader(pod.service)}:{pod.release['sglang/port']}"
    flags = f"--dist-init-addr {address} --nnodes {pod.nodes} --node-rank {rank}"
    inject_flags(
        pod.main, flags, pod.release, needs_shell=not is_leader and pod.hosts.rank_needs_shell, framework="sglang"
    )


def update_pod(pod: Pod) -> None:
    """SGLang needs nothing around its container."""
