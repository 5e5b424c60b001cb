"""vLLM: tensor and pipeline parallel over multiprocessing or Ray, or data parallel."""

from __future__ import annotations

from dynamoc.programs import WAIT_FOR_PORT
from dynamoc.rules.backends import elastic_ep
from dynamoc.rules.backends.backend import Backend
from dynamoc.rules.backends.command import inject_flags, quoted
from dynamoc.rules.backends.executor import uses_multiprocessing
from dynamoc.rules.backends.probes import drop_probes
from dynamoc.rules.backends.required_flag import require_flag
from dynamoc.rules.backends.vllm_cache import tell_cache_root
from dynamoc.rules.backends.vllm_flags import asks_for_mp, launch_args
from dynamoc.rules.backends.wait_for_leader import add_waiter
from dynamoc.rules.draft import LEADER, MAIN, WORKER
from dynamoc.rules.multinode_aliases import LEADER_ADDRESS, RANK, uses_aliases
from dynamoc.rules.resources import node_gpus

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.rules.backends.vllm_flags import LaunchArgs
    from dynamoc.rules.draft import Pod


def update_container(pod: Pod) -> None:
    """Source: internal/dynamo/backend_vllm.go UpdateContainer."""
    if pod.is_multinode:
        own_mp = pod.component.keeps_launch and asks_for_mp(pod.main, pod.release)
        if own_mp:
            require_flag(pod, "--master-port", pod.release["vllm/mp-port"])
        if not pod.component.keeps_launch:
            _update_multinode_args(pod)
        if own_mp or (not pod.component.keeps_launch and uses_multiprocessing(pod)):
            pod.main.setdefault("env", []).append(
                {"name": "VLLM_NIXL_SIDE_CHANNEL_HOST", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}
            )
        if pod.role == WORKER:
            drop_probes(pod.main)
    elif pod.release.has("vllm/elastic-ep-alone") and pod.role == MAIN:
        elastic_ep.launch_alone(pod)
    tell_cache_root(pod)


def update_pod(pod: Pod) -> None:
    """Makes multiprocessing workers wait for the leader's port, in an init container with the first container's image.

    Source: internal/dynamo/backend_vllm.go UpdatePodSpec.
    """
    if pod.release.has("vllm/wait-leader-config-map"):
        add_waiter(pod)
        return
    if not pod.is_multinode or pod.role != WORKER or not uses_multiprocessing(pod):
        return
    script = WAIT_FOR_PORT.format(host=pod.hosts.leader(pod.service), port=pod.release["vllm/mp-port"])
    waiter = {"name": "wait-for-leader-mp", "command": ["python3", "-c", script]}
    image = pod.spec["containers"][0].get("image")
    if image:
        waiter["image"] = image
    pod.spec.setdefault("initContainers", []).append(waiter)


def _update_multinode_args(pod: Pod) -> None:
    asked = launch_args(pod.main, pod.release)
    gpus = node_gpus(pod, "limits")
    if gpus and asked.world_size > gpus:
        if uses_multiprocessing(pod):
            _inject_multiprocessing(pod)
        else:
            _inject_ray(pod)
    elif pod.release.has("vllm/elastic-ep") and asked.is_elastic:
        if pod.release.has("vllm/elastic-ep-alone"):
            elastic_ep.launch_ray(pod)
        else:
            elastic_ep.launch_ray_on_nodes(pod)
    elif gpus and asked.world_size * asked.data_parallel > gpus:
        _inject_data_parallel(pod, asked, engines=gpus // asked.world_size)


def _inject_multiprocessing(pod: Pod) -> None:
    aliases = uses_aliases(pod)
    leader = LEADER_ADDRESS if aliases else pod.hosts.leader(pod.service)
    flags = (
        f"--distributed-executor-backend mp --nnodes {pod.nodes} "
        f"--master-addr {leader} --master-port {pod.release['vllm/mp-port']}"
    )
    if pod.role == LEADER:
        flags += f" --node-rank {RANK if aliases else 0}"
    elif pod.role == WORKER:
        flags += f" --node-rank {RANK if aliases else pod.hosts.node_rank} --headless"
    needs_shell = pod.role == WORKER and pod.hosts.rank_needs_shell and not aliases
    inject_flags(pod.main, flags, pod.release, needs_shell=needs_shell, framework="vllm")


def _inject_ray(pod: Pod) -> None:
    port = pod.release["vllm/ray-port"]
    if pod.role == LEADER:
        command, args = quoted(pod.main.get("command")), quoted(pod.main.get("args"))
        pod.main["args"] = [f"ray start --head --port={port} && {command} {args} --distributed-executor-backend ray"]
    elif pod.role == WORKER:
        # The leader's vLLM places its actors on the workers; they only run the Ray agent.
        pod.main["args"] = [f"ray start --address={pod.hosts.leader(pod.service)}:{port} --block"]
    pod.main["command"] = ["/bin/sh", "-c"]


def _inject_data_parallel(pod: Pod, asked: LaunchArgs, *, engines: int) -> None:
    """`engines` run on each node; Dynamo routes between the nodes, vLLM inside of one (hybrid load balancing)."""
    total = asked.data_parallel
    if total == 1:
        total = engines * pod.nodes
    if pod.role not in (LEADER, WORKER):
        inject_flags(pod.main, "", pod.release, needs_shell=False, framework="vllm")
        return
    is_worker = pod.role == WORKER
    start_rank = f"$(( {engines} * {pod.hosts.node_rank} ))" if is_worker else "0"
    flags = ["--data-parallel-hybrid-lb"]
    if not asked.says_data_parallel:
        flags += ["--data-parallel-size", str(total)]
    flags += [
        *("--data-parallel-size-local", str(engines)),
        *("--data-parallel-start-rank", start_rank),
        *("--data-parallel-address", pod.hosts.leader(pod.service)),
        *("--data-parallel-rpc-port", pod.release["vllm/data-parallel-rpc-port"]),
    ]
    inject_flags(pod.main, " ".join(flags), pod.release, needs_shell=is_worker, framework="vllm")


VLLM = Backend(update_container, update_pod)
