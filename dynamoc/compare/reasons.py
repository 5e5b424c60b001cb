"""Why a field is another one under another release: the constant, rule, default or configuration that made it.

The origin of a value is what `dynamoc explain` tells of it: of the new value under the new release, and of a value
that went under the old one.
"""

from __future__ import annotations

from dynamoc.compare.feature_fields import FeatureFields
from dynamoc.compare.questions import Questions, nameless, own_names
from dynamoc.compare.traced_sides import TracedSide
from dynamoc.compare.upgrade import running_documents
from dynamoc.explain import origin as kinds
from dynamoc.explain.describe import Describer
from dynamoc.explain.steps import find_step
from dynamoc.release.feature_difference import feature_difference

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable
    from typing import Any

    from dynamoc.compare.questions import Question
    from dynamoc.compare.result import Change, ObjectChange
    from dynamoc.compare.traced_sides import Leaf
    from dynamoc.compare.upgrade import Upgrade
    from dynamoc.explain.origin import Origin

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
    the operator's: it is looked for once. Of components that are alike, one is traced.
    """

    def __init__(self, upgrade: Upgrade) -> None:
        self._upgrade = upgrade
        old, new = upgrade.old, upgrade.new
        self._questions = Questions(
            upgrade,
            TracedSide(upgrade.documents, old, upgrade.stored[0]),
            TracedSide(running_documents(upgrade), new, upgrade.stored[1]),
        )
        self._features = feature_difference(old.release, new.release)
        self._fields = FeatureFields(old.release, new.release)
        self._known: dict[Hashable, Reason] = {}
        self._is_prepared = False

    def of_change(self, item: ObjectChange, change: Change) -> Reason | None:
        """Why a field differs; None where its origin is not known."""
        feature = self._feature(item, change)
        if feature:
            return _of_feature(feature)
        differing = nameless(repr((change.steps, change.old, change.new)), own_names(item.one))
        key = (item.one["kind"], change.how, differing)
        return self._known.get(key) or self._found(self._questions.about(item, change), key)

    def of_object(self, item: ObjectChange) -> Reason | None:
        """Why an object is made by one release only."""
        feature = self._feature(item, None)
        return _of_feature(feature) if feature else self._found(self._questions.about(item, None))

    def _feature(self, item: ObjectChange, change: Change | None) -> dict[str, Any] | None:
        return self._fields.of(item.one["kind"], item.one["metadata"].get("name", ""), change)

    def _found(self, asked: Question, key: Hashable = None) -> Reason | None:
        known = self._known.get(asked.likeness) if asked.likeness else None
        if known is not None:
            return known
        self._prepare()
        found, leaf = self._origin(asked)
        if found is None:
            return None
        reason = self._describe(found, asked)
        if reason.kind in _OF_THE_OPERATOR or "for metadata." in reason.text:
            if key is not None:
                self._known[key] = reason
            if asked.likeness and leaf == asked.leaf:
                self._known[asked.likeness] = reason
        return reason

    def _prepare(self) -> None:
        """Tells both sides of which components somebody will ask: those of the first question of each likeness."""
        if self._is_prepared:
            return
        self._is_prepared = True
        seen = set()
        for item in self._upgrade.comparison.objects:
            whole = item.old is None or item.new is None
            for change in [None] if whole else [change for change in item.changes if change.applied]:
                if self._feature(item, change):
                    continue
                asked = self._questions.about(item, change)
                if asked.likeness is None or asked.likeness not in seen:
                    seen.add(asked.likeness)
                    asked.side.want(asked.owner, asked.value, asked.component)

    def _origin(self, asked: Question) -> tuple[Origin | None, Leaf | None]:
        """The origin that answers, and the leaf that has it; the question's own for a whole object."""
        traced = asked.side.traced(asked.owner, asked.value, asked.component)
        if asked.steps:
            return traced.origin(asked.value, asked.steps)
        for steps in (("kind",), ("apiVersion",), ("metadata", "name")):
            origin = traced.origin(asked.value, steps)[0]
            if origin is not None and origin.kind in (kinds.BUILDER, kinds.RULE, kinds.CONSTANT):
                return origin, asked.leaf
        return None, None

    def _describe(self, origin: Origin, asked: Question) -> Reason:
        if origin.kind in (kinds.RULE, kinds.BUILDER):
            reason = _of_step(origin.kind, origin.name)
        elif origin.kind in (kinds.USER, kinds.CONTEXT) and origin.step:
            reason = _of_step("rule", origin.step)
        else:
            name = origin.name or str(origin.path[-1] if origin.path else "")
            reason = Reason(origin.kind, name, Describer(asked.side.options).sentence(origin))
        if asked.gone:
            reason.text = f"only in release {asked.side.options.release.name}: {reason.text}"
        return reason

    def of_generation(self) -> Reason:
        """Why workers carry another hash although their specs are the same."""
        for feature in self._features:
            if feature["name"] in _HASH_FEATURES:
                return Reason(HASH, feature["name"], feature["reason"], feature["source"])
        return Reason(HASH, "worker-hash", "The operator renders differently what it computes the hash from.")


def _of_feature(row: dict[str, Any]) -> Reason:
    return Reason("feature", row["name"], row["reason"], row["source"])


def _of_step(kind: str, name: str) -> Reason:
    step = find_step(name)
    return Reason(kind, name, "") if step is None else Reason(step.kind, name, step.summary, step.source)
