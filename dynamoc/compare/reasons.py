"""Why a field is another one under another release: the constant, rule, default or configuration that made it.

The origin of a value is what `dynamoc explain` tells of it: of the new value under the new release, and of a value
that went under the old one.
"""

from __future__ import annotations

from dynamoc.compare.feature_fields import FeatureFields
from dynamoc.compare.generations import labels_of
from dynamoc.compare.result import REMOVED
from dynamoc.compare.upgrade import owner_of, running_documents
from dynamoc.compilation import COMPILED_KINDS
from dynamoc.diagnostics.finding import Findings
from dynamoc.explain import origin as kinds
from dynamoc.explain.describe import Describer
from dynamoc.explain.steps import find_step
from dynamoc.explain.traced import leaves
from dynamoc.explain.traced_compilation import explain_documents
from dynamoc.kube.identity import identity
from dynamoc.kube.labels import GRAPH_LABEL
from dynamoc.release.difference import feature_difference

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from dynamoc.compare.path import Step, Steps
    from dynamoc.compare.result import Change, ObjectChange
    from dynamoc.compare.upgrade import Upgrade
    from dynamoc.explain.origin import Origin
    from dynamoc.explain.traced_compilation import Explained
    from dynamoc.kube.identity import Identity
    from dynamoc.options import Options
    from dynamoc.source.document import Document

    Tree = dict[str, Any]

HASH = "hash"
#: reasons that are the same in every graph; others name lines of a document, or fields of one component
_OF_THE_OPERATOR = (kinds.CONSTANT, kinds.CONFIG, kinds.RULE, kinds.BUILDER)
#: names of features that change what workers are called
_HASH_FEATURES = ("worker-hash/of-components", "worker/generations")


class Reason:
    """Why values differ.

    kind    feature, constant, config, rule, builder, schema-default, webhook-default, conversion, user, or hash
    name    which one
    text    a sentence
    source  file and symbol of the operator, "" where none is known
    """

    __slots__ = ("kind", "name", "source", "text")

    def __init__(self, kind: str, name: str, text: str, source: str = "") -> None:
        self.kind = kind
        self.name = name
        self.text = text
        self.source = source

    def key(self) -> tuple[str, str, str]:
        return self.kind, self.name, self.text


class Reasons:
    """Why the two releases of an upgrade differ. Documents are traced when the first reason of theirs is asked for.

    What changes from one value to another in the same field of many graphs does so for one reason, as long as that is
    the operator's: it is looked for once.
    """

    def __init__(self, upgrade: Upgrade) -> None:
        self._upgrade = upgrade
        old, new = upgrade.old, upgrade.new
        self._old, self._new = _Side(upgrade.documents, old), _Side(running_documents(upgrade), new)
        self._features = feature_difference(old.release, new.release)
        self._fields = FeatureFields(old.release, new.release)
        self._known: dict[tuple[str, ...], Reason] = {}

    def of_change(self, item: ObjectChange, change: Change) -> Reason | None:
        """Why a field differs; None where its origin is not known."""
        feature = self._fields.of(item.one["kind"], item.one["metadata"].get("name", ""), change)
        if feature:
            return _of_feature(feature)
        key = (change.how, *(_nameless(part, item.one) for part in (change.steps, change.old, change.new)))
        return self._found((item.one["kind"], *key), lambda: self._of_field(item, change))

    def of_object(self, item: ObjectChange) -> Reason | None:
        """Why an object is made by one release only."""
        feature = self._fields.of(item.one["kind"], item.one["metadata"].get("name", ""), None)
        if feature:
            return _of_feature(feature)
        name = _nameless(item.one["metadata"].get("name"), item.one)
        return self._found((item.one["kind"], str(item.new is None), name), lambda: self._of_whole(item))

    def _found(self, key: tuple[str, ...], look: Callable[[], Reason | None]) -> Reason | None:
        known = self._known.get(key)
        if known is not None:
            return known
        reason = look()
        if reason is not None and (reason.kind in _OF_THE_OPERATOR or "for metadata." in reason.text):
            self._known[key] = reason
        return reason

    def _of_field(self, item: ObjectChange, change: Change) -> Reason | None:
        owner = self._upgrade.owners.get(identity(item.one))
        if change.how != REMOVED:
            return self._new.reason(owner, item.new, change.steps)
        return self._old.reason(owner, item.old, change.steps, gone=True)

    def _of_whole(self, item: ObjectChange) -> Reason | None:
        owner = self._upgrade.owners.get(identity(item.one))
        if item.new is None:
            return self._old.builder(owner, item.old, gone=True)
        return self._new.builder(owner, item.new)

    def of_generation(self) -> Reason:
        """Why workers carry another hash although their specs are the same."""
        for feature in self._features:
            if feature["name"] in _HASH_FEATURES:
                return Reason(HASH, feature["name"], feature["reason"], feature["source"])
        return Reason(HASH, "worker-hash", "The operator renders differently what it computes the hash from.")


class _Side:
    """One rendering, of which a document is traced when it is asked for."""

    def __init__(self, documents: list[Document], options: Options) -> None:
        self._options = options
        self._describer = Describer(options)
        self._release = options.release.name
        self._own: dict[Identity, list[Document]] = {}
        self._shared: list[Document] = []
        for document in documents:
            kind = document.value.get("kind")
            if kind in COMPILED_KINDS and kind != "DynamoCheckpoint":
                self._own.setdefault(owner_of(document, options), []).append(document)
            else:
                self._shared.append(document)
        self._traced: dict[Identity | None, _Traced] = {}

    def reason(self, owner: Identity | None, value: Tree | None, steps: Steps, *, gone: bool = False) -> Reason | None:
        origin = self._trace(owner).origin(value, steps)
        return None if origin is None else self._describe(origin, gone=gone)

    def builder(self, owner: Identity | None, value: Tree | None, *, gone: bool = False) -> Reason | None:
        for steps in (("kind",), ("apiVersion",), ("metadata", "name")):
            origin = self._trace(owner).origin(value, steps)
            if origin is not None and origin.kind in (kinds.BUILDER, kinds.RULE, kinds.CONSTANT):
                return self._describe(origin, gone=gone)
        return None

    def _trace(self, owner: Identity | None) -> _Traced:
        """A document, traced among those that tell of the cluster: another graph has no part in it."""
        if owner not in self._own:
            owner = None
        found = self._traced.get(owner)
        if found is None:
            documents = [*self._shared, *(self._own[owner] if owner else ())]
            found = self._traced[owner] = _Traced(explain_documents(documents, self._options, Findings()))
        return found

    def _describe(self, origin: Origin, *, gone: bool) -> Reason:
        if origin.kind in (kinds.RULE, kinds.BUILDER):
            reason = _of_step(origin.kind, origin.name)
        elif origin.kind in (kinds.USER, kinds.CONTEXT) and origin.step:
            reason = _of_step("rule", origin.step)
        else:
            name = origin.name or str(origin.path[-1] if origin.path else "")
            reason = Reason(origin.kind, name, self._describer.sentence(origin))
        if gone:
            reason.text = f"only in release {self._release}: {reason.text}"
        return reason


class _Traced:
    """Traced objects, by identity."""

    def __init__(self, explained: Explained) -> None:
        self._explained = explained
        self._index: dict[Identity, int] = {identity(item): at for at, item in enumerate(explained.objects)}

    def origin(self, value: Tree | None, steps: Steps) -> Origin | None:
        index = None if value is None else self._index.get(identity(value))
        if index is None:
            return None
        path, found = _resolve(self._explained.objects[index], steps)
        for below, leaf in leaves(found, path):
            # The name of an element says less about its origin than what it holds.
            origin = self._explained.origin(index, below, leaf)
            if origin is not None and below[-1] != "name":
                return origin
        return next(
            (item for below, leaf in leaves(found, path) if (item := self._explained.origin(index, below, leaf))), None
        )


def _nameless(value: Any, item: Tree) -> str:
    """The text of a value without the names of the graph and its namespace, by which graphs that are alike differ."""
    metadata = item["metadata"]
    text = repr(value)
    for name in (labels_of(item).get(GRAPH_LABEL), metadata.get("namespace")):
        if name:
            text = text.replace(name, "\0")
    return text


def _of_feature(row: dict[str, Any]) -> Reason:
    return Reason("feature", row["name"], row["reason"], row["source"])


def _of_step(kind: str, name: str) -> Reason:
    step = find_step(name)
    return Reason(kind, name, "") if step is None else Reason(step.kind, name, step.summary, step.source)


def _resolve(value: Any, steps: Steps) -> tuple[tuple[str | int, ...], Any]:
    """The path with positions that a path with keys leads to, and what stands there; as far as it goes."""
    path: tuple[str | int, ...] = ()
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
