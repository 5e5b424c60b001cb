"""When Grove ends a gang: all pods of a graph, because some of one component are not there."""

from __future__ import annotations

from dynamoc.check.models import loading_time, size_of
from dynamoc.check.registry import rule
from dynamoc.golang.time import print_duration, try_duration
from dynamoc.kube.lenient import entries, mapping, text, texts, whole
from dynamoc.schema.problem import Problem
from dynamoc.stages.faults import Fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from dynamoc.check.made import Made
    from dynamoc.diagnostics.finding import Path

    Tree = dict[str, Any]

_SET = "PodCliqueSet"
_SECOND = 1_000_000_000
#: where a set names none (Grove, api/core/v1alpha1 PodCliqueSetTemplateSpec.terminationDelay)
_DEFAULT_DELAY = 4 * 3600 * _SECOND


def _delay(item: Tree) -> int:
    """Nanoseconds that a gang may be without pods that it needs."""
    found = try_duration(text(mapping(item, "spec", "template").get("terminationDelay")))
    return _DEFAULT_DELAY if found is None else found


@rule("check/gang-ends-loading")
def gang_ends_loading(made: Made) -> Iterator[Fault]:
    """A container without a startup probe counts as started, and as not ready while it loads its model.

    Source: Grove, operator/internal/controller/podclique computeMinAvailableBreachedCondition, and
    internal/utils/kubernetes HasAnyStartedButNotReadyContainer.
    """
    for component in made.components:
        leader = component.first
        path, container = leader.main
        size = size_of(component, made)
        if leader.item["kind"] != _SET or leader.arguments.engine is None or size is None:
            continue
        if mapping(container, "startupProbe") or not mapping(container, "readinessProbe"):
            continue
        needed, delay = loading_time(size, leader.arguments), _delay(leader.item)
        if needed * _SECOND > delay:
            message = (
                f"{component.name} has no startup probe, so Grove counts it as missing while it loads. The weights of "
                f"a model of {size:g}B parameters take about {needed} s to read at 1 GB/s, and Grove ends the gang "
                f"after {print_duration(delay)}."
            )
            hint = "add a `startupProbe` that waits long enough"
            yield leader.fault("check/gang-ends-loading", (*path, "readinessProbe"), message, hint)


def _parts(item: Tree) -> Iterator[tuple[Path, str, Tree, bool]]:
    """Path, name and content of what counts its own minimum: scaling groups, and cliques in none; and which it is."""
    outline = mapping(item, "spec", "template")
    path: Path = ("spec", "template")
    grouped = {
        name for _, group in entries(outline, "podCliqueScalingGroups") for name in texts(group.get("cliqueNames"))
    }
    for at, group in entries(outline, "podCliqueScalingGroups", path):
        yield at, text(group.get("name")), group, True
    for at, clique in entries(outline, "cliques", path):
        if text(clique.get("name")) not in grouped:
            yield (*at, "spec"), text(clique.get("name")), mapping(clique, "spec"), False


@rule("check/gang-without-spare")
def gang_without_spare(made: Made) -> Iterator[Fault]:
    """Source: Grove's API, `minAvailable` of cliques and scaling groups: below it, the whole gang ends."""
    for index, item in enumerate(made.objects):
        if item["kind"] != _SET:
            continue
        for path, name, part, _ in _parts(item):
            replicas, least = whole(part.get("replicas")), whole(part.get("minAvailable"))
            if least > 1 and least == replicas:
                message = (
                    f"`{name}` needs all of its {replicas} replicas: if one is missing for "
                    f"{print_duration(_delay(item))}, Grove ends all pods of the graph."
                )
                problem = Problem(
                    "check/gang-without-spare",
                    (*path, "minAvailable"),
                    message,
                    "lower `minAvailable`, or add replicas",
                )
                yield Fault(index, item, problem)


@rule("check/partial-gang")
def partial_gangs(made: Made) -> Iterator[Fault]:
    """Nodes of one engine that are not scheduled together."""
    for index, item in enumerate(made.objects):
        if item["kind"] != _SET:
            continue
        outline = mapping(item, "spec", "template")
        grouped = {
            name for _, group in entries(outline, "podCliqueScalingGroups") for name in texts(group.get("cliqueNames"))
        }
        for path, clique in entries(outline, "cliques", ("spec", "template")):
            own, name = mapping(clique, "spec"), text(clique.get("name"))
            replicas, least = whole(own.get("replicas")), whole(own.get("minAvailable"))
            # Replicas of other cliques are spares of a node, not further nodes.
            if name in grouped and name.endswith("-wkr") and least < replicas:
                message = (
                    f"`{name}` has {replicas} nodes of one engine, and Grove starts the gang when {least} of them "
                    "can run: the others may wait while these hold their GPUs."
                )
                hint = "use an operator that asks for all nodes (1.1 and later)"
                problem = Problem("check/partial-gang", (*path, "spec", "minAvailable"), message, hint)
                yield Fault(index, item, problem)
