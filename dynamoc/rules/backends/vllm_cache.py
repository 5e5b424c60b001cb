"""vLLM's compilation cache."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.rules.draft import Pod

_NAME = "VLLM_CACHE_ROOT"


def tell_cache_root(pod: Pod) -> None:
    """Sets VLLM_CACHE_ROOT where the user says where the cache is mounted.

    The default mount point is vLLM's own default, so only another one has to be told. Appended, so that a variable of
    that name which the user set stands twice. Source: internal/dynamo/backend_vllm.go UpdateContainer.
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
