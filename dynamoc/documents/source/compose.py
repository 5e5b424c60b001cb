"""From the events of a YAML stream to values and marks.

Source of what Kubernetes makes of keys, aliases and merges: go.yaml.in/yaml/v2 decode.go (`mapping`, `merge`,
`alias`) and sigs.k8s.io/yaml yaml.go (`convertToJSONableObject`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from sys import intern
from typing import Any, NoReturn

from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from dynamoc.documents.source.document import Marks, Report, as_editors_count, spelled
from dynamoc.documents.source.events import EventParser, template_hint
from dynamoc.documents.source.scalars import NUMERIC, TAG_PREFIX, WORDS, ScalarReader, Unresolvable, key_text
from dynamoc.kube.limits import excessive_aliases, hint, limit
from dynamoc.kube.merge import copy_tree

Composed = tuple[Any, Marks]

Nested = tuple[Any, Marks]


#: characters that end lines for libyaml, and for no editor
_ENDS_OF_YAML_ONLY = ("\x85", "\u2028", "\u2029")
#: what each object has once
_HEAD = {"apiVersion", "kind"}


def compose(text: str, report: Report) -> Iterator[Composed]:
    """The documents of a YAML stream: value and marks, as `Document` has them. An empty document is None.

    A document with errors is left out; the errors are reported. Raises Unreadable where the stream cannot be read
    further, and YAMLError where it is not YAML.
    """
    get = EventParser(text).get_event
    if not text.isascii() and any(end in text for end in _ENDS_OF_YAML_ONLY):
        get = as_editors_count(get, text)
    composer = _Composer(get, text, report)
    while (event := get()).__class__ is not StreamEndEvent:
        if event.__class__ is DocumentStartEvent:
            _refuse_directives(event, report)
            document = composer.document()
            if document is not None:
                yield document


def _refuse_directives(event: Any, report: Report) -> None:
    if event.version is not None or event.tags:
        message = "kubectl cuts the file at `---` and cannot read the `%` line that is left alone."
        report.stop(event.start_mark, "read/directive", message, "Remove the lines that start with `%`.")


@dataclass(eq=False, slots=True)
class _Anchor:
    """What follows `&name`, as Go resolves it. The marks are None until it is complete."""

    value: Any = None
    marks: Marks | None = None
    size: int = 1


class _Composer:
    """Composes one document after the other."""

    __slots__ = (
        "_again",
        "_anchors",
        "_budget",
        "_deepest",
        "_depth",
        "_get",
        "_nodes",
        "_repeated",
        "_report",
        "_scalars",
        "_text",
    )

    def __init__(self, get: Any, text: str, report: Report) -> None:
        self._get = get
        self._text = text
        self._report = report
        self._scalars = ScalarReader(text, report)
        self._budget = limit("values")
        self._deepest = limit("depth")

    def document(self) -> Composed | None:
        """The next document, None where it has errors."""
        errors = self._report.errors
        self._anchors: dict[str, _Anchor] = {}
        self._again: dict[str, tuple[Any, Any, Any]] = {}
        self._nodes = 1
        self._repeated = 0
        self._depth = 0
        composed = self._node(self._get())
        self._budget -= self._nodes
        if self._again.keys() >= _HEAD:
            second, first, _ = min(self._again.values(), key=lambda each: each[0].start_mark.line)
            message = "A second object starts here, but no line with `---` separates it from the first."
            hint = "Write a line with `---` above this line."
            self._report.error(second.start_mark, "read/lost-separator", message, hint, first)
        else:
            for key, (event, first, item) in self._again.items():
                self._tell_duplicate(event, key, first, item)
        return composed if self._report.errors == errors else None

    def _node(self, event: Any) -> Nested:
        """The value that starts with `event`."""
        self._nodes += 1
        if self._nodes > self._budget:
            self._stop_at_limit(event)
        kind = event.__class__
        if kind is ScalarEvent:
            if event.implicit[0] and event.tag is None and event.anchor is None and not event.style:
                text = event.value
                # Most scalars are plain texts, and nothing else can be made of them.
                if text and text[0] not in NUMERIC and text not in WORDS:
                    return intern(text), event.start_mark
            value = self._scalars.read(event)
            if event.anchor is not None:
                self._anchors[event.anchor] = _Anchor(value, event.start_mark)
            if value.__class__ is str:
                return value, event.start_mark
            value = value if value.__class__ is not float else self._scalars.json(value, event)
            return value, spelled(event.start_mark, value, event.value)
        if kind is AliasEvent:
            return self._repeat(event)
        return self._container(event)

    def _stop_at_limit(self, event: Any) -> NoReturn:
        most = limit("values")
        message = f"The file has more than {most:,} keys and values, the limit `values`, counting what aliases repeat."
        self._report.stop(event.start_mark, "read/too-large", message, f"Split the file. {hint('values')}")

    def _container(self, start: Any) -> Nested:
        """One level deeper."""
        if self._depth == self._deepest:
            message = f"Values are nested more than {self._deepest} levels deep, which no Kubernetes object needs."
            advice = f"Check for brackets that are not closed. {hint('depth')}"
            self._report.stop(start.start_mark, "read/too-deep", message, advice)
        if start.tag is not None:
            self._scalars.judge_tag(start)
        self._depth += 1
        before, anchor = self._nodes, _Anchor()
        if start.anchor is not None:
            self._anchors[start.anchor] = anchor
        value, marks = self._mapping(start) if start.__class__ is MappingStartEvent else self._sequence(start)
        self._depth -= 1
        anchor.value, anchor.marks, anchor.size = value, marks, self._nodes - before + 1
        return value, marks

    def _sequence(self, start: Any) -> tuple[list[Any], Marks]:
        value: list[Any] = []
        marks: list[Any] = [start.start_mark]
        while (event := self._get()).__class__ is not SequenceEndEvent:
            item, item_marks = self._node(event)
            value.append(item)
            marks.append(item_marks)
        return value, marks

    def _mapping(self, start: Any) -> tuple[dict[str, Any], Marks]:
        value: dict[str, Any] = {}
        marks: dict[Any, Any] = {None: start.start_mark}
        merged: set[str] = set()
        while (event := self._get()).__class__ is not MappingEndEvent:
            if event.__class__ is ScalarEvent and event.value == "<<" and _is_merge(event):
                for source in self._merge_sources(self._get()):
                    self._overlay(event, source, value, marks, merged)
                continue
            key = self._key(event)
            item, item_marks = self._node(self._get())
            if key is None:
                continue
            if key in value and key not in merged:
                self._duplicate(event, key, marks[key][0], item)
            merged.discard(key)
            value[key] = item
            marks[key] = (event.start_mark, item_marks)
        return value, marks

    def _key(self, event: Any) -> str | None:
        """The JSON key, None where it is refused."""
        self._nodes += 1
        value: Any
        if event.__class__ is ScalarEvent:
            value = event.value
            if (
                event.implicit[0]
                and event.tag is None
                and event.anchor is None
                and not event.style
                and (value and value[0] not in NUMERIC and value not in WORDS)
            ):
                # Documents share most of their keys.
                return intern(value)
            value = self._scalars.read(event)
            if event.anchor is not None:
                self._anchors[event.anchor] = _Anchor(value, event.start_mark)
        elif event.__class__ is AliasEvent:
            anchor = self._anchor(event)
            value = anchor.value if anchor else ""
        else:
            value = self._container(event)[0]
        if value.__class__ is str:
            key: str = value
            return key
        return self._typed_key(event, value)

    def _typed_key(self, event: Any, value: Any) -> str | None:
        if isinstance(value, dict | list):
            name = "mapping" if isinstance(value, dict) else "sequence"
            index = event.start_mark.index
            template = "{{" in self._text[max(index - 1, 0) : index + 2]
            message, hint = f"A {name} cannot be a key.", "Quote the key if it is meant as a string."
            if template:
                message, hint = "The template `{{ }}` is not filled in.", template_hint(self._report.file)
            self._report.error(event.start_mark, "read/key", message, hint)
            return None
        try:
            return key_text(value)
        except Unresolvable as problem:
            self._report.error(event.start_mark, "read/key", str(problem), "Quote the key if it is meant as a string.")
            return None

    def _duplicate(self, event: Any, key: str, first: Any, item: Any) -> None:
        if self._depth == 1:
            # Only the end of the document shows whether a second object begins.
            self._again.setdefault(key, (event, first, item))
        else:
            self._tell_duplicate(event, key, first, item)

    def _tell_duplicate(self, event: Any, key: str, first: Any, item: Any) -> None:
        text = getattr(event, "value", key)
        written = "" if text == key else f" (written `{text}`)"
        message = f"The key `{key}`{written} appears twice; Kubernetes would drop the first one."
        one = f", or write what is below both of them below one `{text}:`" if isinstance(item, dict | list) else ""
        hint = f"Remove one of the two{one}."
        self._report.error(event.start_mark, "read/duplicate-key", message, hint, first)

    def _anchor(self, event: Any) -> _Anchor | None:
        """What an alias stands for; None where that is nothing. Counts the repetition."""
        anchor = self._anchors.get(event.anchor)
        if anchor is None:
            message = f"No anchor `&{event.anchor}` is above this alias."
            hint = f"Write `&{event.anchor}` before the value that it repeats, above in the same document, or quote it."
            self._report.error(event.start_mark, "read/alias", message, hint)
            return None
        if anchor.marks is None:
            message = f"The value of the anchor `&{event.anchor}` would contain itself."
            self._report.error(event.start_mark, "read/alias", message)
            return None
        self._nodes += anchor.size
        self._repeated += anchor.size
        if self._nodes > self._budget:
            self._stop_at_limit(event)
        if excessive_aliases(self._repeated, self._nodes):
            message = "Aliases expand this document so much that Kubernetes rejects it."
            self._report.stop(event.start_mark, "read/aliases", message, "Write out what they repeat.")
        return anchor

    def _repeat(self, event: Any) -> Nested:
        """A copy of what the alias stands for. It stands where the alias does, its parts where they are written."""
        anchor = self._anchor(event)
        if anchor is None:
            return None, event.start_mark
        value, marks = anchor.value, anchor.marks
        if isinstance(value, dict) and isinstance(marks, dict):
            return copy_tree(value), {**marks, None: event.start_mark}
        if isinstance(value, list) and isinstance(marks, list):
            return copy_tree(value), [event.start_mark, *marks[1:]]
        return (value if value.__class__ is not float else self._scalars.json(value, event)), event.start_mark

    def _merge_sources(self, event: Any) -> list[tuple[dict[str, Any], dict[Any, Any]]]:
        """The mappings behind `<<`, in the order in which they are laid over the mapping."""
        events, composed = [event], []
        if event.__class__ is SequenceStartEvent:
            events = []
            while (event := self._get()).__class__ is not SequenceEndEvent:
                events.append(event)
                composed.append(self._node(event))
        else:
            composed.append(self._node(event))
        for event, (value, _) in zip(events, composed, strict=True):
            if not isinstance(value, dict) and (event.__class__ is not AliasEvent or event.anchor in self._anchors):
                message = "The key `<<` merges mappings, and this is not a mapping."
                self._report.error(event.start_mark, "read/merge", message, "Quote the key if it is meant as a string.")
        # The first of a sequence wins, so it comes last.
        return [(value, marks) for value, marks in reversed(composed) if isinstance(value, dict)]  # type: ignore[misc]

    def _overlay(
        self,
        event: Any,
        source: tuple[dict[str, Any], dict[Any, Any]],
        value: dict[str, Any],
        marks: dict[Any, Any],
        merged: set[str],
    ) -> None:
        """Lays a merged mapping over what the mapping holds so far. Unlike in YAML's merge type, it wins."""
        extra, extra_marks = source
        for key, item in extra.items():
            if key not in value:
                merged.add(key)
            elif key not in merged and item != value[key]:
                message = f"Kubernetes uses `{key}` from this merge and drops the value before it."
                hint = "Move `<<` to the top of the mapping if the other value is meant to win."
                self._report.warn(event.start_mark, "read/merge-order", message, hint, marks[key][0])
            value[key] = item
            marks[key] = extra_marks[key]


def _is_merge(event: Any) -> bool:
    return bool(event.implicit[0]) or event.tag == TAG_PREFIX + "merge"
