"""Why a field is another one under another release: the constant, rule, default or configuration that made it.

The origin of a value is what `dynamoc explain` tells of it: of the new value under the new release, and of a value
that went under the old one.
"""

from __future__ import annotations

from dynamoc.compare.feature_fields import FeatureFields
from dynamoc.compare.model import REMOVED, identity
from dynamoc.diagnostics.finding import Findings
from dynamoc.explain import origin as kinds
from dynamoc.explain.compilation import explain_documents
from dynamoc.explain.describe import Describer
from dynamoc.explain.steps import find_step
from dynamoc.explain.traced import leaves
from dynamoc.release.difference import feature_difference

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.compare.model import Change, Identity, ObjectChange
    from dynamoc.compare.path import Step, Steps
    from dynamoc.compiler import Options
    from dynamoc.explain.origin import Origin
    from dynamoc.source.document import Document

    Tree = dict[str, Any]

HASH = "hash"
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
    """Both renderings of the same documents, traced."""

    def __init__(self, old: tuple[list[Document], Options], new: tuple[list[Document], Options]) -> None:
        self._old, self._new = _Side(*old), _Side(*new)
        self._features = feature_difference(old[1].release, new[1].release)
        self._fields = FeatureFields(old[1].release, new[1].release)

    def of_change(self, item: ObjectChange, change: Change) -> Reason | None:
        """Why a field differs; None where its origin is not known."""
        feature = self._fields.of(item.one["kind"], item.one["metadata"].get("name", ""), change)
        if feature:
            return _of_feature(feature)
        if change.how != REMOVED:
            return self._new.reason(item.new, change.steps)
        return self._old.reason(item.old, change.steps, gone=True)

    def of_object(self, item: ObjectChange) -> Reason | None:
        """Why an object is made by one release only."""
        feature = self._fields.of(item.one["kind"], item.one["metadata"].get("name", ""), None)
        if feature:
            return _of_feature(feature)
        return self._old.builder(item.old, gone=True) if item.new is None else self._new.builder(item.new)

    def of_generation(self) -> Reason:
        """Why workers carry another hash although their specs are the same."""
        for feature in self._features:
            if feature["name"] in _HASH_FEATURES:
                return Reason(HASH, feature["name"], feature["reason"], feature["source"])
        return Reason(HASH, "worker-hash", "What the hash is computed from is rendered otherwise.")


class _Side:
    """One traced rendering."""

    def __init__(self, documents: list[Document], options: Options) -> None:
        self._explained = explain_documents(documents, options, Findings())
        self._describer = Describer(options)
        self._release = options.release.name
        self._index: dict[Identity, int] = {identity(item): at for at, item in enumerate(self._explained.objects)}

    def reason(self, value: Tree | None, steps: Steps, *, gone: bool = False) -> Reason | None:
        origin = self._origin(value, steps)
        return None if origin is None else self._describe(origin, gone=gone)

    def builder(self, value: Tree | None, *, gone: bool = False) -> Reason | None:
        for steps in (("kind",), ("apiVersion",), ("metadata", "name")):
            origin = self._origin(value, steps)
            if origin is not None and origin.kind in (kinds.BUILDER, kinds.RULE, kinds.CONSTANT):
                return self._describe(origin, gone=gone)
        return None

    def _origin(self, value: Tree | None, steps: Steps) -> Origin | None:
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

    def _describe(self, origin: Origin, *, gone: bool) -> Reason:
        if origin.kind in (kinds.RULE, kinds.BUILDER):
            reason = _of_step(origin.kind, origin.name)
        elif origin.kind in (kinds.USER, kinds.CONTEXT) and origin.step:
            reason = _of_step("rule", origin.step)
        else:
            name = origin.name or str(origin.path[-1] if origin.path else "")
            reason = Reason(origin.kind, name, self._describer.sentence(origin))
        if gone:
            reason.text = f"release {self._release} only: {reason.text}"
        return reason


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
