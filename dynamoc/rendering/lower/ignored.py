"""Fields that the operator accepts and ignores: reported, because the output does not show it.

The choice of fields follows what `dynamoc explain` finds without effect in the examples; those that say what is
the case anyway are left alone.
"""

from __future__ import annotations

from dynamoc.admission.graph import Component, Graph
from dynamoc.admission.operator import Operator
from dynamoc.documents.findings.finding import Path
from dynamoc.kube.merge import Tree
from dynamoc.reference.releases import RELEASES
from dynamoc.rendering.lower.early_pods import Deployed


def tell_ignored_of_graph(graph: Graph, operator: Operator) -> None:
    """Warns of what has no effect on the components of a graph."""
    grove = operator.grove_pathway(graph.annotations)
    for component in graph.components:
        tell_unknown_type(component, operator)
        _name(graph, component, operator)
        ignored = grove and component.type != "frontend"
        if ignored and (component.ingress or {}).get("enabled"):
            tell_no_ingress(component, operator)
        tell_ignored(component, operator, ingress=not ignored)
        if not grove and not operator.release.has("components/keep-labels"):
            tell_lost_labels(component, operator)
    if not grove:
        _topology(graph, operator)


def tell_ignored(component: Component, operator: Operator, *, ingress: bool = True) -> None:
    """Warns of what has no effect on a component, in a graph or alone; not of an `ingress` that does not exist."""
    if ingress:
        tell_ingress(component, operator)
    if (component.model_ref or {}).get("revision"):
        operator.warn(
            "model-ref/revision-ignored",
            "The operator ignores modelRef.revision: only the name identifies a model.",
            (*component.path, "modelRef", "revision"),
            "Remove it, and set the revision in the arguments of the container.",
        )


def _topology(graph: Graph, operator: Operator) -> None:
    """Only Grove packs pods."""
    paths: list[Path] = [(*item.path, "topologyConstraint") for item in graph.components if item.topology_constraint]
    if (graph.value.get("spec") or {}).get("topologyConstraint"):
        paths.insert(0, ("spec", "topologyConstraint"))
    if paths:
        operator.warn(
            "topology/ignored",
            "Without Grove, the operator ignores topologyConstraint: the scheduler places these pods like any others.",
            paths[0],
            "Render with --target grove, or use affinity in the pods.",
            others=tuple(paths[1:]),
        )


def tell_no_epp_config(component: Component, operator: Operator) -> None:
    """A ConfigMap for an endpoint picker is created for graphs only (controller reconcileEPPResources)."""
    if (component.epp_config or {}).get("config"):
        operator.warn(
            "epp/config-ignored",
            "The operator creates no ConfigMap from the eppConfig.config of a DynamoComponentDeployment: its "
            "pods wait for a ConfigMap that nothing creates.",
            (*component.path, "eppConfig", "config"),
            "Create the ConfigMap yourself, and refer to it in eppConfig.configMapRef.",
        )


def tell_other_name(component: Component, operator: Operator) -> None:
    operator.warn(
        "component/service-name-ignored",
        f"The operator names this service {component.name} and ignores serviceName.",
        (*component.path, "serviceName"),
        "Rename the service itself, or remove serviceName.",
    )


def tell_lost_labels(component: Component, operator: Operator) -> None:
    if component.labels:
        operator.warn(
            "component/labels-ignored",
            f"Without Grove, the labels of {component.name} are on no object.",
            (*component.path, "labels"),
            "Use extraPodMetadata.labels.",
        )


def tell_no_ingress(component: Component, operator: Operator) -> None:
    operator.warn(
        "ingress/ignored",
        f"Under Grove, only frontends get an ingress; {component.name} gets none.",
        (*component.path, "ingress"),
        "Create your own Ingress and Service.",
    )


def tell_unknown_type(component: Component, operator: Operator) -> None:
    """Types without defaults. Source: internal/dynamo/component_common.go ComponentDefaultsFactory."""
    known = operator.release["component-defaults"]
    if component.type and component.type not in known:
        operator.warn(
            "component/unknown-type",
            f"componentType {component.type} is not one of {', '.join(known)}: the pods get no ports, probes or "
            "environment for a type, and no backend.",
            (*component.path, "componentType"),
            f"Use {', '.join(known)}{_later_types(component.type)}.",
        )


def _later_types(wanted: str) -> str:
    """The releases that know a component type, as part of a sentence."""
    later = [name for name, release in RELEASES.items() if wanted in release["component-defaults"]]
    return f"; {wanted} exists since release {later[0]}" if later else ""


def _name(graph: Graph, component: Component, operator: Operator) -> None:
    """The key of the service is its name. Source: internal/dynamo/graph.go; conversion drops the field."""
    if "services" not in component.path:
        return
    alpha: Tree = component.spec if "services" in (graph.value.get("spec") or {}) else _alpha_spec(graph, component)
    if alpha.get("serviceName", component.name) not in ("", component.name):
        tell_other_name(component, operator)


def _alpha_spec(graph: Graph, component: Component) -> Tree:
    services = (graph.alpha.get("spec") or {}).get("services") or {}
    found: Tree = services.get(component.name) or {}
    return found


def _ingress_metadata(component: Component, operator: Operator) -> None:
    for field in ("annotations", "labels"):
        if (component.ingress or {}).get(field):
            operator.warn(
                "ingress/metadata-ignored",
                f"The operator ignores ingress.{field}: neither the Ingress nor the VirtualService gets them.",
                (*component.path, "ingress", field),
                "Add them to the rendered object yourself.",
            )


def tell_ingress(component: Component, operator: Operator) -> None:
    """Source: internal/dynamo/ingress.go and the controllers' generateIngress and generateVirtualService."""
    ingress = component.ingress or {}
    path = (*component.path, "ingress")
    if not ingress.get("enabled"):
        return
    _ingress_metadata(component, operator)
    gateway = ingress.get("useVirtualService") and ingress.get("virtualServiceGateway") is not None
    has_class = ingress.get("ingressControllerClassName") is not None
    if not gateway:
        if has_class:
            return
        operator.warn(
            "ingress/without-class",
            f"The ingress of {component.name} is enabled, but sets neither a class nor a gateway: the operator "
            "creates no object for it.",
            path,
            "Set ingressControllerClassName, or useVirtualService with virtualServiceGateway.",
        )
    elif not operator.config.ingress.virtual_service_gateway:
        operator.warn(
            "ingress/no-istio",
            "The operator creates VirtualServices only if its configuration sets a gateway, which it does not: "
            f"{component.name} gets {'an Ingress only' if has_class else 'no ingress'}.",
            (*path, "virtualServiceGateway"),
            "Set the gateway in the operator's configuration (--cluster) too.",
            others=((*path, "enabled"), (*path, "useVirtualService")),
        )


def tell_overwritten_labels(component: Component, labels: dict[str, str], operator: Operator) -> None:
    """Labels that a user gives to pods, and that the operator sets to something else."""
    # Paths of components are those of the document, whatever its version; a component alone has no specific path.
    metadata = ("extraPodMetadata",) if "services" in component.path else ("podTemplate", "metadata")
    for key, value in component.pod_labels.items():
        if labels.get(key, value) != value:
            operator.warn(
                "component/label-overwritten",
                f"The label `{key}: {value}` has no effect: the operator sets it to `{labels[key]}`.",
                (*component.path, *metadata, "labels", key),
                "delete it",
            )


_NO_DISCOVERY = "nvidia.com/disable-image-pull-secret-discovery"
#: Annotations of a component that steer the operator; without Grove all others are lost.
_STEERING = (
    "nvidia.com/deployment-strategy",
    _NO_DISCOVERY,
    "nvidia.com/enable-debug-mode",
    "nvidia.com/enable-metrics",
    "nvidia.com/enable-stealing-traffic-debug-mode",
)


def tell_ignored_of_early(component: Component, operator: Operator, *, grove: bool) -> None:
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
    enabled = (component.ingress or {}).get("enabled")
    if not enabled:
        _ingress_metadata(component, operator)
    if grove and component.type != "frontend":
        if enabled:
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
