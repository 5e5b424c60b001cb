"""What dynamoc has by name and can do without: features and constants of releases, steps of rendering.

Switched off, a feature is there where it was not and the other way round, a constant has another value, and a step does
or gives nothing.
"""

from __future__ import annotations

from collections import UserDict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple
from unittest.mock import patch

from dynamoc.compiler.explain.answer import all_steps
from dynamoc.kube.tracing import Step, Watched
from dynamoc.reference.features import FEATURES
from dynamoc.reference.releases import RELEASES, Release

FEATURE, CONSTANT, STEP = "features", "constants", "steps"


class Switch(NamedTuple):
    """`kind` is one of the three words above."""

    kind: str
    name: str


def switches() -> list[Switch]:
    """All, in the order of their tables."""
    constants = dict.fromkeys(name for release in RELEASES.values() for name in release.constants)
    return [
        *(Switch(FEATURE, feature.name) for feature in FEATURES),
        *(Switch(CONSTANT, name) for name in constants),
        *(Switch(STEP, step.name) for step in all_steps()),
    ]


@contextmanager
def watched(is_off: Callable[[Switch], bool]) -> Iterator[None]:
    """Asks `is_off` whenever the program asks for one."""
    has, constants = Release.has, Release.__dict__["constants"].fget

    def asked(release: Release, name: Any) -> bool:
        return has(release, name) != is_off(Switch(FEATURE, name))

    class Constants(UserDict[str, Any]):
        def __init__(self, release: Release) -> None:
            # The table itself, so that what a test puts there is read.
            self.data = constants(release)

        def __getitem__(self, name: str) -> Any:
            return another(self.data[name]) if is_off(Switch(CONSTANT, name)) else self.data[name]

    def read(release: Release, name: Any) -> Any:
        return release.constants[name]

    def run(step: Step, function: Callable[..., Any], args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        off = bool(step.name) and is_off(Switch(STEP, step.name))
        return nothing_of(function, args, named) if off else function(*args, **named)

    with ExitStack() as stack:
        stack.enter_context(patch.object(Release, "has", asked))
        stack.enter_context(patch.object(Release, "constants", property(Constants)))
        stack.enter_context(patch.object(Release, "__getitem__", read))
        stack.enter_context(Watched(run))
        yield


def nothing_of(function: Callable[..., Any], args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """An empty value of what a function returns; one that returns nothing is not called."""
    if function.__annotations__.get("return") in (None, "None"):
        return None
    found = function(*args, **named)
    return type(found)() if type(found) in (dict, list, tuple, set, str) else None


def another(value: Any) -> Any:
    """A value of the same shape, each part of which is another one."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, dict):
        return {key: another(item) for key, item in value.items()} or {"other": "other"}
    if isinstance(value, list | tuple | set | frozenset):
        return type(value)(map(another, value)) or type(value)(["other"])
    return f"{value or ''}-other"
