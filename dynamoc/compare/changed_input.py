"""The lines in which two states of an input document differ, and what each of them does to pods."""

from __future__ import annotations

from dynamoc.compare.edits import Edits
from dynamoc.compare.pod_counts import pods_of
from dynamoc.compare.result import ADDED, CHANGED, REMOVED, Amount, Change
from dynamoc.source.document import Document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dynamoc.compare.edits import Taken
    from dynamoc.compare.result import ObjectChange, Part
    from dynamoc.diagnostics.finding import Path, Place

RESTARTS, STARTS, STOPS = "restarts", "starts", "stops"
#: changes of one document that are looked at one by one; of more, neighbours are taken together
MOST = 60


class PodEffect:
    """What happens to the pods of one template: `how` is RESTARTS, STARTS or STOPS."""

    __slots__ = ("amount", "how", "item", "part")

    def __init__(self, how: str, item: ObjectChange, part: Part, amount: Amount) -> None:
        self.how = how
        self.item = item
        self.part = part
        self.amount = amount


class ChangedLine:
    """What differs at one place of the input: a value, a block, a run of arguments.

    place    in the new file; in the old one for what only that one has
    last     the last line of it, as far as values begin there
    is_old   whether the place is in the old file
    kind     of the document
    changes  what differs; several where an anchor stands for several places
    effects  what happens to pods because of it
    joint    other lines that cause one of these effects as well
    removes  whether taking back this line alone removes all these effects
    alone    what would restart if only this line changed; where it is refused alone, if only the lines changed that
             cause no restart; None where that is refused as well
    refused  why the operator does not take it alone, None where it does
    update   why the API server refuses it as an update of what exists, None where it does not
    """

    __slots__ = (
        "alone",
        "changes",
        "effects",
        "is_old",
        "joint",
        "kind",
        "last",
        "place",
        "refused",
        "removes",
        "update",
    )

    def __init__(self, place: Place, kind: str, *, is_old: bool) -> None:
        self.place = place
        self.last = place.line
        self.is_old = is_old
        self.kind = kind
        self.changes: list[Change] = []
        self.effects: list[PodEffect] = []
        self.joint: list[ChangedLine] = []
        self.removes = True
        self.alone: Amount | None = Amount()
        self.refused: str | None = None
        self.update: str | None = None

    def total(self, how: str) -> Amount:
        total = Amount()
        for effect in self.effects:
            if effect.how == how:
                total.add(effect.amount)
        return total

    @property
    def is_free(self) -> bool:
        """Whether the line can be shipped without a restart, by itself."""
        return self.update is None and self.alone is not None and not self.alone and not self.total(RESTARTS)


class DocumentPair:
    """A document on both sides, or on one, and the lines that differ, each with the numbers of its edits."""

    def __init__(self, old: Document | None, new: Document | None, anchors: Callable[[Place], Place]) -> None:
        self.old = old
        self.new = new
        self.anchors = anchors
        self.lines: list[ChangedLine] = []
        self.numbers: list[set[int]] = []
        self.edits: Edits | None = None
        #: the number of the line at a place
        self.known: dict[tuple[tuple[str, int, int], bool], int] = {}

    @property
    def runs_pods(self) -> bool:
        """Whether the document is a workload itself: a Deployment, a PodCliqueSet."""
        return any(side is not None and bool(pods_of(side.value, {})) for side in (self.old, self.new))

    def document(self, lines: frozenset[int]) -> Document | None:
        """The document with the changes of these lines, by their numbers in `lines`."""
        if self.edits is None:
            return self.new if lines else self.old
        assert self.new is not None
        taken: Taken = frozenset().union(*(self.numbers[line] for line in lines))
        new = self.new
        return Document(self.edits.applied(taken), new.file, new.index, new.marks, new.source)


def paired(old: Document | None, new: Document | None, anchors: Callable[[Place], Place]) -> DocumentPair:
    pair = DocumentPair(old, new, anchors)
    if old is None or new is None:
        document, how = (new, ADDED) if new is not None else (old, REMOVED)
        assert document is not None
        change = Change((), how, *((None, document.value) if new is not None else (document.value, None)))
        _add(pair, document, (), change, 0, is_old=new is None)
    elif old.value.get("apiVersion") != new.value.get("apiVersion"):
        # No field of the one version can be left in a document of the other.
        _add(pair, new, (), Change((), CHANGED, old.value, new.value), 0, is_old=False)
    else:
        pair.edits = Edits(old.value, new.value)
        for number, edit in enumerate(pair.edits.found):
            is_old = edit.new is None
            path = edit.old if is_old else edit.new
            assert path is not None
            _add(pair, old if is_old else new, path, edit.change, number, is_old=is_old)
        take_together(pair, MOST)
    return pair


def _add(pair: DocumentPair, document: Document, path: Path, change: Change, number: int, *, is_old: bool) -> None:
    """A line, or another change of one that is there: an alias stands where its anchor does."""
    place = document.place(path or ("kind",), key=change.how in (ADDED, REMOVED))
    if change.how == CHANGED:
        place = pair.anchors(place)
    known = pair.known.setdefault((place.key(), is_old), len(pair.lines))
    if known == len(pair.lines):
        pair.lines.append(ChangedLine(place, str(document.value.get("kind", "")), is_old=is_old))
        pair.numbers.append(set())
    line = pair.lines[known]
    line.changes.append(change)
    pair.numbers[known].add(number)
    line.last = max(line.last, _last(document, path, change))


def _last(document: Document, path: Path, change: Change) -> int:
    """The line on which the last value of a change begins."""
    value = change.old if change.new is None else change.new
    if not path:
        return 0
    paths = [path]
    if isinstance(path[-1], int) and isinstance(value, list):
        # A run of elements.
        paths = [(*path[:-1], path[-1] + at) for at in range(len(value))]
    return max(document.place(each).line for start in paths for each in _below(document, start))


def _below(document: Document, path: Path) -> Iterator[Path]:
    value = document.value
    for step in path:
        value = value[step]
    yield path
    if isinstance(value, dict):
        for key in value:
            yield from _below(document, (*path, key))
    elif isinstance(value, list):
        for at in range(len(value)):
            yield from _below(document, (*path, at))


def take_together(pair: DocumentPair, most: int) -> None:
    """Takes neighbours together where there are more lines than can be looked at one by one."""
    size = -(-len(pair.lines) // most)
    if size < 2:
        return
    lines, numbers = pair.lines, pair.numbers
    pair.lines, pair.numbers = [], []
    for is_old in (False, True):
        own = [number for number, line in enumerate(lines) if line.is_old == is_old]
        for start in range(0, len(own), size):
            group = [lines[number] for number in own[start : start + size]]
            first = min(group, key=lambda line: line.place.line)
            first.last = max(line.last for line in group)
            first.changes = [change for line in group for change in line.changes]
            pair.lines.append(first)
            pair.numbers.append(set().union(*(numbers[number] for number in own[start : start + size])))
