"""What is wrong with generated objects, as findings on the lines of the input that led to it: one finding a cause."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dynamoc.compiler.explain.annotated import Describer
from dynamoc.compiler.explain.traced import CONFIG, CONTEXT, USER, Origin, leaves, origin_of, plain
from dynamoc.compiler.options import Options
from dynamoc.documents.findings.finding import ERROR, Finding, Path, Place, format_path
from dynamoc.documents.schema.problem import Problem
from dynamoc.documents.source.document import Document
from dynamoc.kube.merge import Tree, at
from dynamoc.kube.names import COMPONENT_LABEL, is_dns_subdomain

#: ends of slugs of problems with the key of an entry, not with its value
_ABOUT_KEYS = ("-key", "/resource-name", "/misspelt-resource")
#: how many of the objects that have the same fault are named
_NAMED = 3


@dataclass(eq=False, slots=True)
class Source:
    """A field of the input, or of the operator's configuration, with its path and the text that stands there."""

    place: Place
    path: Path
    text: str = ""


@dataclass(eq=False, slots=True)
class Fault:
    """A problem of an object; `index` is its number among those of the document."""

    index: int
    item: Tree
    problem: Problem

    @property
    def subject(self) -> str:
        return f"{self.item['kind']}/{self.item['metadata'].get('name', '')}"


def fault_findings(document: Document, faults: list[Fault], sources: FaultSources | None) -> list[Finding]:
    """One finding for the faults of the same reason at the same place, which says how many objects have it."""
    groups: dict[tuple[object, ...], list[tuple[Fault, list[Source]]]] = {}
    for fault in faults:
        problem = fault.problem
        found = _found(fault, sources) or [_root(document)]
        reason = ("too long",) if problem.excess else (problem.slug, problem.severity, problem.message)
        groups.setdefault((found[0].place, *reason), []).append((fault, found))
    return [_finding(document, alike) for alike in groups.values()]


def _found(fault: Fault, sources: FaultSources | None) -> list[Source]:
    if sources is None:
        return []
    problem = fault.problem
    if problem.excess:
        return sources.of_length(fault.index, problem.path)
    look = sources.of_key if problem.slug.endswith(_ABOUT_KEYS) else sources.of
    found = look(fault.index, _pointed(fault.item, problem))
    for other in problem.others:
        found += sources.of(fault.index, other)[:1]
    return found


def _pointed(item: Tree, problem: Problem) -> Path:
    """The path of a problem; where that is a block, of the field in it whose value or key the message quotes."""
    block: Any = at(item, problem.path)
    if not isinstance(block, dict):
        return problem.path
    said = problem.message
    for key, value in block.items():
        quoted = isinstance(value, str | int | float) and any(
            mark in said for mark in (f"`{value}`", f"'{value}'", f" {value}`")
        )
        if key != "name" and quoted:
            return (*problem.path, key)
    named = (key for key in block if f"`{key}`" in said or f"`{key}:" in said)
    return (*problem.path, *([key] if (key := next(named, None)) else []))


def _root(document: Document) -> Source:
    name = ("metadata", "name")
    return Source(document.place(name), name)


def _finding(document: Document, alike: list[tuple[Fault, list[Source]]]) -> Finding:
    fault, found = max(alike, key=lambda pair: (pair[0].problem.severity == ERROR, pair[0].problem.excess))
    problem, excess = fault.problem, max(each.problem.excess for each, _ in alike)
    first, *others = found
    hint = problem.hint
    if excess and first.text:
        hint = f"shorten `{first.text}` by {excess} characters"
        if excess >= len(first.text):
            hint = "shorten the names that it consists of"
    elif hint is None and problem.slug == "admission/object-name" and first.text:
        hint = _mended(first.text)
    finding = Finding(
        problem.slug,
        f"{problem.message}{_elsewhere(fault, alike)}",
        severity=ERROR if any(each.problem.severity == ERROR for each, _ in alike) else problem.severity,
        place=first.place,
        hint=hint,
        path=first.path,
        subject=f"{document.value.get('kind')}/{(document.value.get('metadata') or {}).get('name', '')}",
        change=problem.change,
        related=tuple(dict.fromkeys(source.place for source in others if source.place != first.place)),
    )
    finding.made = f"{fault.subject} {format_path(problem.path)}"
    return finding


def _mended(name: str) -> str | None:
    """A part of a name without what names of objects do not allow."""
    guess = "".join(char if char.isascii() and char.isalnum() else "-" for char in name).strip("-")
    return f"write `{guess}`" if guess and guess != name else None


def _elsewhere(shown: Fault, alike: list[tuple[Fault, list[Source]]]) -> str:
    """How many fields and objects have the same fault, where it is more than the one that is shown."""
    if len(alike) == 1:
        return ""
    objects = list(dict.fromkeys(fault.subject for fault, _ in alike))
    if len(objects) == 1:
        return f" This affects {len(alike)} fields of {objects[0]}."
    fields = f"{len(alike)} fields of " if len(alike) > len(objects) else ""
    listed = ", ".join(objects[:_NAMED]) + (f" and {len(objects) - _NAMED} more" if len(objects) > _NAMED else "")
    names = "" if shown.problem.excess else f": {listed}"
    return f" This affects {fields}{len(objects)} objects{names}."


_NAME = ("metadata", "name")
_WRITTEN = (USER, CONTEXT)


class FaultSources:
    """Where the input has the values of traced objects: the most specific line first."""

    def __init__(self, objects: list[Tree], options: Options) -> None:
        self.objects = objects
        self._describer = Describer(options)

    def of(self, index: int, path: Path) -> list[Source]:
        """The lines of the input that led to a field of an object."""
        return self._sources(self._origins(index, path), index, path)

    def of_key(self, index: int, path: Path) -> list[Source]:
        """As `of`, for the key of an entry and not for its value."""
        origins = [origin for origin in self._origins(index, path) if origin.kind in _WRITTEN and origin.path]
        found = [_source(origin, key=origin.path[-1] == path[-1]) for origin in origins]
        return found or self.of(index, path)

    def of_length(self, index: int, path: Path) -> list[Source]:
        """As `of`, for a text that is too long: the longest part first."""
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
            # What the operator writes into its own container says little about what the container lacks.
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
