"""Rules and builders by name: what they set, why, and whose behaviour they follow."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FunctionType, ModuleType
    from typing import Any

_LOWER = "dynamoc.lower."
#: modules whose functions build objects, or the names in them
STEP_MODULES = (_LOWER, "dynamoc.kube.names", "dynamoc.kube.workerhash")


class Step:
    """One named step of rendering.

    name      `env/service`, or `lower/network/component-service`
    kind      `rule` or `builder`
    text      what it sets, why, and what the user can override
    source    file and symbol of the operator that it follows, "" where none is known
    releases  releases that have it, oldest first
    """

    __slots__ = ("kind", "name", "releases", "source", "text")

    def __init__(self, name: str, kind: str, text: str, source: str, releases: tuple[str, ...]) -> None:
        self.name = name
        self.kind = kind
        self.text = text
        self.source = source
        self.releases = releases

    @property
    def source_only(self) -> list[str]:
        """Those of the releases whose answers were not recorded, oldest first."""
        from dynamoc.release import RELEASES

        return [name for name in self.releases if RELEASES[name].exactness == "source"]

    @property
    def summary(self) -> str:
        """The first paragraph of the text, in one line."""
        return " ".join(self.text.split("\n\n")[0].split())


def builder_name(module: str, function: str) -> str:
    """`dynamoc.lower.hub.clique`, `_labels` is `lower/hub/clique/labels`."""
    return f"{module.removeprefix('dynamoc.').replace('.', '/')}/{function.strip('_').replace('_', '-')}"


def find_step(name: str) -> Step | None:
    """The step of that name, None where there is none."""
    return _builder(name) if name.startswith(("lower/", "kube/")) else _rule(name)


def all_steps() -> list[Step]:
    """Every rule of any release in the order in which releases run them, then the builders that explain themselves."""
    from dynamoc.release import RELEASES

    names = dict.fromkeys(name for release in RELEASES.values() for name in release.pod_rules)
    rules = [step for name in names if (step := _rule(name)) is not None]
    return rules + _builders()


def _rule(name: str) -> Step | None:
    from dynamoc.release import RELEASES
    from dynamoc.rules.registry import rule_named

    releases = tuple(release.name for release in RELEASES.values() if name in release.pod_rules)
    if not releases:
        return None
    rule = rule_named(name)
    return Step(name, "rule", cleaned(rule.reason), rule.source, releases)


def _builder(name: str) -> Step | None:
    from importlib import import_module

    module_name = "dynamoc." + name.rpartition("/")[0].replace("/", ".")
    if not module_name.startswith(STEP_MODULES):
        return None
    try:
        module = import_module(module_name)
    except ModuleNotFoundError:
        return None
    for function in functions_of(module):
        if builder_name(module_name, function.__name__) == name:
            return _described(name, module, function)
    return None


def _builders() -> list[Step]:
    from importlib import import_module
    from pkgutil import walk_packages

    import dynamoc.lower

    found: dict[str, Step] = {}
    modules = [info.name for info in walk_packages(dynamoc.lower.__path__, _LOWER)]
    for module_name in (*modules, *STEP_MODULES[1:]):
        module = import_module(module_name)
        for function in functions_of(module):
            if function.__doc__ and function.__name__[:2] != "__":
                name = builder_name(module_name, function.__name__)
                found[name] = _described(name, module, function)
    return [found[name] for name in sorted(found)]


def functions_of(module: ModuleType) -> list[FunctionType]:
    """Functions and methods that the module defines."""
    found: list[FunctionType] = []
    for item in list(vars(module).values()):
        if getattr(item, "__module__", None) != module.__name__:
            continue
        for part in vars(item).values() if isinstance(item, type) else (item,):
            function: Any = part.fget if isinstance(part, property) else getattr(part, "__func__", part)
            if hasattr(function, "__code__"):
                found.append(function)
    return found


def _described(name: str, module: ModuleType, function: Callable[..., Any]) -> Step:
    text = cleaned(function.__doc__ or module.__doc__ or "")
    source = _source(text) or _source(cleaned(module.__doc__ or ""))
    text = text.partition("Source:")[0].strip() or (module.__doc__ or "").partition("Source:")[0].strip()
    return Step(name, "builder", text, source, releases_of_module(module.__name__))


def releases_of_module(module: str) -> tuple[str, ...]:
    """The releases whose documents the module lowers: `hub` since v1beta1 is stored, `early` before 1.0, else all."""
    from dynamoc.release import RELEASES

    part = module.removeprefix(_LOWER).partition(".")[0]
    own = {"hub": "dynamoc.lower.hub.lowering", "early": "dynamoc.lower.early.lowering"}.get(part)
    if own is None:
        return tuple(RELEASES)
    return tuple(release.name for release in RELEASES.values() if release["lower"] == own)


def _source(text: str) -> str:
    """What stands behind `Source:`, or a trailing `(file symbol)`."""
    _, found, source = text.partition("Source:")
    if found:
        return " ".join(source.split()).rstrip(".")
    first = text.split("\n\n")[0].rstrip(". ")
    if first.endswith(")") and "(" in first:
        return " ".join(first.rpartition("(")[2].rstrip(")").split())
    return ""


def cleaned(text: str) -> str:
    """A docstring without its indent."""
    lines = text.strip().split("\n")
    return "\n".join(line.strip() if index == 0 else line.removeprefix("    ") for index, line in enumerate(lines))
