"""Names in outlines of documents: where they are defined and used, and renaming a component with all its references."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from lsprotocol.types import Location, Position, TextEdit, WorkspaceEdit

from dynamoc.interfaces.lsp.documents import Document
from dynamoc.interfaces.lsp.outline import Part
from dynamoc.interfaces.lsp.spans import Entry, Path, Span

CLAIM, SECRET, CONFIG_MAP = "PersistentVolumeClaim", "Secret", "ConfigMap"
GRAPH, COMPONENT, VOLUME = "DynamoGraphDeployment", "component", "volume"
ADAPTER = "DynamoGraphDeploymentScalingAdapter"

#: the last keys of a path to what they name; a longer one counts before a shorter one
_FIELDS: dict[tuple[str, ...], str] = {
    ("persistentVolumeClaim", "claimName"): CLAIM,
    ("compilationCache", "pvcName"): CLAIM,
    ("modelCache", "pvcName"): CLAIM,
    ("pvcs", "name"): CLAIM,
    ("secretKeyRef", "name"): SECRET,
    ("secretRef", "name"): SECRET,
    ("secret", "secretName"): SECRET,
    ("secret", "name"): SECRET,
    ("imagePullSecrets", "name"): SECRET,
    ("envFromSecret",): SECRET,
    ("configMapKeyRef", "name"): CONFIG_MAP,
    ("configMapRef", "name"): CONFIG_MAP,
    ("configMap", "name"): CONFIG_MAP,
    ("serviceAccountName",): "ServiceAccount",
    ("checkpointRef",): "DynamoCheckpoint",
    ("dgdRef", "name"): GRAPH,
    ("dgdRef", "componentName"): COMPONENT,
    ("dgdRef", "serviceName"): COMPONENT,
    ("restart", "strategy", "order"): COMPONENT,
    ("scaleTargetRef", "name"): ADAPTER,
    ("volumeMounts", "name"): VOLUME,
}


@dataclass(frozen=True)
class Reference:
    """A name in a field: what it names, `name` as it is written, and the graph that a component is of."""

    kind: str
    name: str
    span: Span
    path: Path
    graph: str = ""


@dataclass(frozen=True)
class Definition:
    """Where something gets its name."""

    kind: str
    name: str
    span: Span


def references(part: Part) -> Iterator[Reference]:
    """The names of other things in a document."""
    for entry in part.entries:
        kind = kind_named(entry)
        if kind == ADAPTER and part.value("spec", "scaleTargetRef", "kind") != ADAPTER:
            continue
        if kind is not None and entry.value is not None and entry.value.text:
            yield Reference(kind, entry.value.text, entry.value, entry.path, _graph_of(part))


def kind_named(entry: Entry) -> str | None:
    """What the value of an entry names, None for other values."""
    keys = tuple(step for step in entry.path if isinstance(step, str))
    for length in (3, 2, 1):
        found = _FIELDS.get(keys[-length:]) if len(keys) >= length else None
        if found is not None:
            is_item = isinstance(entry.path[-1], int)
            return found if is_item == (keys[-length:] == ("restart", "strategy", "order")) else None
    return None


def _graph_of(part: Part) -> str:
    """The graph whose components a document names: itself, or the one that it refers to."""
    if part.value("kind") == GRAPH:
        return part.value("metadata", "name") or ""
    return part.value("spec", "dgdRef", "name") or ""


def may_be_together(part: Part, other: Part) -> bool:
    """Whether two documents may be in one namespace: where one names none, a tool sets it."""
    names = {part.value("metadata", "namespace"), other.value("metadata", "namespace")} - {None}
    return len(names) < 2


def object_definition(part: Part) -> Definition | None:
    """The document itself, by its kind and name."""
    entry = part.entry(("metadata", "name"))
    kind = part.value("kind")
    return Definition(kind, entry.value.text, entry.value) if kind and entry and entry.value else None


def components(part: Part) -> list[Definition]:
    """The components of a graph: names in a list, or keys of a mapping in v1alpha1."""
    if part.value("kind") != GRAPH:
        return []
    listed = [
        Definition(COMPONENT, each.value.text, each.value)
        for each in part.entries
        if len(each.path) == 4 and each.path[:2] == ("spec", "components") and each.path[3] == "name" and each.value
    ]
    keys = [Definition(COMPONENT, each.key.text, each.key) for each in part.children(("spec", "services")) if each.key]
    return listed + keys


def claims(part: Part) -> list[Definition]:
    """The claims that a graph of v1alpha1 lists."""
    return _names(part, lambda path: len(path) == 4 and path[:2] == ("spec", "pvcs"), CLAIM)


def volumes(part: Part, mount: Path) -> list[Definition]:
    """What a mount may name: the volumes of its pod, or in v1alpha1 the claims of the graph."""
    around = {(*mount[:depth], "volumes") for depth in range(len(mount))}
    return _names(part, lambda path: path[:-2] in around, VOLUME) + claims(part)


def _names(part: Part, fits: Callable[[Path], bool], kind: str) -> list[Definition]:
    return [
        Definition(kind, each.value.text, each.value)
        for each in part.entries
        if each.path and each.path[-1] == "name" and each.value and fits(each.path)
    ]


def reference_at(document: Document, position: Position) -> Reference | None:
    line, column = document.lines.point(position)
    for reference in references(document.outline.part_at(line)):
        span = reference.span
        if span.line == line and span.start <= column <= span.end:
            return reference
    return None


def word_for(reference: Reference) -> str:
    """What every document has that may define what is named: adapters get their names from graphs."""
    return GRAPH if reference.kind == ADAPTER else reference.name


def definitions(document: Document, reference: Reference, others: Iterable[Document]) -> list[Location]:
    """In the document itself if it is there, otherwise in other ones."""
    part_of_reference = document.outline.part_at(reference.span.line)
    own = _in_own(part_of_reference, reference)
    if own:
        return [_location(document, each) for each in own]
    for candidate in (document, *others):
        parts = (each for each in candidate.outline.parts if may_be_together(each, part_of_reference))
        found = [each for part in parts for each in _in_part(part, reference)]
        if found:
            return [_location(candidate, each) for each in found]
    return []


def _in_own(part: Part, reference: Reference) -> list[Definition]:
    """What only the document of the reference can define."""
    found: list[Definition] = []
    if reference.kind == VOLUME:
        found = volumes(part, reference.path)
    elif reference.kind == COMPONENT:
        found = components(part)
    elif reference.kind == CLAIM:
        found = claims(part)
    return [each for each in found if each.name == reference.name and each.span != reference.span][:1]


def _in_part(part: Part, reference: Reference) -> list[Definition]:
    if reference.kind == COMPONENT:
        found = components(part) if part.value("metadata", "name") == reference.graph else []
    elif reference.kind == ADAPTER:
        return [each for each in components(part) if adapter_of(part, each.name) == reference.name]
    else:
        one = object_definition(part)
        found = [one] if one is not None and one.kind == reference.kind else []
        found += claims(part) if reference.kind == CLAIM else []
    return [each for each in found if each.name == reference.name and each.span != reference.span]


def adapter_of(part: Part, component: str) -> str:
    """The name of the scaling adapter of a component, as the operator makes it."""
    return f"{part.value('metadata', 'name') or ''}-{component.lower()}"


def _location(document: Document, found: Definition) -> Location:
    span = found.span
    return Location(document.uri, document.lines.range(span.line, span.start, span.end))


#: the names that v1beta1 takes; a quoted name stays quoted
_NAME = re.compile(r"[A-Za-z0-9](?:[-A-Za-z0-9]*[A-Za-z0-9])?")
_LONGEST = 63


class BadName(Exception):
    """The component cannot have this name; the message says why."""


@dataclass(eq=False)
class Component:
    """A component under the cursor: its graph, its name, and where that is written."""

    graph: str
    name: str
    span: Span


def component_at(document: Document, position: Position) -> Component | None:
    """The component whose name is at a position, or a reference to it."""
    if document.is_template:
        return None
    line, column = document.lines.point(position)
    part = document.outline.part_at(line)
    for each in components(part):
        if each.span.line == line and each.span.start <= column <= each.span.end:
            return Component(part.value("metadata", "name") or "", each.name, each.span)
    reference = reference_at(document, position)
    if reference is None or reference.kind != COMPONENT:
        return None
    return Component(reference.graph, reference.name, reference.span)


def renamed(document: Document, component: Component, name: str, others: Iterable[Document]) -> WorkspaceEdit:
    """The edits in all documents. Raises BadName.

    Where other files have a graph of the same name, such as those of other clusters, only this one is changed: what
    else names the component may mean theirs.
    """
    if _NAME.fullmatch(name) is None or len(name) > _LONGEST:
        raise BadName(f"`{name}` is not a name of a component: write letters, digits and dashes, at most {_LONGEST}.")
    found = [document, *others]
    own = document.outline.part_at(component.span.line)
    graphs = [each for each in found if any(_is_graph(part, component, own) for part in each.outline.parts)]
    if len(graphs) > 1:
        if graphs[0] is not document:
            raise BadName(f"{len(graphs)} files have a graph {component.graph}; rename the component there.")
        found = [document]
    changes = {}
    for each in found:
        parts = [part for part in each.outline.parts if may_be_together(part, own)]
        edits = [_edit(each, span, text) for part in parts for span, text in _spans(part, component, name)]
        if edits:
            changes[each.uri] = edits
    return WorkspaceEdit(changes=changes)


def _is_graph(part: Part, component: Component, own: Part) -> bool:
    is_named = part.value("kind") == GRAPH and part.value("metadata", "name") == component.graph
    return is_named and may_be_together(part, own)


def _spans(part: Part, component: Component, name: str) -> Iterator[tuple[Span, str]]:
    """Where a document has the name, with what it becomes there."""
    if part.value("kind") == GRAPH and part.value("metadata", "name") == component.graph:
        for each in components(part):
            if each.name == name and name != component.name:
                raise BadName(f"{component.graph} has a component `{name}` already.")
            if each.name == component.name:
                yield each.span, name
        entry = part.entry(("spec", "services", component.name, "serviceName"))
        if entry is not None and entry.value is not None and entry.value.text == component.name:
            yield entry.value, name
    old_adapter = f"{component.graph}-{component.name.lower()}"
    for reference in references(part):
        if reference.kind == COMPONENT and (reference.graph, reference.name) == (component.graph, component.name):
            yield reference.span, name
        elif reference.kind == ADAPTER and reference.name == old_adapter:
            yield reference.span, f"{component.graph}-{name.lower()}"


def _edit(document: Document, span: Span, text: str) -> TextEdit:
    return TextEdit(document.lines.range(span.line, span.start, span.end), text)
