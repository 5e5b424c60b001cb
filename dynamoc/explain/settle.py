"""Origins of leaves that cannot carry one: null, {} and []; told from what stands beside them."""

from __future__ import annotations

from dynamoc.explain.focus import parts_of
from dynamoc.explain.origin import BUILDER, CONTEXT, NAMESPACE, RULE, SCHEMA, USER, WEBHOOK, Origin
from dynamoc.explain.traced import TracedDict, TracedList, leaves, origin_of, traced
from dynamoc.tree import MISSING, at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Path
    from dynamoc.explain.focus import Focus
    from dynamoc.explain.traced_compilation import Explained

    Neighbour = tuple[Path, Origin]

_WRITTEN = (USER, CONTEXT, SCHEMA, WEBHOOK)


def settle(explained: Explained, focus: Focus | None = None) -> None:
    """Fills `explained.origins`, and gives a namespace that passed-through documents lacked its origin.

    With `focus`, only what that is on.
    """
    if focus is not None and focus.index >= 0:
        settle_object(explained, focus.index, focus.path)
        return
    only = None if focus is None else focus.components
    for index, item in enumerate(explained.objects):
        for part in [()] if only is None else parts_of(item, only):
            settle_object(explained, index, part)


def settle_object(explained: Explained, index: int, below: Path = ()) -> None:
    """`settle` for what is below a path of one object."""
    item = explained.objects[index]
    metadata = item["metadata"]
    if "namespace" in metadata and origin_of(metadata["namespace"]) is None:
        name = "command-line" if explained.options.namespace else "default"
        metadata["namespace"] = traced(metadata["namespace"], Origin(NAMESPACE, name=name))
    known: list[Neighbour] = []
    unknown: list[tuple[Path, Any]] = []
    for path, value in leaves(item):
        origin = origin_of(value)
        if origin is None and path[: len(below)] == below:
            unknown.append((path, value))
        elif origin is not None:
            known.append((path, origin))
    for path, value in unknown:
        found = _from_neighbours(path, value, known)
        if found is None:
            continue
        explained.origins[index, path] = found
        if value is not None:
            _container(item, path)[path[-1]] = _carrier(value, found)


def _carrier(value: Any, origin: Origin) -> Any:
    """The leaf with an origin."""
    if value.__class__ is not dict and value.__class__ is not list:
        return traced(value, origin)
    empty: Any = TracedDict() if value.__class__ is dict else TracedList()
    empty.origin = origin
    return empty


def _container(tree: Any, path: Path) -> Any:
    for step in path[:-1]:
        tree = tree[step]
    return tree


def _from_neighbours(path: Path, value: Any, known: list[Neighbour]) -> Origin | None:
    """What the nearest neighbours say: the user's document, where it has the same beside them, else their step."""
    for depth in range(len(path) - 1, -1, -1):
        near = [(other, origin) for other, origin in known if other[:depth] == path[:depth]]
        for other, origin in near:
            for source in origin.sources():
                written = _written_beside(source, other[depth:], path[depth:], value)
                if written is not None:
                    return written if origin.step is None else written.put(origin.step)
        for _, origin in near:
            if origin.step is not None:
                kind = BUILDER if origin.step.startswith(("lower/", "kube/")) else RULE
                return Origin(kind, name=origin.step, step=origin.step)
    return None


def _written_beside(origin: Origin, other: Path, path: Path, value: Any) -> Origin | None:
    """The place of the value in the document that a neighbour was written in; `other` and `path` are relative."""
    if origin.document is None or origin.kind not in _WRITTEN:
        return None
    if origin.path[len(origin.path) - len(other) :] != other:
        return None
    wanted = origin.path[: len(origin.path) - len(other)] + path
    found = at(origin.document.value, wanted, MISSING)
    return Origin(USER, document=origin.document, path=wanted) if found == value else None
