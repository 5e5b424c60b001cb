"""What a rule is: a function that shapes a pod, with its name and its source. `order.py` lists them by release."""

from __future__ import annotations

from dynamoc.tracing import RULE, Step, watched

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from dynamoc.rules.draft import Pod


class Rule:
    """One named step.

    name    `topic/what`; its topic, and what it does
    source  file and symbol of the operator whose behaviour the rule follows
    apply   changes the pod; raises `Refusal` where the operator fails
    """

    __slots__ = ("apply", "name", "source")

    def __init__(self, name: str, source: str, apply: Callable[[Pod], None]) -> None:
        self.name = name
        self.source = source
        self.apply = apply

    @property
    def reason(self) -> str:
        """What the rule sets, why, and what the user can override: its docstring."""
        return self.apply.__doc__ or ""


#: rules by the functions that the orders of releases list
RULES: dict[Callable[[Pod], None], Rule] = {}


def rule(name: str, *, source: str) -> Callable[[Callable[[Pod], None]], Callable[[Pod], None]]:
    """Marks a function as the rule `name`."""

    def register(function: Callable[[Pod], None]) -> Callable[[Pod], None]:
        function = watched(Step(name, RULE, source, function.__doc__ or ""), function)
        RULES[function] = Rule(name, source, function)
        return function

    return register
