"""vLLM of releases 0.4 and 0.5: several nodes always run on Ray."""

from __future__ import annotations

from dynamoc.rules.backends.backend import Backend
from dynamoc.rules.backends.probes import drop_probes
from dynamoc.rules.draft import LEADER, WORKER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.rules.draft import Pod


def update_container(pod: Pod) -> None:
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


def update_pod(pod: Pod) -> None:
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


VLLM_RAY_ONLY = Backend(update_container, update_pod)
