"""What 1.5.0 does otherwise than the operator whose answers were recorded as 1.5, four weeks before its release.

Read in the source of 1.5.0: component_worker.go, component_epp.go, features/runtime/gates.go. Everything else in these
corpora is compared as in the others; verdicts that changed stand in `known.toml`.
"""

from typing import Any

RECORDED_EARLY = "1.5-"
#: inputs with fields that 1.5.0 knows no longer
OTHER_FIELDS = (("1.5-new", "override-roles"),)
_CANARIES = {"name": "DYN_HEALTH_CHECK_ENABLED", "value": "false"}
_CACHE = "/home/nonroot/.cache"

Tree = dict[str, Any]


def as_released(value: Any) -> Any:
    """A recorded tree without the cache of the legacy EPP, which 1.5.0 took away."""
    if isinstance(value, list):
        return [as_released(item) for item in value]
    if not isinstance(value, dict):
        return value
    value = {key: as_released(item) for key, item in value.items()}
    containers = value.get("containers")
    if isinstance(containers, list) and any(map(_has_cache, containers)):
        value["containers"] = [_without_cache(item) for item in containers]
        value["volumes"] = [item for item in value["volumes"] if item.get("name") != "hf-cache"]
    return value


def _has_cache(container: Tree) -> bool:
    return any(mount.get("mountPath") == _CACHE for mount in container.get("volumeMounts") or ())


def _without_cache(container: Tree) -> Tree:
    mounts = [mount for mount in container.get("volumeMounts") or () if mount.get("mountPath") != _CACHE]
    return {**container, "volumeMounts": mounts}


def is_gated(want: Any, have: Any, path: tuple[Any, ...]) -> bool:
    """Whether two trees differ only in what 1.5.0 gives to workers of a newer runtime."""
    if want == _CANARIES:
        return bool(have == {**_CANARIES, "value": "true"})
    if path[-1:] == ("livenessProbe",) and isinstance(want, dict):
        return want.get("failureThreshold") == 1 and have == {**want, "failureThreshold": 3}
    return False
