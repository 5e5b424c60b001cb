"""Objects without the replicas that an autoscaler sets: `--omit-replicas`.

A component with a scaling adapter is scaled by what scales the adapter; the Deployment of one is also scaled by a
HorizontalPodAutoscaler or a ScaledObject that names it. A clique of Grove must have its number, and so must what is a
LeaderWorkerSet for each replica.
"""

from __future__ import annotations

from dynamoc.cluster.scaled import scaled_components
from dynamoc.diagnostics.finding import NOTE, Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from dynamoc.diagnostics.finding import Findings

    Tree = dict[str, Any]
    #: namespace, graph, component
    Component = tuple[str, str, str]

_GRAPH, _COMPONENT = "nvidia.com/dynamo-graph-deployment-name", "nvidia.com/dynamo-component"
_SCALED = ("Deployment", "LeaderWorkerSet", "DynamoComponentDeployment", "DynamoGraphDeploymentScalingAdapter")
_SETS = ("PodCliqueSet", "PodGangSet")


def without_replicas(
    objects: list[Tree],
    inputs: Iterable[Tree],
    default: str,
    findings: Findings,
    *,
    graphs: Iterable[Tree],
    split: bool,
) -> list[Tree]:
    """The objects without the replicas of what autoscalers own; notes what keeps them, and that there is none.

    `inputs` are all documents, `graphs` those of the operator, `default` is the namespace of documents without one.
    `split` tells whether each replica is a LeaderWorkerSet of its own.
    """
    owned = {component for value in graphs for component in _scaled(value, default)}
    targets = {target for value in (*objects, *inputs) for target in _targets(value, default)}
    kept: list[str] = []
    omitted = 0
    for item in objects:
        namespace, name = _place(item, default)
        if item["kind"] in _SETS:
            omitted += _omit_from_set(item, {component for place, graph, component in owned if place == namespace
                                             and graph == name}, kept)  # fmt: skip
        elif _component_of(item, default) in owned or (item["kind"], namespace, name) in targets:
            if item["kind"] == "LeaderWorkerSet" and split:
                kept.append(f"LeaderWorkerSet/{name} (one for each replica)")
            elif item["kind"] in _SCALED:
                omitted += item["spec"].pop("replicas", None) is not None
    _tell(kept, omitted, findings)
    return objects


def _scaled(value: Tree, default: str) -> Iterator[Component]:
    for name in scaled_components(value):
        yield (*_place(value, default), name)


def _targets(value: Tree, default: str) -> Iterator[tuple[str, str, str]]:
    """Kind, namespace and name of what an autoscaler scales; by default, a ScaledObject means a Deployment."""
    if value.get("kind") in ("HorizontalPodAutoscaler", "ScaledObject"):
        target = (value.get("spec") or {}).get("scaleTargetRef") or {}
        yield str(target.get("kind") or "Deployment"), _place(value, default)[0], str(target.get("name", ""))


def _component_of(item: Tree, default: str) -> Component:
    labels = item["metadata"].get("labels") or {}
    return _place(item, default)[0], str(labels.get(_GRAPH, "")), str(labels.get(_COMPONENT, ""))


def _omit_from_set(item: Tree, components: set[str], kept: list[str]) -> int:
    """How many numbers were removed: those of scaling groups; a clique must have its own."""
    template = item["spec"]["template"]
    names = {
        clique["name"]: (clique.get("labels") or {}).get(_COMPONENT, "") for clique in template.get("cliques") or ()
    }
    grouped: set[str] = set()
    omitted = 0
    for group in template.get("podCliqueScalingGroups") or ():
        grouped.update(group.get("cliqueNames") or ())
        if any(names.get(name) in components for name in group.get("cliqueNames") or ()):
            omitted += group.pop("replicas", None) is not None
    for name, component in names.items():
        if component in components and name not in grouped:
            kept.append(f"clique {name} of {item['kind']}/{item['metadata']['name']}")
    return omitted


def _place(value: Tree, default: str) -> tuple[str, str]:
    metadata = value.get("metadata") or {}
    return str(metadata.get("namespace") or default), str(metadata.get("name", ""))


def _tell(kept: list[str], omitted: int, findings: Findings) -> None:
    if kept:
        message = f"--omit-replicas leaves the replicas of {', '.join(kept[:3])}" + " and more" * (len(kept) > 3)
        message += ": their API cannot do without the number."
        findings.add(Finding("output/replicas", NOTE, message))
    elif not omitted:
        message = "--omit-replicas has no effect: no component has a scaling adapter, and no autoscaler names one."
        hint = "add `scalingAdapter` to the components that an autoscaler scales"
        findings.add(Finding("output/replicas", NOTE, message, hint=hint))
