"""Rules and builders by name: what they set, why, and whose behaviour they follow."""

from __future__ import annotations

from importlib import import_module
from pkgutil import walk_packages

from dynamoc import lower, requests
from dynamoc.rules.order import rules_of
from dynamoc.tracing import STEPS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.release.registry import Release
    from dynamoc.tracing import Step as Mark

#: what the names of builders begin with
_PLACES = ("lower/", "kube/", "requests/")


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


def find_step(name: str) -> Step | None:
    """The step of that name, None where there is none."""
    return _builder(name) if name.startswith(_PLACES) else _rule(name)


def all_steps() -> list[Step]:
    """Every rule of any release in the order in which releases run them, then the builders that explain themselves."""
    from dynamoc.release import RELEASES

    names = dict.fromkeys(rule.name for release in RELEASES.values() for rule in rules_of(release))
    rules = [step for name in names if (step := _rule(name)) is not None]
    return rules + _builders()


def _rule(name: str) -> Step | None:
    from dynamoc.release import RELEASES

    found = {release.name: rule for release in RELEASES.values() for rule in rules_of(release) if rule.name == name}
    if not found:
        return None
    rule = next(iter(found.values()))
    return Step(name, "rule", cleaned(rule.reason), rule.source, tuple(found))


def _builder(name: str) -> Step | None:
    _load_builders()
    mark = STEPS.get(name)
    return None if mark is None else _described(mark)


def _builders() -> list[Step]:
    _load_builders()
    return [_described(STEPS[name]) for name in sorted(STEPS)]


def _load_builders() -> None:
    """Import the modules whose functions are builders."""
    for package in (lower, requests):
        for info in walk_packages(package.__path__, f"{package.__name__}."):
            import_module(info.name)


def _described(mark: Mark) -> Step:
    return Step(mark.name, "builder", cleaned(mark.text), mark.source, releases_of(mark))


def releases_of(mark: Mark) -> tuple[str, ...]:
    """The releases of the generations that take the builder, and that have what it is for."""
    from dynamoc.release import RELEASES

    if mark.name.startswith("requests/"):
        return tuple(
            release.name for release in RELEASES.values() if _has_requests(release) and _applies(mark, release)
        )
    lowerings = mark.generations or (mark.name.split("/")[1],)
    return tuple(
        release.name for release in RELEASES.values() if release["lower"] in lowerings and _applies(mark, release)
    )


def _applies(mark: Mark, release: Release) -> bool:
    return (not mark.when or release.has(mark.when)) and not (mark.unless and release.has(mark.unless))


def _has_requests(release: Release) -> bool:
    return "request/answer" in release.constants


def cleaned(text: str) -> str:
    """A docstring without its indent."""
    lines = text.strip().split("\n")
    return "\n".join(line.strip() if index == 0 else line.removeprefix("    ") for index, line in enumerate(lines))
