"""What the operator's mutating webhooks write into a document (internal/webhook/defaulting).

Each function changes a document that is its own down to `metadata` and `spec`, and copies what it changes below.
"""

from __future__ import annotations

from dynamoc.admission.known_annotations import ENABLE_GROVE, ORIGIN_VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.cluster.context import ClusterContext

    Tree = dict[str, Any]

_FRONTEND = "nvcr.io/nvidia/ai-dynamo/dynamo-frontend"
_PLANNER = "nvcr.io/nvidia/ai-dynamo/dynamo-planner"


def service_replicas(value: Tree, _context: ClusterContext) -> None:
    """A service of v1alpha1 without `replicas` has 1."""
    services = value["spec"].get("services")
    if services:
        value["spec"]["services"] = {
            name: {**spec, "replicas": 1} if spec is not None and spec.get("replicas") is None else spec
            for name, spec in services.items()
        }


def origin_version(value: Tree, context: ClusterContext) -> None:
    """The operator's version, unless the graph brings one along: later releases keep old behaviour by it."""
    metadata = value["metadata"]
    annotations = metadata.get("annotations") or {}
    if ORIGIN_VERSION not in annotations:
        metadata["annotations"] = {**annotations, ORIGIN_VERSION: context.release.version}


def component_counts(value: Tree, context: ClusterContext) -> None:
    """A component of v1beta1 without `replicas` has 1, and on Grove's pathway 1 of them must be available."""
    counts = _counts(value["metadata"].get("annotations") or {}, context)
    components = value["spec"].get("components")
    if components:
        value["spec"]["components"] = [
            {**spec, **{count: 1 for count in counts if spec.get(count) is None}} for spec in components
        ]


def leaves_alone(value: Tree, context: ClusterContext) -> bool:
    """Whether a graph or component, as written, has all that the mutating webhook would add: then it writes nothing.

    Source: internal/webhook/defaulting, and controller-runtime's own short cut for objects that are equal.
    """
    spec, metadata = value.get("spec"), value.get("metadata")
    if not context.release.has("admission/patches-changes-only"):
        return False
    if spec.__class__ is not dict or metadata.__class__ is not dict:
        return False
    if value["kind"] == "DynamoComponentDeployment":
        return bool(spec.get("name"))
    annotations = metadata.get("annotations")
    if annotations.__class__ is not dict or ORIGIN_VERSION not in annotations:
        return False
    services, components = spec.get("services"), spec.get("components")
    if services.__class__ is dict:
        components = list(services.values())
    if components.__class__ is not list:
        return False
    counts = _counts(annotations, context)
    return all(item.__class__ is dict and all(item.get(count) is not None for count in counts) for item in components)


def _counts(annotations: Tree, context: ClusterContext) -> tuple[str, ...]:
    """What a component gets 1 of: replicas, and on Grove's pathway those that must be available."""
    grove = context.capabilities.grove and str(annotations.get(ENABLE_GROVE, "")).lower() != "false"
    return ("replicas", "minAvailable") if grove else ("replicas",)


def component_name(value: Tree, _context: ClusterContext) -> None:
    """A component of v1beta1 on its own is called like its object."""
    if not value["spec"].get("name") and value["metadata"].get("name"):
        value["spec"]["name"] = value["metadata"]["name"]


def frontend_image(value: Tree, context: ClusterContext) -> None:
    """A request of 1.0 without an image is profiled with the frontend's image of the operator's version."""
    _default_image(value, context, _FRONTEND)


def planner_image(value: Tree, context: ClusterContext) -> None:
    """A request of 1.4 without an image is profiled with the planner's image of the operator's version."""
    _default_image(value, context, _PLANNER)


def _default_image(value: Tree, context: ClusterContext, image: str) -> None:
    if not value["spec"].get("image"):
        value["spec"]["image"] = f"{image}:{context.release.version}"


#: steps that leave alone what exists already
CREATION = frozenset({origin_version, component_name, frontend_image, planner_image})
