"""What a KRM function reads and writes: a ResourceList.

Source: github.com/kubernetes-sigs/kustomize cmd/config/docs/api-conventions/functions-spec.md; what kustomize 5.8 was
seen to send.
"""

from __future__ import annotations

from dynamoc.kube.identity import identity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Tree = dict[str, Any]

API_VERSION = "config.kubernetes.io/v1"
ORIGIN = "config.kubernetes.io/origin"
PATHS = ("internal.config.kubernetes.io/path", "config.kubernetes.io/path")
#: Annotations by which kustomize, kpt and helm keep account of items; they are no part of the objects.
_INTERNAL = (
    "alpha.config.kubernetes.io/",
    "config.k8s.io/id",
    "config.kubernetes.io/function",
    "config.kubernetes.io/id",
    "config.kubernetes.io/index",
    "config.kubernetes.io/merge-source",
    ORIGIN,
    "config.kubernetes.io/path",
    "internal.config.kubernetes.io/",
    "internal.kpt.dev/",
    "kustomize.config.k8s.io/",
    "postrenderer.helm.sh/",
)


class ResourceList:
    """A list of items, and the configuration of the function; None where there is none."""

    def __init__(self, items: list[Tree], config: Tree | None) -> None:
        self.config = config
        own = identity(config) if config else None
        #: without the configuration itself, which is the only item that kustomize gives to a generator
        self.items = [item for item in items if identity(item) != own]


def resource_list(value: Any) -> ResourceList:
    """Raises ValueError, with a sentence, for anything else than a ResourceList."""
    if not isinstance(value, dict) or value.get("kind") != "ResourceList":
        raise ValueError(f"A KRM function reads a ResourceList of {API_VERSION} from stdin.")
    items, config = value.get("items") or [], value.get("functionConfig")
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise ValueError("The items of the ResourceList must be a list of objects.")
    if config is not None and not isinstance(config, dict):
        raise ValueError("The functionConfig of the ResourceList must be an object.")
    return ResourceList(items, config)


def without_internal(item: Tree) -> tuple[Tree, dict[str, Any]]:
    """An item as its author wrote it, and the annotations of the tools that brought it here."""
    metadata = item.get("metadata")
    given = metadata.get("annotations") if isinstance(metadata, dict) else None
    if not isinstance(metadata, dict) or not isinstance(given, dict):
        return item, {}
    internal = {key: value for key, value in given.items() if key.startswith(_INTERNAL)}
    if not internal:
        return item, {}
    kept = {key: value for key, value in given.items() if key not in internal}
    bare = {key: value for key, value in metadata.items() if key != "annotations"}
    return {**item, "metadata": {**bare, "annotations": kept} if kept else bare}, internal


def restored(objects: list[Tree], items: list[Tree]) -> list[Tree]:
    """The objects; those of the items that pass through have the annotations of the tools again."""
    internal = {identity(item): without_internal(item)[1] for item in items}
    return [_with_internal(item, internal.get(identity(item), {})) for item in objects]


def _with_internal(item: Tree, internal: dict[str, Any]) -> Tree:
    """The item with the annotations of the tools, as it was."""
    if not internal:
        return item
    metadata = item["metadata"]
    return {**item, "metadata": {**metadata, "annotations": {**(metadata.get("annotations") or {}), **internal}}}
