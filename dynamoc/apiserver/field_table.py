"""Rules for single fields, as rows of a table: for kinds whose objects the operator writes with few choices."""

from __future__ import annotations

from dynamoc.apiserver.choices import either, in_known_case
from dynamoc.schema.problem import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from dynamoc.diagnostics.catalog.slugs import ErrorSlug
    from dynamoc.diagnostics.change import Change
    from dynamoc.diagnostics.finding import Path

    Rule = Callable[[Any], str | None]
    """What is wrong with a value, or None; a field that is missing is None."""
    Table = tuple[tuple[ErrorSlug, str, Rule], ...]
    """Slug, path with `[]` behind lists, and the rule for the field at its end."""


def check_table(value: dict[str, Any], table: Table, problems: list[Problem], path: Path = ()) -> None:
    for slug, field, rule in table:
        for at, found in places(value, field, path):
            wrong = rule(found)
            if wrong is not None:
                message = f"`{at[-1]}: {found}` {wrong}." if found else f"`{at[-1]}` {wrong}."
                change = rule.correction(found) if isinstance(rule, OneOf) else None
                problems.append(Problem(slug, at, message, change=change))


def places(value: dict[str, Any], field: str, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Each place where `field` leads, and what is there; a field is looked for in mappings that are there."""
    return _at(value, tuple(field.split(".")), path)


def _at(value: Any, steps: tuple[str, ...], path: Path) -> Iterator[tuple[Path, Any]]:
    step, rest = steps[0], steps[1:]
    name = step.removesuffix("[]")
    found = value.get(name)
    if name == step:
        if not rest:
            yield (*path, name), found
        elif isinstance(found, dict):
            yield from _at(found, rest, (*path, name))
        return
    for index, item in enumerate(found or ()):
        if not rest:
            yield (*path, name, index), item
        elif isinstance(item, dict):
            yield from _at(item, rest, (*path, name, index))


class OneOf:
    """A field that takes one of a few words, and has a default where it is not set."""

    def __init__(self, words: tuple[str, ...]) -> None:
        self._words = words

    def __call__(self, value: Any) -> str | None:
        return None if value in (None, "", *self._words) else f"must be {either(self._words)}"

    def correction(self, value: Any) -> Change | None:
        """The word that is meant, where only its case is wrong."""
        return in_known_case(value, self._words)


def one_of(*words: str) -> Rule:
    return OneOf(words)


def required(value: Any) -> str | None:
    return None if value not in (None, "", [], 0) else "is missing"


def at_least(least: int, most: int | None = None) -> Rule:
    """A number that may be missing."""
    limits = f"must be at least {least}" if most is None else f"must lie between {least} and {most}"
    return lambda value: None if value is None or (value >= least and (most is None or value <= most)) else limits


def fits(check: Callable[[str], bool], what: str) -> Rule:
    """A text that may be missing."""
    return lambda value: None if not value or check(value) else f"must be {what}"
