"""YAML with the origin of each value in a comment behind it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from dynamoc.compiler.explain import traced
from dynamoc.compiler.explain.traced import USER, Origin, origin_of, plain
from dynamoc.compiler.options import Options
from dynamoc.documents.emit import yaml
from dynamoc.documents.findings.finding import Findings, Place, format_path
from dynamoc.documents.findings.text import one_line
from dynamoc.documents.source.files import read_paths
from dynamoc.kube.merge import at

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


@dataclass(eq=False)
class _Writer:
    """The same walk as `dynamoc.documents.emit.yaml`, which must not be slowed down by looking for origins."""

    describer: Describer
    known: dict[str, str] = field(default_factory=dict, init=False)
    origins: list[tuple[int, Origin]] = field(default_factory=list, init=False)

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


class Describer:
    """Words for the origins of one compilation."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.release = options.release.name
        self._config: Any = None

    def short(self, origin: Origin) -> str:
        """A few words, for a comment or a table: `graph.yaml:12:7`, `rule env/service`."""
        if origin.kind in (traced.USER, traced.CONTEXT):
            return str(origin.place)
        if origin.kind in (traced.RULE, traced.BUILDER) or origin.kind in (traced.CONSTANT, traced.CONFIG):
            words = f"{origin.kind} {origin.name}"
        elif origin.kind == traced.NAMESPACE:
            words = "--namespace" if origin.name == "command-line" else "default namespace"
        else:
            words = origin.kind.replace("-", " ")
        places = list(dict.fromkeys(str(item.place) for item in origin.sources()[1:] if item.kind == traced.USER))
        return f"{words} from {', '.join(places)}" if places else words

    def sentence(self, origin: Origin) -> str:
        """Where the value comes from, in full."""
        path = format_path(origin.path)
        if origin.kind == traced.USER:
            return f"{origin.place} {path}"
        if origin.kind == traced.CONTEXT:
            return f"{origin.place} {path}, which exists in the cluster"
        if origin.kind == traced.SCHEMA:
            return f"{self.release} schema default for {path}"
        if origin.kind == traced.WEBHOOK:
            return f"{self.release} webhook default for {path}"
        if origin.kind == traced.CONVERSION:
            return f"the conversion to v1beta1, which sets {path}"
        if origin.kind == traced.NAMESPACE:
            if origin.name == "command-line":
                return "--namespace on the command line"
            return "the default namespace: neither the document nor --namespace sets one"
        if origin.kind == traced.CONSTANT:
            return f"{self.release} default: {origin.name}"
        if origin.kind == traced.CONFIG:
            place = self.config_place(origin.name)
            where = f"{place}" if place else "the default of the Helm chart"
            return f"the operator's configuration, {origin.name}: {where}"
        return f"the {origin.kind} {origin.name}"

    def config_place(self, key: str) -> Place | None:
        """The line of the operator's configuration that sets a key, None for a default."""
        file = self.options.operator_config
        if file is None:
            return None

        if self._config is None:
            self._config = read_paths([file], Findings())
        path = tuple(key.split("."))
        for document in self._config:
            if at(document.value, path) is not None:
                place: Place = document.place(path)
                return place
        return None
