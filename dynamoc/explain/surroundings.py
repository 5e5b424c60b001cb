"""Release and operator configuration whose values know where they come from."""

from __future__ import annotations

from dynamoc.explain.bodies import Bodies
from dynamoc.explain.origin import CONFIG, CONSTANT, Origin
from dynamoc.explain.traced import READS, carried, origin_of, plain, trace_tree, traced
from dynamoc.release.registry import Release

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from dynamoc.cluster.config import OperatorConfig
    from dynamoc.release.names import Constant

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

    def __getitem__(self, constant: Constant) -> Any:
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


class TracedTexts:
    """Texts that are made of traced values without their methods keep the origin as long as this lasts.

    Numbers that are read from texts; quantities and times that print otherwise than they were written, where nothing
    may be remembered from before: what is equal may come from elsewhere. YAML inside of objects, whose writer knows
    plain scalars only.
    """

    def __enter__(self) -> None:
        from dynamoc.emit import go_yaml
        from dynamoc.kube import gotime, quantity
        from dynamoc.rules.backends import command

        self._remembered, quantity._AS_READ = quantity._AS_READ, _Forgetful()
        self._bodies = Bodies()
        carrying: tuple[Any, ...] = (quantity._canonical_as_read, quantity.value, quantity.parse_int)
        carrying += (command.parse_int64, gotime.parse_duration, gotime.print_duration, gotime.utc)
        for function in carrying:
            self._bodies.replace(function, _carrying)
        self._bodies.replace(go_yaml._sorted, _noting)  # type: ignore[arg-type]

    def __exit__(self, *_: object) -> None:
        from dynamoc.kube import quantity

        self._bodies.restore()
        quantity._AS_READ = self._remembered


def _carrying(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(value: Any, **named: Any) -> Any:
        result = function(plain(value), **named)
        return result if origin_of(value) is None else carried(value, result)

    return call


def _noting(sort: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def sort_plain(value: Any) -> Any:
        if value.__class__ is not dict and value.__class__ is not list:
            READS.append(value)
        return plain(sort(value))

    return sort_plain


class _Forgetful(dict[str, str]):
    def __setitem__(self, key: str, value: str) -> None:
        """Remembers nothing."""
