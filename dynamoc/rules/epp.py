"""Endpoint picker: its arguments and the configuration it mounts."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.rules.draft import Pod

    Tree = dict[str, Any]


def pool_name(owner: str) -> str:
    """epp/inference_pool.go GetPoolName."""
    return f"{owner}-pool"


def config_map_name(owner: str) -> str:
    """epp/config.go GetConfigMapName."""
    return f"{owner}-epp-config"


def epp_args(pod: Pod) -> list[str]:
    """component_epp.go GetBaseContainer."""
    release = pod.release
    dashes = release["epp/flag-dashes"]
    return [
        *(f"{dashes}pool-name", pool_name(pod.owner)),
        *(f"{dashes}pool-namespace", pod.namespace),
        *(f"{dashes}pool-group", release["epp/pool-group"]),
        *("-v", "4"),
        *("--zap-encoder", "json"),
        *(f"{dashes}grpc-port", str(release["epp/grpc-port"])),
        *(f"{dashes}grpc-health-port", "9003"),
        *(f"{dashes}config-file", f"{release['epp/config-dir']}/{release['epp/config-key']}"),
    ]


def is_native(pod: Pod) -> bool:
    """Whether the picker is the one that Dynamo brings since 1.5: eppConfig is for its predecessor alone."""
    return pod.release.has("epp/native") and pod.component.epp_config is None


def epp_mounts(pod: Pod) -> list[Tree]:
    """component_epp.go GetBaseContainer."""
    release = pod.release
    config = {"name": "epp-config", "mountPath": release["epp/config-dir"], "readOnly": True}
    if not release.has("epp/cache-of-native-only"):
        return [config, {"name": "hf-cache", "mountPath": "/home/nonroot/.cache"}]
    if is_native(pod):
        return [{"name": "hf-cache", "mountPath": f"{release['epp/native-home']}/.cache"}]
    return [config]


def epp_volumes(pod: Pod) -> list[Tree]:
    """The configuration, from the graph's own ConfigMap or the one the user refers to, and a cache for models.

    Since 1.5 the native picker has the cache alone, and the other one the configuration alone.
    """
    cache: Tree = {"name": "hf-cache", "emptyDir": {}}
    if is_native(pod):
        return [cache]
    key = pod.release["epp/config-key"]
    reference = (pod.component.epp_config or {}).get("configMapRef")
    name = config_map_name(pod.owner) if reference is None else reference.get("name", "")
    # Whatever the key is called in the user's ConfigMap, the file keeps the name that the arguments point to.
    item = {"key": (reference or {}).get("key") or key, "path": key}
    config = {"name": "epp-config", "configMap": {"name": name, "items": [item]}}
    return [config] if pod.release.has("epp/cache-of-native-only") else [config, cache]
