"""The lines in which two states of an input document differ, what each of them does to pods, and the words for it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import Any

from dynamoc.analysis.blocks import BREAK, CODE, Block, Line, Row, Table, section
from dynamoc.analysis.compare.edits import Edits, Taken
from dynamoc.analysis.compare.pod_counts import pods_of
from dynamoc.analysis.compare.result import (
    ADDED,
    CHANGED,
    REMOVED,
    REORDERED,
    RESTARTS,
    STARTS,
    STOPS,
    Amount,
    Change,
    ChangedLine,
    PodEffect,
    Steps,
    amount_text,
    amount_verb,
    count,
    full_line,
    one_line,
    shown,
    two_lines,
)
from dynamoc.analysis.compare.trees import format_steps
from dynamoc.documents.findings.finding import Path, Place
from dynamoc.documents.source.document import Document
from dynamoc.kube.secrets import HIDDEN

#: changes of one document that are looked at one by one; of more, neighbours are taken together
MOST = 60


@dataclass(eq=False)
class DocumentPair:
    """A document on both sides, or on one, and the lines that differ, each with the numbers of its edits."""

    old: Document | None
    new: Document | None
    anchors: Callable[[Place], Place]
    lines: list[ChangedLine] = field(default_factory=list, init=False)
    numbers: list[set[int]] = field(default_factory=list, init=False)
    edits: Edits | None = field(default=None, init=False)
    #: the number of the line at a place
    known: dict[tuple[tuple[str, int, int], bool], int] = field(default_factory=dict, init=False)

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


_WIDTH = 60
_SHOWN = 6


def place_text(line: ChangedLine) -> str:
    """`new.yaml:12`, and for several lines `new.yaml:12-15`"""
    first = f"{line.place.file}:{line.place.line}"
    return f"{first}-{line.last}" if line.last > line.place.line else first


def change_text(line: ChangedLine, redacted: Callable[[str], str] = str) -> str:
    """What differs there: `spec.replicas: 2 -> 4`; the first of several. Values that `redacted` changes are hidden."""
    text = _change_text(line.kind, line.changes[0], redacted)
    more = len(line.changes) - 1
    return f"{text} and {count(more, 'more change')}" if more else text


def _change_text(kind: str, change: Change, redacted: Callable[[str], str]) -> str:
    if not change.steps:
        return {ADDED: f"+ {kind}", REMOVED: f"- {kind}"}.get(change.how, f"{kind}, in another version of the API")
    field = format_steps(change.steps)
    old, new = (_visible(shown(kind, change, value), redacted) for value in (change.old, change.new))
    if change.how == REORDERED:
        return f"{field}: another order"
    if isinstance(old, list) or isinstance(new, list):
        # A run of elements.
        signs = [f"{sign} {_elements(value)}" for sign, value in (("-", old), ("+", new)) if value is not None]
        return f"{field}: {' '.join(signs)}"
    if change.how == ADDED:
        return f"+ {field}: {one_line(new, _WIDTH)}"
    if change.how == REMOVED:
        return f"- {field}: {one_line(old, _WIDTH)}"
    left, right = two_lines(old, new, _WIDTH)
    return f"{field}: {left} -> {right}"


def _visible(value: Any, redacted: Callable[[str], str]) -> Any:
    text = "" if value is None else full_line(value)
    return value if redacted(text) == text else HIDDEN


def _elements(value: Any) -> str:
    text = " ".join(one_line(item, _WIDTH) for item in value) if isinstance(value, list) else str(value)
    return one_line(text, _WIDTH) if len(text) > _WIDTH else text


def cost_text(line: ChangedLine) -> str:
    """`restarts 3 pods, 6 GPUs (Worker); together with new.yaml:12`"""
    restarted = line.total(RESTARTS)
    parts = _pods(line.effects, _names(line))
    if not restarted and line.alone:
        parts[0] = f"no restart with all other changes; alone, it restarts {amount_text(line.alone)}"
    elif not restarted and line.alone is None:
        parts[0] = "no restart with all other changes"
    if line.joint:
        parts.append(f"together with {_others(line)}")
    if line.update is not None:
        parts.append("the API server refuses this change")
    if line.refused is not None:
        parts.append(f"not possible alone: {line.refused}")
    return "; ".join(parts)


def _pods(effects: Collection[PodEffect], names: str = "") -> list[str]:
    """What happens to pods, the restart first, with the names of those that do."""
    totals = [
        sum((effect.amount for effect in effects if effect.how == how), Amount()) for how in (RESTARTS, STARTS, STOPS)
    ]
    parts = [f"restarts {amount_text(totals[0])}{names}" if totals[0] else "no restart"]
    return parts + [
        amount_verb(total, verb) for total, verb in zip(totals[1:], ("start", "stop"), strict=True) if total
    ]


def _names(line: ChangedLine) -> str:
    found = dict.fromkeys(_name(effect) for effect in line.effects if effect.how == RESTARTS)
    return f" ({', '.join(found)})"


def _name(effect: PodEffect) -> str:
    metadata = effect.item.one["metadata"]
    return effect.part.component or f"{effect.item.one['kind']}/{metadata.get('name', '')}"


def _others(line: ChangedLine) -> str:
    """Lines of the same file by their numbers."""
    texts = []
    for other in line.joint[:_SHOWN]:
        same = other.place.file == line.place.file
        texts.append(f"line {other.place.line}" if same else place_text(other))
    more = len(line.joint) - len(texts)
    return ", ".join(texts) + (f" and {more} more" if more > 0 else "")


def free_text(lines: list[ChangedLine]) -> str:
    """`2 of 5 changed lines can be shipped without a restart; 1 of these stops pods`"""
    free = [line for line in lines if line.is_free]
    stopping = sum(bool(line.total(STOPS).pods) for line in free)
    total = count(len(lines), "changed line")
    text = f"{len(free)} of {total} can be shipped without a restart"
    return text + (f"; {stopping} of these stop{'s' * (stopping == 1)} pods" if stopping else "")


def line_blocks(lines: list[ChangedLine]) -> Iterator[Block]:
    """The section of text."""
    shown: list[Block] = []
    for line in lines:
        sign, style = ("- ", "removes") if line.is_old else ("  ", "")
        shown.append([(style, f"{sign}{place_text(line)}  "), ("", change_text(line))])
        shown.append([("rolls" if line.total(RESTARTS) else "faint", f"      {cost_text(line)}")])
    if lines:
        yield from section("Cost of each changed line:", [*shown, [("", free_text(lines))]])


_SHOWN_FILES = 3
_SHOWN_NAMES = 4


def line_table(lines: list[ChangedLine]) -> Iterator[Table | Line]:
    """The section of Markdown; the same change of an image is one row, wherever it is."""
    images: dict[tuple[str, str] | int, list[ChangedLine]] = {}
    for number, line in enumerate(lines):
        images.setdefault(_image(line) or number, []).append(line)
    rows: list[Row] = []
    for image, alike in images.items():
        changes = sum(len(line.changes) for line in alike)
        if isinstance(image, int) or changes == 1:
            place, change = [(CODE, place_text(alike[0]))], [(CODE, _short(alike[0]))]
            rows.append((place, _codes(components_of(alike)), change, cost_text(alike[0])))
        else:
            rows.append(_image_row(*image, alike, count(changes, "component")))
    if lines:
        yield Table(("file", "component", "change", "cost"), rows)
        yield [("", f"{free_text(lines)}.")]


def _codes(names: list[str]) -> Line:
    return [segment for name in names if name for segment in (("", ", "), (CODE, name))][1:]


def _short(line: ChangedLine) -> str:
    """The change, its field from its component on."""
    text, steps = change_text(line), line.changes[0].steps
    head = format_steps(steps[: _depth(steps)])
    for sign in ("", "+ ", "- "):
        if text.startswith(f"{sign}{head}."):
            return sign + text[len(sign) + len(head) + 1 :]
    return text


def components_of(lines: list[ChangedLine]) -> list[str]:
    """The components of a graph that changes belong to, "" for what is the graph's own."""
    found: dict[str, None] = {}
    for change in (change for line in lines for change in line.changes):
        depth = _depth(change.steps)
        step = change.steps[depth - 1] if depth else ""
        found[step[1] if isinstance(step, tuple) else str(step)] = None
    return list(found)


def _depth(steps: Steps) -> int:
    return 3 if steps[:1] == ("spec",) and len(steps) > 2 and steps[1] in ("services", "components") else 0


def _image(line: ChangedLine) -> tuple[str, str] | None:
    """The old and the new image, where a line changes nothing else."""
    found = {(str(change.old), str(change.new)) for change in line.changes if _is_image(change)}
    return next(iter(found)) if len(found) == 1 and all(map(_is_image, line.changes)) else None


def _is_image(change: Change) -> bool:
    return change.how == CHANGED and isinstance(change.new, str) and change.steps[-1:] == ("image",)


def _image_row(old: str, new: str, lines: list[ChangedLine], components: str) -> Row:
    """`image 1.4.0 → 1.4.1 in 12 components`"""
    (name, _, left), (other, _, right) = old.rpartition(":"), new.rpartition(":")
    what: Line = [("", "image "), (CODE, old), ("", " → "), (CODE, new), ("", f" in {components}")]
    if name and name == other and "/" not in left + right:
        what = [("", "image "), (CODE, name), ("", " "), (CODE, left), ("", " → "), (CODE, right), what[-1]]
    names = components_of(lines)
    places = [segment for line in lines[:_SHOWN_FILES] for segment in ((BREAK, ""), (CODE, place_text(line)))][1:]
    if len(lines) > _SHOWN_FILES:
        places += [(BREAK, ""), ("", f"and {len(lines) - _SHOWN_FILES} more")]
    # An effect that several of the lines have is one.
    cost = "; ".join(_pods({id(effect): effect for line in lines for effect in line.effects}.values()))
    return places, _codes(names) if len(names) <= _SHOWN_NAMES else f"{len(names)} names", what, cost
