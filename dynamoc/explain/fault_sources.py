"""The places of the input behind the fields of traced objects."""

from __future__ import annotations

from dynamoc.explain.describe import Describer
from dynamoc.explain.origin import CONFIG, CONTEXT, USER
from dynamoc.explain.traced import leaves, origin_of, plain
from dynamoc.kube.labels import COMPONENT_LABEL
from dynamoc.stages.faults import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Path
    from dynamoc.explain.origin import Origin
    from dynamoc.options import Options

    Tree = dict[str, Any]

_NAME = ("metadata", "name")
_WRITTEN = (USER, CONTEXT)


class Sources:
    """Where the values of traced objects come from (`dynamoc.stages.faults.Sources`)."""

    def __init__(self, objects: list[Tree], options: Options) -> None:
        self.objects = objects
        self._describer = Describer(options)

    def of(self, index: int, path: Path) -> list[Source]:
        return self._sources(self._origins(index, path), index, path)

    def of_key(self, index: int, path: Path) -> list[Source]:
        origins = [origin for origin in self._origins(index, path) if origin.kind in _WRITTEN and origin.path]
        found = [_source(origin, key=origin.path[-1] == path[-1]) for origin in origins]
        return found or self.of(index, path)

    def of_length(self, index: int, path: Path) -> list[Source]:
        return sorted(self.of(index, path), key=lambda source: len(source.text), reverse=True)

    def written(self, index: int, path: Path) -> Origin | None:
        """Where the input has a scalar as it is, None where the operator made it."""
        origin = origin_of(_nearest(self.objects[index], path)[0])
        return origin if origin is not None and origin.kind in _WRITTEN else None

    def _sources(self, origins: list[Origin], index: int, path: Path) -> list[Source]:
        """Places in the inputs first; a default stands where the document lacks it; else what the object is for."""
        found = sorted((_source(origin) for origin in origins if origin.kind in _WRITTEN), key=_fits_names)
        if not found:
            found = [_source(origin) for origin in origins if origin.document is not None and origin.path]
        if not found:
            found = [source for origin in origins if (source := self._configured(origin)) is not None]
        return found or [_source(origin) for origin in self.owner(index, path)]

    def _configured(self, origin: Origin) -> Source | None:
        place = self._describer.config_place(origin.name) if origin.kind == CONFIG else None
        return None if place is None else Source(place, ())

    def _origins(self, index: int, path: Path) -> list[Origin]:
        """The origin of a field and those that it was computed from; of a container, where the input has it."""
        value, depth = _nearest(self.objects[index], path)
        if value.__class__ is not dict and value.__class__ is not list:
            origin = origin_of(value)
            return [] if origin is None else origin.sources()
        block = _block(value)
        if block is None:
            # What the operator writes into a container of its own says little about what the container lacks.
            is_own = depth < len(path) or path[-2:-1] in (("containers",), ("initContainers",))
            return [] if is_own else _first_written(value)
        block.path = (*block.path, *path[depth:])
        return [block]

    def owner(self, index: int, path: Path) -> list[Origin]:
        """The component that a field belongs to, else the name of the document."""
        item = self.objects[index]
        for depth in range(len(path), -1, -1):
            holder, reached = _nearest(item, path[:depth])
            if reached == depth and holder.__class__ is dict:
                labels = holder.get("labels") or (holder.get("metadata") or {}).get("labels") or {}
                # Cliques up to 0.6 don't carry their component's label.
                for name in (labels.get(COMPONENT_LABEL), holder.get("name")):
                    found = self.components_in(name)
                    if found:
                        return found
        named = item["metadata"].get("name")
        return self.components_in(named) or _user_sources(named)[:1]

    def components_in(self, name: Any) -> list[Origin]:
        """The parts of a name that a component gave it, behind that of the graph, which may hold the same words."""
        sources = _user_sources(name)
        rest = str(name).lower()
        for origin in sources:
            if origin.path == _NAME:
                rest = rest.removeprefix(str(origin.written).lower())
        return [item for item in sources if item.path[:1] == ("spec",) and str(item.written).lower() in rest]


def _source(origin: Origin, *, key: bool = False) -> Source:
    document = origin.document
    assert document is not None
    place = document.place(origin.path, key=True) if key else origin.place
    written = plain(origin.written)
    assert place is not None
    return Source(place, origin.path, written if written.__class__ is str else "")


def _fits_names(source: Source) -> bool:
    """Of what a name is made of, the part that no name can hold is the one to look at."""
    from dynamoc.kube.names import is_dns_subdomain

    return is_dns_subdomain(source.text.lower())


def _user_sources(value: Any) -> list[Origin]:
    origin = origin_of(value)
    return [] if origin is None else [source for source in origin.sources() if source.kind in _WRITTEN]


def _nearest(value: Any, path: Path) -> tuple[Any, int]:
    """The value at a path, or at as much of it as exists, and how many steps that is."""
    for depth, step in enumerate(path):
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return value, depth
    return value, len(path)


def _block(container: Any) -> Origin | None:
    """Where the input has a container: most of its values say so, which were copied with their paths below it."""
    from dynamoc.explain.origin import Origin

    votes: dict[Any, int] = {}
    for below, value in leaves(container):
        origin = origin_of(value)
        if origin is None or origin.kind not in _WRITTEN or not below:
            continue
        if origin.path[len(origin.path) - len(below) :] == below:
            key = (origin.kind, origin.document, origin.path[: len(origin.path) - len(below)])
            votes[key] = votes.get(key, 0) + 1
    if not votes:
        return None
    kind, document, path = max(votes, key=lambda key: (votes[key], len(key[2])))
    return Origin(kind, document=document, path=path)


def _first_written(container: Any) -> list[Origin]:
    """The first value of the input that a rule made a container from; names of graphs become part of too much."""
    for _, value in leaves(container):
        found = [origin for origin in _user_sources(value) if origin.path[:1] == ("spec",)]
        if found:
            return found
    return []
