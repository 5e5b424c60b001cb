"""Release and operator configuration whose values know where they come from."""

from __future__ import annotations

from dynamoc.explain.origin import CONFIG, CONSTANT, Origin
from dynamoc.explain.traced import plain, trace_tree, traced
from dynamoc.release.registry import Release

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.cluster.config import OperatorConfig

#: name modules, functions and tables, or tell what the chart installs: no values of the operator's
_OF_THE_PROGRAM = frozenset(
    ("backends", "component-defaults", "images/pull-secret-index", "lower", "lws/needs", "planner/rules")
)


class TracedRelease(Release):
    """A release that gives out its constants with their names."""

    __slots__ = ("_given",)

    def __init__(self, release: Release) -> None:
        for name in Release.__slots__:
            setattr(self, name, getattr(release, name))
        self._given: dict[str, Any] = {}

    def __getitem__(self, constant: str) -> Any:
        name = plain(constant)
        if name not in self._given:
            value = super().__getitem__(name)
            known = Origin(CONSTANT, name=name)
            self._given[name] = value if name in _OF_THE_PROGRAM else trace_tree(value, lambda _: known)
        return self._given[name]


def trace_config(config: OperatorConfig) -> None:
    """Gives the texts of a configuration their keys as origin: `infrastructure.natsAddress`."""
    _trace_section(config, "")


def _trace_section(section: Any, prefix: str) -> None:
    names = [name for cls in section.__class__.__mro__ for name in getattr(cls, "__slots__", ())]
    for name in names:
        value = getattr(section, name, None)
        key = prefix + _camel(name)
        if value.__class__ is str:
            setattr(section, name, traced(value, Origin(CONFIG, name=key)))
        elif value.__class__.__module__.startswith("dynamoc.cluster"):
            _trace_section(value, f"{key}.")


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(other.capitalize() for other in others)
