"""Names for the leader and the rank that are the same under Grove and under LeaderWorkerSet, since 1.6."""

from __future__ import annotations

from dynamoc.rules.env import merge_env
from dynamoc.rules.registry import rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.rules.draft import Pod

#: as flags name them; Kubernetes puts the values in
LEADER_ADDRESS, RANK = "$(DYNAMO_LEADER_ADDRESS)", "$(DYNAMO_RANK)"


def uses_aliases(pod: Pod) -> bool:
    """Whether flags name the aliases: graphs of earlier operators keep the names of Grove and LeaderWorkerSet."""
    return pod.is_multinode and pod.origin_has("topology-aliases")


@rule("multinode_aliases/leader-and-rank", source="internal/dynamo/graph.go addMultinodeTopologyEnvVars of release 1.6")
def leader_and_rank(pod: Pod) -> None:
    """Sets DYNAMO_LEADER_ADDRESS and DYNAMO_RANK in every pod of a multinode replica, over what the user says."""
    if uses_aliases(pod):
        aliases = [
            {"name": "DYNAMO_LEADER_ADDRESS", "value": pod.hosts.leader(pod.service)},
            {"name": "DYNAMO_RANK", "value": pod.hosts.pod_rank},
        ]
        pod.main["env"] = merge_env(pod.main.get("env"), aliases)
