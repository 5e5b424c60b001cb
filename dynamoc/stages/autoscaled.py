"""Objects without the replicas that an autoscaler sets: `--omit-replicas`.

A component with a scaling adapter is scaled by what scales the adapter; the Deployment of one is also scaled by a
HorizontalPodAutoscaler or a ScaledObject that names it. A clique of Grove must have its number, and so must what is a
LeaderWorkerSet for each replica.
"""

from __future__ import annotations

from dynamoc.cluster.scaled import scaled_components
from dynamoc.diagnostics.finding import Finding
from dynamoc.kube.lenient import entries, mapping, text, texts

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
    for item in filter(_is_made, objects):
        namespace, name = _place(item, default)
        if item["kind"] in _SETS:
            omitted += _omit_from_set(item, {component for place, graph, component in owned if place == namespace
                                             and graph == name}, kept)  # fmt: skip
        elif _component_of(item, default) in owned or (item["kind"], namespace, name) in targets:
            if item["kind"] == "LeaderWorkerSet" and split:
                kept.append(f"LeaderWorkerSet/{name} (one for each replica)")
            elif item["kind"] in _SCALED:
                omitted += mapping(item, "spec").pop("replicas", None) is not None
    _tell(kept, omitted, findings)
    return objects


def _scaled(value: Tree, default: str) -> Iterator[Component]:
    for name in scaled_components(value):
        yield (*_place(value, default), name)


def _targets(value: Tree, default: str) -> Iterator[tuple[str, str, str]]:
    """Kind, namespace and name of what an autoscaler scales; by default, a ScaledObject means a Deployment."""
    if value.get("kind") in ("HorizontalPodAutoscaler", "ScaledObject"):
        target = mapping(value, "spec", "scaleTargetRef")
        yield text(target.get("kind")) or "Deployment", _place(value, default)[0], text(target.get("name"))


def _is_made(item: Tree) -> bool:
    """Whether the operator makes the object: those of users that pass through stay as they are."""
    labels = mapping(item, "metadata", "labels")
    return item["kind"] in _SETS or any(key.startswith("nvidia.com/") for key in labels)


def _component_of(item: Tree, default: str) -> Component:
    labels = mapping(item, "metadata", "labels")
    return _place(item, default)[0], text(labels.get(_GRAPH)), text(labels.get(_COMPONENT))


def _omit_from_set(item: Tree, components: set[str], kept: list[str]) -> int:
    """How many numbers were removed: those of scaling groups; a clique must have its own."""
    template = mapping(item, "spec", "template")
    cliques = [clique for _, clique in entries(template, "cliques")]
    scaled = {text(item.get("name")) for item in cliques if mapping(item, "labels").get(_COMPONENT) in components}
    grouped: set[str] = set()
    omitted = 0
    for _, group in entries(template, "podCliqueScalingGroups"):
        names = set(texts(group.get("cliqueNames")))
        grouped |= names
        if names & scaled:
            omitted += group.pop("replicas", None) is not None
    kept += [f"clique {name} of {item['kind']}/{_place(item, '')[1]}" for name in sorted(scaled - grouped)]
    return omitted


def _place(value: Tree, default: str) -> tuple[str, str]:
    metadata = mapping(value, "metadata")
    return text(metadata.get("namespace")) or default, text(metadata.get("name"))


def _tell(kept: list[str], omitted: int, findings: Findings) -> None:
    if kept:
        message = f"--omit-replicas leaves the replicas of {', '.join(kept[:3])}" + " and more" * (len(kept) > 3)
        message += ": their API cannot do without the number."
        findings.add(Finding("output/replicas", message))
    elif not omitted:
        message = "--omit-replicas has no effect: no component has a scaling adapter, and no autoscaler names one."
        hint = "add `scalingAdapter` to the components that an autoscaler scales"
        findings.add(Finding("output/replicas", message, hint=hint))
