"""The annotations of 1.0 to 1.2, one for each field of v1alpha1 requests that v1beta1 lacks.

Later releases remove them and do not read them.
Facts: api/v1alpha1/dynamographdeploymentrequest_conversion.go of releases 1.0 to 1.3.
"""

from __future__ import annotations

from dynamoc.golang.json_text import dumps, dumps_sorted
from dynamoc.kube.json_data import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Tree = dict[str, Any]

_DISCOVERY = "nvidia.com/dgdr-enable-gpu-discovery"
_CONFIG = "nvidia.com/dgdr-profiling-config"
_CONFIG_MAP = "nvidia.com/dgdr-config-map-ref"
_CLAIM = "nvidia.com/dgdr-output-pvc"
_OVERRIDES = "nvidia.com/dgdr-deployment-overrides"
_BACKEND = "nvidia.com/dgdr-status-backend"
_RESULTS = "nvidia.com/dgdr-profiling-results"
_DEPLOYMENT = "nvidia.com/dgdr-deployment-status"
JOB = "nvidia.com/dgdr-profiling-job-name"
KEYS = (_DISCOVERY, _CONFIG, _CONFIG_MAP, _CLAIM, _OVERRIDES, _BACKEND, _RESULTS, _DEPLOYMENT, JOB)

_OVERRIDE_FIELDS = ("name", "namespace", "labels", "annotations")


def written(spec: Tree, status: Tree, *, with_state: bool) -> dict[str, str]:
    """The annotations for a spec and a status of v1alpha1. `with_state` is 1.2, which writes the state too."""
    profiling = spec.get("profilingConfig") or {}
    out: dict[str, str] = {}
    if spec.get("enableGpuDiscovery"):
        out[_DISCOVERY] = "true"
    if profiling.get("config") is not None:
        out[_CONFIG] = dumps_sorted(profiling["config"]).decode()
    if "configMapRef" in profiling:
        reference = profiling["configMapRef"]
        said = {"name": reference.get("name", ""), **({"key": reference["key"]} if reference.get("key") else {})}
        out[_CONFIG_MAP] = dumps(said).decode()
    if profiling.get("outputPVC"):
        out[_CLAIM] = profiling["outputPVC"]
    overrides = spec.get("deploymentOverrides") or {}
    said = {name: overrides[name] for name in _OVERRIDE_FIELDS if overrides.get(name)}
    if said:
        ordered = {name: dict(sorted(item.items())) if isinstance(item, dict) else item for name, item in said.items()}
        out[_OVERRIDES] = dumps(ordered).decode()
    return {**out, **_of_status(status, with_state=with_state)}


def _of_status(status: Tree, *, with_state: bool) -> dict[str, str]:
    out = {
        key: status[name] for key, name in ((_BACKEND, "backend"), (_RESULTS, "profilingResults")) if status.get(name)
    }
    deployment = status.get("deployment")
    if deployment is not None:
        said = {name: deployment[name] for name in ("name", "namespace") if deployment.get(name)}
        said["state"] = deployment.get("state", "")
        if deployment.get("created"):
            said["created"] = True
        if with_state and status.get("state"):
            said["requestState"] = status["state"]
        out[_DEPLOYMENT] = dumps(said).decode()
    return out


def saved_spec(annotations: dict[str, str]) -> Tree:
    """What annotations keep of a spec of v1alpha1; what cannot be read counts as nothing."""
    profiling: Tree = {}
    config = _parsed(annotations.get(_CONFIG))
    if config is not None:
        profiling["config"] = config
    reference = _parsed(annotations.get(_CONFIG_MAP))
    if reference is not None:
        profiling["configMapRef"] = {name: reference[name] for name in ("name", "key") if reference.get(name)}
    if annotations.get(_CLAIM):
        profiling["outputPVC"] = annotations[_CLAIM]
    out: Tree = {"profilingConfig": profiling} if profiling else {}
    if annotations.get(_DISCOVERY) == "true":
        out["enableGpuDiscovery"] = True
    overrides = _parsed(annotations.get(_OVERRIDES))
    if overrides is not None:
        out["deploymentOverrides"] = {name: overrides[name] for name in _OVERRIDE_FIELDS if overrides.get(name)}
    return out


def saved_status(annotations: dict[str, str]) -> Tree:
    """What annotations keep of a status of v1alpha1."""
    out: Tree = {
        name: annotations[key]
        for key, name in ((_BACKEND, "backend"), (_RESULTS, "profilingResults"))
        if annotations.get(key)
    }
    deployment = _parsed(annotations.get(_DEPLOYMENT))
    if deployment is not None and deployment.get("name"):
        state = deployment.pop("requestState", None)
        out["deployment"] = deployment
        if state:
            out["state"] = state
    return out


def _parsed(text: str | None) -> Tree | None:
    try:
        value = loads(text) if text else None
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
