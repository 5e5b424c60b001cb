"""Fields of Dynamo 0.1 to 0.3 that have no successor, each with what took its place."""

from __future__ import annotations

from dynamoc.diagnostics.finding import NOTE, WARNING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.catalog.slugs import Severity
    from dynamoc.generations.component import Tell

    Tree = dict[str, Any]

#: field, severity, what is said of it, what to do
_LOST: tuple[tuple[str, Severity, str, str | None], ...] = (
    (
        "externalServices",
        NOTE,
        "`externalServices` is dropped: components find each other by themselves.",
        None,
    ),
    (
        "dynamoNamespace",
        NOTE,
        "`dynamoNamespace` is dropped: the operator computes the Dynamo namespace of a graph.",
        None,
    ),
    (
        "runMode",
        NOTE,
        "`runMode` is dropped: each component runs in pods of its own.",
        None,
    ),
    (
        "monitorExporter",
        WARNING,
        "`monitorExporter` is dropped: no operator since 0.2 reads it.",
        "collect the metrics of the pods with a PodMonitor",
    ),
    (
        "ingress",
        WARNING,
        "`ingress` is dropped: in v1beta1, the operator's configuration decides about the ingress of frontends.",
        "set `ingress` in the operator's configuration, or write an Ingress for the frontend's Service, port 8000",
    ),
    (
        "autoscaling",
        WARNING,
        "`autoscaling` is dropped: no operator since 1.0 creates a HorizontalPodAutoscaler.",
        "add `scalingAdapter: {}` to the component and let your own autoscaler scale that adapter",
    ),
    (
        "labels",
        WARNING,
        "`labels` are dropped: the operators that read this document ignored them.",
        "write them to podTemplate.metadata.labels if pods are to have them",
    ),
    (
        "annotations",
        WARNING,
        "`annotations` are dropped: the operators that read this document did not copy them to pods.",
        "write them to podTemplate.metadata.annotations if pods are to have them",
    ),
)
_OF_NODES = ("nvidia.com/lws-size", "nvidia.com/deployment-type")


def tell_lost(spec: Tree, name: str, tell: Tell) -> None:
    """Reports each field of a service that does not come along, but those that say nothing."""
    for field, severity, message, hint in _LOST:
        if _says_something(field, spec.get(field)):
            tell((field,), "convert/no-successor", message, hint, severity)
    written = spec.get("serviceName")
    if written and written != name:
        message = f"`serviceName` is dropped: the component is called `{name}`, as its key says."
        tell(("serviceName",), "convert/no-successor", message, severity=NOTE)


def _says_something(field: str, value: Any) -> bool:
    if field in ("ingress", "autoscaling"):
        return isinstance(value, dict) and bool(value.get("enabled"))
    if field == "annotations" and isinstance(value, dict):
        return any(key not in _OF_NODES for key in value)
    return bool(value)
