"""The spec of a request in both versions, as minimal trees.

Facts: api/v1alpha1/dynamographdeploymentrequest_conversion.go of releases 1.0 to 1.5.
"""

from __future__ import annotations

from dynamoc.convert import request_blob as blobs
from dynamoc.convert import request_job as jobs
from dynamoc.diagnostics.finding import Refusal
from dynamoc.tree import copy_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.convert.request_dialect import Dialect

    Tree = dict[str, Any]

_SAME = ("model", "backend", "runtimeVersionOverride")
#: fields of v1beta1 below which v1alpha1 cannot say these
_HUB_ONLY = {"workload": ("concurrency", "requestRate"), "sla": ("e2eLatency",)}
_PROFILING = ("configMapRef", "outputPVC")


def to_beta(alpha: Tree, saved: Tree | None, dialect: Dialect) -> Tree:
    """A spec of v1beta1, with what an annotation kept of one. Refusal where the operator cannot convert it."""
    profiling = alpha.get("profilingConfig") or {}
    out: Tree = {name: alpha[name] for name in _SAME if alpha.get(name)}
    out["autoApply"] = alpha.get("autoApply", False)
    image = profiling.get("profilerImage") or (alpha.get("deploymentOverrides") or {}).get("workersImage")
    if image:
        out["image"] = image
    if alpha.get("useMocker"):
        out["features"] = {"mocker": {"enabled": True}}
    blob = config_of(profiling)
    if blob is not None:
        blobs.to_fields(blob, out, optimisation=dialect.optimisation)
    jobs.to_job(profiling, out, dialect)
    if saved:
        _restore_hub(out, saved, dialect)
    return out


def config_of(profiling: Tree) -> Tree | None:
    """The free JSON, None where there is none. Refusal where it is no mapping."""
    config = profiling.get("config")
    if config is None or config.__class__ is dict:
        return config
    path = ("spec", "profilingConfig", "config")
    raise Refusal("convert/wrong-type", "`spec.profilingConfig.config` must be a mapping.", path)


def _restore_hub(out: Tree, saved: Tree, dialect: Dialect) -> None:
    if "hardware" in saved:
        out["hardware"] = copy_tree(saved["hardware"])
    for field, names in _HUB_ONLY.items():
        if field in saved:
            kept = {name: saved[field][name] for name in names if name in saved[field]}
            out[field] = {**out.get(field, {}), **kept}
    overrides = saved.get("overrides") or {}
    if "dgd" in overrides:
        out.setdefault("overrides", {})["dgd"] = overrides["dgd"]
    if "profilingJob" in overrides:
        job = {**overrides["profilingJob"]}
        pod = jobs.pod_of(job)
        if pod.get("containers"):
            containers = jobs.migrated(pod["containers"], dialect)
            job["template"] = {**job["template"], "spec": {**pod, "containers": containers}}
        jobs.restore(out, job, dialect)
    mocker = (saved.get("features") or {}).get("mocker")
    if mocker is not None and not mocker.get("enabled"):
        out.setdefault("features", {}).setdefault("mocker", {})
    if saved.get("searchStrategy"):
        out["searchStrategy"] = saved["searchStrategy"]


def alpha_only(alpha: Tree, dialect: Dialect) -> Tree:
    """What v1beta1 cannot say of a spec of v1alpha1."""
    profiling = alpha.get("profilingConfig") or {}
    kept: Tree = {name: copy_tree(profiling[name]) for name in _PROFILING if profiling.get(name) is not None}
    blob = config_of(profiling)
    rest = None if blob is None else blobs.remainder(blob, optimisation=dialect.optimisation)
    if rest is not None and (rest or not blob):
        kept["config"] = blobs.as_decoded(rest)
    out: Tree = {"profilingConfig": kept} if kept else {}
    if "enableGpuDiscovery" in alpha:
        out["enableGpuDiscovery"] = alpha["enableGpuDiscovery"]
    overrides = {name: item for name, item in (alpha.get("deploymentOverrides") or {}).items() if item}
    if overrides:
        out["deploymentOverrides"] = copy_tree(overrides)
    return out


def to_alpha(beta: Tree, saved: Tree | None, dialect: Dialect) -> Tree:
    """A spec of v1alpha1, with what an annotation kept of one."""
    out: Tree = {name: beta[name] for name in _SAME if beta.get(name)}
    if beta.get("autoApply", True):
        out["autoApply"] = True
    if ((beta.get("features") or {}).get("mocker") or {}).get("enabled"):
        out["useMocker"] = True
    kept = (saved or {}).get("profilingConfig") or {}
    profiling: Tree = {name: kept[name] for name in _PROFILING if name in kept}
    blob = kept.get("config") if kept.get("config").__class__ is dict else None
    if blob is not None and dialect.envelope:
        blob = blobs.remainder(blob, optimisation=dialect.optimisation)
    config = blobs.from_fields(beta, blob, always=not dialect.envelope, optimisation=dialect.optimisation)
    if config is not None:
        profiling["config"] = config
    if beta.get("image"):
        profiling["profilerImage"] = beta["image"]
    jobs.from_job(beta, profiling, dialect)
    if profiling:
        out["profilingConfig"] = profiling
    out.update((name, saved[name]) for name in ("enableGpuDiscovery", "deploymentOverrides") if saved and name in saved)
    return out


def hub_only(beta: Tree, dialect: Dialect) -> Tree:
    """What v1alpha1 cannot say of a spec of v1beta1."""
    out: Tree = {"hardware": copy_tree(beta["hardware"])} if "hardware" in beta else {}
    for field, names in _HUB_ONLY.items():
        kept = {name: beta[field][name] for name in names if name in beta.get(field, {})}
        if kept:
            out[field] = kept
    overrides: Tree = beta.get("overrides") or {}
    kept = {"dgd": overrides["dgd"]} if "dgd" in overrides else {}
    job = jobs.hub_only(overrides.get("profilingJob"), dialect)
    if job is not None:
        kept["profilingJob"] = job
    if kept:
        out["overrides"] = kept
    mocker = (beta.get("features") or {}).get("mocker")
    if mocker is not None and not mocker.get("enabled"):
        out["features"] = {"mocker": {}}
    if beta.get("searchStrategy"):
        out["searchStrategy"] = beta["searchStrategy"]
    return out
