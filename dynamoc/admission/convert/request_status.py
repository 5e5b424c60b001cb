"""The status of a request in both versions, and what `profilingConfig.config` of v1alpha1 says in free JSON.

Facts: api/v1alpha1/dynamographdeploymentrequest_conversion.go of releases 1.0 to 1.5.
"""

from __future__ import annotations

from typing import Any

from dynamoc.kube.go_scalars import float64
from dynamoc.kube.merge import Tree, copy_tree

_SAME = ("observedGeneration", "conditions")
_PENDING, _READY, _DEPLOYED, _DELETED = "Pending", "Ready", "Deployed", "DeploymentDeleted"
#: states of v1alpha1 that v1beta1 has as phases
_PHASES = (_PENDING, "Profiling", _READY, "Deploying", "Failed")


def phase_of(state: str, deployment: Tree | None) -> str:
    if state == _READY and (deployment or {}).get("created"):
        return _DEPLOYED
    if state == _DELETED:
        return _READY
    return state if state in _PHASES else _PENDING


def state_of(phase: str) -> str:
    if phase == _DEPLOYED:
        return _READY
    return phase if phase in _PHASES else _PENDING


def to_beta(alpha: Tree, saved: Tree | None) -> Tree:
    """A status of v1beta1, with what an annotation kept where it is still true."""
    deployment = alpha.get("deployment")
    out: Tree = {"phase": phase_of(alpha.get("state", ""), deployment)}
    out.update((name, copy_tree(alpha[name])) for name in _SAME if name in alpha)
    if "generatedDeployment" in alpha:
        out["profilingResults"] = {"selectedConfig": alpha["generatedDeployment"]}
    if (deployment or {}).get("name"):
        out["dgdName"] = alpha["deployment"]["name"]
    if saved:
        _restore_hub(out, saved, alpha)
    return out


def _restore_hub(out: Tree, saved: Tree, alpha: Tree) -> None:
    same_graph = saved.get("dgdName") == out.get("dgdName")
    is_deployed = saved.get("phase") == _DEPLOYED and out["phase"] == _READY
    if is_deployed and same_graph and _fits(alpha.get("state", ""), alpha.get("deployment"), _DEPLOYED):
        out["phase"] = _DEPLOYED
    if out["phase"] == "Profiling":
        out.update((name, saved[name]) for name in ("profilingPhase", "profilingJobName") if saved.get(name))
    if (saved.get("profilingResults") or {}).get("pareto"):
        out.setdefault("profilingResults", {})["pareto"] = saved["profilingResults"]["pareto"]
    if "deploymentInfo" in saved and same_graph:
        out["deploymentInfo"] = saved["deploymentInfo"]


def to_alpha(beta: Tree, saved: Tree | None) -> Tree:
    """A status of v1alpha1, with what an annotation kept where it is still true."""
    out: Tree = {"state": state_of(beta.get("phase", ""))}
    out.update((name, copy_tree(beta[name])) for name in _SAME if name in beta)
    selected = (beta.get("profilingResults") or {}).get("selectedConfig")
    if selected is not None:
        out["generatedDeployment"] = selected
    name = beta.get("dgdName", "")
    if name:
        out["deployment"] = {"name": name}
    if saved:
        _restore_alpha(out, saved, beta.get("phase", ""), name)
    return out


def _restore_alpha(out: Tree, saved: Tree, phase: str, graph: str) -> None:
    state, deployment = saved.get("state", ""), saved.get("deployment")
    out.update((name, saved[name]) for name in ("backend", "profilingResults") if saved.get(name))
    fits = _fits(state, deployment, phase)
    if state and fits and (state != _DELETED or (deployment or {}).get("name", "") == graph):
        out["state"] = state
    if deployment is not None and deployment.get("name", "") == graph and (not state or fits):
        out["deployment"] = deployment


def _fits(state: str, deployment: Tree | None, phase: str) -> bool:
    return phase_of(state, deployment) == phase or (phase == _DEPLOYED and state == _READY)


def alpha_only(alpha: Tree) -> Tree:
    """What v1beta1 cannot say of a status of v1alpha1."""
    out: Tree = {name: alpha[name] for name in ("backend", "profilingResults") if alpha.get(name)}
    state, deployment = alpha.get("state", ""), alpha.get("deployment")
    has_phase = not state or state in _PHASES
    if not has_phase:
        out["state"] = state
    if deployment is not None and (set(deployment) != {"name"} or not has_phase):
        out["deployment"] = copy_tree(deployment)
        if state:
            out["state"] = state
    return out


def hub_only(beta: Tree, alpha: Tree) -> Tree:
    """What v1alpha1, with `alpha` for the status, cannot say of one of v1beta1."""
    out: Tree = {}
    phase = beta.get("phase", "")
    is_lost = phase == _DEPLOYED and phase_of(alpha.get("state", ""), alpha.get("deployment")) != phase
    if is_lost:
        out["phase"] = phase
    if phase == "Profiling":
        out.update((name, beta[name]) for name in ("profilingPhase", "profilingJobName") if beta.get(name))
    if (beta.get("profilingResults") or {}).get("pareto"):
        out["profilingResults"] = {"pareto": beta["profilingResults"]["pareto"]}
    if "deploymentInfo" in beta:
        out["deploymentInfo"] = copy_tree(beta["deploymentInfo"])
    if (is_lost or "deploymentInfo" in beta) and beta.get("dgdName"):
        out["dgdName"] = beta["dgdName"]
    return out


_TARGETS, _SHAPE = ("ttft", "itl"), ("isl", "osl")
_OPTIMISATION = "optimizationType"
#: names below deployment.modelCache, and those of v1beta1
_CACHE = {"pvcName": "pvcName", "modelPathInPvc": "pvcModelPath", "pvcMountPath": "pvcMountPath"}


def as_decoded(value: Any) -> Any:
    """JSON as Go holds it without a type: all numbers are float64."""
    kind = value.__class__
    if kind is dict:
        return {key: as_decoded(item) for key, item in value.items()}
    if kind is list:
        return [as_decoded(item) for item in value]
    return float64(float(value)) if kind is int or kind is float else value


def to_fields(blob: Tree, spec: Tree, *, optimisation: bool) -> None:
    """Puts what v1beta1 has fields for into its `spec`; `optimisation` is whether `sla.optimizationType` is one."""
    sla = blob.get("sla")
    if sla.__class__ is dict:
        _sla_to_fields(sla, spec, optimisation)
    cache = _mapping(_mapping(blob.get("deployment")).get("modelCache"), None)
    if cache is not None:
        names = {new: cache[old] for old, new in _CACHE.items() if cache.get(old).__class__ is str}
        spec["modelCache"] = {name: text for name, text in names.items() if text}
    planner = blob.get("planner")
    if planner.__class__ is dict and planner:
        spec.setdefault("features", {})["planner"] = as_decoded(planner)


def _sla_to_fields(sla: Tree, spec: Tree, optimisation: bool) -> None:
    targets = {name: sla[name] for name in _TARGETS if _is_number(sla.get(name))}
    if optimisation and _is_optimisation(sla.get(_OPTIMISATION)):
        targets[_OPTIMISATION] = sla[_OPTIMISATION]
    spec["sla"] = targets
    shape = {name: int(sla[name]) for name in _SHAPE if _is_number(sla.get(name))}
    if shape:
        spec["workload"] = shape


def remainder(blob: Tree, *, optimisation: bool) -> Tree:
    """What of the free JSON no field of v1beta1 holds."""
    out = dict(blob)
    if out.get("sla").__class__ is dict:
        _strip(out, "sla", lambda name, item: _is_held(name, item, optimisation))
    if out.get("deployment").__class__ is dict:
        deployment = out["deployment"] = dict(out["deployment"])
        if deployment.get("modelCache").__class__ is dict:
            _strip(deployment, "modelCache", lambda name, item: name in _CACHE and item.__class__ is str and item != "")
            if "modelCache" not in deployment and not deployment:
                del out["deployment"]
    if out.get("planner").__class__ is dict and out["planner"]:
        del out["planner"]
    return out


def _strip(owner: Tree, key: str, is_held: Any) -> None:
    """Takes what a field holds out of a mapping, which goes too where that was all of it."""
    kept = {name: item for name, item in owner[key].items() if not is_held(name, item)}
    if not kept and owner[key]:
        del owner[key]
    else:
        owner[key] = kept


def _is_held(name: str, item: Any, optimisation: bool) -> bool:
    if name in (*_TARGETS, *_SHAPE):
        return _is_number(item)
    return optimisation and name == _OPTIMISATION and _is_optimisation(item)


def from_fields(spec: Tree, blob: Tree | None, *, always: bool, optimisation: bool) -> Tree | None:
    """The free JSON with what the fields of v1beta1 say over `blob`, None without one.

    `always` is release 1.0, whose `sla` or `modelCache` makes free JSON even where they are empty.
    """
    out = None if blob is None else as_decoded(blob)
    if "sla" in spec or "workload" in spec:
        out = _with_sla(spec, out, always=always, optimisation=optimisation)
    if "modelCache" in spec:
        cache = {old: spec["modelCache"][new] for old, new in _CACHE.items() if spec["modelCache"].get(new)}
        if cache:
            deployment = _mapping((out or {}).get("deployment"))
            out = {**(out or {}), "deployment": {**deployment, "modelCache": cache}}
        elif always:
            out = out or {}
    planner = (spec.get("features") or {}).get("planner")
    if planner.__class__ is dict and planner:
        out = {**(out or {}), "planner": as_decoded(planner)}
    elif always and planner is not None:
        out = out or {}
    return out


def _with_sla(spec: Tree, blob: Tree | None, *, always: bool, optimisation: bool) -> Tree | None:
    targets, shape = spec.get("sla") or {}, spec.get("workload") or {}
    names = (*_TARGETS, _OPTIMISATION) if optimisation else _TARGETS
    said = {name: targets[name] for name in names if name in targets}
    said.update({name: shape[name] for name in _SHAPE if name in shape})
    before = (blob or {}).get("sla")
    if not said and before.__class__ is not dict and not always:
        return blob
    return {**(blob or {}), "sla": {**_mapping(before), **said}}


def _mapping(value: Any, otherwise: Any = {}) -> Any:  # noqa: B006 - never changed
    return value if value.__class__ is dict else otherwise


def _is_number(value: Any) -> bool:
    return value.__class__ is int or value.__class__ is float


def _is_optimisation(value: Any) -> bool:
    return value in ("latency", "throughput")
