"""What is wrong with generated objects, as findings on the lines of the input that led to it: one finding a cause."""

from __future__ import annotations

from dynamoc.diagnostics.finding import ERROR, Finding, format_path
from dynamoc.tree import at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    from dynamoc.diagnostics.finding import Path, Place
    from dynamoc.schema.problem import Problem
    from dynamoc.source.document import Document

    Tree = dict[str, Any]

    class Sources(Protocol):
        """Where the values of the objects of one document come from."""

        def of(self, index: int, path: Path) -> list[Source]:
            """The lines of the input that led to a field of an object, the most telling one first."""

        def of_key(self, index: int, path: Path) -> list[Source]:
            """As `of`, for the key of an entry and not for its value."""

        def of_length(self, index: int, path: Path) -> list[Source]:
            """As `of`, for a text that is too long: the longest part first."""


#: ends of slugs of problems with the key of an entry, not with its value
_ABOUT_KEYS = ("-key", "/resource-name", "/misspelt-resource")
#: how many of the objects that have the same fault are named
_NAMED = 3


class Source:
    """A field of the input, or of the operator's configuration, with its path and the text that stands there."""

    __slots__ = ("path", "place", "text")

    def __init__(self, place: Place, path: Path, text: str = "") -> None:
        self.place = place
        self.path = path
        self.text = text


class Fault:
    """A problem of an object; `index` is its number among those of the document."""

    __slots__ = ("index", "item", "problem")

    def __init__(self, index: int, item: Tree, problem: Problem) -> None:
        self.index = index
        self.item = item
        self.problem = problem

    @property
    def subject(self) -> str:
        return f"{self.item['kind']}/{self.item['metadata'].get('name', '')}"


def fault_findings(document: Document, faults: list[Fault], sources: Sources | None) -> list[Finding]:
    """One finding for the faults of the same reason at the same place, which says how many objects have it."""
    groups: dict[tuple[object, ...], list[tuple[Fault, list[Source]]]] = {}
    for fault in faults:
        problem = fault.problem
        found = _found(fault, sources) or [_root(document)]
        reason = ("too long",) if problem.excess else (problem.slug, problem.severity, problem.message)
        groups.setdefault((found[0].place, *reason), []).append((fault, found))
    return [_finding(document, alike) for alike in groups.values()]


def _found(fault: Fault, sources: Sources | None) -> list[Source]:
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
