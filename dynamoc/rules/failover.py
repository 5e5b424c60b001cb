"""Two engines in one pod: one serves, the other waits with the weights already in reach.

Source: internal/dynamo/failover.go buildFailoverPod, failover_vllm.go since 1.1.
"""

from __future__ import annotations

from dynamoc.diagnostics.finding import Refusal
from dynamoc.model.experimental import enabled_checkpoint, is_intra_pod_failover
from dynamoc.rules.backends.command import parse_int64
from dynamoc.rules.gms import CONTROL_DIR
from dynamoc.rules.registry import rule
from dynamoc.tree import copy_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Path
    from dynamoc.rules.draft import Pod

    Tree = dict[str, Any]

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
    """`metrics` is the first engine's port for metrics of forward passes, None where engines have none of their own."""
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
