"""Workers of vLLM's multiprocessing wait for the leader: with a script of their own, or one from a ConfigMap."""

from __future__ import annotations

from dynamoc.rules.backends.executor import uses_multiprocessing
from dynamoc.rules.backends.vllm_flags import asks_for_mp
from dynamoc.rules.draft import WORKER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.rules.draft import Pod

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
