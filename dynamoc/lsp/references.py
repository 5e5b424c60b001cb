"""Which fields name something, and where what has a name is: in outlines of documents, so also while they are typed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from dynamoc.lsp.outline import Part
from dynamoc.lsp.spans import Entry, Path, Span

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
