"""Fields that the operator accepts and ignores: reported, because the output does not show it.

The choice of fields follows what `dynamoc explain` finds without effect in the examples; those that say what is
the case anyway are left alone. Releases up to 0.6 ignore others (`dynamoc.lower.early.ignored`).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Path
    from dynamoc.model.graph import Component, Graph
    from dynamoc.model.operator import Operator

    Tree = dict[str, Any]


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
    """Types without defaults of their own. Source: internal/dynamo/component_common.go ComponentDefaultsFactory."""
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
    from dynamoc.release import RELEASES

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


def tell_ingress(component: Component, operator: Operator) -> None:
    """Source: internal/dynamo/ingress.go and the controllers' generateIngress and generateVirtualService."""
    ingress = component.ingress or {}
    path = (*component.path, "ingress")
    if not ingress.get("enabled"):
        return
    for field in ("annotations", "labels"):
        if ingress.get(field):
            operator.warn(
                "ingress/metadata-ignored",
                f"The operator ignores ingress.{field}: neither the Ingress nor the VirtualService gets them.",
                (*path, field),
                "Add them to the rendered object yourself.",
            )
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
            "Set the gateway in the operator's configuration (--operator-config) too.",
            others=((*path, "enabled"), (*path, "useVirtualService")),
        )


def tell_overwritten_labels(component: Component, labels: dict[str, str], operator: Operator) -> None:
    """Labels that a user gives to pods, and that the operator sets to something else."""
    # Paths of components are those of the document, whatever its version; a component alone has no telling path.
    metadata = ("extraPodMetadata",) if "services" in component.path else ("podTemplate", "metadata")
    for key, value in component.pod_labels.items():
        if labels.get(key, value) != value:
            operator.warn(
                "component/label-overwritten",
                f"The label `{key}: {value}` has no effect: the operator sets it to `{labels[key]}`.",
                (*component.path, *metadata, "labels", key),
                "delete it",
            )
