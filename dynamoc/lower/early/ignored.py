"""Fields that release 0.6 takes and then ignores: told, because nothing in the output would tell."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.model.graph import Component
    from dynamoc.model.operator import Operator

#: Annotations of a component that steer the operator; without Grove all others are lost.
_STEERING = (
    "nvidia.com/deployment-strategy",
    "nvidia.com/disable-image-pull-secret-discovery",
    "nvidia.com/enable-debug-mode",
    "nvidia.com/enable-metrics",
    "nvidia.com/enable-stealing-traffic-debug-mode",
)


def tell_ignored(component: Component, operator: Operator, *, grove: bool) -> None:
    """Warns of what has no effect on a component of a graph, under Grove or as a DynamoComponentDeployment."""
    _type(component, operator)
    if component.spec.get("serviceName", component.name) != component.name:
        operator.warn(
            "component/service-name-ignored",
            f"The operator calls this service {component.name}, whatever serviceName says.",
            (*component.path, "serviceName"),
            "Rename the service itself, or remove serviceName.",
        )
    _ingress(component, operator, grove=grove)
    if not grove:
        _metadata(component, operator)


def _type(component: Component, operator: Operator) -> None:
    known = operator.release["component-defaults"]
    if component.type and component.type not in known:
        operator.warn(
            "component/unknown-type",
            f"componentType {component.type} is not one of {', '.join(known)}: the pods get no ports, probes or "
            "environment of a type, and no backend.",
            (*component.path, "componentType"),
            "Use frontend, worker or planner; subComponentType tells prefill from decode.",
        )


def _ingress(component: Component, operator: Operator, *, grove: bool) -> None:
    ingress = component.ingress or {}
    path = (*component.path, "ingress")
    for field in ("annotations", "labels"):
        if ingress.get(field):
            operator.warn(
                "ingress/metadata-ignored",
                f"The operator ignores ingress.{field}: neither Ingress nor VirtualService carries them.",
                (*path, field),
                "Add them to the rendered object yourself.",
            )
    if grove and ingress.get("enabled") and component.type != "frontend":
        operator.warn(
            "ingress/ignored",
            f"Under Grove only frontends get an ingress; {component.name} gets none.",
            path,
            "Write an Ingress and a Service of your own.",
        )


def _metadata(component: Component, operator: Operator) -> None:
    """Source: internal/dynamo/graph.go GenerateDynamoComponentsDeployments; controller getKubeAnnotations."""
    if component.labels:
        operator.warn(
            "component/labels-ignored",
            f"Without Grove the labels of {component.name} reach no object.",
            (*component.path, "labels"),
            "Use extraPodMetadata.labels.",
        )
    lost = [key for key in component.annotations if key not in _STEERING]
    if lost:
        operator.warn(
            "component/annotations-ignored",
            f"Without Grove the annotation {lost[0]} of {component.name} reaches no object.",
            (*component.path, "annotations", lost[0]),
            "Use extraPodMetadata.annotations.",
        )
