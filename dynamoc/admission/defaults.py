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
    annotations = value["metadata"].get("annotations") or {}
    grove = context.capabilities.grove and annotations.get(ENABLE_GROVE, "").lower() != "false"
    counts = ("replicas", "minAvailable") if grove else ("replicas",)
    components = value["spec"].get("components")
    if components:
        value["spec"]["components"] = [
            {**spec, **{count: 1 for count in counts if spec.get(count) is None}} for spec in components
        ]


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
