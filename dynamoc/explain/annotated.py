"""YAML with the origin of each value in a comment behind it."""

from __future__ import annotations

from dynamoc.diagnostics.printable import one_line
from dynamoc.emit import yaml
from dynamoc.explain.origin import USER
from dynamoc.explain.traced import origin_of, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from dynamoc.diagnostics.finding import Place
    from dynamoc.explain.describe import Describer
    from dynamoc.explain.origin import Origin

_COLUMN = 60


def annotated_yaml(objects: list[Any], describer: Describer) -> str:
    """What `dump_yaml` writes, to a reader of YAML; `objects` are those of an `Explained`."""
    return annotated_with_places(objects, describer)[0]


def annotated_with_places(objects: list[Any], describer: Describer) -> tuple[str, list[tuple[int, Place]]]:
    """`annotated_yaml`, with the places of the input that values come from, by lines that count from 0."""
    writer = _Writer(describer)
    documents: list[str] = []
    places: list[tuple[int, Place]] = []
    first = 0
    for item in objects:
        lines: list[str] = []
        writer.origins = []
        writer.node(lines, item, "", "")
        places += _places(writer.origins, lines, first)
        documents.append("\n".join(lines))
        first += documents[-1].count("\n") + 2
    return "\n---\n".join(documents) + "\n" if documents else "", places


def _places(origins: list[tuple[int, Origin]], lines: list[str], first: int) -> Iterator[tuple[int, Place]]:
    """The first place of the input behind each origin, by its line; an item of `lines` may have several lines."""
    starts = [first]
    for text in lines:
        starts.append(starts[-1] + 1 + text.count("\n"))
    for index, origin in origins:
        found = [each.place for each in origin.sources() if each.kind == USER and each.place is not None]
        if found:
            yield starts[index], found[0]


class _Writer:
    """The same walk as `dynamoc.emit.yaml`, which must not be slowed down by looking for origins."""

    def __init__(self, describer: Describer) -> None:
        self.describer = describer
        self.known: dict[str, str] = {}
        self.origins: list[tuple[int, Origin]] = []

    def node(self, lines: list[str], value: Any, lead: str, indent: str) -> None:
        kind = value.__class__
        if kind is dict and value:
            self._mapping(lines, value, lead, indent)
        elif kind is list and value:
            for item in value:
                self.node(lines, item, f"{lead}- ", indent + "  ")
                lead = indent
        else:
            self._leaf(lines, lead, value, indent)

    def _mapping(self, lines: list[str], value: dict[str, Any], lead: str, indent: str) -> None:
        inner = indent + "  "
        for key in sorted(value):
            item = value[key]
            text = yaml._string(str(key))
            if len(text) > yaml._LONGEST_KEY // 4 and len(text.encode()) > yaml._LONGEST_KEY:
                lines.append(f"{lead}? {text}")
                self.node(lines, item, f"{indent}: ", inner)
            elif item.__class__ is dict and item:
                lines.append(f"{lead}{text}:")
                self._mapping(lines, item, inner, inner)
            elif item.__class__ is list and item:
                lines.append(f"{lead}{text}:")
                self.node(lines, item, indent, indent)
            else:
                self._leaf(lines, f"{lead}{text}: ", item, inner)
            lead = indent

    def _leaf(self, lines: list[str], lead: str, value: Any, indent: str) -> None:
        text = lead + yaml._scalar(plain(value), indent, self.known)
        origin = origin_of(value)
        if origin is None:
            lines.append(text)
            return
        self.origins.append((len(lines), origin))
        words = one_line(self.describer.short(origin))
        if "\n" not in text:
            lines.append(f"{text:<{_COLUMN}}  # {words}")
            return
        # A literal block starts with its mark, behind which a comment may stand.
        first, rest = text.split("\n", 1)
        lines.append(f"{first:<{_COLUMN}}  # {words}\n{rest}")
