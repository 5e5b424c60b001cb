"""A field that takes one of a few words."""

from __future__ import annotations

from dynamoc.schema.problem import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.catalog.slugs import Slug
    from dynamoc.diagnostics.change import Change
    from dynamoc.diagnostics.finding import Path

    Tree = dict[str, Any]


def check_choice(
    owner: Tree, field: str, known: tuple[str, ...], slug: Slug, path: Path, problems: list[Problem]
) -> None:
    """A field that is not set takes its default; any other word than the known ones is refused."""
    word = owner.get(field)
    if word not in (None, "", *known):
        message = f"`{field}: {word}` must be {either(known)}."
        problems.append(Problem(slug, (*path, field), message, change=in_known_case(word, known)))


def in_known_case(word: Any, known: tuple[str, ...]) -> Change | None:
    """Writes a word as it is known, where only its case is wrong."""
    from dynamoc.diagnostics.change import other_case

    return other_case(word, known)


def either(words: tuple[str, ...]) -> str:
    """`A, B or C`."""
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))
