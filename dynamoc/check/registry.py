"""The rules by name."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dynamoc.check.made import Made
    from dynamoc.diagnostics.catalog.slugs import Slug
    from dynamoc.schema.problem import Problem
    from dynamoc.stages.faults import Fault

    Rule = Callable[[Made], Iterator[Fault | Problem]]
    """Problems are on the document, faults on generated objects, which are shown at the lines that led to them."""

RULES: dict[Slug, Rule] = {}


def rule(*slugs: Slug) -> Callable[[Rule], Rule]:
    """Registers a rule under the names of all findings that it makes."""

    def register(function: Rule) -> Rule:
        for slug in slugs:
            if slug in RULES:
                raise ValueError(f"{slug} has two rules")
            RULES[slug] = function
        return function

    return register
