"""Which changed lines cause what happens to pods, found by taking changes back and rendering again.

A line is a cause of what happens to the pods of one template if it makes that happen alone. Where no line does so
alone, the causes are a smallest set of lines that does it together. So taking back all causes of a restart removes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy

from dynamoc.admission.cluster.objects import is_dynamo
from dynamoc.analysis.compare.applied import is_export
from dynamoc.analysis.compare.changed_input import DocumentPair, paired, take_together
from dynamoc.analysis.compare.comparison import BUILT_IN, Terms, compare
from dynamoc.analysis.compare.pod_counts import component_of
from dynamoc.analysis.compare.renderings import Rendered, compare_sides, terms_of
from dynamoc.analysis.compare.result import (
    RESTARTS,
    STARTS,
    STOPS,
    Amount,
    ChangedLine,
    Comparison,
    ObjectChange,
    PodEffect,
    RefusedUpdate,
)
from dynamoc.analysis.compare.trees import format_steps
from dynamoc.compiler.compile import compile_cluster
from dynamoc.compiler.objects import COMPILED_KINDS
from dynamoc.compiler.options import Options, read_surroundings
from dynamoc.documents.findings.finding import ERROR, Findings, Place
from dynamoc.documents.source.document import Document
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import Identity, identity

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
        objects = compile_cluster([*self.beside, *documents], self.options, self._config, self._context, findings)
        return objects, next((item.message for item in findings.items if item.severity == ERROR), None)


class States:
    """The states of a graph between old and new: each with some of the changed lines, rendered when it is asked for.

    Lines count through: those of the graph first, then those of documents that describe its cluster.
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
        return sum((effect.amount for effect in found.values() if effect.how == RESTARTS), Amount())

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


#: changes of all documents that are looked at one by one; of more, each document has its share
_MOST = 1500
_FEWEST = 4


def line_costs(
    old: Rendered,
    new: Rendered,
    comparison: Comparison,
    anchors: Callable[[Place], Place] = lambda place: place,
) -> list[ChangedLine] | None:
    """The changed lines of all documents, in the order of the new files; what only the old ones have comes last.

    None where a side shows what a cluster made of a graph; no user wrote its lines. `anchors` gives the anchor of an
    alias at a place. What the user ignores in the comparison restarts all the same.
    """
    if any(is_export(document.value) for side in (old, new) for document in side.documents):
        return None
    options = new.options
    # A line is rendered many times, each in far less time than a process takes to start.
    options.jobs = 1
    refused = comparison.refused
    if [pattern for pattern, _ in comparison.ignored] != list(BUILT_IN):
        comparison = compare_sides(old, new, options, list(BUILT_IN))
    namespace = options.namespace or "default"
    before = {identity(document.value, namespace): document for document in old.documents}
    after = {identity(document.value, namespace): document for document in new.documents}
    graphs = dict.fromkeys((*new.owners.values(), *old.owners.values()))
    pairs = {key: paired(before.get(key), after.get(key), anchors) for key in {**after, **before}}
    told = {owner for item in comparison.objects for owner in _owners(item, {**old.owners, **new.owners})}
    lost = [key for key in pairs if _is_lost(key, pairs[key], old, new, told)]
    # Lines of what other parts of the run compile are theirs; lines of what graphs read stay.
    elsewhere = [key for key in pairs if _is_elsewhere(key, before, after, pairs[key], options)]
    for key in (*lost, *elsewhere):
        pairs.pop(key, None)
    # What runs pods as it is written does not describe the cluster of a graph.
    workloads = {key for key, pair in pairs.items() if key not in graphs and pair.runs_pods}
    effects = _by_document(comparison, {**old.owners, **new.owners, **{key: key for key in workloads}})
    shared = [pair for key, pair in pairs.items() if key not in graphs and key not in workloads and pair.lines]
    beside = [after[key] for key, pair in pairs.items() if key not in graphs and not pair.lines and key in after]
    if sum(len(pair.lines) for pair in pairs.values()) > _MOST:
        for pair in pairs.values():
            take_together(pair, max(_FEWEST, _MOST // len(pairs)))
    for update in refused:
        for key, pair in pairs.items():
            if key[1:] == (update.kind, update.namespace, update.name):
                _note_refused(pair.lines, update)
    world = World(beside, shared, new, lambda: terms_of(old, new, options, list(BUILT_IN)))
    made: dict[Identity | None, list[Tree]] = {}
    for item in old.objects:
        own = _identity(item)
        made.setdefault(own if own in workloads else old.owners.get(own), []).append(item)
    lines: list[ChangedLine] = []
    for key, pair in pairs.items():
        lines += sorted(pair.lines, key=lambda line: (line.is_old, line.place.line, line.place.column))
        found = effects.get(key, {})
        if (key in graphs or key in workloads) and (pair.old is None or pair.new is None):
            for line in pair.lines:
                line.effects = list(found.values())
        elif key in workloads and pair.lines:
            Causes(States(world.without_others(), pair, made.get(key, [])), pair.lines, found).settle()
        elif key in graphs and (pair.lines or (shared and found)):
            states = States(world, pair, [*made.get(key, ()), *made.get(None, ())])
            Causes(states, [*pair.lines, *(line for each in shared for line in each.lines)], found).settle()
    return lines


def _is_elsewhere(
    key: Identity,
    before: dict[Identity, Document],
    after: dict[Identity, Document],
    pair: DocumentPair,
    options: Options,
) -> bool:
    value = (after.get(key) or before[key]).value
    return not options.owns(value) and (pair.runs_pods or is_dynamo(value))


def _note_refused(lines: list[ChangedLine], refused: RefusedUpdate) -> None:
    """Tells the lines at, above or below a field that its update is refused."""
    for line in lines:
        for change in line.changes:
            depth = min(len(change.steps), len(refused.steps))
            if format_steps(change.steps[:depth]) == format_steps(refused.steps[:depth]):
                line.update = refused.message


def _identity(item: Tree) -> Identity:
    """The identity by which a trace knows an object."""
    return identity(item, "default")


def _by_document(comparison: Comparison, owners: dict[Identity, Identity]) -> dict[Identity | None, Effects]:
    """What happens to pods, by the document that they are made from."""
    found: dict[Identity | None, Effects] = {}
    for item in comparison.objects:
        key = owners.get(_identity(item.one)) or (item.old and owners.get(_identity(item.old)))
        found.setdefault(key or None, {}).update(effects_of([item]))
    return found


def _owners(item: ObjectChange, owners: dict[Identity, Identity]) -> Iterator[Identity]:
    """The documents that an object was made from, on either side."""
    for value in (item.old, item.new):
        if value is not None:
            yield owners.get(_identity(value), _identity(value))


def _is_lost(key: Identity, pair: DocumentPair, old: Rendered, new: Rendered, told: set[Identity]) -> bool:
    """Whether a document could not be compared: its file cannot be read on one side, or it was refused."""
    if (pair.old is None or pair.new is None) and key not in told:
        return True
    if key[1] not in COMPILED_KINDS or key[1] == "DynamoCheckpoint":
        return False
    sides = ((pair.old, old), (pair.new, new))
    return any(document is not None and key not in side.owners.values() for document, side in sides)
