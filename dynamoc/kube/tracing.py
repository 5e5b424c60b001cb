"""Functions that are steps of rendering, and the watcher that looks on while they run.

A step is marked where it is defined. Without a watcher, a call costs one look-up more; `dynamoc.explain` looks on, and
learns from the steps which of them made a value. Each thread has its own watcher, so that programs may render, explain
and compare in several threads at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from threading import local
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])

Watcher = Callable[["Step", Callable[..., Any], tuple[Any, ...], dict[str, Any]], Any]
"""Calls a step's function with its arguments and gives its result."""

#: generations of lowering: releases up to 0.6, 1.0 and 1.1, and those that know only v1beta1
EARLY, ALPHA, HUB = "early", "alpha", "hub"
NOT_HUB, NOT_EARLY, ALL = (EARLY, ALPHA), (ALPHA, HUB), (EARLY, ALPHA, HUB)
RULE = "rule"
BUILDER = "builder"
NAMING = "naming"
CONVERTING = "converting"
NOTING = "noting"
RESTORING = "restoring"
SHARING = "sharing"


@dataclass(eq=False, slots=True)
class Step:
    """What is marked.

    name      `env/service`, or `lower/network/component-service`: the module below `dynamoc/`, and what is made
    kind      `rule` changes a pod; `builder` makes objects or parts of them; `naming` makes names and hashes;
              `converting` gives its first argument another form; `noting` reads its first argument for a text;
              `restoring` gives what was stored as text in an annotation; `sharing` gives the same map each time
    source    file and symbol of the operator that it follows, "" for the last four kinds
    text      its docstring: what it sets, why, and what the user can override
    generations  of lowering that take it, () where its place says so: `lower/hub/...`
    when, unless  features that a release of these generations must have, or must not have; "" for any release
    """

    name: str
    kind: str
    source: str
    text: str
    generations: tuple[str, ...] = ()
    when: str = ""
    unless: str = ""


#: the steps that have a name, of the modules that are loaded
STEPS: dict[str, Step] = {}


class _Current(local):
    """The watcher of the running thread, which mostly has none."""

    watcher: Watcher | None = None


CURRENT = _Current()


class Watched:
    """The steps of this thread are called through `watcher` as long as this lasts."""

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher
        self._outer: Watcher | None = None

    def __enter__(self) -> None:
        self._outer, CURRENT.watcher = CURRENT.watcher, self._watcher

    def __exit__(self, *_: object) -> None:
        CURRENT.watcher = self._outer


def builder(
    name: str, source: str, generations: tuple[str, ...] = (), *, when: str = "", unless: str = ""
) -> Callable[[Function], Function]:
    """Marks a function that returns objects or parts of them, or puts parts into what it is given."""
    return _marking(name, BUILDER, source, generations, when, unless)


def naming(
    name: str, source: str, generations: tuple[str, ...] = (), *, when: str = "", unless: str = ""
) -> Callable[[Function], Function]:
    """Marks a function that returns a name or a hash."""
    return _marking(name, NAMING, source, generations, when, unless)


def converting(function: Function) -> Function:
    """Marks a function that returns its first argument in another form: a number for a text, for instance."""
    return watched(Step("", CONVERTING, "", ""), function)


def noting(function: Function) -> Function:
    """Marks a function whose first argument becomes part of a text."""
    return watched(Step("", NOTING, "", ""), function)


def restoring(function: Function) -> Function:
    """Marks a function that returns a document which was stored as text in an annotation."""
    return watched(Step("", RESTORING, "", ""), function)


def sharing(function: Function) -> Function:
    """Marks a function that returns a map to which several objects add, and which all of them hold."""
    return watched(Step("", SHARING, "", ""), function)


def watched(step: Step, function: Function) -> Function:
    """The function, which lets the watcher call it."""

    def run(*args: Any, **named: Any) -> Any:
        watcher = CURRENT.watcher
        return function(*args, **named) if watcher is None else watcher(step, function, args, named)

    run.__name__ = function.__name__
    run.__doc__ = function.__doc__
    run.__module__ = function.__module__
    run.__wrapped__ = function  # type: ignore[attr-defined]
    return run  # type: ignore[return-value]


def _marking(
    name: str, kind: str, source: str, generations: tuple[str, ...], when: str, unless: str
) -> Callable[[Function], Function]:
    def mark(function: Function) -> Function:
        step = STEPS[name] = Step(name, kind, source, function.__doc__ or "", generations, when, unless)
        return watched(step, function)

    return mark
