"""Graphs whose components do not make a whole."""

from __future__ import annotations

from dynamoc.check.registry import rule
from dynamoc.kube.lenient import mapping, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from dynamoc.check.made import Component, Made, Workload
    from dynamoc.diagnostics.finding import Path
    from dynamoc.schema.problem import Problem
    from dynamoc.stages.faults import Fault

_TYPES = ("type", "componentType")
_MODES = ("--disaggregation-mode", "--is-prefill-worker", "--is-decode-worker")


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
    found = [(name, path) for name, path, type_ in _typed(made) if type_ == "frontend"]
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
            modes.setdefault(_mode(component.first), component)
    for role, missing in (("prefill", "decode"), ("decode", "prefill")):
        # A worker of no role decodes as well; one that only has the type `decode` may do everything itself.
        if role in modes and missing not in modes and not (role == "prefill" and "" in modes):
            leader = modes[role].first
            message = f"{modes[role].name} is a {role} worker, and the graph has no {missing} worker."
            hint = f"add a {missing} worker, or remove `{role}` from this one"
            where = (*leader.main[0], *leader.arguments.place(*_MODES))
            yield leader.fault("check/half-disaggregated", where, message, hint)


def _is_one_of_several(made: Made) -> bool:
    """Whether other graphs may bring the other half: those of a global planner do."""
    graphs = sum(value.get("kind") == "DynamoGraphDeployment" for value in made.others)
    return graphs > 1 or any(component.get("globalDynamoNamespace") for _, _, component in made.written_components())


def _mode(workload: Workload) -> str:
    """`prefill` or `decode`, "" for a worker that does both."""
    arguments = workload.arguments
    mode = (arguments.value("--disaggregation-mode") or "").removesuffix("_only")
    if mode in ("prefill", "decode"):
        return mode
    if arguments.has("--is-prefill-worker") or workload.type == "prefill":
        return "prefill"
    return "decode" if arguments.has("--is-decode-worker") else ""


def _typed(made: Made) -> Iterator[tuple[str, Path, str]]:
    """Name, path of the type, and type of the components as written."""
    for name, path, component in made.written_components():
        for key in _TYPES:
            if text(component.get(key)):
                yield name, (*path, key), text(component[key])
                break
