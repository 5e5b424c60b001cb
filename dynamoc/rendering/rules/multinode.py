"""How the pods of one multinode replica find each other, under Grove and under LeaderWorkerSet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dynamoc.kube.go import parse_semver
from dynamoc.reference.releases import Release
from dynamoc.rendering.rules.command import asks_for_mp
from dynamoc.rendering.rules.draft import WORKER, Hosts, Pod, rule
from dynamoc.rendering.rules.env import merge_env


def grove_hosts(release: Release) -> Hosts:
    """grove.go GroveMultinodeDeployer: workers count from 0, and Grove orders the start itself."""
    return Hosts(
        leader_host=release["grove/leader-host"],
        worker_host=release["grove/worker-host"],
        first_worker=0,
        node_rank=release["grove/node-rank"],
        rank_needs_shell=True,
        lower=release.has("grove/lower-case-hosts"),
        pod_rank=release["grove/pod-rank"],
    )


def lws_hosts(release: Release) -> Hosts:
    """lws.go LWSMultinodeDeployer: workers count from 1, and all pods start at once."""
    return Hosts(
        leader_host=release["lws/leader-host"],
        worker_host=release["lws/worker-host"],
        node_rank=release["lws/node-rank"],
        rank_needs_shell=release["lws/node-rank-needs-shell"],
        dns_wait=release.has("lws/dns-wait"),
        pod_rank=release["lws/pod-rank"],
    )


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


@dataclass(frozen=True, slots=True)
class Backend:
    """Two steps, of which the first changes the container `main` and the second the pod around it."""

    update_container: Callable[[Pod], None]
    update_pod: Callable[[Pod], None]


def drop_probes(main: dict[str, Any]) -> None:
    """A worker of a replica serves nothing that could be probed; the leader answers for all."""
    for probe in ("livenessProbe", "readinessProbe", "startupProbe"):
        main.pop(probe, None)


def uses_multiprocessing(pod: Pod) -> bool:
    """mp where the annotation says so, or where the graph was created by operator 1.0 or later; else Ray.

    Source: internal/dynamo/backend_vllm.go shouldUseMpBackend, internal/featuregate.
    """
    annotations = pod.component.steering
    executor = annotations.get("nvidia.com/vllm-distributed-executor-backend", "").lower()
    if executor in ("mp", "ray"):
        return executor == "mp"
    origin = parse_semver(annotations.get("nvidia.com/dynamo-operator-origin-version", ""))
    return origin is not None and origin.at_least(pod.release["vllm/mp-since-origin"])


VOLUME = "wait-leader-script"
KEY = "wait-for-leader.py"
_MOUNT = "/scripts"


def config_map_name(owner: str) -> str:
    """backend_vllm.go GetWaitLeaderConfigMapName."""
    return f"{owner}-wait-leader-script"


def add_waiter(pod: Pod) -> None:
    """Adds the init container that runs the script of the graph's ConfigMap, where the engines use multiprocessing.

    Since 1.2 that is read off the command line, whoever wrote it.

    The variables in the host name are left to the shell: those of Grove and LWS come behind the container's own.
    Source: internal/dynamo/backend_vllm.go UpdatePodSpec of release 1.1; shouldInjectVLLMMpWaitLeaderInit since 1.2.
    """
    main = pod.spec["containers"][0]
    if not pod.owner or not pod.is_multinode or pod.role != WORKER:
        return
    if pod.release.has("vllm/waits-by-command-line"):
        if not asks_for_mp(main, pod.release):
            return
    elif not uses_multiprocessing(pod):
        return
    pod.spec.setdefault("volumes", []).append({"name": VOLUME, "configMap": {"name": config_map_name(pod.owner)}})
    leader = pod.hosts.leader(pod.service).replace("$(", "${").replace(")", "}")
    script = f'export LEADER_HOST="{leader}" LEADER_PORT="{pod.release["vllm/mp-port"]}" && exec python3 {_MOUNT}/{KEY}'
    waiter = {
        "name": "wait-for-leader-mp",
        "command": ["sh", "-c", script],
        "volumeMounts": [{"name": VOLUME, "mountPath": _MOUNT, "readOnly": True}],
    }
    if main.get("image"):
        waiter["image"] = main["image"]
    pod.spec.setdefault("initContainers", []).append(waiter)
