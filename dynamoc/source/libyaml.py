"""The event parser of libyaml, without the rest of PyYAML.

Of `import yaml` we need one C class and the events that it makes; the readers, resolvers and constructors around it
take longer to import than Python takes to start. So a package module stands in for `yaml` while `yaml._yaml` is
imported, and runs the real `yaml/__init__.py` as soon as anybody asks it for something. After that nothing differs
from an ordinary import. Where anything about this fails, and where PyYAML comes without libyaml, the ordinary import
and its pure parser do the same, slower.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

#: Modules whose names `yaml._yaml` binds when it is imported, but that its event parser does not run.
_STOOD_IN = (
    "composer",
    "constructor",
    "emitter",
    "nodes",
    "parser",
    "reader",
    "representer",
    "scanner",
    "serializer",
    "tokens",
)
#: those of them whose errors the event parser raises
_RAISED = ("parser", "reader", "scanner")


def _load_alone() -> ModuleType:
    """`yaml._yaml`, imported below a package that is completed on demand."""
    package = _pending_package()
    sys.modules["yaml"] = package
    try:
        import yaml.error
        import yaml.events

        for name in _STOOD_IN:
            setattr(package, name, _StandIn(yaml.error.YAMLError, own_errors=name in _RAISED))
        # Not `from yaml import _yaml`, which would ask the package first.
        import yaml._yaml
    except BaseException:
        for name in [name for name in sys.modules if name == "yaml" or name.startswith("yaml.")]:
            del sys.modules[name]
        raise
    for name in _STOOD_IN:
        delattr(package, name)
    return sys.modules["yaml._yaml"]


def _pending_package() -> ModuleType:
    spec = next(filter(None, (finder.find_spec("yaml", None) for finder in sys.meta_path)))
    package = type(sys)("yaml")
    package.__spec__ = spec
    package.__loader__ = spec.loader
    package.__file__ = spec.origin
    package.__package__ = "yaml"
    package.__path__ = list(spec.submodule_search_locations or ())

    def complete(name: str) -> Any:
        if name.startswith("__") or spec.loader is None:
            raise AttributeError(name)
        package.__dict__.pop("__getattr__", None)
        spec.loader.exec_module(package)
        _replace_stand_ins(package)
        return getattr(package, name)

    package.__getattr__ = complete  # type: ignore[method-assign]
    return package


def _replace_stand_ins(package: ModuleType) -> None:
    bound = vars(sys.modules["yaml._yaml"])
    for name in _STOOD_IN:
        module = getattr(package, name)
        bound.update({word: getattr(module, word) for word in bound if hasattr(module, word)})


class _StandIn:
    """A module that has a class for every name, and a class of its own for errors that are raised."""

    def __init__(self, base: type[Exception], *, own_errors: bool) -> None:
        self._base = base
        self._own_errors = own_errors

    def __getattr__(self, name: str) -> type[Exception]:
        return type(name, (self._base,), {}) if self._own_errors and name.endswith("Error") else self._base


def _load() -> Any:
    """The class of the event parser."""
    if "yaml" not in sys.modules:
        try:
            return _load_alone().CParser
        except Exception:
            pass  # The ordinary import tells better what is wrong, or works.
    try:
        from yaml._yaml import CParser
    except ImportError:
        from yaml import SafeLoader

        return SafeLoader
    return CParser


#: `EventParser(text).get_event()` gives the next event, None at the end, and raises YAMLError.
EventParser: Any = _load()

from yaml.error import YAMLError  # noqa: E402
from yaml.events import (  # noqa: E402
    AliasEvent,
    DocumentEndEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
    StreamStartEvent,
)

__all__ = [
    "AliasEvent",
    "DocumentEndEvent",
    "DocumentStartEvent",
    "EventParser",
    "MappingEndEvent",
    "MappingStartEvent",
    "ScalarEvent",
    "SequenceEndEvent",
    "SequenceStartEvent",
    "StreamEndEvent",
    "StreamStartEvent",
    "YAMLError",
]
