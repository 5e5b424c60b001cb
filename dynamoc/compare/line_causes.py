"""Which changed lines cause what happens to pods, found by taking changes back and rendering again.

A line is a cause of what happens to the pods of one template if it makes that happen alone. Where no line does so
alone, the causes are a smallest set of lines that does it together. So taking back all causes of a restart removes it.
"""

from __future__ import annotations

from copy import copy

from dynamoc.compare.changed_input import RESTARTS, STARTS, STOPS, PodEffect
from dynamoc.compare.comparison import compare
from dynamoc.compare.pod_counts import component_of
from dynamoc.compare.result import Amount
from dynamoc.compilation import Compilation
from dynamoc.diagnostics.finding import ERROR, Findings
from dynamoc.kube.identity import identity
from dynamoc.surroundings import read_surroundings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from dynamoc.compare.changed_input import ChangedLine, DocumentPair
    from dynamoc.compare.comparison import Terms
    from dynamoc.compare.renderings import Rendered
    from dynamoc.compare.result import ObjectChange
    from dynamoc.source.document import Document

    Tree = dict[str, Any]
    Key = tuple[str, ...]
    """A template of pods and what happens to these: the same for all states of a graph."""
    Effects = dict[Key, PodEffect]

_AMOUNTS = ((RESTARTS, "restarted"), (STARTS, "started"), (STOPS, "stopped"))


def effects_of(objects: list[ObjectChange]) -> Effects:
    """What happens to the pods of objects."""
    found: Effects = {}
    for item in objects:
        if not item.parts:
            continue
        # A new object may be called by a hash, which depends on all changes.
        _, kind, namespace, name = identity(item.old or item.one)
        known = name if item.old else f"+{component_of(item.one) or name}"
        for part in item.parts:
            for how, field in _AMOUNTS:
                amount = getattr(part, field)
                if amount:
                    found[kind, namespace, known, part.name, how] = PodEffect(how, item, part, amount)
    return found


class World:
    """What all graphs are rendered with: documents beside them, shared ones that differ, and the surroundings."""

    def __init__(
        self, beside: list[Document], shared: list[DocumentPair], new: Rendered, terms: Callable[[], Terms]
    ) -> None:
        self.beside = beside
        self.shared = shared
        self.options = new.options
        self.terms = terms
        self._config, context = read_surroundings(new.options, Findings())
        self._context = [*context, *new.context]

    def without_others(self) -> World:
        """The same, for a document on which no other one has an effect."""
        world = copy(self)
        world.beside, world.shared = [], []
        return world

    def render(self, documents: list[Document]) -> tuple[list[Tree], str | None]:
        """The objects, and the first error."""
        findings = Findings()
        objects = Compilation(self.options, self._config, self._context, findings).run([*self.beside, *documents])
        return objects, next((item.message for item in findings.items if item.severity == ERROR), None)


class States:
    """The states of a graph between old and new: each with some of the changed lines, rendered when it is asked for.

    Lines count through: those of the graph first, then those of documents that tell of its cluster.
    """

    def __init__(self, world: World, pair: DocumentPair, old: list[Tree]) -> None:
        self._world = world
        self._pairs = [pair, *world.shared]
        self._old = old
        self._known: dict[frozenset[int], Effects | str] = {}

    def effects(self, lines: frozenset[int]) -> Effects | None:
        """What happens to pods with these lines; None where the operator does not take them."""
        found = self._found(lines)
        return None if isinstance(found, str) else found

    def refusal(self, lines: frozenset[int]) -> str | None:
        found = self._found(lines)
        return found if isinstance(found, str) else None

    def _found(self, lines: frozenset[int]) -> Effects | str:
        if lines not in self._known:
            self._known[lines] = self._render(lines)
        return self._known[lines]

    def _render(self, lines: frozenset[int]) -> Effects | str:
        start, documents = 0, []
        for pair in self._pairs:
            count = len(pair.lines)
            document = pair.document(frozenset(line - start for line in lines if start <= line < start + count))
            documents += [document] if document is not None else []
            start += count
        objects, refused = self._world.render(documents)
        return refused or effects_of(compare(self._old, objects, self._world.terms()).objects)


class Causes:
    """Which lines cause what happens to the pods of one graph."""

    def __init__(self, states: States, lines: list[ChangedLine], effects: Effects) -> None:
        self._states = states
        self._lines = lines
        self._effects = effects
        self._all = frozenset(range(len(lines)))

    def settle(self) -> None:
        """Sets what the lines cause, and what they would cause alone."""
        for number, line in enumerate(self._lines):
            self._judge_alone(number, line)
        free = self._all
        for key, effect in self._effects.items():
            causes, removing = self._causes(key)
            free -= causes if effect.how == RESTARTS else frozenset()
            for number in sorted(causes):
                line = self._lines[number]
                line.effects.append(effect)
                line.removes = line.removes and number in removing
                others = (self._lines[other] for other in sorted(causes) if other != number)
                line.joint += [other for other in others if other not in line.joint]
        for number in free:
            if self._lines[number].refused is not None:
                self._lines[number].alone = self._restarted(free)

    def _judge_alone(self, number: int, line: ChangedLine) -> None:
        alone = self._restarted(frozenset((number,)))
        if alone is None:
            line.alone, line.refused = None, self._states.refusal(frozenset((number,)))
        elif line.alone is not None:
            line.alone.add(alone)

    def _restarted(self, lines: frozenset[int]) -> Amount | None:
        found = self._states.effects(lines)
        if found is None:
            return None
        total = Amount()
        for effect in found.values():
            if effect.how == RESTARTS:
                total.add(effect.amount)
        return total

    def _causes(self, key: Key) -> tuple[frozenset[int], frozenset[int]]:
        """The causes of an effect, and those of which one need be taken back only."""
        sets = [frozenset((number,)) for number in self._all if self._happens(key, frozenset((number,)))]
        causes = frozenset().union(*sets)
        while self._happens(key, self._all - causes):
            needed = self._all - causes
            for number in sorted(needed):
                if self._happens(key, needed - {number}):
                    needed -= {number}
            if not needed:
                break
            sets.append(needed)
            causes |= needed
        return causes, sets[0] if len(sets) == 1 else frozenset()

    def _happens(self, key: Key, lines: frozenset[int]) -> bool:
        return key in (self._states.effects(lines) or {})
