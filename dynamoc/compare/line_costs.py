"""What each changed line of the input restarts, and which lines can be shipped without a restart."""

from __future__ import annotations

from dynamoc.compare.changed_input import paired, take_together
from dynamoc.compare.cluster_defaults import is_export
from dynamoc.compare.ignore import BUILT_IN
from dynamoc.compare.line_causes import Causes, States, World, effects_of
from dynamoc.compare.path import format_steps
from dynamoc.compare.renderings import compare_sides, terms_of
from dynamoc.compilation import COMPILED_KINDS
from dynamoc.kube.identity import identity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from dynamoc.compare.changed_input import ChangedLine, DocumentPair
    from dynamoc.compare.line_causes import Effects
    from dynamoc.compare.renderings import Rendered
    from dynamoc.compare.result import Comparison, ObjectChange, RefusedUpdate
    from dynamoc.diagnostics.finding import Place
    from dynamoc.kube.identity import Identity

    Tree = dict[str, Any]


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

    None where a side shows what a cluster made of a graph: nobody wrote its lines. `anchors` gives the anchor that an
    alias at a place stands for. What the user ignores in the comparison restarts all the same.
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
    for key in lost:
        del pairs[key]
    # What runs pods as it is written tells no graph of its cluster.
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
