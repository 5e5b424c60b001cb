"""The profiling Job of requests: a part of `profilingConfig` in v1alpha1, `overrides.profilingJob` in v1beta1.

Facts: api/v1alpha1/dynamographdeploymentrequest_conversion.go of releases 1.0 to 1.5.
"""

from __future__ import annotations

from dynamoc.tree import copy_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.convert.request_dialect import Dialect

    Tree = dict[str, Any]


def to_job(profiling: Tree, spec: Tree, dialect: Dialect) -> None:
    """Puts what v1alpha1 says of the profiler's pod into `overrides.profilingJob` of a v1beta1 spec."""
    names = ("tolerations", "nodeSelector") if dialect.selects_nodes else ("tolerations",)
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
        if resources if dialect.keeps_claims else resources.get("requests") or resources.get("limits"):
            profiling["resources"] = copy_tree(resources)
    for name in ("tolerations", "nodeSelector") if dialect.selects_nodes else ("tolerations",):
        if pod.get(name):
            profiling[name] = copy_tree(pod[name])


def hub_only(job: Tree | None, dialect: Dialect) -> Tree | None:
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
    pod: Tree = (job.get("template") or {}).get("spec") or {}
    return pod


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
