"""Why a field is another one under another release: the feature, constant, rule, default or configuration that made it.

The origin of a value is what `dynamoc explain` prints: of the new value under the new release, and of a value
that went under the old one. Questions of components and graphs that are alike have one answer.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

from dynamoc.analysis.compare.comparison import Pattern, first
from dynamoc.analysis.compare.effects import labels_of
from dynamoc.analysis.compare.releases import FIELDS, feature_difference
from dynamoc.analysis.compare.result import REMOVED, Change, ObjectChange, Step, Steps
from dynamoc.analysis.compare.upgrade import Upgrade, running_documents
from dynamoc.compiler.explain import traced as kinds
from dynamoc.compiler.explain.annotated import Describer
from dynamoc.compiler.explain.answer import find_step
from dynamoc.compiler.explain.traced import Origin, leaves
from dynamoc.compiler.explain.traced_compilation import Explained, explain_documents
from dynamoc.compiler.objects import owner_of, related
from dynamoc.compiler.options import Options
from dynamoc.documents.findings.finding import Findings, Path
from dynamoc.documents.source.document import Document
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import COMPONENT_LABEL, GRAPH_LABEL, WORKER_HASH_LABEL, Identity, identity

Row = dict[str, Any]

_SCALARS = (str, int, bool, float)


def own_names(item: Tree) -> list[str]:
    """The names of its graph and namespace, by which the objects of graphs that are alike differ."""
    return [labels_of(item).get(GRAPH_LABEL, ""), item["metadata"].get("namespace", "")]


def nameless(text: str, names: list[str]) -> str:
    """A text without names."""
    for name in filter(None, names):
        text = text.replace(name, "\0")
    return text


HASH = "hash"
#: reasons that are the same in every graph; others name lines of a document, or fields of one component
_OF_THE_OPERATOR = (kinds.CONSTANT, kinds.CONFIG, kinds.RULE, kinds.BUILDER)
#: names of features that change what workers are called
_HASH_FEATURES = ("worker-hash/of-components", "worker/generations")


@dataclass(eq=False, slots=True)
class Reason:
    """Why values differ.

    kind    feature, constant, config, rule, builder, schema-default, webhook-default, conversion, user, or hash
    name    which one
    text    a sentence
    source  file and symbol of the operator, "" where none is known
    """

    kind: str
    name: str
    text: str
    source: str = ""

    def key(self) -> tuple[str, str, str]:
        return self.kind, self.name, self.text


class Reasons:
    """Why the two releases of an upgrade differ. Documents are traced when the first reason of theirs is asked for.

    What changes from one value to another in the same field of many graphs does so for one reason, as long as that is
    the operator's: it is looked for once.
    """

    def __init__(self, upgrade: Upgrade) -> None:
        self._owners = upgrade.owners
        old, new = upgrade.old, upgrade.new
        self._old = TracedSide(upgrade.documents, old)
        self._new = TracedSide(running_documents(upgrade), new)
        #: the features that distinguish the two releases, and the fields that show them
        self._features: dict[str, Row] = {row["name"]: row for row in feature_difference(old.release, new.release)}
        self._fields = {
            Pattern(text): self._features[name]
            for text, names in FIELDS
            if (name := next((name for name in names if name in self._features), None))
        }
        self._known: dict[Hashable, Reason] = {}

    def of_change(self, item: ObjectChange, change: Change) -> Reason | None:
        """Why a field differs; None where its origin is not known."""
        feature = self._feature(item, change)
        if feature:
            return _of_feature(feature)
        differing = nameless(repr((change.steps, change.old, change.new)), own_names(item.one))
        key = (item.one["kind"], change.how, differing)
        if key in self._known:
            return self._known[key]
        gone = change.how == REMOVED
        side, value = (self._old, item.old) if gone else (self._new, item.new)
        origin = side.origin(self._owners.get(identity(item.one)), value, change.steps)
        if origin is None:
            return None
        reason = _described(origin, side, gone=gone)
        if reason.kind in _OF_THE_OPERATOR or "for metadata." in reason.text:
            self._known[key] = reason
        return reason

    def of_object(self, item: ObjectChange) -> Reason | None:
        """Why an object is made by one release only."""
        feature = self._feature(item, None)
        if feature:
            return _of_feature(feature)
        gone = item.new is None
        side, value = (self._old, item.old) if gone else (self._new, item.new)
        labels = labels_of(item.one)
        names = [*own_names(item.one), labels.get(COMPONENT_LABEL, "").lower(), labels.get(WORKER_HASH_LABEL, "")]
        key = (item.one["kind"], gone, nameless(item.one["metadata"].get("name", ""), names))
        if key in self._known:
            return self._known[key]
        for steps in (("kind",), ("apiVersion",), ("metadata", "name")):
            origin = side.origin(self._owners.get(identity(item.one)), value, steps)
            if origin is not None and origin.kind in (kinds.BUILDER, kinds.RULE, kinds.CONSTANT):
                reason = self._known[key] = _described(origin, side, gone=gone)
                return reason
        return None

    def _feature(self, item: ObjectChange, change: Change | None) -> Row | None:
        """The feature behind a change of a field, or behind an object that one release makes (`change` is None)."""
        name, steps = item.one["metadata"].get("name", ""), change.steps if change else ()
        pattern = first(self._fields, item.one["kind"], name, steps)
        return None if pattern is None else self._fields[pattern]

    def of_generation(self) -> Reason:
        """Why workers carry another hash although their specs are the same."""
        for name, feature in self._features.items():
            if name in _HASH_FEATURES:
                return Reason(HASH, name, feature["reason"], feature["source"])
        return Reason(HASH, "worker-hash", "The operator renders differently what it computes the hash from.")


def _of_feature(row: dict[str, Any]) -> Reason:
    return Reason("feature", row["name"], row["reason"], row["source"])


def _of_step(kind: str, name: str) -> Reason:
    step = find_step(name)
    return Reason(kind, name, "") if step is None else Reason(step.kind, name, step.summary, step.source)


def _described(origin: Origin, side: TracedSide, *, gone: bool) -> Reason:
    if origin.kind in (kinds.RULE, kinds.BUILDER):
        reason = _of_step(origin.kind, origin.name)
    elif origin.kind in (kinds.USER, kinds.CONTEXT) and origin.step:
        reason = _of_step("rule", origin.step)
    else:
        name = origin.name or str(origin.path[-1] if origin.path else "")
        reason = Reason(origin.kind, name, Describer(side.options).sentence(origin))
    if gone:
        reason.text = f"only in release {side.options.release.name}: {reason.text}"
    return reason


class TracedSide:
    """One rendering, of which a document is traced when it is asked for, among those that describe the cluster."""

    def __init__(self, documents: list[Document], options: Options) -> None:
        self.options = options
        self._documents = documents
        self._owners = {owner_of(document.value, options.namespace) for document in documents}
        self._traced: dict[Identity | None, tuple[Explained, dict[Identity, int]]] = {}

    def origin(self, owner: Identity | None, value: Tree | None, steps: Steps) -> Origin | None:
        """The origin of a field of an object that is made of a document."""
        if value is None:
            return None
        owner = owner if owner in self._owners else None
        if owner not in self._traced:
            among = related(self._documents, [owner], self.options.namespace)
            # Of two documents with one name, one may be refused.
            judged = owner is None or sum(owner_of(item.value, self.options.namespace) == owner for item in among) > 1
            explained = explain_documents(among, self.options, Findings(), judged=judged)
            self._traced[owner] = explained, {identity(item): at for at, item in enumerate(explained.objects)}
        explained, numbers = self._traced[owner]
        index = numbers.get(identity(value))
        if index is None:
            return None
        path, found = resolve(explained.objects[index], steps)
        named = None
        for below, leaf in leaves(found, path):
            origin = explained.origin(index, below, leaf)
            # The name of an element says less about its origin than what it holds.
            if origin is not None and below[-1] != "name":
                return origin
            named = named or origin
        return named


def resolve(value: Any, steps: Steps) -> tuple[Path, Any]:
    """The path with positions that a path with keys leads to, and what stands there; as far as it goes."""
    path: Path = ()
    for step in steps:
        found = _position(value, step)
        if found is None:
            break
        path, value = (*path, found), value[found]
    return path, value


def _position(value: Any, step: Step) -> str | int | None:
    if isinstance(value, dict):
        return step if isinstance(step, str) and step in value else None
    if not isinstance(value, list):
        return None
    if isinstance(step, int):
        return step if step < len(value) else None
    if not isinstance(step, tuple):
        return None
    field, wanted = step
    for position, item in enumerate(value):
        shown = item.get(field) if isinstance(item, dict) else item
        if str(shown) == wanted:
            return position
    return None
