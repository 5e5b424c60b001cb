"""Graphs whose components do not make a whole."""

from __future__ import annotations

from dynamoc.check.registry import rule
from dynamoc.check.roles import FLAGS, role
from dynamoc.kube.lenient import entries, mapping, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from dynamoc.check.made import Component, Made
    from dynamoc.diagnostics.change import Change
    from dynamoc.diagnostics.finding import Path
    from dynamoc.schema.problem import Problem
    from dynamoc.stages.faults import Fault

    Tree = dict[str, Any]

_TYPES = ("type", "componentType")
_FRONTEND = "dynamo.frontend"
_WORKERS = ("worker", "prefill", "decode")


@rule("check/restart-in-git")
def restart_in_git(made: Made) -> Iterator[Problem]:
    """`spec.restart` is an order, and not a state."""
    if mapping(made.document.value, "spec", "restart"):
        path = ("spec", "restart")
        message = "`spec.restart` orders one restart: in a file that is applied again and again, it means nothing."
        yield made.problem(
            "check/restart-in-git", path, message, "restart with kubectl patch, and keep it out of files"
        )


@rule("check/several-frontends")
def several_frontends(made: Made) -> Iterator[Problem]:
    serving = {component.name.lower() for component in made.components if component.first.arguments.runs(_FRONTEND)}
    # Servers beside the graph's own frontend, such as ModelExpress, borrow its type for their probes and Service.
    typed = [(name, path) for name, path, type_ in _typed(made) if type_ == "frontend"]
    found = [(name, path) for name, path in typed if name.lower() in serving]
    for name, path in found[1:]:
        message = (
            f"{name} is the second frontend of the graph, after {found[0][0]}: both serve the same models, and clients "
            "reach one of them only."
        )
        yield made.problem("check/several-frontends", path, message, "use one frontend with more replicas")


@rule("check/half-disaggregated")
def half_disaggregated(made: Made) -> Iterator[Fault]:
    """Prefill without decode, or decode that is told to wait for prefill without it."""
    if _is_one_of_several(made):
        return
    modes: dict[str, Component] = {}
    for component in made.components:
        if component.first.arguments.engine is not None:
            modes.setdefault(role(component.first), component)
        elif component.first.type in _WORKERS:
            # It runs what nobody knows here, which may be the other half.
            return
    for each, missing in (("prefill", "decode"), ("decode", "prefill")):
        # A worker of no role decodes as well; one that only has the type `decode` may do everything itself.
        if each in modes and missing not in modes and not (each == "prefill" and "" in modes):
            leader = modes[each].first
            message = f"{modes[each].name} is a {each} worker, and the graph has no {missing} worker."
            hint = f"add a {missing} worker, or remove `{each}` from this one"
            where = (*leader.main[0], *leader.arguments.place(*FLAGS))
            yield leader.fault("check/half-disaggregated", where, message, hint)


def _is_one_of_several(made: Made) -> bool:
    """Whether other graphs may bring the other half: those of a global planner do."""
    graphs = sum(value.get("kind") == "DynamoGraphDeployment" for value in made.others)
    return graphs > 1 or any(component.get("globalDynamoNamespace") for _, _, component in made.written_components())


#: annotations that users write on graphs and components (internal/consts/consts.go)
_ANNOTATIONS = (
    "nvidia.com/disable-image-pull-secret-discovery",
    "nvidia.com/dynamo-checkpoint-startup-policy",
    "nvidia.com/dynamo-discovery-backend",
    "nvidia.com/dynamo-kube-discovery-mode",
    "nvidia.com/dynamo-operator-origin-version",
    "nvidia.com/enable-grove",
    "nvidia.com/enable-metrics",
    "nvidia.com/grove-update-strategy",
    "nvidia.com/kai-scheduler-queue",
    "nvidia.com/vllm-distributed-executor-backend",
    "nvidia.com/volcano-queue",
    "nvidia.com/workload-provider",
)


@rule("check/unknown-annotation")
def unknown_annotations(made: Made) -> Iterator[Problem]:
    """Annotations that resemble one of the operator's, and are none."""
    for key in mapping(made.document.value, "metadata", "annotations"):
        if key in _ANNOTATIONS or not key.startswith("nvidia.com/"):
            continue
        from dynamoc.schema.nearest import nearest

        near = nearest(key, _ANNOTATIONS, 4)
        if near is not None:
            message = f"The operator reads no annotation `{key}`."
            path = ("metadata", "annotations", key)
            problem = made.problem("check/unknown-annotation", path, message, f"did you mean `{near}`?")
            problem.change = _renamed(key, near)
            yield problem


def _renamed(key: str, near: str) -> Change | None:
    from dynamoc.diagnostics.change import Change
    from dynamoc.schema.nearest import edits

    return Change("rename", near) if edits(key, near, 2) < 2 else None


#: what the operator sets in each pod, so that its parts find each other (internal/dynamo/component_common.go)
_OWN_VARIABLES = (
    "DYN_DISCOVERY_BACKEND",
    "DYN_NAMESPACE",
    "DYN_NAMESPACE_PREFIX",
    "DYN_NAMESPACE_WORKER_SUFFIX",
    "DYN_PARENT_DGD_K8S_NAME",
    "DYN_PARENT_DGD_K8S_NAMESPACE",
)


@rule("check/operator-variable")
def operator_variables(made: Made) -> Iterator[Problem]:
    """Variables by which the parts of a graph find each other, with values of the user."""
    rendered: dict[tuple[str, str], set[str]] = {}
    for workload in made.workloads:
        for _, variable in entries(workload.main[1], "env"):
            owner = workload.component.lower().removesuffix("-ldr").removesuffix("-wkr")
            key = (owner, text(variable.get("name")))
            rendered.setdefault(key, set()).add(text(variable.get("value")))
    for component, path, variable in _written_variables(made):
        name, value = text(variable.get("name")), text(variable.get("value"))
        if name not in _OWN_VARIABLES or not value:
            continue
        if any(value in found for (owner, each), found in rendered.items() if each == name and owner != component):
            # All say the same.
            continue
        wins = value in rendered.get((component, name), ())
        message = (
            f"{name} is the operator's: with `{value}`, this component may not find the others."
            if wins
            else f"The operator sets {name} itself: `{value}` has no effect."
        )
        yield made.problem("check/operator-variable", (*path, "value"), message, "remove the variable")


def _written_variables(made: Made) -> Iterator[tuple[str, Path, Tree]]:
    """Component in lower case, path and content of the variables of main containers as they are written."""
    for name, path, component in made.written_components():
        holders = [(component, path, "envs")]
        main = mapping(component, "extraPodSpec", "mainContainer")
        holders.append((main, (*path, "extraPodSpec", "mainContainer"), "env"))
        pod, at = mapping(component, "podTemplate", "spec"), (*path, "podTemplate", "spec")
        for where, container in entries(pod, "containers", at):
            if container.get("name") == "main":
                holders.append((container, where, "env"))
        for holder, where, key in holders:
            for at, variable in entries(holder, key, where):
                yield name.lower(), at, variable


def _typed(made: Made) -> Iterator[tuple[str, Path, str]]:
    """Name, path of the type, and type of the components as written."""
    for name, path, component in made.written_components():
        for key in _TYPES:
            if text(component.get(key)):
                yield name, (*path, key), text(component[key])
                break
