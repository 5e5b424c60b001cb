"""GPU memory service between pods: a weight server for each rank, and engine pods that attach to its memory.

The pods of a rank meet in a directory of their node, and share GPUs by a claim that Grove makes for them.
Source: internal/dynamo/failover.go of release 1.4.
"""

from __future__ import annotations

from dynamoc.model.experimental import is_inter_pod_failover, is_inter_pod_gms
from dynamoc.programs import SERVE_WEIGHTS
from dynamoc.rules.backends.command import has_arg, inject_flags
from dynamoc.rules.dra import remove_gpu_resources, tolerate_gpu_taint
from dynamoc.rules.gms import SERVER_MODULE, SOCKET_DIR_ENV
from dynamoc.rules.multinode import Hosts
from dynamoc.rules.registry import rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.rules.draft import Pod

    Tree = dict[str, Any]

SHARED_DIR = "/run/gms/shared"
_ENGINE_HOST = (
    "$(GROVE_PCSG_NAME)-$(GROVE_PCSG_INDEX)-{service}-{clique}-$(GROVE_PCLQ_POD_INDEX).$(GROVE_HEADLESS_SERVICE)"
)

#: What the weight server runs: it clears sockets of an earlier run, forwards signals, and ends with the server's code.


class RankHosts(Hosts):
    """Engines of one replica, where each rank is a PodClique of its own and the pods of one index form a group.

    Source: internal/dynamo/grove.go GroveMultinodeDeployer with IsInterPodGMS.
    """

    def __init__(self, rank: int) -> None:
        super().__init__(
            leader=_ENGINE_HOST.replace("{clique}", "ldr"),
            worker=_ENGINE_HOST.replace("{clique}", "wkr-{index}"),
            node_rank=str(rank),
            rank_needs_shell=False,
            dns_wait=False,
            pod_rank=str(rank),
        )

    def worker_indices(self, nodes: int) -> range:
        return range(1, nodes)


@rule("inter_pod_gms/load-format", source="internal/dynamo/backend_vllm.go UpdateContainer")
def load_format(pod: Pod) -> None:
    """Makes vLLM engines load weights from the weight server, and lets shadows of a failover wait.

    The user's own `--load-format gms` is kept as is. In 1.2 all engines are shadows.
    """
    if pod.backend != "vllm" or not is_inter_pod_gms(pod.component.spec):
        return
    if not has_arg(pod.main.get("args") or [], "--load-format", "gms"):
        inject_flags(pod.main, "--load-format gms", pod.release, needs_shell=False, framework="vllm")
    if is_inter_pod_failover(pod.component.spec) or not pod.release.has("gms/shadows-with-failover-only"):
        pod.main.setdefault("env", []).append({"name": "DYN_VLLM_GMS_SHADOW_MODE", "value": "true"})


def weight_server_pod(spec: Tree, *, rank: int, gpus: int) -> None:
    """Turns the pod of an engine into that of its rank's weight server (gmsWeightServerPodSpec).

    It is ready once each GPU has its two sockets. The kubelet may restart it in place.
    """
    if not spec.get("containers"):
        return
    main = spec["containers"][0]
    main["command"], main["args"] = ["bash", "-c"], [SERVE_WEIGHTS.format(directory=SHARED_DIR, module=SERVER_MODULE)]
    sockets = f"test $(ls {SHARED_DIR}/gms_*.sock 2>/dev/null | wc -l) -ge {2 * gpus}"
    main["startupProbe"] = {
        "exec": {"command": ["sh", "-c", sockets]},
        "periodSeconds": 2,
        "timeoutSeconds": 2,
        "failureThreshold": 150,
    }
    main.pop("livenessProbe", None)
    main.pop("readinessProbe", None)
    main.setdefault("env", []).append({"name": SOCKET_DIR_ENV, "value": SHARED_DIR})
    _share(spec, main, rank)


def engine_pod(spec: Tree, *, rank: int, failover: bool) -> None:
    """Attaches an engine pod to its rank's weight server (augmentEngineForGMS).

    With failover a container is never restarted in place: the group of engines is replaced as a whole.
    """
    if not spec.get("containers"):
        return
    main = spec["containers"][0]
    main["env"] = [
        variable
        for variable in main.get("env") or ()
        if variable.get("name") != "DYN_SYSTEM_USE_ENDPOINT_HEALTH_STATUS"
    ]
    pod_index = {"fieldRef": {"fieldPath": "metadata.labels['grove.io/podclique-pod-index']"}}
    main["env"] += [
        {"name": "ENGINE_ID", "valueFrom": pod_index},
        {"name": SOCKET_DIR_ENV, "value": SHARED_DIR},
        {"name": "FAILOVER_LOCK_PATH", "value": f"{SHARED_DIR}/failover.lock"},
        {"name": "DYN_SYSTEM_STARTING_HEALTH_STATUS", "value": "notready"},
    ]
    _share(spec, main, rank)
    if failover:
        spec["restartPolicy"] = "Never"


def _share(spec: Tree, main: Tree, rank: int) -> None:
    """GPUs by claim, and a directory of the node that only this rank of this replica uses."""
    remove_gpu_resources(main)
    tolerate_gpu_taint(spec)
    mount = {
        "name": "gms-shared",
        "mountPath": SHARED_DIR,
        "subPathExpr": f"$(GROVE_PCSG_NAME)-$(GROVE_PCSG_INDEX)/rank-{rank}",
    }
    node_dir = {"path": "/run/gms", "type": "DirectoryOrCreate"}
    spec.setdefault("volumes", []).append({"name": "gms-shared", "hostPath": node_dir})
    main.setdefault("volumeMounts", []).append(mount)
    # The kubelet makes the directory as root, and engines need not run as root.
    opener: Tree = {
        "name": "fix-gms-perms",
        "command": ["sh", "-c", f"chmod 1777 {SHARED_DIR}"],
        "securityContext": {"runAsUser": 0, "runAsNonRoot": False},
        "volumeMounts": [dict(mount)],
    }
    if main.get("image"):
        opener["image"] = main["image"]
    spec.setdefault("initContainers", []).append(opener)
