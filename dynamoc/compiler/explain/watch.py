"""Who put a value where it is: rules and builders, recorded when they write (`dynamoc.compiler.explain.recording`).

A **rule** changes a pod (`dynamoc.rendering.rules`). A **builder** returns objects or parts of them
(`dynamoc.rendering.lower`). Both are marked where they are defined (`dynamoc.kube.tracing`). Texts are made of names
and hashes that steps gave, and of values that were read shortly before.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Self

from dynamoc.compiler.explain.recording import RECORDER, is_recorded, written
from dynamoc.compiler.explain.traced import MOST_READS, READING, Origin, carried, origin_of, plain, retrace, traced
from dynamoc.documents.source.document import Document
from dynamoc.kube.tracing import BUILDER, CONVERTING, NAMING, NOTING, RULE, SHARING, Step, Watched
from dynamoc.rendering.rules.draft import Pod

#: what the names of builders begin with
_BUILDERS = ("lower/", "kube/", "requests/")
#: Texts of this length are not equal by chance.
_TELLING = 6
#: the longest name of a Kubernetes object that becomes a label
_NAME = 63
#: so many values are kept before the first are forgotten
_MOST_KNOWN = 4096


class Watching:
    """Hands each step to the watch of the document that is being compiled, as long as this lasts.

    Steps that only give a value another form hand on where it is from.
    """

    def __init__(self) -> None:
        self.watch: Watch | None = None
        self._watched = Watched(self._call)
        self._outer: deque[Any] = READING.reads

    def __enter__(self) -> Self:
        self._outer, READING.reads = READING.reads, deque(maxlen=MOST_READS)
        self._watched.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._watched.__exit__()
        READING.reads = self._outer

    def _call(self, step: Step, function: Callable[..., Any], args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        if step.kind == CONVERTING:
            return converted(function, *args, **named)
        if step.kind == NOTING:
            return noted(function, *args, **named)
        return function(*args, **named) if self.watch is None else self.watch.call(function, step, args, named)


def converted(function: Callable[..., Any], value: Any, *args: Any, **named: Any) -> Any:
    """The result of a step that gives its first argument another form, which is from where that is from."""
    result = function(plain(value), *args, **named)
    return result if origin_of(value) is None else carried(value, result)


def noted(function: Callable[..., Any], value: Any, *args: Any, **named: Any) -> Any:
    """The result of a step that makes its first argument part of a text."""
    if value.__class__ is not dict and value.__class__ is not list:
        READING.reads.append(value)
    return plain(function(value, *args, **named))


@dataclass(eq=False, slots=True)
class Removed:
    """A value that a rule took away, and the rule."""

    rule: str
    value: Any


class Watch:
    """What has been seen of one document's compilation, as long as it is the watch of a `Watching`.

    removed  values of the user that a rule took away or replaced
    made     names and hashes that steps gave
    """

    def __init__(self, document: Document) -> None:
        self.document = document
        self.removed: list[Removed] = []
        self.made = Texts()
        self._running: list[str] = []
        # By the ids of maps, which are kept so that no other can have them.
        self._shared: dict[int, tuple[Any, Any]] = {}
        READING.forget()

    # --- builders

    def call(self, function: Callable[..., Any], step: Step, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """The function's result, after a look at what it did."""
        if step.kind == RULE:
            READING.forget()
        if step.kind == SHARING:
            return self._shared_map(function(*args, **named))
        is_builder = step.kind == BUILDER
        if is_builder and self._running and self._running[-1]:
            # What an argument holds so far was made by the caller.
            self._claim_all((*args, *named.values()), self._running[-1])
        self._running.append(step.name if is_builder else "")
        put = RECORDER.put
        try:
            if step.kind == RULE:
                self.apply_rule(function, args[0], step.name)
                return None
            if is_builder:
                RECORDER.put = partial(self._built, step.name)
            result = function(*args, **named)
        finally:
            RECORDER.put = put
            self._running.pop()
        if is_builder:
            self._claim_all((*args, *named.values()), step.name)
            result = self._recorded(result, step.name)
            self.made.remember(result, step.name)
        elif step.kind == NAMING:
            self.made.remember(result, step.name)
        elif result.__class__ is dict:
            # What went through an annotation as JSON lost its origin there.
            retrace(result, self.document.value, None)
        return result

    def _shared_map(self, shared: dict[str, Any]) -> Any:
        """The map that notes writes in the place of one that several objects hold: the same each time."""
        if id(shared) not in self._shared:
            self._shared[id(shared)] = shared, written(shared, lambda item, _: item)
        return self._shared[id(shared)][1]

    def _claim_all(self, values: tuple[Any, ...], builder: str) -> None:
        for item in values:
            if item.__class__ is dict or item.__class__ is list:
                self._claim(item, builder)

    def _recorded(self, made: Any, builder: str) -> Any:
        """What a builder returned, as parts that note who writes into them."""
        kind = made.__class__
        if kind is tuple:
            return tuple(self._recorded(item, builder) for item in made)
        if kind is list and made and hasattr(made[0], "value"):
            for item in made:
                self._recorded(item, builder)
        elif kind is dict or kind is list:
            return written(made, lambda item, _: self._built(builder, item, item))
        elif hasattr(made, "component") and hasattr(made, "value"):
            made.value = self._recorded(made.value, builder)
        return made

    def _claim(self, tree: Any, builder: str) -> None:
        """What has no writer yet in something that was given to a builder, which may have changed it."""
        if is_recorded(tree):
            return
        for key, item in tree.items() if tree.__class__ is dict else enumerate(tree):
            if item.__class__ is dict or item.__class__ is list:
                self._claim(item, builder)
            elif item is not None and origin_of(item) is None:
                tree[key] = self._built(builder, item, None)

    def _built(self, builder: str, item: Any, old: Any) -> Any:
        """A scalar that a builder writes into a pod."""
        origin = origin_of(item)
        if origin is None:
            inputs = self.made.inputs(item) if item.__class__ is str and item else ()
            return traced(item, Origin(BUILDER, name=builder, step=builder, inputs=inputs))
        return item if old is None or origin.step == builder else traced(item, origin.put(builder))

    # --- rules

    def apply_rule(self, function: Callable[..., Any], pod: Pod, rule: str) -> None:
        """Runs the rule over a pod that notes what it writes."""
        RECORDER.begin(pod, partial(self._put, rule))
        function(pod)
        self.removed += [Removed(rule, item) for item in RECORDER.removed(pod)]

    def _put(self, rule: str, item: Any, old: Any) -> Any:
        """The value, set by the rule; the earlier value at its place is remembered where it was another."""
        origin = origin_of(item)
        lost = None if old is None or _same(old, item) else old
        if origin is None:
            parts = _parts(item)
            inputs = (*self.made.inputs(item, in_rule=True), *parts, *self.made.equal(item))
            earlier = origin_of(lost)
            if earlier is not None and (contains(item, lost) or goes_on_in(lost, item)):
                inputs = (*inputs, earlier)
            return traced(item, Origin(RULE, name=rule, step=rule, before=lost, inputs=distinct(inputs)))
        earlier = origin_of(old) if old is not None and lost is None else None
        if earlier is not None and earlier.step == rule:
            # The rule wrote there before.
            lost = earlier.before
        # What the pod held already only moves.
        moves = lost is None and origin.step is not None and not origin.step.startswith(_BUILDERS)
        return item if moves else traced(item, origin.put(rule, lost))


def _same(one: Any, two: Any) -> bool:
    """Whether two scalars are one value from one place."""
    first, second = origin_of(one), origin_of(two)
    origins = first is None or second is None or first.key() == second.key()
    return origins and one.__class__ is two.__class__ and bool(one == two)


def _parts(value: Any) -> tuple[Origin, ...]:
    """Origins of the words that a rule took from command and args of a container to make one line of them."""
    if value.__class__ is not str or not RECORDER.gone:
        return ()
    used = [item for item in RECORDER.gone if origin_of(item) is not None and contains(value, item)]
    RECORDER.used.update(map(id, used))
    return tuple(item.origin for item in used)


class _Read:
    """A value that was read: itself, as text, and in lower case; `words` is what texts are first searched for."""

    __slots__ = ("lower", "origin", "text", "words")

    def __init__(self, value: Any, origin: Origin) -> None:
        self.origin = origin
        self.text = str(plain(value))
        self.lower = self.text.lower()
        self.words = self.lower if value.__class__ is str else self.text


@dataclass(eq=False, slots=True)
class Texts:
    """What the texts of one document's objects are made of.

    origins   of names and hashes that steps gave, by their texts
    """

    origins: dict[str, Origin] = field(default_factory=dict, init=False)
    # Rules and builders ask for the same reads several times in a row: as long as nothing was read, nothing changes.
    _asked: Any = field(default=None, init=False)
    _count: int = field(default=0, init=False)
    _found: list[_Read] = field(default_factory=list, init=False)
    _answers: dict[tuple[str, int], tuple[Origin, ...]] = field(default_factory=dict, init=False)
    # By the ids of values, which are kept so that no other can have them.
    _known: dict[int, tuple[Any, _Read | None]] = field(default_factory=dict, init=False)

    def remember(self, result: Any, maker: str) -> None:
        """Notes the result of a step where it is a text, or a list of what has names."""
        if result.__class__ is list:
            for item in result:
                # Roles, for instance, from whose names others are made.
                self.remember(getattr(item, "name", None), maker)
            return
        text = result[0] if result.__class__ is tuple and result else result
        if text.__class__ is str and len(text) >= _TELLING and text not in self.origins and origin_of(text) is None:
            self.origins[text] = Origin(BUILDER, name=maker, inputs=self._parts_of(text))

    def inputs(self, value: Any, *, in_rule: bool = False) -> tuple[Origin, ...]:
        """What a text was computed from: a function that made it, and values that lately became part of a text."""
        if value.__class__ is not str or not value:
            return ()
        maker = self.origins.get(value)
        return self._parts_of(value, in_rule=in_rule) if maker is None else distinct((maker, *maker.inputs))

    def equal(self, value: Any) -> tuple[Origin, ...]:
        """Origins of values that became a word of a text, of which only this word is left."""
        if value.__class__ is not str:
            return ()
        return tuple(read.origin for read in self._reads() if read.text == value)

    def _parts_of(self, value: Any, *, in_rule: bool = False) -> tuple[Origin, ...]:
        """Origins of the values that lately became part of a text, as far as this is that text.

        A `2` in a script is hardly the user's; but what a rule made of a `2` has one.
        """
        shortest = 1 if in_rule or len(value) <= _NAME else 3
        reads, asked = self._reads(), (value, shortest)
        if asked in self._answers:
            return self._answers[asked]
        text, found = value.lower(), {}
        for read in reads:
            # Most are not part of it, which is quick to see.
            if read.words in text and len(read.words) >= shortest and is_word_of(text, read.lower):
                found[read.origin.key()] = read.origin
        answer = self._answers[asked] = tuple(found.values())
        return answer

    def _reads(self) -> list[_Read]:
        """What was read and has an origin, each value once."""
        reads = READING.reads
        if reads is self._asked and len(reads) == self._count < MOST_READS:
            return self._found
        if len(self._known) > _MOST_KNOWN:
            self._known = {}
        values, known = {id(value): value for value in reads}, self._known
        for number, value in values.items():
            if number not in known:
                origin = origin_of(value)
                known[number] = value, None if origin is None else _Read(value, origin)
        self._asked, self._count, self._answers = reads, len(reads), {}
        self._found = [found for number in values if (found := known[number][1]) is not None]
        return self._found


def distinct(origins: tuple[Origin, ...]) -> tuple[Origin, ...]:
    """Each origin once."""
    return tuple({origin.key(): origin for origin in origins}.values())


def contains(whole: Any, part: Any) -> bool:
    """Whether a text holds another as a word, or as several."""
    if whole.__class__ is not str:
        return False
    return is_word_of(str(plain(whole)).lower(), str(plain(part)).lower())


def goes_on_in(earlier: Any, later: Any) -> bool:
    """Whether a text has all words of another in their order, as a command line to which flags were added."""
    if earlier.__class__ is not str or later.__class__ is not str:
        return False
    words = iter(str.split(str(plain(later))))
    own = str.split(str(plain(earlier)))
    return len(own) > 1 and all(word in words for word in own)


def is_word_of(text: str, word: str) -> bool:
    """Whether a text holds a word, or several, and more; both in lower case."""
    start = text.find(word) if word and text != word else -1
    while start >= 0:
        end = start + len(word)
        before, behind = text[start - 1 : start], text[end : end + 1]
        if not (before.isalnum() and word[0].isalnum()) and not (behind.isalnum() and word[-1].isalnum()):
            return True
        start = text.find(word, start + 1)
    return False
