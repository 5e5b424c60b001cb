"""A checked and admitted request as objects; what the operator ignores of it, and what the profiler refuses later.

Source: controller/profiling_job_overrides.go; api/v1alpha1/dynamographdeploymentrequest_conversion.go;
components/src/dynamo/profiler/utils/dgdr_validate.py, profile_sla.py.
"""

from __future__ import annotations

from collections.abc import Iterator

from dynamoc.admission.convert.request import to_v1alpha1
from dynamoc.admission.operator import Operator
from dynamoc.documents.findings.finding import Path, Refusal
from dynamoc.kube.go_types import load, typed
from dynamoc.kube.merge import Tree
from dynamoc.reference.releases import Release
from dynamoc.rendering.lower.graph_objects import account_with_binding
from dynamoc.rendering.requests.answer import (
    ACCOUNT,
    PROTECTED_LABELS,
    GivenAnswer,
    answer_of,
    given_answer,
    graph_name,
    made_objects,
)
from dynamoc.rendering.requests.hardware import enriched
from dynamoc.rendering.requests.job import Kept, alpha_job, profiling_job
from dynamoc.rendering.requests.job_overrides import (
    CONTAINER_FIELDS,
    COPIER_FIELDS,
    JOB_FIELDS,
    MERGED_POD_FIELDS,
    POD_FIELDS,
    SECURITY_FIELDS,
    overridden_containers,
)

_JOB: Path = ("spec", "overrides", "profilingJob")
_PROFILING: Path = ("spec", "profilingConfig")


def tell_without_effect(value: Tree, written: Tree, operator: Operator) -> None:
    """Warns of fields of a request without effect; `written` is the request as the user wrote it."""
    if written["apiVersion"] == value["apiVersion"]:
        job = (value["spec"].get("overrides") or {}).get("profilingJob")
        if job is not None:
            _tell_dropped(job, operator)
    else:
        _tell_alpha(written.get("spec") or {}, operator)


def _tell_dropped(job: Tree, operator: Operator) -> None:
    for path, hint in dropped(job, operator.release):
        message = f"The operator ignores `{path[-1]}` here: it takes only certain fields of `overrides.profilingJob`."
        if isinstance(path[-1], int):
            message = "The operator ignores this container of `overrides.profilingJob`."
        operator.warn("request/ignored", message, (*_JOB, *path), hint)


def dropped(job: Tree, release: Release) -> Iterator[tuple[Path, str | None]]:
    """The fields of a canonical JobSpec that do not get into the Job, each with what to do instead."""
    yield from _others(job, (*JOB_FIELDS, "template"), ())
    template = job.get("template") or {}
    yield from _others(template, ("metadata", "spec"), ("template",))
    metadata = template.get("metadata") or {}
    yield from _others(metadata, ("labels", "annotations"), ("template", "metadata"))
    for label in metadata.get("labels") or {}:
        if label in PROTECTED_LABELS:
            yield ("template", "metadata", "labels", label), "the operator sets this label itself"
    pod, at = template.get("spec") or {}, ("template", "spec")
    # A Job that is valid on its own says how its pods end; what the operator says anyway is not lost.
    same = ("restartPolicy",) if pod.get("restartPolicy") == "Never" else ()
    yield from _others(pod, (*POD_FIELDS, *MERGED_POD_FIELDS, *same), at)
    yield from _others(pod.get("securityContext") or {}, SECURITY_FIELDS, (*at, "securityContext"))
    yield from _containers(pod.get("containers") or [], release, (*at, "containers"))


def _containers(containers: list[Tree], release: Release, at: Path) -> Iterator[tuple[Path, str | None]]:
    profiler, copier = overridden_containers(containers, release)
    for index, container in enumerate(containers):
        path = (*at, index)
        if container is profiler:
            yield from _others(container, ("name", *CONTAINER_FIELDS), path)
        elif container is copier:
            yield from _others(container, ("name", *COPIER_FIELDS), path)
        else:
            which = "the first one is for the profiler"
            if release.has("requests/containers-by-name"):
                which = "call the one for the profiler `profiler`"
            yield path, which


def _others(value: Tree, known: tuple[str, ...], at: Path) -> Iterator[tuple[Path, str | None]]:
    """The fields that say something and are not in `known`."""
    for name, item in value.items():
        if name not in known and item not in (None, "", 0, False, [], {}):
            yield (*at, name), None


def _tell_alpha(spec: Tree, operator: Operator) -> None:
    """Fields of v1alpha1 that only 0.6 reads, or a later conversion loses."""
    overrides = spec.get("deploymentOverrides")
    profiling = spec.get("profilingConfig")
    for name in ("name", "namespace", "labels", "annotations"):
        if isinstance(overrides, dict) and overrides.get(name):
            _tell_unread(("spec", "deploymentOverrides", name), "set it in `overrides.dgd` of v1beta1", operator)
    if "enableGpuDiscovery" in spec:
        _tell_unread(("spec", "enableGpuDiscovery"), None, operator)
    if not isinstance(profiling, dict):
        return
    if profiling.get("configMapRef"):
        message = "The operator mounts the ConfigMap of `configMapRef`, but nothing tells the profiler to read it."
        hint = "use `overrides.dgd` of v1beta1 to change the graph"
        operator.warn("request/ignored", message, (*_PROFILING, "configMapRef"), hint)
    if profiling.get("nodeSelector") and not operator.release.has("requests/keeps-node-selector"):
        _tell_unread((*_PROFILING, "nodeSelector"), "set it in `overrides.profilingJob` of v1beta1", operator)
    if profiling.get("profilerImage") and isinstance(overrides, dict) and overrides.get("workersImage"):
        message = "The operator ignores `workersImage`, because `profilerImage` is set: there is one image."
        operator.warn("request/ignored", message, ("spec", "deploymentOverrides", "workersImage"))


def _tell_unread(path: Path, hint: str | None, operator: Operator) -> None:
    message = f"Operator {operator.release.name} takes `{path[-1]}`, but it has no effect."
    operator.warn("request/ignored", message, path, hint)


_TARGETS = ("ttft", "itl", "e2eLatency")
#: the most letters of a graph's name and a component's
_BUDGET = 45
#: by backend, the component that each graph of the profiler has, and the one with the longest name that it may have
_COMPONENTS = {
    "vllm": ("Frontend", "VllmPrefillWorker"),
    "sglang": ("Frontend", "Frontend"),
    "trtllm": ("Frontend", "TRTLLMPrefillWorker"),
    "auto": ("Frontend", "TRTLLMPrefillWorker"),
}


def tell_failures(value: Tree, operator: Operator) -> None:
    """Warns of what the operator takes and the profiler refuses."""
    spec = value["spec"]
    workload, targets = spec.get("workload") or {}, spec.get("sla") or {}
    if "concurrency" in workload and "requestRate" in workload:
        message = "The profiler takes `concurrency` or `requestRate`, and fails with both."
        operator.warn("request/two-loads", message, ("spec", "workload", "requestRate"), "remove one of the two")
    for name in _TARGETS:
        if name in targets and targets[name] <= 0:
            message = f"The profiler fails with `{name}: {targets[name]}`: it must be above 0."
            operator.warn("request/target", message, ("spec", "sla", name), f"set `{name}` in milliseconds")
    _tell_hardware(spec.get("hardware") or {}, operator)
    _tell_mocker(spec.get("features") or {}, operator)
    if operator.release.has("requests/checks-names"):
        _tell_name(value, operator)


def _tell_hardware(hardware: Tree, operator: Operator) -> None:
    if hardware.get("numGpusPerNode", 1) <= 0:
        message = "The profiler fails without GPUs: `numGpusPerNode` must be above 0."
        operator.warn("request/no-gpus", message, ("spec", "hardware", "numGpusPerNode"))


def _tell_mocker(features: Tree, operator: Operator) -> None:
    planner = features.get("planner")
    if not (features.get("mocker") or {}).get("enabled") or not isinstance(planner, dict):
        return
    if planner.get("pre_deployment_sweeping_mode") == "none":
        path = ("spec", "features", "planner", "pre_deployment_sweeping_mode")
        message = (
            "The profiler fails with `mocker` and `pre_deployment_sweeping_mode: none`: it simulates what it sweeps."
        )
        operator.warn("request/mocker", message, path, "write `rapid` or `thorough`")


def _tell_name(value: Tree, operator: Operator) -> None:
    """After hours of work, the profiler refuses a graph whose pods would have names that are too long."""
    name = graph_name(value, "", operator)
    sure, longest = _COMPONENTS.get(value["spec"].get("backend", "auto"), _COMPONENTS["auto"])
    component = sure if len(name) + len(sure) > _BUDGET else longest
    if len(name) + len(component) <= _BUDGET:
        return
    end = (
        "fails once it has found a graph" if component == sure else f"fails if its graph has the component {component}"
    )
    message = (
        f"The graph is called {name}, which has {len(name)} characters; with {component}, {_BUDGET} are too few. "
        f"The profiler {end}."
    )
    override = (value["spec"].get("overrides") or {}).get("dgd") or {}
    own = isinstance(override, dict) and (override.get("metadata") or {}).get("name") == name
    path = ("spec", "overrides", "dgd", "metadata", "name") if own else ("metadata", "name")
    room = _BUDGET - len(component) - (0 if own else len("-dgd"))
    operator.warn("request/name-length", message, path, f"use a name of at most {room} characters")


#: stands for the UID that the API server would give the request
PLACEHOLDER_UID = "11111111-1111-4111-8111-111111111111"


def lower_request(
    value: Tree,
    written: Tree,
    operator: Operator,
    given: GivenAnswer | None = None,
    *,
    through: bool = False,
    begun: Tree | None = None,
) -> list[Tree]:
    """The objects that the operator creates for a canonical request: access, the Job, and what follows its answer.

    value    in the version that the release works with: v1alpha1 in 0.6, v1beta1 later
    written  the request as the user wrote it
    given    the profiler's answer; else it is looked for in the cluster
    through  whether the graph is wanted even if the request does not apply it
    begun    the request as it was when the operator made its Job, where it has changed since

    Raises `Refusal` where the operator admits the request and then fails it.
    """
    if operator.release.has("requests/v1beta1"):
        tell_failures(value, operator)
        tell_without_effect(value, written, operator)
    uid = value["metadata"].get("uid") or _placeholder(operator)
    job = _job(begun or value, uid, operator)
    answer = answer_of(value, operator) if given is None else given_answer(value, given, operator)
    made = [] if answer is None else made_objects(value, answer, operator, through=through)
    return _begun([*_access(value, operator), job, *made], operator)


def _begun(objects: list[Tree], operator: Operator) -> list[Tree]:
    """What an operator that takes over leaves of a request that was profiled: its Job is made once, and never again."""
    running = operator.running
    if running is None:
        return objects
    keys = ((item["kind"], item["metadata"]["namespace"], item["metadata"]["name"]) for item in objects)
    found = [running.get(*key) for key in keys]
    return [item for item in found if item is not None] or objects


def _placeholder(operator: Operator) -> str:
    operator.note(
        "request/placeholder-uid",
        f"The Job names the request's UID, which only the cluster knows; here, it is {PLACEHOLDER_UID}.",
        (),
        "Set metadata.uid to the UID of the request in the cluster.",
    )
    return PLACEHOLDER_UID


def _job(value: Tree, uid: str, operator: Operator) -> Tree:
    release = operator.release
    if not release.has("requests/v1beta1"):
        return alpha_job(value, uid, operator)
    _check_cache(value, operator)
    if not value["spec"].get("image"):
        raise Refusal("request/no-image", "The request has no image; the operator fails it.", ("spec",))
    known = enriched(value["spec"], operator)
    spec: Tree = typed(known, "dynamo/v1beta1.DynamoGraphDeploymentRequestSpec", load(release.name))
    return profiling_job(value, spec, _kept(value, operator), uid, operator)


def _check_cache(value: Tree, operator: Operator) -> None:
    claim = (value["spec"].get("modelCache") or {}).get("pvcName")
    namespace = value["metadata"]["namespace"]
    if claim and not operator.cluster.exists("PersistentVolumeClaim", namespace, claim):
        path = ("spec", "modelCache", "pvcName")
        effect = "without it, the operator fails the request"
        operator.unknown("PersistentVolumeClaim", namespace, claim, effect, path)


def _kept(value: Tree, operator: Operator) -> Kept:
    """What annotations keep of v1alpha1."""
    annotations = value["metadata"].get("annotations") or {}
    if not any(key.startswith("nvidia.com/dgdr-") for key in annotations):
        return Kept({})

    alpha = to_v1alpha1(value, operator.release["request/conversion"])
    return Kept(alpha["spec"].get("profilingConfig") or {})


def _access(value: Tree, operator: Operator) -> list[Tree]:
    """The account of the Job; an operator that is bound to a namespace has it from its chart."""
    if operator.config.namespace.restricted:
        return []
    role = operator.config.rbac.dgdr_profiling_cluster_role_name
    if not role:
        raise Refusal(
            "rbac/no-cluster-role",
            f"The operator's configuration sets no ClusterRole for {ACCOUNT}; the operator fails the request.",
            (),
            "Set rbac.dgdrProfilingClusterRoleName in the operator's configuration.",
        )
    return account_with_binding(ACCOUNT, value["metadata"]["namespace"], role)
