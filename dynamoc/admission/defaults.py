"""What the operator's mutating webhooks write into a document on creation (internal/webhook/defaulting).

Each function changes a document that is its own down to `metadata` and `spec`, and copies what it changes below.
"""

from __future__ import annotations

from dynamoc.admission.known_annotations import ORIGIN_VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.cluster.context import ClusterContext

    Tree = dict[str, Any]

REQUEST_IMAGE = "nvcr.io/nvidia/ai-dynamo/dynamo-frontend"


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


def frontend_image(value: Tree, context: ClusterContext) -> None:
    """A request of 1.0 without an image is profiled with the frontend's image of the operator's version."""
    if not value["spec"].get("image"):
        value["spec"]["image"] = f"{REQUEST_IMAGE}:{context.release.version}"
