"""What a request says and the operator takes no notice of.

Source: controller/profiling_job_overrides.go; api/v1alpha1/dynamographdeploymentrequest_conversion.go.
"""

from __future__ import annotations

from dynamoc.requests.job_overrides import (
    CONTAINER_FIELDS,
    COPIER_FIELDS,
    JOB_FIELDS,
    MERGED_POD_FIELDS,
    POD_FIELDS,
    SECURITY_FIELDS,
    overridden_containers,
)
from dynamoc.requests.names import PROTECTED_LABELS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from dynamoc.diagnostics.finding import Path
    from dynamoc.model.operator import Operator
    from dynamoc.release.registry import Release

    Tree = dict[str, Any]

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
    """The fields that say something and are none of `known`."""
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
