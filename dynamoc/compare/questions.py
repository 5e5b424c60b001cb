"""What is asked of a traced release, and which questions have one answer: those of components and graphs alike."""

from __future__ import annotations

import re

from dynamoc.compare.generations import labels_of
from dynamoc.compare.result import REMOVED
from dynamoc.compare.traced_sides import resolve
from dynamoc.explain.focus import component_at
from dynamoc.explain.traced import leaves
from dynamoc.kube.identity import identity
from dynamoc.kube.labels import GRAPH_LABEL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable
    from typing import Any

    from dynamoc.compare.path import Steps
    from dynamoc.compare.result import Change, ObjectChange
    from dynamoc.compare.traced_sides import Leaf, TracedSide
    from dynamoc.compare.upgrade import Upgrade
    from dynamoc.diagnostics.finding import Path
    from dynamoc.kube.identity import Identity

    Tree = dict[str, Any]

_SCALARS = (str, int, bool, float)


class Question:
    """Where a field of one side comes from, or, without steps, the whole object.

    component that the field belongs to; None for several or none
    gone      whether the later release does not make it
    leaf      the scalar whose origin is probably the answer, with its path
    likeness  what questions with one answer have in common, as long as that is about `leaf`; None where it is unknown
    """

    __slots__ = ("component", "gone", "leaf", "likeness", "owner", "side", "steps", "value")

    def __init__(self, side: TracedSide, owner: Identity | None, value: Tree | None, steps: Steps, *, gone: bool):
        self.side = side
        self.owner = owner
        self.value = value
        self.steps = steps
        self.gone = gone
        self.component: str | None = None
        self.leaf: Leaf | None = None
        self.likeness: Hashable = None


class Questions:
    """The questions about an upgrade of two sides."""

    def __init__(self, upgrade: Upgrade, old: TracedSide, new: TracedSide) -> None:
        self._owners = upgrade.owners
        self._old, self._new = old, new
        # A gang carries no label of its component; it is called like its LeaderWorkerSet.
        self._gangs = {
            (item["metadata"].get("namespace"), item["metadata"]["name"]): component_at(item, ())
            for item in upgrade.objects
            if item["kind"] == "LeaderWorkerSet"
        }

    def about(self, item: ObjectChange, change: Change | None) -> Question:
        """What to ask for a change, None for an object that one release makes."""
        gone = item.new is None if change is None else change.how == REMOVED
        value = item.old if gone else item.new
        owner, steps = self._owners.get(identity(item.one)), change.steps if change else ()
        asked = Question(self._old if gone else self._new, owner, value, steps, gone=gone)
        if value is None:
            return asked
        path, found = resolve(value, steps)
        asked.component = component_at(value, path)
        if value["kind"] == "PodGroup":
            metadata = value["metadata"]
            asked.component = self._gangs.get((metadata.get("namespace"), metadata["name"]))
        if len(path) == len(steps):
            _liken(asked, value, path, found)
        return asked


def _liken(asked: Question, value: Tree, path: Path, found: Any) -> None:
    if not asked.steps:
        name = _generic(value["metadata"].get("name", ""), value, asked.component)
        asked.likeness = (value["kind"], asked.gone, name)
        return
    asked.leaf = next(
        ((below, leaf) for below, leaf in leaves(found, path) if below[-1] != "name" and leaf.__class__ in _SCALARS),
        None,
    )
    if asked.leaf is None:
        return
    below, leaf = asked.leaf
    steps = tuple(
        (step[0], _generic(step[1], value, asked.component)) if isinstance(step, tuple) else step
        for step in asked.steps
    )
    text = _generic(repr(leaf), value, asked.component)
    likeness = asked.side.likeness(asked.owner, asked.component, leaf)
    asked.likeness = (value["kind"], asked.gone, steps, below[len(path) :], text, *likeness)


def nameless(value: Any, item: Tree) -> str:
    """The text of a value without the names of the graph and its namespace, by which graphs that are alike differ."""
    metadata = item["metadata"]
    text = repr(value)
    for name in (labels_of(item).get(GRAPH_LABEL), metadata.get("namespace")):
        if name:
            text = text.replace(name, "\0")
    return text


def _generic(text: str, item: Tree, component: str | None) -> str:
    """A text without these names, and without that of the component where it is a word."""
    for name in (labels_of(item).get(GRAPH_LABEL), item["metadata"].get("namespace")):
        if name:
            text = text.replace(name, "\0")
    for name in {component, component.lower()} if component else ():
        if name in text:
            text = re.sub(rf"(?<![A-Za-z0-9]){re.escape(name)}(?![A-Za-z0-9])", "\1", text)
    return text
