"""vLLM over several nodes: multiprocessing, Ray or data parallel, elastic expert parallelism; its compilation cache.

Source: internal/dynamo/backend_vllm.go injectElasticEPRayLaunchFlags since 1.2, IsElasticEPRayLaunch of release 1.4.
"""

from __future__ import annotations

from dynamoc.admission.graph import Component
from dynamoc.kube.quantity import value
from dynamoc.reference.programs import WAIT_FOR_PORT
from dynamoc.reference.releases import Release
from dynamoc.rendering.rules.command import (
    LaunchArgs,
    asks_for_elastic_ray,
    asks_for_mp,
    expanded_args,
    flag_value,
    inject_flags,
    launch_args,
    posix_quoted,
    quoted,
    require_flag,
)
from dynamoc.rendering.rules.draft import LEADER, MAIN, WORKER, Pod
from dynamoc.rendering.rules.multinode import (
    LEADER_ADDRESS,
    RANK,
    Backend,
    add_waiter,
    drop_probes,
    uses_aliases,
    uses_multiprocessing,
)
from dynamoc.rendering.rules.resources import node_gpus

_NAME = "VLLM_CACHE_ROOT"


def tell_cache_root(pod: Pod) -> None:
    """Sets VLLM_CACHE_ROOT where the user says where the cache is mounted.

    The default mount point is vLLM's own default, so only another one needs the variable. Appended, so that a variable
    of that name which the user set is there twice. Source: internal/dynamo/backend_vllm.go UpdateContainer.
    """
    root = _cache_root(pod)
    if root:
        env = pod.main.setdefault("env", [])
        if any(item["name"] == _NAME and item.get("value") != root for item in env):
            message = f"The operator adds {_NAME}={root} after this component's own {_NAME}: the last one wins."
            hint = f"remove {_NAME}, or mount the cache where you want it"
            pod.operator.warn("env/overridden", message, pod.component.path, hint)
        env.append({"name": _NAME, "value": root})


def _cache_root(pod: Pod) -> str | None:
    if pod.component.compilation_cache is not None:
        return str(pod.component.compilation_cache.get("mountPath", ""))
    cache = next((mount for mount in pod.component.volume_mounts if mount.get("useAsCompilationCache")), None)
    return None if cache is None else cache.get("mountPoint")


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
        launch_alone(pod)
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
            launch_ray(pod)
        else:
            launch_ray_on_nodes(pod)
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
