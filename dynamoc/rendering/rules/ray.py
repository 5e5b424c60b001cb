"""vLLM of release 0.6: a model that is too large for one node runs on Ray, copies of it run data parallel.

vLLM of releases 0.4 and 0.5: several nodes always run on Ray.
"""

from __future__ import annotations

from dynamoc.kube.quantity import value
from dynamoc.rendering.rules.backend_parts import Backend, drop_probes
from dynamoc.rendering.rules.command import expanded_args, flag_value, inject_flags
from dynamoc.rendering.rules.draft import LEADER, WORKER, Pod
from dynamoc.rendering.rules.vllm import tell_cache_root


def update_ray_container(pod: Pod) -> None:
    """Source: internal/dynamo/backend_vllm.go UpdateContainer."""
    if pod.is_multinode:
        _spread(pod)
        if pod.role == WORKER:
            drop_probes(pod.main)
    tell_cache_root(pod)


def update_ray_pod(pod: Pod) -> None:
    """vLLM needs nothing around its container."""


def _spread(pod: Pod) -> None:
    """Chooses between Ray and data parallel; a model that fits one node is left as it is."""
    words, gpus = expanded_args(pod.main), _gpus(pod)
    world_size = flag_value(words, "--tensor-parallel-size") * flag_value(words, "--pipeline-parallel-size")
    if world_size > gpus:
        _launch_ray(pod)
    elif world_size * flag_value(words, "--data-parallel-size") > gpus:
        _launch_data_parallel(pod, engines=gpus // world_size)


def _gpus(pod: Pod) -> int:
    """The limit of the container for nvidia.com/gpu, whoever set it; 1 without one (getContainerGPUs)."""
    limit = ((pod.main.get("resources") or {}).get("limits") or {}).get("nvidia.com/gpu")
    return 1 if limit is None else value(limit)


def _launch_ray(pod: Pod) -> None:
    """The leader starts Ray and then its own command, without quotes; workers only run the Ray agent."""
    main, port = pod.main, pod.release["vllm/ray-port"]
    if pod.role == LEADER:
        _warn_of_lost_script(pod)
        command, args = " ".join(main.get("command") or ()), " ".join(main.get("args") or ())
        main["args"] = [f"ray start --head --port={port} && {command} {args}"]
    elif pod.role == WORKER:
        main["args"] = [f"ray start --address={pod.hosts.leader(pod.service)}:{port} --block"]
    main["command"] = ["/bin/sh", "-c"]


def _warn_of_lost_script(pod: Pod) -> None:
    if (pod.main.get("command") or [""])[-1] == "-c":
        pod.operator.warn(
            "vllm/script-without-quotes",
            "The operator adds the leader's command after `ray start` without quotes, so the shell runs only "
            "the first word of the script.",
            (*pod.component.main_path, "command"),
            "Write the command as a list of words: command [python3], args [-m, dynamo.vllm, …].",
        )


def _launch_data_parallel(pod: Pod, *, engines: int) -> None:
    """`engines` copies run on each node and meet at the leader's address."""
    start_rank = f"$(( {engines} * {pod.hosts.node_rank} ))" if pod.role == WORKER else "0"
    flags = (
        f"--data-parallel-address {pod.hosts.leader(pod.service)} --data-parallel-size-local {engines} "
        f"--data-parallel-rpc-port {pod.release['vllm/data-parallel-rpc-port']} --data-parallel-start-rank {start_rank}"
    )
    inject_flags(pod.main, flags, pod.release, needs_shell=True, framework="vllm")


VLLM_RAY = Backend(update_ray_container, update_ray_pod)


def update_ray_only_container(pod: Pod) -> None:
    """The leader starts Ray and then its own arguments, workers only run the Ray agent; the command stays.

    Source: internal/dynamo/backend_vllm.go UpdateContainer, updateVLLMMultinodeArgs.
    """
    if not pod.is_multinode:
        return
    main, port = pod.main, pod.release["vllm/ray-port"]
    if pod.role == LEADER and main.get("args"):
        _warn_without_shell(pod)
        main["args"] = [f"ray start --head --port={port} && {' '.join(main['args'])}"]
    elif pod.role == WORKER:
        main["args"] = [f"ray start --address={pod.hosts.leader(pod.service)}:{port} --block"]
        drop_probes(main)


def update_ray_only_pod(pod: Pod) -> None:
    """vLLM needs nothing around its container."""


def _warn_without_shell(pod: Pod) -> None:
    command = pod.main.get("command") or [""]
    if command[-1] != "-c":
        pod.operator.warn(
            "vllm/ray-without-shell",
            f"The operator joins the leader's arguments into one shell command line, but the command is {command[0]}.",
            (*pod.component.main_path, "command"),
            "Remove the command, and write the whole command line as the only argument.",
        )


VLLM_RAY_ONLY = Backend(update_ray_only_container, update_ray_only_pod)
