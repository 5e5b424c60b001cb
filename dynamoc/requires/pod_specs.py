"""The pod templates in any object, by their shape: kinds that nobody here knows have some, too."""

from __future__ import annotations

from dynamoc.kube.lenient import mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from dynamoc.diagnostics.finding import Path

    Tree = dict[str, Any]


class PodSpec:
    """A PodSpec inside of an object.

    path         where it stands
    labels, annotations  of the pods
    metadata     where these stand
    """

    __slots__ = ("annotations", "labels", "metadata", "path", "spec")

    def __init__(self, path: Path, spec: Tree, metadata: Path, holder: Tree) -> None:
        self.path = path
        self.spec = spec
        self.metadata = metadata
        self.labels: Tree = mapping(holder, "labels")
        self.annotations: Tree = mapping(holder, "annotations")


def pod_specs(value: Tree) -> list[PodSpec]:
    """The pod specs of an object in their order; templates inside of templates count once."""
    return list(_search(value, (), ()))


def _search(value: Any, path: Path, holders: tuple[Tree, ...]) -> Iterator[PodSpec]:
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _search(item, (*path, index), holders)
    elif isinstance(value, dict):
        if _is_pod_spec(value):
            yield PodSpec(path, value, *_metadata(path, holders))
            return
        for key, item in value.items():
            if isinstance(item, (dict, list)):
                yield from _search(item, (*path, key), (*holders, value))


def _is_pod_spec(value: Tree) -> bool:
    containers = value.get("containers")
    return isinstance(containers, list) and bool(containers) and all(_is_container(item) for item in containers)


def _is_container(value: Any) -> bool:
    return isinstance(value, dict) and "name" in value and ("image" in value or "resources" in value or len(value) > 1)


def _metadata(path: Path, holders: tuple[Tree, ...]) -> tuple[Path, Tree]:
    """Where the labels of the pods stand: beside the spec as `metadata`, or those of the clique that it is in."""
    if holders and isinstance(holders[-1].get("metadata"), dict):
        return (*path[:-1], "metadata"), holders[-1]["metadata"]
    if path[-1:] == ("podSpec",) and len(holders) > 1:
        return path[:-2], holders[-2]
    return path, {}
