"""GPU memory service and failover: in the pod of 1.1, and later with several engines in one pod, or between pods.

The pods of a rank meet in a directory of their node, and share GPUs by a claim that Grove makes for them. In 1.1 the
first container of the pod is the engine, and that is the user's where `extraPodSpec` has containers.
Source: internal/dynamo/{failover,failover_vllm}.go since 1.1; internal/dra/dra.go, internal/gms/gms.go of 1.1.
"""

from __future__ import annotations

from dynamoc.admission.graph import enabled_checkpoint, is_inter_pod_failover, is_inter_pod_gms, is_intra_pod_failover
from dynamoc.documents.findings.finding import Path, Refusal
from dynamoc.kube.merge import Tree, copy_tree
from dynamoc.reference.programs import SERVE_WEIGHTS
from dynamoc.rendering.rules.command import has_arg, inject_flags, parse_int64
from dynamoc.rendering.rules.draft import Hosts, Pod, rule
from dynamoc.rendering.rules.memory import (
    CONTROL_DIR,
    SERVER,
    SERVER_MODULE,
    SHARED_CLAIM,
    SOCKET_DIR_ENV,
    attach_directory,
    claim_template_name,
    memory_container,
    remove_gpu_resources,
    tolerate_gpu_taint,
)

ENGINES = ("engine-0", "engine-1")

#: each engine gets its own, or none
_REPLACED_ENV = frozenset(
    (
        "DYN_SYSTEM_USE_ENDPOINT_HEALTH_STATUS",
        "DYN_SYSTEM_PORT",
        "DYN_SYSTEM_ENABLED",
        "DYN_HEALTH_CHECK_ENABLED",
        "CONTAINER_NAME",
    )
)
_SYSTEM_PORT = 9090
_SHADOW_MODE = "DYN_VLLM_GMS_SHADOW_MODE"
METRIC_PORT = "DYN_FORWARDPASS_METRIC_PORT"
_SIDE_CHANNEL_PORT = 5600
_EVENT_PORT = 20080
_MASTER_PORT = 29500
_MASTER_PORT_STRIDE = 100


@rule("failover/intra-pod", source="internal/dynamo/failover.go buildFailoverPod")
def intra_pod(pod: Pod) -> None:
    """Replaces `main` with `engine-0` and `engine-1`, with their own ports, because they share the pod's network.

    Works for vLLM, and since 1.6 for SGLang where both start from a snapshot of one, with its ports. The user's other
    containers come after them.
    """
    if is_intra_pod_failover(pod.component.spec):
        run_two_engines(pod, (*pod.component.path, "experimental", "failover"))


def run_two_engines(pod: Pod, path: Path) -> None:
    """Makes two engines of the first container. `path` is where the user asked for it."""
    from_snapshot = pod.release.has("failover/from-snapshot")
    from_snapshot = from_snapshot and enabled_checkpoint(pod.component.spec, pod.release) is not None
    if pod.backend != "vllm" and not (from_snapshot and pod.backend == "sglang"):
        raise Refusal(
            "failover/backend",
            f"Failover works only with {'vLLM and SGLang' if from_snapshot else 'vLLM'}, but this component runs "
            f"{pod.backend}; the operator fails to render it.",
            path,
            "Set spec.backendFramework: vllm, or remove failover.",
        )
    main, *others = pod.spec["containers"]
    metrics = pod.release["failover/metric-port"]
    if pod.release.has("failover/cold-start"):
        kept = [variable for variable in main.get("env") or () if variable.get("name") != _SHADOW_MODE]
        main = {**main, "env": kept}
    engines = [_engine(main, index, metrics) for index in range(len(ENGINES))]
    adapted = engines
    if not pod.release.has("failover/cold-start"):
        # Containers that happen to have an engine's name are taken for engines as well.
        adapted = [item for item in (*engines, *others) if item.get("name", "").startswith("engine-")]
    for container in () if from_snapshot else adapted:
        _adapt_to_vllm(container, pod.nodes)
    pod.spec["containers"] = [*engines, *others]


def _engine(main: Tree, index: int, metrics: int | None) -> Tree:
    """`metrics` is the first engine's port for metrics of forward passes, None where engines have none."""
    replaced = _REPLACED_ENV if metrics is None else _REPLACED_ENV | {METRIC_PORT}
    engine: Tree = copy_tree(main)
    engine["name"] = ENGINES[index]
    port = f"system-{index}"
    engine["ports"] = [{"name": port, "containerPort": _SYSTEM_PORT + index, "protocol": "TCP"}]
    engine["env"] = [variable for variable in engine.get("env") or () if variable.get("name") not in replaced]
    engine["env"] += _env(
        ("ENGINE_ID", index),
        ("CONTAINER_NAME", ENGINES[index]),
        ("FAILOVER_LOCK_PATH", f"{CONTROL_DIR}/failover.lock"),
        ("DYN_SYSTEM_STARTING_HEALTH_STATUS", "notready"),
        ("DYN_SYSTEM_PORT", _SYSTEM_PORT + index),
        ("DYN_SYSTEM_ENABLED", "true"),
        *([] if metrics is None else [(METRIC_PORT, metrics + index)]),
    )
    for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
        if (engine.get(probe) or {}).get("httpGet") is not None:
            engine[probe]["httpGet"]["port"] = port
    return engine


def _adapt_to_vllm(container: Tree, nodes: int) -> None:
    engine = parse_int64(container["name"].removeprefix("engine-")) or 0
    container.setdefault("env", []).extend(
        _env(
            (_SHADOW_MODE, "true"),
            ("VLLM_NIXL_SIDE_CHANNEL_PORT", _SIDE_CHANNEL_PORT + engine),
            ("DYN_VLLM_KV_EVENT_PORT", _EVENT_PORT + engine),
        )
    )
    if engine > 0:
        _move_master_port(container, engine * _MASTER_PORT_STRIDE)
    if nodes > 1:
        container["env"] += _env(("NNODES", nodes))


def _move_master_port(container: Tree, offset: int) -> None:
    """Adds the offset to `--master-port`, wherever it stands; without the flag it is appended.

    Only the first place with a number is changed; one without a number is left as it is.
    """
    args, command = container.get("args") or [], container.get("command") or []
    if not any(arg == "--master-port" or "--master-port " in arg for arg in args) and not any(
        "--master-port " in word for word in command
    ):
        container["args"] = [*args, "--master-port", str(_MASTER_PORT + offset)]
        return
    for index, arg in enumerate(args[:-1]):
        port = parse_int64(args[index + 1]) if arg == "--master-port" else None
        if port is not None:
            args[index + 1] = str(port + offset)
            return
    for words in (args, command):
        for index, word in enumerate(words):
            changed = _moved_in_text(word, offset)
            if changed is not None:
                words[index] = changed
                return


def _moved_in_text(text: str, offset: int) -> str | None:
    _, found, behind = text.partition("--master-port ")
    # Up to the next flag of that name, should there be one.
    behind = behind.partition("--master-port ")[0]
    digits = behind[: len(behind) - len(behind.lstrip("0123456789"))]
    port = parse_int64(digits) if found else None
    return None if port is None else text.replace(found + digits, f"{found}{port + offset}", 1)


def _env(*variables: tuple[str, object]) -> list[Tree]:
    return [{"name": name, "value": str(value)} for name, value in variables]


SHARED_DIR = "/run/gms/shared"
_ENGINE_HOST = (
    "$(GROVE_PCSG_NAME)-$(GROVE_PCSG_INDEX)-{service}-{clique}-$(GROVE_PCLQ_POD_INDEX).$(GROVE_HEADLESS_SERVICE)"
)


def rank_hosts(rank: int) -> Hosts:
    """Engines of one replica, where each rank is a separate PodClique and the pods of one index form a group.

    Source: internal/dynamo/grove.go GroveMultinodeDeployer with IsInterPodGMS.
    """
    return Hosts(
        leader_host=_ENGINE_HOST.replace("{clique}", "ldr"),
        worker_host=_ENGINE_HOST.replace("{clique}", "wkr-{index}"),
        node_rank=str(rank),
        pod_rank=str(rank),
    )


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


@rule("first_gms/sidecar", source="internal/dynamo/graph.go GenerateBasePodSpec of release 1.1")
def sidecar(pod: Pod) -> None:
    """Moves the GPUs of the first container into a claim that it shares with the sidecar `gms-server`.

    The engine starts once the server reports in the shared directory that it is ready, within 5 minutes.
    """
    if not (pod.component.spec.get("gpuMemoryService") or {}).get("enabled"):
        return
    engine = pod.spec["containers"][0]
    share_gpus(pod.spec, engine, claim_template_name(pod.owner, pod.service))
    add_server(pod.spec, engine)


def share_gpus(spec: Tree, engine: Tree, template: str) -> None:
    """A claim in place of `nvidia.com/gpu`, and a toleration; nothing where the pod has a claim of that name."""
    claims = spec.setdefault("resourceClaims", [])
    if any(claim.get("name") == SHARED_CLAIM for claim in claims):
        return
    resources = engine.setdefault("resources", {})
    for part in ("limits", "requests"):
        amounts = resources.get(part) or {}
        amounts.pop("nvidia.com/gpu", None)
        if part in resources and not amounts:
            del resources[part]
    resources.setdefault("claims", []).append({"name": SHARED_CLAIM})
    taint = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
    spec.setdefault("tolerations", []).append(taint)
    claims.append({"name": SHARED_CLAIM, "resourceClaimTemplateName": template})


def add_server(spec: Tree, engine: Tree) -> None:
    """Source: internal/gms/gms.go EnsureServerSidecar."""
    attach_directory(spec, engine)
    server = memory_container(SERVER, SERVER_MODULE, engine.get("image", ""))
    ready = {"command": ["test", "-f", f"{CONTROL_DIR}/gms-ready"]}
    server["startupProbe"] = {"exec": ready, "periodSeconds": 1, "failureThreshold": 300}
    initial = spec.setdefault("initContainers", [])
    if all(container.get("name") != SERVER for container in initial):
        initial.append(server)


@rule("first_gms/failover", source="internal/dynamo/failover.go buildFailoverPod of release 1.1")
def failover(pod: Pod) -> None:
    """Replaces the first container with two engines if `failover` is enabled."""
    if (pod.component.spec.get("failover") or {}).get("enabled"):
        run_two_engines(pod, (*pod.component.path, "failover"))
