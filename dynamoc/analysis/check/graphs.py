"""Graphs whose components do not make a whole."""

from __future__ import annotations

from collections.abc import Iterator

from dynamoc.analysis.check.arguments import MODE, MODES
from dynamoc.analysis.check.engines import NAMES, SETTINGS
from dynamoc.analysis.check.rendering import Component, Rendering, Workload, dynamo_minor, image_parts, rule
from dynamoc.analysis.compare.pod_counts import is_gpu
from dynamoc.compiler.faults import Fault
from dynamoc.documents.findings.edits import Change
from dynamoc.documents.findings.finding import Path
from dynamoc.documents.schema.problem import Problem
from dynamoc.documents.schema.suggestions import edits, nearest
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import entries, mapping, text

_TYPES = ("type", "componentType")
_FRONTEND = "dynamo.frontend"
_WORKERS = ("worker", "prefill", "decode")


@rule("check/restart-in-git")
def restart_in_git(rendering: Rendering) -> Iterator[Problem]:
    """`spec.restart` is an order, and not a state."""
    if mapping(rendering.document.value, "spec", "restart"):
        path = ("spec", "restart")
        message = "`spec.restart` orders one restart: in a file that is applied again and again, it means nothing."
        yield rendering.problem(
            "check/restart-in-git", path, message, "restart with kubectl patch, and keep it out of files"
        )


@rule("check/several-frontends")
def several_frontends(rendering: Rendering) -> Iterator[Problem]:
    serving = {
        component.name.lower() for component in rendering.components if component.first.arguments.runs(_FRONTEND)
    }
    # Servers beside the graph's own frontend, such as ModelExpress, borrow its type for their probes and Service.
    typed = [(name, path) for name, path, type_ in _typed(rendering) if type_ == "frontend"]
    found = [(name, path) for name, path in typed if name.lower() in serving]
    for name, path in found[1:]:
        message = (
            f"{name} is the second frontend of the graph, after {found[0][0]}: both serve the same models, and clients "
            "reach one of them only."
        )
        yield rendering.problem("check/several-frontends", path, message, "use one frontend with more replicas")


@rule("check/half-disaggregated")
def half_disaggregated(rendering: Rendering) -> Iterator[Fault]:
    """Prefill without decode, or decode that is set to wait for prefill without it."""
    if _is_one_of_several(rendering):
        return
    modes: dict[str, Component] = {}
    for component in rendering.components:
        if component.first.arguments.engine is not None:
            modes.setdefault(component.first.role, component)
        elif component.first.type in _WORKERS:
            # It runs something unknown, which may be the other half.
            return
    for each, missing in (("prefill", "decode"), ("decode", "prefill")):
        # A worker of no role decodes as well; one that only has the type `decode` may do everything itself.
        if each in modes and missing not in modes and not (each == "prefill" and "" in modes):
            leader = modes[each].first
            message = f"{modes[each].name} is a {each} worker, and the graph has no {missing} worker."
            hint = f"add a {missing} worker, or remove `{each}` from this one"
            yield leader.at("check/half-disaggregated", MODES, message, hint)


def _is_one_of_several(rendering: Rendering) -> bool:
    """Whether other graphs may bring the other half: those of a global planner do."""
    graphs = len(rendering.others.get("DynamoGraphDeployment", ()))
    return graphs > 1 or any(
        component.get("globalDynamoNamespace") for _, _, component in rendering.written_components()
    )


#: annotations that users write on graphs and components (internal/consts/consts.go)
_ANNOTATIONS = (
    "nvidia.com/disable-image-pull-secret-discovery", "nvidia.com/dynamo-checkpoint-startup-policy",
    "nvidia.com/dynamo-discovery-backend", "nvidia.com/dynamo-kube-discovery-mode",
    "nvidia.com/dynamo-operator-origin-version", "nvidia.com/enable-grove", "nvidia.com/enable-metrics",
    "nvidia.com/grove-update-strategy", "nvidia.com/kai-scheduler-queue",
    "nvidia.com/vllm-distributed-executor-backend", "nvidia.com/volcano-queue", "nvidia.com/workload-provider",
)  # fmt: skip


@rule("check/unknown-annotation")
def unknown_annotations(rendering: Rendering) -> Iterator[Problem]:
    """Annotations that resemble one of the operator's, but are unknown."""
    for key in mapping(rendering.document.value, "metadata", "annotations"):
        if key in _ANNOTATIONS or not key.startswith("nvidia.com/"):
            continue

        near = nearest(key, _ANNOTATIONS, 4)
        if near is not None:
            message = f"The operator reads no annotation `{key}`."
            path = ("metadata", "annotations", key)
            problem = rendering.problem("check/unknown-annotation", path, message, f"did you mean `{near}`?")
            problem.change = Change("rename", near) if edits(key, near, 2) < 2 else None
            yield problem


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
def operator_variables(rendering: Rendering) -> Iterator[Problem]:
    """Variables by which the parts of a graph find each other, with values of the user."""
    written = [each for each in written_variables(rendering) if each[2].get("name") in _OWN_VARIABLES]
    if not written:
        return
    rendered: dict[tuple[str, str], set[str]] = {}
    for workload in rendering.workloads:
        for _, variable in entries(workload.main[1], "env"):
            owner = workload.component.lower().removesuffix("-ldr").removesuffix("-wkr")
            key = (owner, text(variable.get("name")))
            rendered.setdefault(key, set()).add(text(variable.get("value")))
    for component, path, variable in written:
        name, value = text(variable.get("name")), text(variable.get("value"))
        if not value:
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
        yield rendering.problem("check/operator-variable", (*path, "value"), message, "remove the variable")


def written_variables(rendering: Rendering) -> Iterator[tuple[str, Path, Tree]]:
    """Component in lower case, path and content of the variables of main containers as they are written.

    Those of a whole graph have no component.
    """
    spec = mapping(rendering.document.value, "spec")
    for key in ("env", "envs"):
        for at, variable in entries(spec, key, ("spec",)) if rendering.document.value.get("kind") == _GRAPHS[0] else ():
            yield "", at, variable
    for name, path, component in rendering.written_components():
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


def _typed(rendering: Rendering) -> Iterator[tuple[str, Path, str]]:
    """Name, path of the type, and type of the components as written."""
    for name, path, component in rendering.written_components():
        for key in _TYPES:
            if text(component.get(key)):
                yield name, (*path, key), text(component[key])
                break


#: kinds that bring the other part of a graph, which then serves together with this one
_GRAPHS = ("DynamoGraphDeployment", "DynamoComponentDeployment")
_ENTRANCES = ("frontend", "epp")


@rule("check/no-frontend", "check/no-worker", "check/no-replicas")
def parts_missing(rendering: Rendering) -> Iterator[Problem]:
    """A graph that nothing sends requests to, that has nothing to answer them, or that starts no pod of either."""
    components = list(rendering.written_components())
    if rendering.document.value.get("kind") != "DynamoGraphDeployment" or not components:
        return
    yield from _without_replicas(rendering, components)
    if sum(len(rendering.others.get(kind, ())) for kind in _GRAPHS) > 1:
        return
    if any(component.get("globalDynamoNamespace") for _, _, component in components):
        return
    where: Path = ("spec", "components" if "components" in mapping(rendering.document.value, "spec") else "services")
    runs = {component.name.lower(): component.first for component in rendering.components}
    modules = {workload.arguments.module() for workload in runs.values()}
    types = {_type(component) for _, _, component in components}
    has_workers = any(type_ in _WORKERS for type_ in types) or any(w.arguments.engine for w in runs.values())
    has_entrance = any(type_ in _ENTRANCES for type_ in types) or bool(modules & {"dynamo.frontend"})
    has_entrance |= any("frontendSidecar" in component for _, _, component in components)
    # What other programs do is not known here.
    if has_workers and not has_entrance and _all_known(runs):
        message = "The graph has no frontend: its workers register, and no client reaches them."
        yield rendering.problem("check/no-frontend", where, message, "add a component of the type `frontend`")
    elif has_entrance and not has_workers and types <= set(_ENTRANCES) and _all_known(runs):
        message = "The graph has no worker: its frontend serves no model."
        yield rendering.problem("check/no-worker", where, message, "add a component of the type `worker`")


def _all_known(runs: dict[str, Workload]) -> bool:
    """Whether each component runs a program of Dynamo, or what the operator starts for its type."""
    return all(
        workload.arguments.engine or workload.arguments.module().startswith("dynamo.") or workload.type in _ENTRANCES
        for workload in runs.values()
    )


def _type(component: Tree) -> str:
    return next((text(component[key]) for key in _TYPES if text(component.get(key))), "")


def _without_replicas(rendering: Rendering, components: list[tuple[str, Path, Tree]]) -> Iterator[Problem]:
    """Frontends, and all workers, of which none is started."""
    for types, what in ((("frontend",), "frontend"), (_WORKERS, "worker")):
        found = [each for each in components if _type(each[2]) in types]
        if not found or any(
            component.get("replicas") != 0 or any(component.get(key) for key in ("scalingAdapter", "autoscaling"))
            for _, _, component in found
        ):
            continue
        name, path, _ = found[0]
        message = f"{name} has `replicas: 0`, so the graph runs no {what}: it serves nothing until you scale it."
        hint = "write at least 1, or let a scaling adapter set it"
        yield rendering.problem("check/no-replicas", (*path, "replicas"), message, hint)


@rule("check/frontend-gpus")
def frontend_gpus(rendering: Rendering) -> Iterator[Fault]:
    """GPUs that a frontend holds and never uses."""
    for component, leader in rendering.leaders():
        if leader.gpus and leader.type == "frontend" and leader.arguments.engine is None:
            found = next((name for name in mapping(leader.main[1], "resources", "limits") if is_gpu(name)), None)
            path = leader.main[0]
            number = f"{leader.gpus} GPU{'s' * (leader.gpus != 1)}"
            message = f"{component.name} is a frontend, which runs no model, and holds {number}."
            where = (*path, "resources", "limits", found) if found else path
            yield leader.fault("check/frontend-gpus", where, message, "remove the GPUs from its resources")


#: the flag, the variable and the default of where a frontend listens (components/src/dynamo/frontend)
_HTTP, _HTTP_VARIABLE, _HTTP_DEFAULT = "--http-port", "DYN_HTTP_PORT", 8000


@rule("check/frontend-port")
def frontend_ports(rendering: Rendering) -> Iterator[Fault]:
    """A frontend that listens elsewhere than its Service, and its probes, look for it.

    Source: internal/dynamo/component_frontend.go, internal/consts DynamoServicePort: 8000, whatever the flags say.
    """
    for component, leader in rendering.leaders():
        if leader.type != "frontend":
            continue
        arguments = leader.arguments
        port, where = arguments.number(_HTTP, default=0), (*leader.main[0], *arguments.place(_HTTP))
        if not port and not arguments.has(_HTTP):
            at, value = leader.value(_HTTP_VARIABLE)
            port, where = (int(value), at) if value.isdecimal() else (0, where)
        ports = {each.get("name"): each.get("containerPort") for _, each in entries(leader.main[1], "ports")}
        served = ports.get("http", _HTTP_DEFAULT)
        if port and port != served:
            message = (
                f"{component.name} listens on port {port}, but its Service, and its probes, send to {served}: no "
                "request arrives, and the probes kill it."
            )
            yield leader.fault("check/frontend-port", where, message, f"write {served}, or leave it out")


@rule("check/role-of-type")
def roles_of_types(rendering: Rendering) -> Iterator[Fault]:
    """A worker that does the opposite of what its component is declared as, or that a planner cannot classify."""
    planned = any(_type(component) == "planner" for _, _, component in rendering.written_components())
    for component, leader in rendering.leaders():
        declared = leader.type if leader.type in ("prefill", "decode") else _declared(rendering, component.name)
        told = leader.role if leader.arguments.has(*MODES) else ""
        if {declared, told} == {"prefill", "decode"}:
            message = f"{component.name} is declared as a {declared} worker, and its flags make it a {told} worker."
            yield leader.at("check/role-of-type", MODES, message, "write the same in both")
        elif declared and not told and _needs_role(leader, declared, rendering) and _is_told_nothing(leader):
            runs = NAMES[leader.arguments.engine or ""]
            message = (
                f"{component.name} is declared as a {declared} worker, and no flag says so to {runs}: it prefills and "
                "decodes by itself."
            )
            where = (*leader.main[0], *leader.arguments.place(f"dynamo.{leader.arguments.engine}"))
            yield leader.fault("check/role-of-type", where, message, f"add `{MODE}={declared}`")
        # Planners go by names such as `VllmPrefillWorker` where no component says it.
        elif planned and told and not declared and leader.arguments.engine and told not in component.name.lower():
            message = (
                f"{component.name} is a {told} worker, and its component does not say so: the planner finds no "
                f"{told} worker."
            )
            yield leader.at("check/role-of-type", MODES, message, f"declare the component as `{told}`")


def _needs_role(leader: Workload, declared: str, rendering: Rendering) -> bool:
    """Whether a worker without a flag works otherwise than its component says.

    dynamo.vllm decodes for a prefill worker without a flag; a graph without prefill has only whole workers.
    """
    is_split = any(component.first.role == "prefill" for component in rendering.components)
    return declared == "prefill" or (is_split and leader.arguments.engine != "vllm")


def _is_told_nothing(leader: Workload) -> bool:
    """Whether an engine of Dynamo 1.0 or later, which knows no role but from its flags, has none of them."""
    arguments = leader.arguments
    repository, tag, _ = image_parts(text(leader.main[1].get("image")))
    minor = dynamo_minor(tag)
    is_own = repository.endswith("-runtime") and minor is not None and tuple(map(int, minor.split("."))) >= (1, 0)
    is_open = arguments.is_open or arguments.several or arguments.has("--config", *SETTINGS["trtllm"])
    plain = arguments.module() == f"dynamo.{arguments.engine}"
    return is_own and plain and not is_open and not leader.variable("DYN_DISAGGREGATION_MODE")


def _declared(rendering: Rendering, name: str) -> str:
    components = ((each, component) for each, _, component in rendering.written_components())
    return next(
        (text(component.get("subComponentType")) for each, component in components if each.lower() == name.lower()), ""
    )
