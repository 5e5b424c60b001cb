"""Why a field is another one under another release: the feature, constant, rule, default or configuration that made it.

The origin of a value is what `dynamoc explain` tells of it: of the new value under the new release, and of a value
that went under the old one. Questions of components and graphs that are alike have one answer.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

from dynamoc.analysis.compare.comparison import Pattern, first
from dynamoc.analysis.compare.effects import labels_of
from dynamoc.analysis.compare.releases import FIELDS, feature_difference
from dynamoc.analysis.compare.result import REMOVED, Change, ObjectChange
from dynamoc.analysis.compare.traced_sides import Leaf, TracedSide, resolve
from dynamoc.analysis.compare.trees import Steps
from dynamoc.analysis.compare.upgrade import Upgrade, running_documents
from dynamoc.compiler.explain import traced as kinds
from dynamoc.compiler.explain.annotated import Describer
from dynamoc.compiler.explain.answer import find_step
from dynamoc.compiler.explain.focus import component_at
from dynamoc.compiler.explain.traced import Origin, leaves
from dynamoc.documents.findings.finding import Path
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import GRAPH_LABEL, Identity, identity

Row = dict[str, Any]

_SCALARS = (str, int, bool, float)


@dataclass(eq=False, slots=True)
class Question:
    """Where a field of one side comes from, or, without steps, the whole object.

    component that the field belongs to; None for several or none
    gone      whether the later release does not make it
    leaf      the scalar whose origin is probably the answer, with its path
    likeness  what questions with one answer have in common, as long as that is about `leaf`; None where it is unknown
    """

    side: TracedSide
    owner: Identity | None
    value: Tree | None
    steps: Steps
    _: KW_ONLY
    gone: bool
    component: str | None = field(default=None, init=False)
    leaf: Leaf | None = field(default=None, init=False)
    likeness: Hashable = field(default=None, init=False)


class Questions:
    """The questions about an upgrade of two sides."""

    def __init__(self, upgrade: Upgrade, old: TracedSide, new: TracedSide) -> None:
        self._owners = upgrade.owners
        self._old, self._new = old, new
        # A gang carries no label of its component; it is called like its LeaderWorkerSet.
        self._gangs = {
            (item["metadata"].get("namespace"), item["metadata"]["name"]): component_at(item, ())
            for item in upgrade.objects
            if item["kind"] == "LeaderWorkerSet"
        }

    def about(self, item: ObjectChange, change: Change | None) -> Question:
        """What to ask for a change, None for an object that one release makes."""
        gone = item.new is None if change is None else change.how == REMOVED
        value = item.old if gone else item.new
        owner, steps = self._owners.get(identity(item.one)), change.steps if change else ()
        asked = Question(self._old if gone else self._new, owner, value, steps, gone=gone)
        if value is None:
            return asked
        path, found = resolve(value, steps)
        asked.component = component_at(value, path)
        if value["kind"] == "PodGroup":
            metadata = value["metadata"]
            asked.component = self._gangs.get((metadata.get("namespace"), metadata["name"]))
        if len(path) == len(steps):
            _liken(asked, value, path, found)
        return asked


def _liken(asked: Question, value: Tree, path: Path, found: Any) -> None:
    names = own_names(value)
    if not asked.steps:
        name = _generic(value["metadata"].get("name", ""), names, asked.component)
        asked.likeness = (value["kind"], asked.gone, name)
        return
    asked.leaf = next(
        ((below, leaf) for below, leaf in leaves(found, path) if below[-1] != "name" and leaf.__class__ in _SCALARS),
        None,
    )
    if asked.leaf is None:
        return
    below, leaf = asked.leaf
    steps = tuple(
        (step[0], _generic(step[1], names, asked.component)) if isinstance(step, tuple) else step
        for step in asked.steps
    )
    text = _generic(repr(leaf), names, asked.component)
    likeness = asked.side.likeness(asked.owner, asked.component, leaf)
    asked.likeness = (value["kind"], asked.gone, steps, below[len(path) :], text, *likeness)


def own_names(item: Tree) -> list[str]:
    """The names of its graph and namespace, by which the objects of graphs that are alike differ."""
    names = (labels_of(item).get(GRAPH_LABEL), item["metadata"].get("namespace"))
    return [name for name in names if name]


def nameless(text: str, names: list[str]) -> str:
    """A text without names."""
    for name in names:
        text = text.replace(name, "\0")
    return text


def _generic(text: str, names: list[str], component: str | None) -> str:
    """A text without names, and without that of the component where it is a word."""
    text = nameless(text, names)
    for name in {component, component.lower()} if component else ():
        if name in text:
            text = _without_word(text, name)
    return text


def _without_word(text: str, word: str) -> str:
    """A text with a stand-in for a word, but not where letters or digits go on with it."""
    parts, start, at = [], 0, text.find(word)
    while at >= 0:
        end = at + len(word)
        if _goes_on(text[at - 1 : at]) or _goes_on(text[end : end + 1]):
            at = text.find(word, at + 1)
            continue
        parts.append(text[start:at])
        start, at = end, text.find(word, end)
    return "\1".join([*parts, text[start:]])


def _goes_on(character: str) -> bool:
    return character.isascii() and character.isalnum()


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
        #: the features that tell the two releases apart, and the fields that show them
        self._features: dict[str, Row] = {row["name"]: row for row in feature_difference(old.release, new.release)}
        self._fields = {
            Pattern(text): self._features[name]
            for text, names in FIELDS
            if (name := next((name for name in names if name in self._features), None))
        }
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

    def _feature(self, item: ObjectChange, change: Change | None) -> Row | None:
        """The feature behind a change of a field, or behind an object that one release makes (`change` is None)."""
        name, steps = item.one["metadata"].get("name", ""), change.steps if change else ()
        pattern = first(self._fields, item.one["kind"], name, steps)
        return None if pattern is None else self._fields[pattern]

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
        for name, feature in self._features.items():
            if name in _HASH_FEATURES:
                return Reason(HASH, name, feature["reason"], feature["source"])
        return Reason(HASH, "worker-hash", "The operator renders differently what it computes the hash from.")


def _of_feature(row: dict[str, Any]) -> Reason:
    return Reason("feature", row["name"], row["reason"], row["source"])


def _of_step(kind: str, name: str) -> Reason:
    step = find_step(name)
    return Reason(kind, name, "") if step is None else Reason(step.kind, name, step.summary, step.source)
