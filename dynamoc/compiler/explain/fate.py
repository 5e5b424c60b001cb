"""Each field of the input: where it went, what it decides, or why it has no effect."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, field
from typing import Any

from dynamoc.compiler.explain.counterfactual import Changes, Counterfactuals, Outcome
from dynamoc.compiler.explain.selection import field_text, object_title
from dynamoc.compiler.explain.traced import USER, Origin, origin_of
from dynamoc.compiler.explain.traced_compilation import Explained, explain_documents
from dynamoc.compiler.objects import component_of
from dynamoc.compiler.options import Options
from dynamoc.documents.findings.finding import Finding, Findings, Path, format_path
from dynamoc.documents.source.document import Document
from dynamoc.kube.merge import at
from dynamoc.rendering.rules.draft import VALUE_LOST

_METADATA = ("metadata", "annotations")
_ENABLE_GROVE = "nvidia.com/enable-grove"


def why_ignored(document: Any, path: Path, options: Options) -> str | None:
    """A sentence on a field without effect, None where nothing is known of it."""
    value = at(document, path)
    if value is None or value == {} or value == []:
        return "It is empty, which is the same as leaving it out."
    if path[:2] == _METADATA and path[-1] == _ENABLE_GROVE and options.target != "auto":
        return f"--target {options.target} decides what runs the pods; with --target auto, the annotation would."
    if path[-3:] == ("resources", "requests", "gpu") and not options.release.has("resources/gpu-request"):
        return (
            f"Release {options.release.name} ignores requests.gpu of a component: Kubernetes uses the limit as "
            "the request for GPUs."
        )
    return _not_enabled(document, path)


def _not_enabled(document: Any, path: Path) -> str | None:
    """What is in a block that is not switched on."""
    if "ingress" not in path[:-1] or path[-1] == "enabled":
        return None
    depth = path.index("ingress") + 1
    block = at(document, path[:depth])
    if isinstance(block, dict) and not block.get("enabled"):
        return f"{format_path(path[:depth])} is not enabled with `enabled: true`."
    return None


VALUE, PART, LOST, REMOVED = "value", "part", "lost", "removed"

Key = tuple[str, str, int, Path]


@dataclass(eq=False, slots=True)
class Effect:
    """One place of the output that a field of the input has to do with.

    how     VALUE (it is the value there), PART (the value was computed from it), LOST (it was there until the step
            put another value), REMOVED (the step took it away; then there is no place)
    index   of the object
    path    in the object
    step    rule or builder
    """

    how: str
    index: int
    path: Path
    step: str | None


class Effects:
    """All effects of a compilation, by field of the input."""

    def __init__(self, explained: Explained) -> None:
        self.explained = explained
        self._found: dict[Key, list[Effect]] = {}
        for index, found in enumerate(explained.leaves):
            for path, value in found:
                origin = explained.origin(index, path, value)
                if origin is not None:
                    self._note(origin, index, path)
        for removed in explained.removed:
            for source in removed.value.origin.sources():
                self._add(source, REMOVED, -1, (), removed.rule)

    def _note(self, origin: Origin, index: int, path: Path) -> None:
        self._add(origin, VALUE, index, path, origin.step)
        for source in origin.sources()[1:] if origin.inputs else ():
            self._add(source, PART, index, path, origin.step)
        winner = origin
        while (earlier := origin_of(winner.before)) is not None:
            for source in earlier.sources():
                self._add(source, LOST, index, path, winner.step)
            winner = earlier

    def _add(self, source: Origin, how: str, index: int, path: Path, step: str | None) -> None:
        if source.kind == USER:
            self._found.setdefault(source.key(), []).append(Effect(how, index, path, step))

    def of(self, file: str, index: int, path: Path) -> list[Effect]:
        """Where the field at `path` of a document went; PART is left out where it is the VALUE as well."""
        found = self._found.get((USER, file, index, path), [])
        values = {(effect.index, effect.path) for effect in found if effect.how == VALUE}
        kept: dict[Any, Effect] = {}
        for effect in found:
            if effect.how == VALUE or (effect.index, effect.path) not in values:
                kept.setdefault((effect.how, effect.index, effect.path, effect.step), effect)
        return list(kept.values())


DECIDES, CHECKED, WITHOUT = "decides", "checked", "without-effect"


@dataclass(eq=False, slots=True)
class Fate:
    """What became of one field.

    how      VALUE or PART (it is in the output), DECIDES (the output depends on it), CHECKED (only the judgement of
             the input does), or WITHOUT
    effects  where it went, or where its value was until it lost
    decides  object and field of what is another with another value, or without it, beside the effects; "" for all of
             an object
    reason   full sentence, for CHECKED and WITHOUT, and where no other value is known that the operator accepts
    """

    how: str
    effects: list[Effect]
    decides: Changes = field(default_factory=list)
    reason: str = ""


class Fates:
    """The fates of the fields of one compilation."""

    def __init__(self, explained: Explained, documents: list[Document]) -> None:
        self.explained = explained
        self.documents = documents
        self.effects = Effects(explained)
        self._variants = Counterfactuals(documents, explained)

    def of(self, number: int, path: Path, *, tries: bool = False) -> Fate:
        """The fate of the leaf at `path` of the document with that number.

        Other values are tried of what goes nowhere, and of what does only where the caller `tries` them.
        """
        document = self.documents[number]
        effects = self.effects.of(document.file, document.index, path)
        hows = {effect.how for effect in effects}
        if hows & {VALUE, PART}:
            outcomes = self._variants.others(number, path) if tries else []
            fate = Fate(VALUE if VALUE in hows else PART, effects, decides=self._beside(effects, outcomes))
            if outcomes and all(outcome.refused for outcome in outcomes):
                fate.reason = (
                    f"dynamoc knows no other value that is accepted. With another value: {outcomes[0].refused}"
                )
            return fate
        if path in (("apiVersion",), ("kind",)):
            return Fate(DECIDES, effects, reason="It sets what the document is, and which schema applies.")
        outcomes = self._variants.outcomes(number, path)
        changing = next((outcome for outcome in outcomes if outcome.changes), None)
        if changing is not None and changing.how == "changed":
            # Another value would decide something; of this one a finding may say that it does not.
            lost = self._lost(number, path)
            if lost is not None:
                return Fate(WITHOUT, effects, reason=lost)
        if changing is not None:
            return Fate(DECIDES, effects, decides=self._beside(effects, outcomes))
        refused = next((outcome for outcome in outcomes if outcome.refused), None)
        if refused is not None and not (hows & {LOST, REMOVED}):
            words = "Without it" if refused.how == "removed" else "With another value"
            return Fate(
                CHECKED, effects, reason=f"It decides whether the input is accepted. {words}: {refused.refused}"
            )
        return Fate(WITHOUT, effects, reason=self._reason(number, path, effects, outcomes))

    def _beside(self, effects: list[Effect], outcomes: list[Outcome]) -> Changes:
        """What changes with other values, and is no effect."""
        objects = self.explained.objects
        known = {
            (object_title(objects[effect.index]), field_text(objects[effect.index], effect.path))
            for effect in effects
            if effect.how in (VALUE, PART)
        }
        found = dict.fromkeys(change for outcome in outcomes for change in outcome.changes if change not in known)
        whole = {title for title, field in found if not field}
        return [(title, field) for title, field in found if not field or title not in whole]

    def _reason(self, number: int, path: Path, effects: list[Effect], outcomes: list[Outcome]) -> str:
        """Why nothing depends on a field, the most specific reason first."""
        if path[0] == "status":
            return "Only the operator sets the status; an object cannot be created with one."
        told = self._told(number, path)
        if told is not None:
            return told
        warned = next((outcome.warned for outcome in outcomes if outcome.warned), None)
        if warned is not None:
            return warned
        for effect in effects:
            if effect.how == REMOVED:
                return f"The rule {effect.step} removes it."
            if effect.how == LOST:
                return f"{effect.step} replaces it with another value."
        for reason in (self._switched_off(number, path), self._overridden(number, path), self._elsewhere(number, path)):
            if reason is not None:
                return reason
        options = self.explained.options
        known = why_ignored(self.documents[number].value, path, options)
        if known is not None:
            return known
        where = "stays on the document itself" if path[0] == "metadata" else "could be missing or different"
        return f"Nothing that release {options.release.name} creates for this document depends on it; it {where}."

    def _told(self, number: int, path: Path) -> str | None:
        """What the findings say of the field, or of the block around it."""
        found = (item for item in self._said_of(number) if len(item.path) > 1 and path[: len(item.path)] == item.path)
        return next((item.message for item in found), None)

    def _lost(self, number: int, path: Path) -> str | None:
        found = (item for item in self._said_of(number) if item.slug == VALUE_LOST and item.path == path)
        return next((item.message for item in found), None)

    def _said_of(self, number: int) -> list[Finding]:
        """The findings in the file of a document."""
        found, file = self.explained.findings.items, self.documents[number].file
        return [item for item in found if item.place is not None and item.place.file == file]

    def _switched_off(self, number: int, path: Path) -> str | None:
        """A block with `enabled: false` or `disabled: true` around the field."""
        value: Any = self.documents[number].value
        for depth, step in enumerate(path[:-1]):
            value = value[step]
            if isinstance(value, dict) and (value.get("enabled") is False or value.get("disabled") is True):
                switch = "enabled: false" if value.get("enabled") is False else "disabled: true"
                return f"{format_path(path[: depth + 1])} is disabled with `{switch}`."
        return None

    def _overridden(self, number: int, path: Path) -> str | None:
        """An entry of the same name that the output took from elsewhere: a variable, a label, a probe."""
        name = _name(self.documents[number].value, path)
        if name is None or path[0] == "metadata":
            return None
        field = path[-1] if isinstance(path[-1], str) else None
        own = component_of(path)
        for index, item in enumerate(self.explained.objects):
            for found, leaf in self.explained.leaves[index]:
                origin = self.explained.origin(index, found, leaf)
                if origin is None or origin.kind != USER or (own and component_of(origin.path) not in ((), own)):
                    # What another component says is for its own pods.
                    continue
                if _same_entry(item, found, name, field):
                    return f"{name} is also set at {origin.place}, and that value wins."
        return None

    def _elsewhere(self, number: int, path: Path) -> str | None:
        """Another target for which the field has an effect, or the operator, where it is needed for that."""
        document = self.documents[number]
        for where, other in self._other_options():
            found = Effects(explain_documents(self.documents, other, Findings()))
            if any(item.how in (VALUE, PART) for item in found.of(document.file, document.index, path)):
                return f"It has an effect only {where}, not here."
        return None

    def _other_options(self) -> Iterator[tuple[str, Options]]:
        options = self.explained.options
        others = [(f"with --target {target}", target, options.standalone) for target in ("grove", "lws", "plain")]
        if options.standalone:
            others.insert(0, ("in a cluster with the operator", "", False))
        for where, target, standalone in others:
            if target != options.target:
                other = copy(options)
                other.target, other.standalone = target or options.target, standalone
                other.stable_names = options.stable_names and bool(standalone)
                yield where, other


def _name(value: Any, path: Path) -> str | None:
    """What a list entry or a map knows the field by."""
    for step in path[:-1]:
        value = value[step]
        if isinstance(step, int) and isinstance(value, dict) and isinstance(value.get("name"), str):
            return str(value["name"])
    return path[-1] if isinstance(path[-1], str) and path[-2:-1] in (("labels",), ("annotations",)) else None


def _same_entry(item: Any, path: Path, name: str, field: str | int | None) -> bool:
    if path[-1] == name:
        return True
    if path[-1] != field:
        return False
    for step in path[:-1]:
        item = item[step]
        if isinstance(step, int) and isinstance(item, dict) and item.get("name") == name:
            return True
    return False
