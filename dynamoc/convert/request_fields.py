"""Which field of a request in one version says what which field of the other says, and what one of them lacks."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.convert.correspondence import Pairs
    from dynamoc.diagnostics.finding import Path

    Reasons = dict[tuple[str, ...], str]

KIND = "DynamoGraphDeploymentRequest"
_CONFIG: Path = ("spec", "profilingConfig", "config")
_JOB: Path = ("spec", "overrides", "profilingJob", "template", "spec")
_SAME = ("model", "backend", "runtimeVersionOverride", "autoApply")
_CACHE = {"pvcName": "pvcName", "modelPathInPvc": "pvcModelPath", "pvcMountPath": "pvcMountPath"}
_SLA = {"ttft": "sla", "itl": "sla", "optimizationType": "sla", "isl": "workload", "osl": "workload"}


def request_pairs(out: Pairs) -> None:
    """Adds the pairs of a request."""
    for name in _SAME:
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
    ("outputPVC",): "v1beta1 has no claim for the output: the Job writes into an emptyDir",
    ("configMapRef",): "v1beta1 mounts no ConfigMap; use `overrides.dgd` to change the graph",
}
ALPHA_HARMLESS: Reasons = {
    ("enableGpuDiscovery",): "it has no effect since 1.0",
    (
        "deploymentOverrides",
    ): "it has no effect since 1.0; `overrides.dgd` has name, labels and annotations of the graph",
    ("deploymentOverrides", "workersImage"): "`profilerImage` wins: there is one image",
    ("config",): "the profiler gets only what v1beta1 has fields for",
    ("resources",): "it is empty",
    ("profilingConfig",): "it is empty",
}
BETA: Reasons = {
    ("hardware",): "v1alpha1 has no hardware: the operator looks for it",
    ("searchStrategy",): "v1alpha1 has no search strategy: the profiler searches rapidly",
    ("workload",): "v1alpha1 has only `isl` and `osl`",
    ("e2eLatency",): "v1alpha1 has only `ttft` and `itl`",
    ("dgd",): "v1alpha1 cannot override the graph",
    ("profilingJob",): "v1alpha1 has only resources, tolerations and the node selector of the Job",
}
BETA_HARMLESS: Reasons = {
    ("mocker",): "v1alpha1 leaves out a mocker that is off",
    ("searchStrategy",): "rapid is the default",
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
