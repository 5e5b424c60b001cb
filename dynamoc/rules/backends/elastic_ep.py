"""vLLM with elastic expert parallelism: a Ray cluster that grows and shrinks while it serves.

Source: internal/dynamo/backend_vllm.go injectElasticEPRayLaunchFlags since 1.2, IsElasticEPRayLaunch of release 1.4.
"""

from __future__ import annotations

from dynamoc.rules.backends.command import posix_quoted, quoted
from dynamoc.rules.backends.vllm_flags import asks_for_elastic_ray
from dynamoc.rules.draft import LEADER, MAIN, WORKER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.model.graph import Component
    from dynamoc.release.registry import Release
    from dynamoc.rules.draft import Pod

    Tree = dict[str, Any]

#: wait until the Ray head takes connections, 5 minutes at most
_HEAD_READY = (
    "i=0; until python3 -c \"import socket; s=socket.create_connection(('127.0.0.1',{port}),timeout=1); s.close()\" "
    '2>/dev/null; do i=$((i+1)); [ "$i" -ge 150 ] && '
    '{ echo "ERROR: Ray head did not start within 300s" >&2; exit 1; }; sleep 2; done'
)
#: wait until the leader's engine is up, 3 hours at most: Ray would place engines on a worker that joins before that
_LEADER_LIVE = (
    "i=0; until python3 -c \"import urllib.request; urllib.request.urlopen('http://{leader}:9090/live', timeout=5)\" "
    '2>/dev/null; do i=$((i+1)); [ "$i" -ge 720 ] && '
    '{ echo "ERROR: leader /live did not become ready within 3h" >&2; exit 1; }; '
    "echo 'waiting for leader dynamo.vllm /live to return 200...'; sleep 15; done"
)


def is_alone(component: Component, release: Release) -> bool:
    """Whether the component is a single pod that runs a Ray head (isSinglePodElasticEPLeader since 1.5)."""
    if component.is_multinode or component.replicas not in (None, 1):
        return False
    return component.main is not None and asks_for_elastic_ray(component.main, release)


def launch_ray(pod: Pod) -> bool:
    """Starts a Ray head in front of the engine, or makes a worker join it; whether anything was changed.

    An image's own entry point cannot be wrapped, so a leader without a command stays as it is.
    """
    main, port = pod.main, pod.release["vllm/ray-port"]
    if pod.role == WORKER:
        main["args"] = [_join(pod)]
    elif pod.role in (LEADER, MAIN):
        if not main.get("command"):
            return False
        # A pod on its own names its address and becomes the engine, so that it gets SIGTERM; a leader does neither.
        alone = pod.role == MAIN
        command = f"{posix_quoted(main.get('command'))} {posix_quoted(main.get('args'))}".strip()
        address = ' --node-ip-address="$POD_IP"' if alone else ""
        main["args"] = [_head(port, address, f"exec {command}" if alone else command)]
    main["command"] = ["/bin/sh", "-c"]
    return True


def launch_ray_on_nodes(pod: Pod) -> None:
    """The same where only replicas of several nodes have Ray: words are quoted as for other launches.

    A leader without a command fails at its first argument, as the operator's does. Releases 1.2 and 1.3.
    """
    main, port = pod.main, pod.release["vllm/ray-port"]
    if pod.role == WORKER:
        main["args"] = [_join(pod)]
    elif pod.role == LEADER:
        main["args"] = [_head(port, "", f"{quoted(main.get('command'))} {quoted(main.get('args'))}")]
    main["command"] = ["/bin/sh", "-c"]


def _join(pod: Pod) -> str:
    leader = pod.hosts.leader(pod.service)
    join = f"ray start --address={leader}:{pod.release['vllm/ray-port']} --block"
    return f"{_LEADER_LIVE.replace('{leader}', leader)} && {join}"


def _head(port: str, address: str, command: str) -> str:
    return f"ray start --head --port={port}{address} --block & {_HEAD_READY.replace('{port}', port)} && {command}"


def launch_alone(pod: Pod) -> None:
    """Starts a Ray head in a replica of one pod, so that later pods can join.

    What Ray registers under and what vLLM looks for must be the same address.
    """
    if asks_for_elastic_ray(pod.main, pod.release) and launch_ray(pod):
        pod.main.setdefault("env", []).extend(
            {"name": name, "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}
            for name in ("POD_IP", "VLLM_DP_MASTER_IP")
        )
