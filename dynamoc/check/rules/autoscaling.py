"""Replicas that somebody else sets."""

from __future__ import annotations

from dynamoc.check.registry import rule
from dynamoc.kube.lenient import mapping, text, whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from dynamoc.check.made import Made, Workload
    from dynamoc.diagnostics.finding import Path
    from dynamoc.schema.problem import Problem
    from dynamoc.stages.faults import Fault

    Tree = dict[str, Any]

_WORKERS = ("worker", "prefill", "decode")
_ADAPTER = "DynamoGraphDeploymentScalingAdapter"
#: the field with the least replicas, and what holds where it is missing (KEDA's ScaledObject scales to zero)
_SCALERS = {"HorizontalPodAutoscaler": ("minReplicas", 1), "ScaledObject": ("minReplicaCount", 0)}


@rule("check/owned-replicas")
def owned_replicas(made: Made) -> Iterator[Problem]:
    """Replicas in a file beside a scaling adapter.

    Source: internal/webhook/validation validateReplicasChanges.
    """
    for name, path, component in made.written_components():
        if _has_adapter(component) and "replicas" in component:
            message = (
                f"{name} has a scaling adapter, which sets `replicas`: once it has scaled, the webhook refuses this "
                f"file, which says {component['replicas']}."
            )
            hint = "let the tool that applies it ignore `replicas`, or use `render --omit-replicas`"
            yield made.problem("check/owned-replicas", (*path, "replicas"), message, hint)


@rule("check/planner-without-adapter")
def planner_without_adapter(made: Made) -> Iterator[Problem]:
    """A planner that patches the graph itself, which whoever applies the file takes back.

    Source: components/src/dynamo/planner/connectors/clients/kubernetes_api.py update_service_replicas.
    """
    from dynamoc.schema.data import served

    components = list(made.written_components())
    planner = next((name for name, _, component in components if _type(component) == "planner"), None)
    if planner is None or not served(made.release.name, "DynamoGraphDeploymentScalingAdapter"):
        return
    for name, path, component in components:
        if _type(component) in _WORKERS and "replicas" in component and not _has_adapter(component):
            message = (
                f"{planner} scales {name}, which has no scaling adapter: it patches `replicas` of the graph, and "
                f"applying this file sets them back to {component['replicas']}."
            )
            hint = "add `scalingAdapter` to the component, so that the planner scales the adapter"
            yield made.problem("check/planner-without-adapter", (*path, "replicas"), message, hint)


@rule("check/scaled-directly")
def scaled_directly(made: Made) -> Iterator[Fault]:
    """Autoscalers of objects that the operator, or Grove, sets back."""
    for name, kind, target, namespace, _ in _scalers(made):
        for workload in made.workloads:
            own = text(mapping(workload.item, "metadata").get("namespace"))
            # Without one, it goes where a graph without one goes.
            if (namespace or own) == own and target in _targets(workload):
                message = (
                    f"{kind} {name} scales {target[0]} {target[1]}, whose replicas the operator sets: it takes each "
                    "change back."
                )
                hint = "point it at the DynamoGraphDeploymentScalingAdapter of the component"
                yield workload.fault("check/scaled-directly", _replicas_of(workload), message, hint)
                break


@rule("check/two-scalers")
def two_scalers(made: Made) -> Iterator[Problem]:
    """Several autoscalers of one component."""
    for name, path, _ in made.written_components():
        found = [f"{kind} {scaler}" for scaler, kind, _ in _scalers_of(made, name)]
        if len(found) > 1:
            message = f"{' and '.join(found[:2])} both scale {name}: each takes back what the other did."
            yield made.problem("check/two-scalers", path, message, "keep one of them, with both triggers")


@rule("check/scaled-below-minimum")
def scaled_below_minimum(made: Made) -> Iterator[Problem]:
    """An autoscaler that may leave a gang with fewer replicas than it needs."""
    for name, path, component in made.written_components():
        least = component.get("minAvailable")
        for scaler, kind, lowest in _scalers_of(made, name):
            if isinstance(least, int) and lowest < least:
                message = (
                    f"{kind} {scaler} scales {name} down to {lowest}, but the gang needs {least}: Grove ends all pods "
                    "of the graph."
                )
                hint = f"raise the minimum of {scaler} to {least}, or lower `minAvailable`"
                yield made.problem("check/scaled-below-minimum", (*path, "minAvailable"), message, hint)


def _scalers_of(made: Made, component: str) -> Iterator[tuple[str, str, int]]:
    """Name, kind and least replicas of the autoscalers of a component's adapter."""
    graph = mapping(made.document.value, "metadata")
    adapter, own = (_ADAPTER, f"{text(graph.get('name'))}-{component.lower()}"), text(graph.get("namespace"))
    for name, kind, target, namespace, least in _scalers(made):
        # Where a graph without a namespace goes, its file does not say.
        if target == adapter and (not own or namespace == own):
            yield name, kind, least


def _scalers(made: Made) -> Iterator[tuple[str, str, tuple[str, str], str, int]]:
    """Name, kind, target (kind and name), namespace and least replicas of autoscalers beside the graph."""
    for kind, value in ((each, value) for each in _SCALERS for value in made.others.get(each, ())):
        spec, metadata = mapping(value, "spec"), mapping(value, "metadata")
        reference = mapping(spec, "scaleTargetRef")
        target = (text(reference.get("kind")) or "Deployment", text(reference.get("name")))
        field, default = _SCALERS[kind]
        namespace = text(metadata.get("namespace")) or text(mapping(made.document.value, "metadata").get("namespace"))
        yield text(metadata.get("name")), kind, target, namespace, whole(spec.get(field), default)


def _targets(workload: Workload) -> set[tuple[str, str]]:
    """The object of a workload, and what Grove makes of a clique or scaling group in it."""
    kind, name = workload.item["kind"], text(mapping(workload.item, "metadata").get("name"))
    found = {(kind, name)}
    if kind == "PodCliqueSet":
        found |= {("PodClique", f"{name}-0-{workload.template.name}")}
        found |= {("PodCliqueScalingGroup", f"{name}-0-{workload.template.unit}")}
    return found


def _replicas_of(workload: Workload) -> Path:
    if workload.item["kind"] != "PodCliqueSet":
        return ("spec", "replicas")
    # Of the clique that the pod spec is in.
    return (*workload.template.path[:-1], "replicas")


def _type(component: Tree) -> str:
    return text(component.get("componentType") or component.get("type"))


def _has_adapter(component: Tree) -> bool:
    adapter = component.get("scalingAdapter")
    if not isinstance(adapter, dict) or adapter.get("enabled") is False:
        return False
    return adapter.get("enabled") is True or "componentType" not in component
