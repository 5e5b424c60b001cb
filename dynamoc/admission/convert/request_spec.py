"""The spec of a request in both versions, the profiling Job in it, and which field says what in the other version.

Facts: api/v1alpha1/dynamographdeploymentrequest_conversion.go of releases 1.0 to 1.5.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

from dynamoc.admission.convert import request_status
from dynamoc.documents.findings.finding import Path, Refusal
from dynamoc.kube.merge import Pairs, Tree, copy_tree
from dynamoc.kube.names import mapping

Reasons = dict[str, str]


def to_job(profiling: Tree, spec: Tree, dialect: Dialect) -> None:
    """Puts what v1alpha1 says of the profiler's pod into `overrides.profilingJob` of a v1beta1 spec."""
    names = ("tolerations", "nodeSelector") if dialect.envelope else ("tolerations",)
    pod = {name: copy_tree(profiling[name]) for name in names if profiling.get(name)}
    if "resources" in profiling:
        container = {"name": dialect.profiler} if dialect.profiler else {}
        if profiling["resources"]:
            container["resources"] = copy_tree(profiling["resources"])
        pod = {"containers": [container], **pod}
    if pod:
        spec.setdefault("overrides", {})["profilingJob"] = {"template": {"spec": pod}}


def from_job(spec: Tree, profiling: Tree, dialect: Dialect) -> None:
    """Puts what v1alpha1 can say of `overrides.profilingJob` into its `profilingConfig`."""
    job = (spec.get("overrides") or {}).get("profilingJob")
    if job is None:
        return
    pod = pod_of(job)
    containers = migrated(pod.get("containers") or [], dialect)
    index = profiler_index(containers, dialect)
    if index is not None:
        resources = containers[index].get("resources") or {}
        if resources if dialect.envelope else resources.get("requests") or resources.get("limits"):
            profiling["resources"] = copy_tree(resources)
    for name in ("tolerations", "nodeSelector") if dialect.envelope else ("tolerations",):
        if pod.get(name):
            profiling[name] = copy_tree(pod[name])


def job_hub_only(job: Tree | None, dialect: Dialect) -> Tree | None:
    """What of `overrides.profilingJob` v1alpha1 cannot say, None where it says all."""
    if job is None:
        return None
    save = copy_tree(job)
    pod = pod_of(save)
    containers = migrated(pod.get("containers") or [], dialect)
    index = profiler_index(containers, dialect)
    if index is not None:
        resources = containers[index].pop("resources", None)
        bare = {"name": dialect.profiler} if dialect.profiler else {}
        if len(containers) == 1 and containers[0] == bare and (resources or not dialect.profiler):
            containers = []
    if "containers" in pod:
        pod["containers"] = containers
    pod.pop("tolerations", None)
    pod.pop("nodeSelector", None)
    return save if _says_something(save) else None


def restore(spec: Tree, saved: Tree, dialect: Dialect) -> None:
    """Puts a Job that v1alpha1 could not say back below what it says."""
    overrides = spec.setdefault("overrides", {})
    said = overrides.get("profilingJob")
    job = overrides["profilingJob"] = copy_tree(saved)
    if said is None:
        return
    pod, wanted = job.setdefault("template", {}).setdefault("spec", {}), pod_of(said)
    index = profiler_index(wanted.get("containers") or [], dialect)
    resources = None if index is None else wanted["containers"][index].get("resources")
    if resources:
        containers = pod["containers"] = migrated(pod.get("containers") or [], dialect)
        index = profiler_index(containers, dialect)
        if index is None:
            containers.append({"name": dialect.profiler} if dialect.profiler else {})
            index = len(containers) - 1
        containers[index]["resources"] = resources
    for name in ("tolerations", "nodeSelector"):
        if wanted.get(name):
            pod[name] = wanted[name]


def pod_of(job: Tree) -> Tree:
    return mapping(job, "template", "spec")


def migrated(containers: list[Tree], dialect: Dialect) -> list[Tree]:
    """Since 1.5 a container without a name is the profiler's, as earlier conversions wrote it."""
    if not dialect.profiler or any(item.get("name") == dialect.profiler for item in containers):
        return containers
    for index, item in enumerate(containers):
        if not item.get("name"):
            return [*containers[:index], {"name": dialect.profiler, **item}, *containers[index + 1 :]]
    return containers


def profiler_index(containers: list[Tree], dialect: Dialect) -> int | None:
    if not dialect.profiler:
        return 0 if containers else None
    named = (index for index, item in enumerate(containers) if item.get("name") == dialect.profiler)
    return next(named, None)


def _says_something(job: Tree) -> bool:
    template = job.get("template") or {}
    if template.get("metadata") or any(key not in ("metadata", "spec") for key in template):
        return True
    pod = template.get("spec") or {}
    return any(key != "template" for key in job) or any(item or key != "containers" for key, item in pod.items())


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
        request_status.to_fields(blob, out, optimisation=dialect.envelope)
    to_job(profiling, out, dialect)
    if saved:
        _restore_hub(out, saved, dialect)
    return out


def config_of(profiling: Tree) -> Tree | None:
    """The free JSON, None without one. Refusal where it is no mapping."""
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
        pod = pod_of(job)
        if pod.get("containers"):
            containers = migrated(pod["containers"], dialect)
            job["template"] = {**job["template"], "spec": {**pod, "containers": containers}}
        restore(out, job, dialect)
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
    rest = None if blob is None else request_status.remainder(blob, optimisation=dialect.envelope)
    if rest is not None and (rest or not blob):
        kept["config"] = request_status.as_decoded(rest)
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
        blob = request_status.remainder(blob, optimisation=dialect.envelope)
    config = request_status.from_fields(beta, blob, always=not dialect.envelope, optimisation=dialect.envelope)
    if config is not None:
        profiling["config"] = config
    if beta.get("image"):
        profiling["profilerImage"] = beta["image"]
    from_job(beta, profiling, dialect)
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
    job = job_hub_only(overrides.get("profilingJob"), dialect)
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


KIND = "DynamoGraphDeploymentRequest"
_CONFIG: Path = ("spec", "profilingConfig", "config")
_JOB: Path = ("spec", "overrides", "profilingJob", "template", "spec")
_SAME_FIELDS = ("model", "backend", "runtimeVersionOverride", "autoApply")
_CACHE = {"pvcName": "pvcName", "modelPathInPvc": "pvcModelPath", "pvcMountPath": "pvcMountPath"}
_SLA = {"ttft": "sla", "itl": "sla", "optimizationType": "sla", "isl": "workload", "osl": "workload"}


def request_pairs(out: Pairs) -> None:
    """Adds the pairs of a request."""
    for name in _SAME_FIELDS:
        out.add(("spec", name), ("spec", name))
    out.add_same(("spec", "profilingConfig", "profilerImage"), ("spec", "image"))
    out.add_same(("spec", "deploymentOverrides", "workersImage"), ("spec", "image"))
    out.add(("spec", "useMocker"), ("spec", "features", "mocker", "enabled"))
    out.add(("spec", "useMocker"), ("spec", "features", "mocker"))
    _config(out)
    _pod(out)
    # Where comments above the whole part go.
    out.add(("spec", "profilingConfig"), ("spec", "image"))


def _config(out: Pairs) -> None:
    for name, part in _SLA.items():
        out.add((*_CONFIG, "sla", name), ("spec", part, name))
    out.add((*_CONFIG, "sla"), ("spec", "sla"))
    for old, new in _CACHE.items():
        out.add((*_CONFIG, "deployment", "modelCache", old), ("spec", "modelCache", new))
    out.add((*_CONFIG, "deployment", "modelCache"), ("spec", "modelCache"))
    out.add_below((*_CONFIG, "planner"), ("spec", "features", "planner"))


def _pod(out: Pairs) -> None:
    profiling: Path = ("spec", "profilingConfig")
    for name in ("tolerations", "nodeSelector"):
        out.add_below((*profiling, name), (*_JOB, name))
    containers = out.values((), (*_JOB, "containers"))[1] or []
    for index in range(len(containers)):
        container = (*_JOB, "containers", index)
        if out.add_same((*profiling, "resources"), (*container, "resources")):
            out.deep.add(((*profiling, "resources"), (*container, "resources")))
            out.add((*profiling, "resources"), (*container, "name"))


#: what the operator does differently without these fields, and those that it takes no notice of
ALPHA: Reasons = {
    "outputPVC": "v1beta1 has no claim for the output: the Job writes into an emptyDir",
    "configMapRef": "v1beta1 mounts no ConfigMap; use `overrides.dgd` to change the graph",
}
ALPHA_HARMLESS: Reasons = {
    "enableGpuDiscovery": "it has no effect since 1.0",
    "deploymentOverrides": "it has no effect since 1.0; `overrides.dgd` has name, labels and annotations of the graph",
    "deploymentOverrides.workersImage": "`profilerImage` wins: there is one image",
    "config": "the profiler gets only what v1beta1 has fields for",
    "resources": "it is empty",
    "profilingConfig": "it is empty",
}
BETA: Reasons = {
    "hardware": "v1alpha1 has no hardware: the operator looks for it",
    "searchStrategy": "v1alpha1 has no search strategy: the profiler searches rapidly",
    "workload": "v1alpha1 has only `isl` and `osl`",
    "e2eLatency": "v1alpha1 has only `ttft` and `itl`",
    "dgd": "v1alpha1 cannot override the graph",
    "profilingJob": "v1alpha1 has only resources, tolerations and the node selector of the Job",
}
BETA_HARMLESS: Reasons = {
    "mocker": "v1alpha1 leaves out a mocker that is off",
    "searchStrategy": "rapid is the default",
}
#: fields that stay, and what releases do otherwise with them in the other version: fate, reason
TO_BETA: dict[Path, tuple[str, str]] = {
    ("spec", "profilingConfig", "resources"): (
        "becomes the resources of the container `profiler`",
        "releases up to 1.4 convert it to a container without a name, and pass that to the profiler",
    ),
    ("spec", "profilingConfig", "nodeSelector"): ("takes effect", "releases up to 1.1 ignore it in v1alpha1"),
    (*_CONFIG, "sla", "optimizationType"): ("takes effect", "releases up to 1.1 ignore it, and reject it in v1beta1"),
}
TO_ALPHA: dict[Path, tuple[str, str]] = {
    (*_JOB, "nodeSelector"): ("stays, but releases up to 1.1 ignore it", "they do not read it in v1alpha1"),
    ("spec", "workload"): ("moves to `profilingConfig.config.sla`", "the operator also passes an empty `sla` then"),
}
_PASSED = "it is empty, but the operator passes it to the profiler in v1beta1"
#: sections that mean something without a field
EMPTY: dict[str, str] = {
    "features": _PASSED,
    "sla": _PASSED,
    "workload": "it is empty, but the API server fills in `isl` and `osl` in v1beta1 only",
}


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one release converts requests; `request/conversion` of the releases names them.

    own_annotations  whether each field that v1beta1 lacks has a separate annotation, as in 1.0 to 1.2
    envelope         whether annotations keep all of what the other version lacks, since 1.2. Since then, the node
                     selector of v1alpha1 and resources with nothing but claims survive, too, and v1beta1 knows
                     sla.optimizationType
    profiler         the name of the container that stands for the profiler, since 1.5; "" for the first one
    """

    _: KW_ONLY
    own_annotations: bool
    envelope: bool
    profiler: str = ""


DIALECTS = {
    "annotations": Dialect(own_annotations=True, envelope=False),
    "both": Dialect(own_annotations=True, envelope=True),
    "envelope": Dialect(own_annotations=False, envelope=True),
    "named": Dialect(own_annotations=False, envelope=True, profiler="profiler"),
}
