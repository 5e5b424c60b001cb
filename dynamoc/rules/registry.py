"""Names for rules. A release lists names (`dynamoc.release.order`); the topic's module is imported on first use."""

from __future__ import annotations

from dynamoc.modules import module_named
from dynamoc.release.order import EXPERIMENTAL
from dynamoc.tracing import RULE, Step, watched

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from dynamoc.release.registry import Release
    from dynamoc.rules.draft import Pod


class Rule:
    """One named step.

    name    `topic/what`; the topic is the module below `dynamoc/rules/`
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


_RULES: dict[str, Rule] = {}
_ORDERED: dict[tuple[str, bool], tuple[Rule, ...]] = {}


def rule(name: str, *, source: str) -> Callable[[Callable[[Pod], None]], Callable[[Pod], None]]:
    """Registers a function as the rule `name`."""

    def register(function: Callable[[Pod], None]) -> Callable[[Pod], None]:
        function = watched(Step(name, RULE, source, function.__doc__ or ""), function)
        _RULES[name] = Rule(name, source, function)
        return function

    return register


def rules_of(release: Release, *, experimental: bool = True) -> tuple[Rule, ...]:
    """The rules of a release in their order, with or without those for components with `experimental`."""
    ordered = _ORDERED.get((release.name, experimental))
    if ordered is None:
        names = [name for name in release.pod_rules if experimental or name not in EXPERIMENTAL]
        for name in names:
            if name not in _RULES:
                module_named("dynamoc.rules." + name.partition("/")[0])
        ordered = _ORDERED[release.name, experimental] = tuple(_RULES[name] for name in names)
    return ordered


def rule_named(name: str) -> Rule:
    """The rule of any release by its name. KeyError or ModuleNotFoundError for a name that no release lists."""
    if name not in _RULES:
        module_named("dynamoc.rules." + name.partition("/")[0])
    return _RULES[name]
