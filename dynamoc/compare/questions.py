"""What is asked of a traced release, and which questions have one answer: those of components and graphs alike."""

from __future__ import annotations

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
        # Each is asked for twice: to learn what is to be traced, and for its answer.
        self._known: dict[int, Question] = {}
        # A gang carries no label of its component; it is called like its LeaderWorkerSet.
        self._gangs = {
            (item["metadata"].get("namespace"), item["metadata"]["name"]): component_at(item, ())
            for item in upgrade.objects
            if item["kind"] == "LeaderWorkerSet"
        }

    def about(self, item: ObjectChange, change: Change | None) -> Question:
        """What to ask for a change, None for an object that one release makes."""
        number = id(item if change is None else change)
        if number not in self._known:
            self._known[number] = self._question(item, change)
        return self._known[number]

    def _question(self, item: ObjectChange, change: Change | None) -> Question:
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
    names = own_names(value)
    if not asked.steps:
        name = _generic(value["metadata"].get("name", ""), names, asked.component)
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
        (step[0], _generic(step[1], names, asked.component)) if isinstance(step, tuple) else step
        for step in asked.steps
    )
    text = _generic(repr(leaf), names, asked.component)
    likeness = asked.side.likeness(asked.owner, asked.component, leaf)
    asked.likeness = (value["kind"], asked.gone, steps, below[len(path) :], text, *likeness)


def own_names(item: Tree) -> list[str]:
    """The names of its graph and namespace, by which the objects of graphs that are alike differ."""
    names = (labels_of(item).get(GRAPH_LABEL), item["metadata"].get("namespace"))
    return [name for name in names if name]


def nameless(text: str, names: list[str]) -> str:
    """A text without names."""
    for name in names:
        text = text.replace(name, "\0")
    return text


def _generic(text: str, names: list[str], component: str | None) -> str:
    """A text without names, and without that of the component where it is a word."""
    text = nameless(text, names)
    for name in {component, component.lower()} if component else ():
        if name in text:
            text = _without_word(text, name)
    return text


def _without_word(text: str, word: str) -> str:
    """A text with a stand-in for a word, but not where letters or digits go on with it."""
    parts, start, at = [], 0, text.find(word)
    while at >= 0:
        end = at + len(word)
        if _goes_on(text[at - 1 : at]) or _goes_on(text[end : end + 1]):
            at = text.find(word, at + 1)
            continue
        parts.append(text[start:at])
        start, at = end, text.find(word, end)
    return "\1".join([*parts, text[start:]])


def _goes_on(character: str) -> bool:
    return character.isascii() and character.isalnum()
