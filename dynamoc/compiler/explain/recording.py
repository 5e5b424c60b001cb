"""Parts of pods and objects that record, at each write, which step wrote and what it replaced.

A pod becomes a `RecordingPod` when its first rule runs. What a step assigns to it becomes `_Dict` and `_List`, which
the stages treat as dict and list; so does what a builder returns. They hold copies: a step that goes on to change what
it assigned must change it where it is now. Maps that several objects hold are marked (`dynamoc.kube.tracing.sharing`),
and tests compare what is rendered with and without tracing.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import local
from typing import Any

from dynamoc.admission.cluster.config import OperatorConfig
from dynamoc.compiler.explain.traced import CONFIG, CONSTANT, Origin, origin_of, plain, trace_tree, traced
from dynamoc.reference.releases import Release
from dynamoc.rendering.rules.draft import Pod

Put = Callable[[Any, Any], Any]
"""The scalar as the running rule put it, over an earlier one, None where there was none."""

_MISSING = object()


class Recorder(local):
    """What the running step of this thread does to scalars, and what the rule took away.

    put    gives the scalar that is stored for one that is written, and for the one before, None where there was none
    gone   scalars that were replaced or removed since the rule began
    used   ids of those that became part of a text
    """

    def __init__(self) -> None:
        self.put: Put = lambda item, _: item
        self.gone: list[Any] = []
        self.used: set[int] = set()

    def begin(self, pod: Pod, put: Put) -> None:
        """A rule runs over a pod."""
        self.put, self.gone, self.used = put, [], set()
        if pod.__class__ is Pod:
            pod.main, pod.spec, pod.volumes = _Dict(), _Dict(), _List()
            pod.__class__ = RecordingPod

    def removed(self, pod: Pod) -> list[Any]:
        """What the rule took away and is nowhere in the pod any more."""
        gone = [item for item in self.gone if origin_of(item) is not None and id(item) not in self.used]
        if not gone:
            return []
        kept: set[int] = set()
        waiting: list[Any] = [pod.main, pod.spec, pod.volumes]
        while waiting:
            item = waiting.pop()
            if item.__class__ is dict or item.__class__ is list:
                waiting += item.values() if item.__class__ is dict else item
            else:
                kept.add(id(item))
        return [item for item in gone if id(item) not in kept]


RECORDER = Recorder()


class _Dict(dict):  # type: ignore[type-arg]
    """A dict that records."""

    __class__ = dict  # type: ignore[assignment]
    __slots__ = ()

    def __setitem__(self, key: Any, value: Any) -> None:
        dict.__setitem__(self, key, _written(dict.get(self, key, _MISSING), value))

    def setdefault(self, key: Any, default: Any = None) -> Any:
        if key not in self:
            self[key] = default
        return self[key]

    def update(self, *args: Any, **named: Any) -> None:
        for key, value in dict(*args, **named).items():
            self[key] = value

    def __ior__(self, other: Any) -> Any:  # type: ignore[misc]
        self.update(other)
        return self

    def __delitem__(self, key: Any) -> None:
        _lose(self[key])
        dict.__delitem__(self, key)

    def pop(self, key: Any, *default: Any) -> Any:
        if key in self:
            _lose(self[key])
        return dict.pop(self, key, *default)

    def clear(self) -> None:
        _lose(self)
        dict.clear(self)


class _List(list):  # type: ignore[type-arg]
    """A list that records."""

    __class__ = list  # type: ignore[assignment]
    __slots__ = ()

    def __setitem__(self, index: Any, value: Any) -> None:
        old = list.__getitem__(self, index)
        list.__setitem__(self, index, _written(old, value))

    def append(self, value: Any) -> None:
        list.append(self, _written(_MISSING, value))

    def insert(self, index: Any, value: Any) -> None:
        list.insert(self, index, _written(_MISSING, value))

    def extend(self, values: Any) -> None:
        list.extend(self, [_written(_MISSING, value) for value in values])

    def __delitem__(self, index: Any) -> None:
        _lose(self[index])
        list.__delitem__(self, index)

    def pop(self, index: Any = -1) -> Any:
        _lose(self[index])
        return list.pop(self, index)

    def remove(self, value: Any) -> None:
        del self[self.index(value)]

    def clear(self) -> None:
        _lose(self)
        list.clear(self)

    def __iadd__(self, values: Any) -> Any:  # type: ignore[misc]
        self.extend(values)
        return self


def _root(name: str) -> property:
    slot = getattr(Pod, name)

    def write(pod: Pod, value: Any) -> None:
        slot.__set__(pod, _written(slot.__get__(pod), value))

    return property(slot.__get__, write)


class RecordingPod(Pod):
    """A pod whose parts note who writes."""

    __slots__ = ()
    main, spec, volumes = _root("main"), _root("spec"), _root("volumes")


def _written(old: Any, new: Any) -> Any:
    """What to store of a new value in the place of an old one."""
    return _stored(old, new, RECORDER.put)


def _stored(old: Any, new: Any, put: Put) -> Any:
    if old is new:
        return new
    kind = new.__class__
    if kind is dict:
        before = old if old.__class__ is dict else {}
        if before:
            _lose([item for key, item in before.items() if key not in new])
        if type(new) is _Dict and not before:
            return new
        return _Dict({key: _stored(before.get(key, _MISSING), item, put) for key, item in new.items()})
    if kind is list:
        if type(new) is _List and old.__class__ is not list:
            return new
        known = {_key(item, index): item for index, item in enumerate(old)} if old.__class__ is list else {}
        if not known:
            return _List([_stored(_MISSING, item, put) for item in new])
        keys = [_key(item, index) for index, item in enumerate(new)]
        _lose([item for key, item in known.items() if key not in keys])
        return _List([_stored(known.get(key, _MISSING), item, put) for key, item in zip(keys, new, strict=True)])
    if old is not _MISSING and old is not None:
        _lose(old)
    return put(new, None if old is _MISSING or old.__class__ in (dict, list) else old)


def _key(item: Any, index: int) -> Any:
    """Items of lists are known by name, so that they may move."""
    if item.__class__ is dict:
        name = item.get("mountPath") or item.get("name")
        if name.__class__ is str:
            return name
    return index


def _lose(value: Any) -> None:
    if value.__class__ is dict or value.__class__ is list:
        for item in value.values() if value.__class__ is dict else value:
            _lose(item)
    else:
        RECORDER.gone.append(value)


def is_recorded(tree: Any) -> bool:
    """Whether all that a container holds is known."""
    return type(tree) is _Dict or type(tree) is _List


def written(tree: Any, put: Put) -> Any:
    """A container, and all in it that has no writer yet, as parts that note who writes."""
    return _stored(_MISSING, tree, put)


#: name modules, functions and tables, or describe what the chart installs: no values of the operator's
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
        elif value.__class__.__module__.startswith("dynamoc.admission.cluster"):
            _trace_section(value, f"{key}.")


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(other.capitalize() for other in others)
