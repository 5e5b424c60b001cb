"""Rendered objects line by line, each value with its origin: texts for the page, and numbers for its script."""

from __future__ import annotations

from dynamoc.emit.yaml_lines import yaml_lines
from dynamoc.explain.origin import CONTEXT, USER
from dynamoc.explain.steps import find_step
from dynamoc.explain.traced import origin_of
from dynamoc.kube.confidential import is_hidden, masked
from dynamoc.tree import at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Path
    from dynamoc.explain.describe import Describer
    from dynamoc.explain.origin import Origin
    from dynamoc.explain.traced_compilation import Explained
    from dynamoc.report.sources import Sources

    Tree = dict[str, Any]

_LONGEST = 200


class Origins:
    """What the script knows: all origins once, and which one each line of an object has.

    An origin is `[short, sentence, step, summary, file, line, made, lost]`: a few words; where the value comes from;
    the rule or builder that set it, and what that does; the place in the input, or -1; the places of what it was made
    of, and what stood there before, as text.
    """

    def __init__(self, explained: Explained, objects: list[Tree], describer: Describer, sources: Sources) -> None:
        """`objects` are those of the explanation without origins."""
        self._explained = explained
        self._objects = objects
        self._describer = describer
        self._sources = sources
        self._numbers: dict[str, int] = {}
        self._known: dict[Any, int] = {}
        self._safe: set[str] = set()
        self._steps: dict[str, str] = {}
        self.found: list[list[Any]] = []

    def object_lines(self, index: int) -> tuple[list[str], list[int]]:
        """The lines of an object, and the number of the origin of each; -1 for lines without a value."""
        plain, made = self._objects[index], self._explained.objects[index]
        shown = masked(plain, safe=self._safe)
        lines = yaml_lines(shown)
        if shown is plain:
            leaves = iter(_in_order(made, []))
            numbers = [self._number(index, path, next(leaves)) if begins else -1 for _, path, begins in lines]
        else:
            numbers = [
                self._number(index, path, at(made, path)) if begins and not is_hidden(plain, path) else -1
                for _, path, begins in lines
            ]
        return [self._sources.redacted(line) for line, _, _ in lines], numbers

    def _number(self, index: int, path: Path, value: Any) -> int:
        origin = self._explained.origin(index, path, value)
        if origin is None:
            return -1
        # Most values replaced none: they are the same where source, step, and what they were made of are.
        inputs = tuple([each.key() for each in origin.sources()[1:]]) if origin.inputs else ()
        key = (origin.key(), origin.name, origin.path, origin.step, inputs) if origin.before is None else None
        if key is not None and key in self._known:
            return self._known[key]
        record = self._record(origin)
        number = self._numbers.setdefault(repr(record), len(self.found))
        if number == len(self.found):
            self.found.append(record)
        if key is not None:
            self._known[key] = number
        return number

    def _summary(self, name: str) -> str:
        """What a step does, in a sentence."""
        if name not in self._steps:
            step = find_step(name)
            self._steps[name] = step.summary if step else ""
        return self._steps[name]

    def _record(self, origin: Origin) -> list[Any]:
        place = origin.place if origin.kind in (USER, CONTEXT) else None
        number = None if place is None else self._sources.number(place)
        return [
            self._describer.short(origin),
            self._describer.sentence(origin),
            origin.step or "",
            self._summary(origin.step) if origin.step else "",
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


def _in_order(value: Any, found: list[Any]) -> list[Any]:
    """The leaves in the order in which they are printed."""
    kind = value.__class__
    if value and (kind is dict or kind is list):
        for item in [value[key] for key in sorted(value)] if kind is dict else value:
            _in_order(item, found)
    else:
        found.append(value)
    return found
