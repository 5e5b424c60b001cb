"""What of a compilation an answer needs: the document and the component that one object is made from.

What became of each field of the input.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any

from dynamoc.compiler.explain.traced import USER, Origin, leaves, origin_of
from dynamoc.compiler.objects import COMPILED_KINDS
from dynamoc.compiler.state import Trace
from dynamoc.documents.findings.finding import Path
from dynamoc.documents.source.document import Document
from dynamoc.kube.merge import at
from dynamoc.kube.names import COMPONENT_LABEL, Identity, identity, mapping

if TYPE_CHECKING:
    from dynamoc.compiler.explain.traced_compilation import Explained

Tree = dict[str, Any]

Key = tuple[str, str, int, Path]

#: where a PodCliqueSet has the pods of its components
CLIQUES = ("spec", "template", "cliques")
#: fields of a component, in either version, that only its own pods are made of
_OF_PODS = ("envs", "extraPodMetadata", "extraPodSpec", "livenessProbe", "podTemplate", "readinessProbe", "resources")


@dataclass(eq=False, slots=True)
class Focus:
    """A field of one object, or all of it: all else need not know where it comes from.

    index      of the object among what is rendered; -1 for all that is made of the components
    path       of the field in the object
    owner      identity of the document that the object is made from, None where it was given as it is
    components the components that the object, or the part of it that is asked for, belongs to; None for all
    in_pods    whether rules had a part in it, which change pods only
    alone      whether workloads of other components need not be made, so that objects have other numbers
    """

    index: int
    path: Path
    owner: Identity | None
    components: frozenset[str] | None
    _: KW_ONLY
    in_pods: bool
    alone: bool = False

    def leaves_out(self, value: Tree, namespace: str | None) -> bool:
        """Whether a document has no part in the object: another graph; what tells of the cluster may have one."""
        return self.owner is not None and owner_of(value, namespace) not in (None, self.owner)

    def left_out(self, value: Tree) -> list[Any]:
        """The parts of a graph that no object of the components is made of: what makes up the pods of the others."""
        if value.get("kind") != "DynamoGraphDeployment":
            return []
        others = [item for item in self._others(value) if item.__class__ is dict]
        return [item[field] for item in others for field in _OF_PODS if field in item]

    def _others(self, value: Tree) -> list[Any]:
        """The components of a graph, in either version, that nothing is asked of."""
        spec = value.get("spec")
        if self.components is None or spec.__class__ is not dict:
            return []
        services, components = spec.get("services"), spec.get("components")
        if services.__class__ is dict:
            named = list(services.items())
        elif components.__class__ is list:
            named = [(item.get("name"), item) for item in components if item.__class__ is dict]
        else:
            return []
        return [item for name, item in named if name.__class__ is str and name not in self.components]


def focus_on(objects: list[Tree], trace: Trace, index: int, path: Path) -> Focus:
    """What an answer on the field at `path` of an object needs; `objects` and `trace` are of one compilation."""
    item = objects[index]
    owner = trace.owners.get(identity(item, "default"))
    stored = trace.stored.get(owner) if owner else None
    component, in_pods = component_at(item, path), _holds_pods(item)
    if item["kind"] == "PodCliqueSet" and len(path) > 2 and path[:3] != CLIQUES:
        in_pods = False
    known = stored is not None and component is not None and component in component_names(stored)
    components = frozenset((component,)) if known and component is not None else None
    return Focus(index, path, owner, components, in_pods=in_pods)


def focus_from(value: Tree, path: Path, namespace: str | None) -> Focus | None:
    """What an answer on a field of a graph needs, if only pods of its own component are made of it; else None."""
    if (
        value.get("kind") != "DynamoGraphDeployment"
        or not component_of(path)
        or len(path) < 4
        or path[3] not in _OF_PODS
    ):
        return None
    name = str(path[2] if path[1] == "services" else at(value, path[:3]).get("name"))
    return Focus(-1, (), owner_of(value, namespace), frozenset((name,)), in_pods=True)


def parts_of(item: Tree, components: frozenset[str]) -> list[Path]:
    """The parts of an object that are made of some components, or of what their labels do not say."""
    wanted = (None, *components)
    if item["kind"] != "PodCliqueSet":
        return [()] if component_at(item, ()) in wanted else []
    cliques: list[Path] = [(*CLIQUES, number) for number in range(len(at(item, CLIQUES)))]
    return [clique for clique in cliques if component_at(item, (*clique, "spec")) in wanted]


def component_at(item: Tree, path: Path) -> str | None:
    """The component that a field of an object belongs to, by its labels; None for several or none."""
    labels = mapping(item, "metadata", "labels")
    if item["kind"] == "PodCliqueSet":
        if path[:3] != CLIQUES or len(path) < 5:
            return None
        labels = mapping(at(item, path[:4]), "labels")
    if item["kind"] == "Service" and COMPONENT_LABEL not in labels:
        labels = mapping(item, "spec", "selector")
    component: str | None = labels.get(COMPONENT_LABEL)
    return component if component.__class__ is str else None


def _holds_pods(value: Any) -> bool:
    if isinstance(value, dict):
        return "containers" in value or any(map(_holds_pods, value.values()))
    return isinstance(value, list) and any(map(_holds_pods, value))


def component_names(stored: Tree) -> list[str]:
    """The components of a graph. One that stands on its own has no other beside it."""
    spec = stored.get("spec") or {}
    return [*(spec.get("services") or ()), *(item.get("name", "") for item in spec.get("components") or ())]


def owner_of(value: Tree, namespace: str | None) -> Identity | None:
    """The identity of a document that only its own objects are made of; None for what may have a part in all."""
    if value["kind"] not in COMPILED_KINDS or value["kind"] == "DynamoCheckpoint":
        return None
    return identity(value, namespace or "default")


def related(documents: list[Document], wanted: list[Document], namespace: str | None) -> list[Document]:
    """The documents that have a part in what is made of some of them; all where these may have a part in all."""
    owners = {owner_of(document.value, namespace) for document in wanted}
    if not owners or None in owners:
        return documents
    return [document for document in documents if owner_of(document.value, namespace) in (None, *owners)]


def component_of(path: Path) -> Path:
    """The beginning of the path of a field of a graph that leads to its component, () where it is beside them."""
    return path[:3] if path[:2] in (("spec", "services"), ("spec", "components")) else ()


VALUE, PART, LOST, REMOVED = "value", "part", "lost", "removed"


@dataclass(eq=False, slots=True)
class Effect:
    """One place of the output that a field of the input has to do with.

    how     VALUE (it is the value there), PART (the value was computed from it), LOST (it stood there until the step
            put another value), REMOVED (the step took it away; then there is no place)
    index   of the object
    path    in the object
    step    rule or builder
    """

    how: str
    index: int
    path: Path
    step: str | None


class Effects:
    """All effects of a compilation, by field of the input."""

    def __init__(self, explained: Explained) -> None:
        self.explained = explained
        self._found: dict[Key, list[Effect]] = {}
        for index, item in enumerate(explained.objects):
            aside = _aside(item, explained.focus)
            for path, value in leaves(item):
                if aside and path[: len(CLIQUES) + 1] in aside:
                    continue
                origin = explained.origin(index, path, value)
                if origin is not None:
                    self._note(origin, index, path)
        for removed in explained.removed:
            origin = origin_of(removed.value)
            if origin is not None:
                for source in origin.sources():
                    self._add(source, Effect(REMOVED, -1, (), removed.rule))

    def _note(self, origin: Origin, index: int, path: Path) -> None:
        self._add(origin, Effect(VALUE, index, path, origin.step))
        for source in origin.sources()[1:]:
            self._add(source, Effect(PART, index, path, origin.step))
        winner = origin
        while winner.before is not None:
            earlier = origin_of(winner.before)
            if earlier is None:
                break
            for source in earlier.sources():
                self._add(source, Effect(LOST, index, path, winner.step))
            winner = earlier

    def _add(self, source: Origin, effect: Effect) -> None:
        if source.kind == USER:
            self._found.setdefault(source.key(), []).append(effect)

    def of(self, file: str, index: int, path: Path) -> list[Effect]:
        """Where the field at `path` of a document went; PART is left out where it is the VALUE as well."""
        found = self._found.get((USER, file, index, path), [])
        values = {(effect.index, effect.path) for effect in found if effect.how == VALUE}
        kept: dict[Any, Effect] = {}
        for effect in found:
            if effect.how == VALUE or (effect.index, effect.path) not in values:
                kept.setdefault((effect.how, effect.index, effect.path, effect.step), effect)
        return list(kept.values())


def _aside(item: Any, focus: Focus | None) -> set[Path]:
    """The cliques of components that the focus is not on: the builder of the whole set has no origins for them."""
    if focus is None or focus.index >= 0 or focus.components is None or item["kind"] != "PodCliqueSet":
        return set()
    cliques: set[Path] = {(*CLIQUES, number) for number in range(len(at(item, CLIQUES)))}
    return cliques - {*parts_of(item, focus.components)}
