"""Scalars that know their origin.

A traced scalar equals the plain one, hashes and prints like it, and says that it is of its class: the stages treat both
alike, so that tracing cannot change what is rendered. Most operations on text keep the origin; what becomes part of a
longer text leaves a note in `READING.reads`, from which the origin of the longer text is reported.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import local
from typing import Any, TypeVar

from dynamoc.documents.findings.finding import Path, Place
from dynamoc.documents.source.document import Document
from dynamoc.kube.merge import at

Node = TypeVar("Node")

USER = "user"
CONTEXT = "context"
SCHEMA = "schema-default"
WEBHOOK = "webhook-default"
CONVERSION = "conversion"
NAMESPACE = "namespace"
CONSTANT = "constant"
CONFIG = "config"
RULE = "rule"
BUILDER = "builder"
KINDS = (USER, CONTEXT, SCHEMA, WEBHOOK, CONVERSION, NAMESPACE, CONSTANT, CONFIG, RULE, BUILDER)


@dataclass(eq=False, slots=True)
class Origin:
    """Where a value comes from, and what happened to it on the way.

    kind      one of KINDS
    document  of user and context: where it was written; also of a default: the document that lacks the value
    path      field path in that document
    name      of constant, config, rule and builder: which one; of namespace: who named it
    step      name of the rule or builder that put the value where it stands, or None
    before    the value that was there until then, traced, or None
    inputs    origins that the value was computed from
    """

    kind: str
    document: Document | None = None
    path: Path = ()
    name: str = ""
    step: str | None = None
    before: Any = None
    inputs: tuple[Origin, ...] = ()
    _place: Place | None = field(default=None, init=False)
    _put: dict[str, Origin] | None = field(default=None, init=False)

    def put(self, step: str, before: Any = None) -> Origin:
        """The same origin, set by a step over an earlier value."""
        if before is None and self._put is not None and step in self._put:
            return self._put[step]
        last = self.before if before is None else before
        found = Origin(self.kind, self.document, self.path, self.name, step, last, self.inputs)
        if before is None:
            # A constant is put at many places, by the same steps.
            self._put = {**(self._put or {}), step: found}
        return found

    def key(self) -> tuple[str, str, int, Path]:
        """What makes two origins one: which source, and where in it."""
        if self.document is None:
            return (self.kind, self.name, 0, ())
        return (self.kind, self.document.file, self.document.index, self.path)

    @property
    def place(self) -> Place | None:
        """The line of the input that holds the value, or its nearest ancestor; None where no file does."""
        if self._place is None and self.document is not None:
            # The name of a v1alpha1 service is a key.
            is_name = len(self.path) == 3 and self.path[:2] == ("spec", "services")
            self._place = self.document.place(self.path, key=is_name)
        return self._place

    @property
    def written(self) -> Any:
        """The value as its document has it, None where none does. A service of v1alpha1 is written as a key."""
        value: Any = None if self.document is None else self.document.value
        for step in self.path:
            held = isinstance(value, dict) and step in value
            if not held and not (isinstance(value, list) and isinstance(step, int) and step < len(value)):
                return None
            value = value[step]
        return self.path[-1] if self.path and isinstance(value, dict) and value else value

    def sources(self) -> list[Origin]:
        """This origin and those it was computed from."""
        found = [self]
        for item in self.inputs:
            found += item.sources() if item.inputs else (item,)
        return found


#: so many values that became part of a text are kept: what is made of a value is made soon
MOST_READS = 256


class _Reading(local):
    """What this thread reads.

    reads   values that lately became part of a text, the last at the end; nothing is kept while no step is watched
    """

    reads: deque[Any] = deque(maxlen=0)  # noqa: RUF012

    def forget(self) -> None:
        """What was read has no part in what comes. Others may hold the old reads."""
        self.reads = deque(maxlen=self.reads.maxlen)


READING = _Reading()


class TracedStr(str):
    """Text with an `origin`."""

    __slots__ = ("origin",)
    origin: Origin
    __class__ = str  # type: ignore[assignment]

    def __str__(self) -> str:
        return self

    def __format__(self, spec: str) -> str:
        READING.reads.append(self)
        return _text(self, str.__format__(self, spec))

    def __add__(self, other: str) -> str:
        READING.reads.append(self)
        READING.reads.append(other)
        return str.__add__(self, other)

    def __radd__(self, other: str) -> str:
        READING.reads.append(self)
        return str.__add__(other, self)

    def __getitem__(self, index: Any) -> str:
        return _text(self, str.__getitem__(self, index))


class TracedInt(int):
    """A number with an `origin`."""

    origin: Origin
    __class__ = int  # type: ignore[assignment]

    def __format__(self, spec: str) -> str:
        READING.reads.append(self)
        return _text(self, int.__format__(self, spec))

    def __str__(self) -> str:
        # Of a text that is joined of words, nothing says what these were.
        READING.reads.append(self)
        return _text(self, int.__repr__(self))


class TracedBool(int):
    """True or false with an `origin`."""

    origin: Origin
    __class__ = bool  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self != 0)

    __str__ = __repr__


class TracedFloat(float):
    """A number with a fraction and an `origin`."""

    origin: Origin
    __class__ = float  # type: ignore[assignment]


class TracedDict(dict):  # type: ignore[type-arg]
    """An empty object with an `origin`; only in what is rendered."""

    origin: Origin
    __class__ = dict  # type: ignore[assignment]


class TracedList(list):  # type: ignore[type-arg]
    """An empty list with an `origin`; only in what is rendered."""

    origin: Origin
    __class__ = list  # type: ignore[assignment]


#: what has no origin
_PLAIN = frozenset((str, int, bool, float, type(None)))
#: scalars that have one
ORIGINAL = frozenset((TracedStr, TracedInt, TracedBool, TracedFloat))
_COPIES: dict[type, Any] = {
    TracedStr: str.__str__,
    TracedInt: int.__int__,
    TracedBool: bool,
    TracedFloat: float.__float__,
    TracedDict: dict,
    TracedList: list,
}
_TRACED: dict[type, Any] = {str: TracedStr, int: TracedInt, bool: TracedBool, float: TracedFloat}


def traced(value: Any, origin: Origin) -> Any:
    """The scalar with an origin; None and containers cannot have one and come back as they are."""
    made = _TRACED.get(value.__class__)
    if made is None:
        return value
    result = made(value)
    result.origin = origin
    return result


def origin_of(value: Any) -> Origin | None:
    return getattr(value, "origin", None)


def _text(source: Any, result: str) -> str:
    """`carried` for one text."""
    text = TracedStr(result)
    text.origin = source.origin
    return text


def carried(source: Any, result: Any) -> Any:
    """`result` with the origin of what it was made of."""
    kind = result.__class__
    if kind is tuple or kind is list:
        return kind([carried(source, item) for item in result])
    return traced(result, source.origin)


def plain(value: Any) -> Any:
    """The scalar without its origin."""
    kind = value.__class__
    return value if origin_of(value) is None else str.__str__(value) if kind is str else kind(value)


def plain_tree(value: Any) -> Any:
    """A copy of a tree of scalars without origins."""
    copy = _COPIES.get(type(value))
    if copy is not None:
        return copy(value)
    if value.__class__ is dict:
        return {
            key if type(key) is str else plain(key): item if type(item) in _PLAIN else plain_tree(item)
            for key, item in value.items()
        }
    if value.__class__ is list:
        return [item if type(item) in _PLAIN else plain_tree(item) for item in value]
    return value


def _carrying(method: Callable[..., Any]) -> Callable[..., Any]:
    """The method, with results that know the origin of the value that it was called on."""

    def call(self: Any, *args: Any, **named: Any) -> Any:
        for item in (*args, *named.values()) if named else args:
            if type(item) not in _PLAIN and origin_of(item) is not None:
                READING.reads.append(item)
        result = method(self, *args, **named)
        if result.__class__ is str:
            return _text(self, result)
        return result if result is NotImplemented else carried(self, result)

    return call


for _name in (
    *("casefold", "format", "lower", "lstrip", "partition", "removeprefix", "removesuffix", "replace"),
    *("rpartition", "rstrip", "split", "splitlines", "strip", "title", "upper"),
):
    setattr(TracedStr, _name, _carrying(getattr(str, _name)))
for _name in (
    *("__add__", "__floordiv__", "__mod__", "__mul__", "__neg__"),
    *("__radd__", "__rmul__", "__rsub__", "__sub__"),
):
    setattr(TracedInt, _name, _carrying(getattr(int, _name)))


def trace_tree(value: Any, make: Callable[[Path], Origin], path: Path = ()) -> Any:
    """A copy of a tree in which each scalar has the origin that `make` gives it for its path.

    The names of v1alpha1 services are values as well, although they stand as keys.
    """
    kind = value.__class__
    if kind is dict:
        named = path == ("spec", "services")
        return {
            traced(key, make((*path, key))) if named else key: trace_tree(item, make, (*path, key))
            for key, item in value.items()
        }
    if kind is list:
        return [trace_tree(item, make, (*path, index)) for index, item in enumerate(value)]
    if kind is tuple:
        return tuple(trace_tree(item, make, (*path, index)) for index, item in enumerate(value))
    return traced(value, make(path))


def retrace(tree: Node, reference: Any, make: Callable[[Path], Origin] | None, path: Path = ()) -> Node:
    """Gives scalars without an origin that of the scalar at the same path of `reference`, else what `make` says.

    Changes the containers in place and returns the tree.
    """
    kind = tree.__class__
    if kind is not dict and kind is not list:
        if origin_of(tree) is not None:
            return tree
        origin = origin_of(reference) or (make(path) if make else None)
        return tree if origin is None else traced(tree, origin)
    container: Any = tree
    for key, item in container.items() if kind is dict else enumerate(container):
        if item is not None and type(item) not in ORIGINAL:
            below = None if reference is None else at(reference, (key,))
            container[key] = retrace(item, below, make, (*path, key))
    return tree


def leaves(value: Any, path: Path = ()) -> list[tuple[Path, Any]]:
    """Scalars, and containers that hold nothing, with their paths."""
    found: list[tuple[Path, Any]] = []
    _collect(value, path, found)
    return found


def _collect(value: Any, path: Path, found: list[tuple[Path, Any]]) -> None:
    kind = value.__class__
    if value and (kind is dict or kind is list):
        for step, item in value.items() if kind is dict else enumerate(value):
            _collect(item, (*path, step), found)
    else:
        found.append((path, value))
