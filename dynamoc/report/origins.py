"""Rendered objects line by line, each value with its origin: texts for the page, and numbers for its script."""

from __future__ import annotations

from dynamoc.emit.yaml_lines import yaml_lines
from dynamoc.explain.origin import CONTEXT, USER
from dynamoc.explain.steps import find_step
from dynamoc.explain.traced import origin_of, plain_tree
from dynamoc.kube.confidential import is_hidden, masked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Path
    from dynamoc.explain.describe import Describer
    from dynamoc.explain.origin import Origin
    from dynamoc.explain.traced_compilation import Explained
    from dynamoc.report.sources import Sources

_LONGEST = 200


class Origins:
    """What the script knows: all origins once, and which one each line of an object has.

    An origin is `[short, sentence, step, summary, file, line, made, lost]`: a few words; where the value comes from;
    the rule or builder that set it, and what that does; the place in the input, or -1; the places of what it was made
    of, and what stood there before, as text.
    """

    def __init__(self, explained: Explained, describer: Describer, sources: Sources) -> None:
        self._explained = explained
        self._describer = describer
        self._sources = sources
        self._numbers: dict[str, int] = {}
        self.found: list[list[Any]] = []

    def object_lines(self, index: int) -> tuple[list[str], list[int]]:
        """The lines of an object, and the number of the origin of each; -1 for lines without a value."""
        item = self._explained.objects[index]
        shown = yaml_lines(masked(plain_tree(item)))
        numbers = [self._number(index, path) if begins else -1 for _, path, begins in shown]
        return [self._sources.redacted(line) for line, _, _ in shown], numbers

    def _number(self, index: int, path: Path) -> int:
        item: Any = self._explained.objects[index]
        value = item
        for step in path:
            value = value[step]
        origin = self._explained.origin(index, path, value)
        if origin is None or is_hidden(item, path):
            return -1
        record = self._record(origin)
        return self._numbers.setdefault(repr(record), self._add(record))

    def _add(self, record: list[Any]) -> int:
        known = self._numbers.get(repr(record))
        if known is not None:
            return known
        self.found.append(record)
        return len(self.found) - 1

    def _record(self, origin: Origin) -> list[Any]:
        place = origin.place if origin.kind in (USER, CONTEXT) else None
        number = None if place is None else self._sources.number(place)
        step = find_step(origin.step) if origin.step else None
        return [
            self._describer.short(origin),
            self._describer.sentence(origin),
            origin.step or "",
            step.summary if step else "",
            -1 if number is None else number,
            place.line if place is not None and number is not None else 0,
            self._made(origin),
            self._lost(origin),
        ]

    def _made(self, origin: Origin) -> list[list[int]]:
        found: dict[tuple[int, int], None] = {}
        for source in origin.sources()[1:]:
            if source.kind == USER and source.place is not None:
                number = self._sources.number(source.place)
                if number is not None:
                    found[number, source.place.line] = None
        return [list(place) for place in found]

    def _lost(self, origin: Origin) -> list[str]:
        """Values that stood there before."""
        found, winner = [], origin
        while winner.before is not None:
            earlier = origin_of(winner.before)
            where = f", from {self._describer.short(earlier)}" if earlier is not None else ""
            value = self._sources.redacted(str(winner.before))
            found.append(f"{value[:_LONGEST]}{where}; replaced by {winner.step}")
            if earlier is None:
                break
            winner = earlier
        return found
