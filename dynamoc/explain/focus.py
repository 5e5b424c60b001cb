"""What of a compilation an answer needs: the document and the component that one object is made from."""

from __future__ import annotations

from dynamoc.compilation import COMPILED_KINDS
from dynamoc.kube.identity import identity
from dynamoc.kube.labels import COMPONENT_LABEL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.compilation import Trace
    from dynamoc.diagnostics.finding import Path
    from dynamoc.kube.identity import Identity

    Tree = dict[str, Any]

_CLIQUES = ("spec", "template", "cliques")
#: fields of a component, in either version, that only its own pods are made of
_OF_PODS = ("envs", "extraPodMetadata", "extraPodSpec", "livenessProbe", "podTemplate", "readinessProbe", "resources")


class Focus:
    """A field of one object, or all of it: all else need not know where it comes from.

    index      of the object among what is rendered
    path       of the field in the object
    owner      identity of the document that the object is made from, None where it was given as it is
    components the components that the object, or the part of it that is asked for, belongs to; None for all
    in_pods    whether rules had a part in it, which change pods only
    alone      whether workloads of other components need not be made, so that objects have other numbers
    """

    __slots__ = ("alone", "components", "in_pods", "index", "owner", "path")

    def __init__(
        self,
        index: int,
        path: Path,
        owner: Identity | None,
        components: frozenset[str] | None,
        *,
        in_pods: bool,
        alone: bool = False,
    ) -> None:
        self.index = index
        self.path = path
        self.owner = owner
        self.components = components
        self.in_pods = in_pods
        self.alone = alone

    def leaves_out(self, value: Tree, namespace: str | None) -> bool:
        """Whether a document has no part in the object: another graph; what tells of the cluster may have one."""
        if self.owner is None or value["kind"] not in COMPILED_KINDS or value["kind"] == "DynamoCheckpoint":
            return False
        return identity(value, namespace or "default") != self.owner

    def left_out(self, value: Tree) -> frozenset[int]:
        """Ids of the parts of a graph that have no part in the object: what makes up the pods of other components."""
        wanted = self.components
        if wanted is None or value.get("kind") != "DynamoGraphDeployment":
            return frozenset()
        others = (part for name, part in component_parts(value) if name not in wanted and isinstance(part, dict))
        return frozenset(id(part[field]) for part in others for field in _OF_PODS if field in part)


def focus_on(objects: list[Tree], trace: Trace, index: int, path: Path) -> Focus:
    """What an answer on the field at `path` of an object needs; `objects` and `trace` are of one compilation."""
    item = objects[index]
    owner = trace.owners.get(identity(item, "default"))
    stored = trace.stored.get(owner) if owner else None
    component, in_pods = component_at(item, path), _holds_pods(item)
    if item["kind"] == "PodCliqueSet" and len(path) > 2 and path[:3] != _CLIQUES:
        in_pods = False
    known = stored is not None and component is not None and component in component_names(stored)
    components = frozenset((component,)) if known and component is not None else None
    return Focus(index, path, owner, components, in_pods=in_pods)


def component_at(item: Tree, path: Path) -> str | None:
    """The component that a field of an object belongs to, by its labels; None for several or none."""
    labels = item["metadata"].get("labels") or {}
    if item["kind"] == "PodCliqueSet":
        if path[:3] != _CLIQUES or len(path) < 5:
            return None
        labels = item["spec"]["template"]["cliques"][path[3]].get("labels") or {}
    if item["kind"] == "Service" and COMPONENT_LABEL not in labels:
        labels = item["spec"].get("selector") or {}
    component: str | None = labels.get(COMPONENT_LABEL)
    return component


def _holds_pods(value: Any) -> bool:
    if isinstance(value, dict):
        return "containers" in value or any(map(_holds_pods, value.values()))
    return isinstance(value, list) and any(map(_holds_pods, value))


def component_names(stored: Tree) -> list[str]:
    """The components of a graph. One that stands on its own has no other beside it."""
    return [name for name, _ in component_parts(stored)]


def component_parts(value: Tree) -> list[tuple[str, Any]]:
    """The components of a graph by their names, in either version of the API."""
    spec = value.get("spec") or {}
    services, components = spec.get("services") or {}, spec.get("components") or ()
    return [*services.items(), *((item.get("name", ""), item) for item in components)]
