"""Fields that releases up to 0.6 accept and ignore: reported, because the output does not show it."""

from __future__ import annotations

from dynamoc.lower.ignored import tell_ingress, tell_lost_labels, tell_no_ingress, tell_other_name, tell_unknown_type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.lower.early.pod_template import Deployed
    from dynamoc.model.graph import Component, Graph
    from dynamoc.model.operator import Operator

_NO_DISCOVERY = "nvidia.com/disable-image-pull-secret-discovery"
#: Annotations of a component that steer the operator; without Grove all others are lost.
_STEERING = (
    "nvidia.com/deployment-strategy",
    _NO_DISCOVERY,
    "nvidia.com/enable-debug-mode",
    "nvidia.com/enable-metrics",
    "nvidia.com/enable-stealing-traffic-debug-mode",
)


def tell_ignored(component: Component, operator: Operator, *, grove: bool) -> None:
    """Warns of what has no effect on a component of a graph, under Grove or as a DynamoComponentDeployment."""
    tell_unknown_type(component, operator)
    if component.spec.get("serviceName", component.name) != component.name:
        tell_other_name(component, operator)
    _ingress(component, operator, grove=grove)
    _pull_secrets(component, operator)
    if not grove:
        _metadata(component, operator)


def _pull_secrets(component: Component, operator: Operator) -> None:
    if component.annotations.get(_NO_DISCOVERY) == "true" and not operator.release.has("images/discovery-switch"):
        operator.warn(
            "images/switch-ignored",
            f"The operator ignores the annotation {_NO_DISCOVERY}, which is new in 0.6: it adds all pull secrets.",
            (*component.path, "annotations", _NO_DISCOVERY),
            "Remove it.",
        )


def _ingress(component: Component, operator: Operator, *, grove: bool) -> None:
    ingress, path = component.ingress or {}, (*component.path, "ingress")
    for field in ("annotations", "labels"):
        if ingress.get(field) and not ingress.get("enabled"):
            operator.warn(
                "ingress/metadata-ignored",
                f"The operator ignores ingress.{field}: neither the Ingress nor the VirtualService gets them.",
                (*path, field),
                "Add them to the rendered object yourself.",
            )
    if grove and component.type != "frontend":
        if (component.ingress or {}).get("enabled"):
            tell_no_ingress(component, operator)
    else:
        tell_ingress(component, operator)


def _metadata(component: Component, operator: Operator) -> None:
    """Source: internal/dynamo/graph.go GenerateDynamoComponentsDeployments; controller getKubeAnnotations."""
    tell_lost_labels(component, operator)
    lost = [key for key in component.annotations if key not in _STEERING]
    if lost:
        operator.warn(
            "component/annotations-ignored",
            f"Without Grove, {_listed(lost)} of {component.name} {'is' if len(lost) == 1 else 'are'} on no object.",
            (*component.path, "annotations", lost[0]),
            "Use extraPodMetadata.annotations.",
            others=tuple((*component.path, "annotations", key) for key in lost[1:]),
        )


def _listed(keys: list[str]) -> str:
    return f"the annotation {keys[0]}" if len(keys) == 1 else f"the annotations {' and '.join(keys)}"


def tell_ignored_graph(graph: Graph, operator: Operator) -> None:
    """The fields of the graph itself that have no effect."""
    if (graph.value.get("spec") or {}).get("dynamoGraph"):
        operator.warn(
            "graph/dynamo-graph-ignored",
            "The operator ignores dynamoGraph: the components and their images are those of spec.services.",
            ("spec", "dynamoGraph"),
            "Remove it.",
        )
    queue = "nvidia.com/kai-scheduler-queue"
    if queue in graph.annotations and not operator.release.has("grove/kai"):
        operator.warn(
            "kai/ignored",
            f"The operator ignores the annotation {queue}, which is new in 0.5.",
            ("metadata", "annotations", queue),
            "Set schedulerName and the label kai.scheduler/queue in the components.",
        )


def tell_ignored_component(deployed: Deployed, operator: Operator) -> None:
    """The fields of a DynamoComponentDeployment that have no effect, on its own or created from a graph."""
    component = deployed.component
    if component.path == ("spec",):
        tell_ingress(component, operator)
    if component.spec.get("dynamoComponent"):
        operator.warn(
            "component/dynamo-component-ignored",
            "The operator ignores dynamoComponent: the image is that of extraPodSpec.mainContainer.",
            (*component.path, "dynamoComponent"),
            "Remove it.",
        )
    if component.is_multinode and not operator.capabilities.lws:
        operator.warn(
            "multinode/no-orchestrator",
            f"{component.name or deployed.name} needs {component.nodes} nodes, but the cluster has no "
            "LeaderWorkerSet: the operator creates one Deployment, whose pods do not form replicas.",
            (*component.path, "multinode"),
            "Render with --target lws, or remove multinode.",
        )
