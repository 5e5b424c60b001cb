"""How the processes of a vLLM engine on several nodes are run: by multiprocessing or by Ray."""

from __future__ import annotations

from dynamoc.golang.semver import parse_semver

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.rules.draft import Pod


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
