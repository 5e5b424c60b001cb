"""What became of each field of the input."""

from __future__ import annotations

from dynamoc.explain.focus import CLIQUES, parts_of
from dynamoc.explain.origin import USER
from dynamoc.explain.traced import leaves, origin_of
from dynamoc.tree import at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Path
    from dynamoc.explain.focus import Focus
    from dynamoc.explain.origin import Origin
    from dynamoc.explain.traced_compilation import Explained

    Key = tuple[str, str, int, Path]

VALUE, PART, LOST, REMOVED = "value", "part", "lost", "removed"


class Effect:
    """One place of the output that a field of the input has to do with.

    how     VALUE (it is the value there), PART (the value was computed from it), LOST (it stood there until the step
            put another value), REMOVED (the step took it away; then there is no place)
    index   of the object
    path    in the object
    step    rule or builder
    """

    __slots__ = ("how", "index", "path", "step")

    def __init__(self, how: str, index: int, path: Path, step: str | None) -> None:
        self.how = how
        self.index = index
        self.path = path
        self.step = step


class Effects:
    """All effects of a compilation, by field of the input."""

    def __init__(self, explained: Explained) -> None:
        self.explained = explained
        self._found: dict[Key, list[Effect]] = {}
        for index, item in enumerate(explained.objects):
            aside = _aside(item, explained.focus)
            for path, value in leaves(item):
                if aside and path[: len(CLIQUES) + 1] in aside:
                    continue
                origin = explained.origin(index, path, value)
                if origin is not None:
                    self._note(origin, index, path)
        for removed in explained.removed:
            origin = origin_of(removed.value)
            if origin is not None:
                for source in origin.sources():
                    self._add(source, Effect(REMOVED, -1, (), removed.rule))

    def _note(self, origin: Origin, index: int, path: Path) -> None:
        self._add(origin, Effect(VALUE, index, path, origin.step))
        for source in origin.sources()[1:]:
            self._add(source, Effect(PART, index, path, origin.step))
        winner = origin
        while winner.before is not None:
            earlier = origin_of(winner.before)
            if earlier is None:
                break
            for source in earlier.sources():
                self._add(source, Effect(LOST, index, path, winner.step))
            winner = earlier

    def _add(self, source: Origin, effect: Effect) -> None:
        if source.kind == USER:
            self._found.setdefault(source.key(), []).append(effect)

    def of(self, file: str, index: int, path: Path) -> list[Effect]:
        """Where the field at `path` of a document went; PART is left out where it is the VALUE as well."""
        found = self._found.get((USER, file, index, path), [])
        values = {(effect.index, effect.path) for effect in found if effect.how == VALUE}
        kept: dict[Any, Effect] = {}
        for effect in found:
            if effect.how == VALUE or (effect.index, effect.path) not in values:
                kept.setdefault((effect.how, effect.index, effect.path, effect.step), effect)
        return list(kept.values())


def _aside(item: Any, focus: Focus | None) -> set[Path]:
    """The cliques of components that the focus is not on: the builder of the whole set has no origins for them."""
    if focus is None or focus.index >= 0 or focus.components is None or item["kind"] != "PodCliqueSet":
        return set()
    cliques: set[Path] = {(*CLIQUES, number) for number in range(len(at(item, CLIQUES)))}
    return cliques - {*parts_of(item, focus.components)}
