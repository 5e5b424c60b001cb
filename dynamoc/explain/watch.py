"""Who put a value where it stands: rules and builders, told by comparing before and after.

A **rule** changes a pod (`dynamoc.rules`). A **builder** returns objects or parts of them (`dynamoc.lower`). Both are
marked where they are defined (`dynamoc.tracing`).
"""

from __future__ import annotations

# The package `collections` takes longer to load than a graph to explain.
from _collections import deque  # type: ignore[import-not-found]
from itertools import chain

from dynamoc.explain.made_texts import MadeTexts, contains, distinct, goes_on_in
from dynamoc.explain.origin import Origin
from dynamoc.explain.pod_values import PodValues
from dynamoc.explain.traced import MOST_READS, READING, carried, origin_of, plain, retrace, traced
from dynamoc.model.graph import Component
from dynamoc.tracing import BUILDER, CONVERTING, NAMING, NOTING, RULE, Step, Watched

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Self

    from dynamoc.diagnostics.finding import Path
    from dynamoc.explain.focus import Focus
    from dynamoc.rules.draft import Pod
    from dynamoc.source.document import Document

_MISSING = object()
#: builders of one object of one component, in which nearly all the work is
_WORKLOADS = frozenset(
    (
        *("lower/alpha/lws/leader-worker-set", "lower/alpha/workload/deployment"),
        *("lower/early/lws/leader-worker-set", "lower/early/deployed/deployment"),
        *("lower/hub/workload/leader-worker-set", "lower/hub/workload/deployment"),
    )
)
#: trees of so many containers are worth remembering as a whole
_LARGE = 4


class Following:
    """Lets steps that only give a value another form hand on where it is from, as long as this lasts."""

    def __init__(self) -> None:
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
        return self.other(step, function, args, named)

    def other(self, step: Step, function: Callable[..., Any], args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """The result of any other step."""
        raise NotImplementedError


class Watching(Following):
    """Tells the watch of the document that is being compiled of each step, as long as this lasts."""

    def __init__(self) -> None:
        super().__init__()
        self.watch: Watch | None = None

    def other(self, step: Step, function: Callable[..., Any], args: tuple[Any, ...], named: dict[str, Any]) -> Any:
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


class Removed:
    """A value that a rule took away, and the rule."""

    __slots__ = ("rule", "value")

    def __init__(self, rule: str, value: Any) -> None:
        self.rule = rule
        self.value = value


class _Claimed:
    """A dict or list all of whose scalars have an origin, and what it held then.

    ids, children   those of what it held, and the containers in it: None until somebody asks
    """

    __slots__ = ("children", "held", "ids", "tree")

    def __init__(self, tree: Any) -> None:
        self.tree = tree
        self.held = tree.copy()
        self.ids: list[int] | None = None
        self.children: list[Any] | None = None

    def complete(self) -> None:
        values = self.held.values() if self.held.__class__ is dict else self.held
        self.ids = list(map(id, values))
        self.children = [item for item in values if item.__class__ is dict or item.__class__ is list]


class _Settled:
    """A tree all of whose scalars have an origin: its containers, how much they held, and ids of all of that."""

    __slots__ = ("_ids", "_lengths", "_tree", "held")

    def __init__(self, tree: Any, held: list[Any]) -> None:
        self._tree = tree
        self.held = held
        self._lengths = list(map(len, held))
        self._ids = list(map(id, chain.from_iterable(held)))

    def is_same(self) -> bool:
        """Whether all of it is as it was."""
        held = self.held
        return list(map(id, chain.from_iterable(held))) == self._ids and list(map(len, held)) == self._lengths


class Watch:
    """What has been seen of one document's compilation, as long as it is the watch of a `Watching`.

    focus      what is of interest, None for all: the rest is not looked at
    removed    values of the user that a rule took away or replaced
    made       names and hashes that steps gave
    passed_over  results of steps for components that are of no interest, by their ids
    """

    def __init__(self, document: Document, focus: Focus | None = None) -> None:
        self.document = document
        self._focus = focus
        self._components = None if focus is None else focus.components
        self._with_rules = focus is None or focus.in_pods
        self._alone = focus is not None and focus.alone
        self.removed: list[Removed] = []
        self.passed_over: dict[int, Any] = {}
        self._claimed: dict[int, _Claimed] = {}
        self._settled: dict[int, _Settled] = {}
        self._pods: dict[int, PodValues] = {}
        self._running: list[str] = []
        self._is_aside = False
        self._stand_ins = 0
        self.made = MadeTexts()
        READING.reads.clear()

    # --- builders

    def call(self, function: Callable[..., Any], step: Step, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """The function's result, after a look at what it did."""
        if step.kind == RULE:
            READING.reads.clear()
            if not self._with_rules:
                return function(*args, **named)
        is_builder = step.kind == BUILDER
        if self._components is not None:
            is_of_another = self._is_of_another(args, self._components)
            if is_of_another:
                return self.pass_over(function, step, args, named)
            if self._is_aside and is_of_another is None and (is_builder or step.kind == RULE):
                return function(*args, **named)
        if is_builder and self._running and self._running[-1]:
            # What an argument holds so far was made by the caller.
            self._claim_arguments(args, named, self._running[-1])
        self._running.append(step.name if is_builder else "")
        try:
            result = function(*args, **named)
        finally:
            self._running.pop()
        if is_builder:
            self._claim_arguments(args, named, step.name)
            self._claim(result, step.name, returned=True)
            self.made.remember(result, step.name)
        elif step.kind == RULE:
            self.rule_applied(args[0], step.name)
        elif step.kind == NAMING:
            self.made.remember(result, step.name)
        elif result.__class__ is dict:
            # What went through an annotation as JSON lost its origin there.
            left = [] if self._focus is None else self._focus.left_out(result)
            retrace(result, self.document.value, None, aside=frozenset(map(id, left)))
        return result

    def pass_over(self, function: Callable[..., Any], step: Step, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """The result of a step for a component that is of no interest: nobody asks who made it."""
        if self._alone and step.name in _WORKLOADS:
            return self._stand_in()
        before, self._is_aside = self._is_aside, True
        try:
            result = function(*args, **named)
        finally:
            self._is_aside = before
        self.passed_over[id(result)] = result
        return result

    @staticmethod
    def _is_of_another(args: tuple[Any, ...], wanted: frozenset[str]) -> bool | None:
        """Whether a step is for a component that is of no interest, None where it is for none."""
        for item in args:
            part = getattr(item, "component", item)
            if part.__class__ is Component:
                return part.name not in wanted
        return None

    def _stand_in(self) -> dict[str, Any]:
        """For a workload that nobody asks for."""
        self._stand_ins += 1
        name = f"passed-over-{self._stand_ins}"
        return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "default"}}

    def _claim_arguments(self, args: tuple[Any, ...], named: dict[str, Any], builder: str) -> None:
        for item in (*args, *named.values()) if named else args:
            self._claim(item, builder, returned=False)

    def _claim(self, tree: Any, builder: str, *, returned: bool) -> None:
        """What nobody claimed before in a tree that a builder returned, or was given and may have changed."""
        if id(tree) in self.passed_over:
            return
        kind = tree.__class__
        if kind is tuple or (kind is list and tree and hasattr(tree[0], "value")):
            for item in tree:
                self._claim(item, builder, returned=returned)
        elif kind is dict or kind is list:
            self._claim_container(tree, builder, returned=returned)
        elif returned and hasattr(tree, "component") and hasattr(tree, "value"):
            self._claim(tree.value, builder, returned=True)

    def _claim_container(self, tree: Any, builder: str, *, returned: bool) -> None:
        settled, claimed, passed_over = self._settled, self._claimed, self.passed_over
        whole = settled.get(id(tree))
        if whole is not None and whole.is_same():
            return
        waiting, held = [tree], []
        while waiting:
            item = waiting.pop()
            number = id(item)
            if number in passed_over:
                continue
            if item is not tree and number in settled and settled[number].is_same():
                held += settled[number].held
                continue
            values = item.values() if item.__class__ is dict else item
            known = claimed.get(number)
            if known is not None and known.ids is None:
                known.complete()
            if known is None or known.ids != list(map(id, values)):
                self._claim_scalars(item, builder, known, returned=returned)
                known = claimed[number] = _Claimed(item)
                known.complete()
            held.append(values)
            if known.children:
                waiting += known.children
        if len(held) >= _LARGE:
            settled[id(tree)] = _Settled(tree, held)

    def _claim_scalars(self, tree: Any, builder: str, known: _Claimed | None, *, returned: bool) -> None:
        before = None if known is None else known.held
        for key, item in list(tree.items() if tree.__class__ is dict else enumerate(tree)):
            kind = item.__class__
            if kind is dict or kind is list:
                continue
            if before is not None and _held(before, key) is item:
                continue
            origin = getattr(item, "origin", None)
            if origin is None:
                inputs = self.made.inputs(item) if kind is str and item else ()
                tree[key] = traced(item, Origin(BUILDER, name=builder, step=builder, inputs=inputs))
            elif returned:
                tree[key] = traced(item, origin.put(builder))

    # --- rules

    def rule_applied(self, pod: Pod, rule: str) -> None:
        """Compares the pod with what it was before the rule."""
        known = self._pods.get(id(pod))
        if known is None:
            known = self._pods[id(pod)] = PodValues(pod)
        look = known.look()
        if look is None:
            return
        used: set[int] = set()
        for path, (tree, key, item) in look.changed.items():
            old = look.old.get(path)
            if old is item:
                continue
            if path not in look.old and id(item) in look.held:
                # Moved as a whole, from the container to the pod for instance.
                continue
            parts = _parts(path, item, look.gone, used) if look.gone else ()
            tree[key] = self._put(rule, item, old, parts)
        for path, item in look.gone.items():
            if id(item) not in used and origin_of(item) is not None and path[0] != "shared_mounts":
                self.removed.append(Removed(rule, item))
        for tree in look.trees:
            self._claimed[id(tree)] = _Claimed(tree)
        known.settle(look)

    def _put(self, rule: str, item: Any, old: Any, parts: tuple[Origin, ...]) -> Any:
        """The value, set by the rule; the earlier value at its place is remembered where it was another."""
        origin = origin_of(item)
        lost = None if old is None or _same(old, item) else old
        if origin is None:
            inputs = (*self.made.inputs(item, in_rule=True), *parts, *self.made.equal(item))
            earlier = origin_of(lost)
            if earlier is not None and (contains(item, lost) or goes_on_in(lost, item)):
                inputs = (*inputs, earlier)
            return traced(item, Origin(RULE, name=rule, step=rule, before=lost, inputs=distinct(inputs)))
        return traced(item, origin.put(rule, lost))


def _same(one: Any, two: Any) -> bool:
    """Whether two scalars are one value from one place."""
    first, second = origin_of(one), origin_of(two)
    origins = first is None or second is None or first.key() == second.key()
    return origins and one.__class__ is two.__class__ and bool(one == two)


def _held(container: Any, key: Any) -> Any:
    if container.__class__ is dict:
        return container.get(key, _MISSING)
    if container.__class__ is list and key < len(container):
        return container[key]
    return _MISSING


def _parts(path: Path, value: Any, gone: dict[Path, Any], used: set[int]) -> tuple[Origin, ...]:
    """Origins of the words that a rule took from command and args of a container to make one line of them."""
    if value.__class__ is not str or origin_of(value) is not None:
        return ()
    found = []
    for other, item in gone.items():
        if other[:-2] == path[:-2] and origin_of(item) is not None and contains(value, item):
            used.add(id(item))
            found.append(item.origin)
    return tuple(found)
