"""What is known of one field, as data: the same for text and JSON.

The JSON form is documented in docs/explain.md; `VERSION` changes when a reader of it would have to.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pkgutil import walk_packages
from typing import Any

from dynamoc import kube
from dynamoc.compiler.explain import traced
from dynamoc.compiler.explain.annotated import Describer
from dynamoc.compiler.explain.selection import field_text, object_title
from dynamoc.compiler.explain.traced import Origin, leaves, origin_of, plain
from dynamoc.compiler.explain.traced_compilation import Explained
from dynamoc.documents.findings.finding import Path, format_path
from dynamoc.kube.secrets import HIDDEN, is_hidden
from dynamoc.kube.tracing import STEPS
from dynamoc.kube.tracing import Step as Mark
from dynamoc.reference.releases import RELEASES, Release
from dynamoc.rendering import lower, requests
from dynamoc.rendering.rules.order import rules_of

Data = dict[str, Any]

#: what the names of builders begin with
_PLACES = ("lower/", "kube/", "requests/")

#: of the list of rules as JSON
RULES_VERSION = "dynamoc.rules/v1"


@dataclass(eq=False, slots=True)
class Step:
    """One named step of rendering.

    name      `env/service`, or `lower/network/component-service`
    kind      `rule` or `builder`
    text      what it sets, why, and what the user can override
    source    file and symbol of the operator that it follows, "" where none is known
    releases  releases that have it, oldest first
    """

    name: str
    kind: str
    text: str
    source: str
    releases: tuple[str, ...]

    @property
    def source_only(self) -> list[str]:
        """Those of the releases whose answers were not recorded, oldest first."""
        return [name for name in self.releases if RELEASES[name].exactness == "source"]

    @property
    def summary(self) -> str:
        """The first paragraph of the text, in one line."""
        return " ".join(self.text.split("\n\n")[0].split())


def find_step(name: str) -> Step | None:
    """The step of that name, None without one."""
    return _builder(name) if name.startswith(_PLACES) else _rule(name)


def all_steps() -> list[Step]:
    """Every rule of any release in the order in which releases run them, then the builders that explain themselves."""
    names = dict.fromkeys(rule.name for release in RELEASES.values() for rule in rules_of(release))
    rules = [step for name in names if (step := _rule(name)) is not None]
    return rules + _builders()


def _rule(name: str) -> Step | None:
    found = {release.name: rule for release in RELEASES.values() for rule in rules_of(release) if rule.name == name}
    if not found:
        return None
    rule = next(iter(found.values()))
    return Step(name, "rule", cleaned(rule.reason), rule.source, tuple(found))


def _builder(name: str) -> Step | None:
    if name not in STEPS:
        _load_builders()
    mark = STEPS.get(name)
    return None if mark is None else _described(mark)


def _builders() -> list[Step]:
    _load_builders()
    return [_described(STEPS[name]) for name in sorted(STEPS)]


def _load_builders() -> None:
    """Import the modules whose functions are builders."""
    for package in (kube, lower, requests):
        for info in walk_packages(package.__path__, f"{package.__name__}."):
            import_module(info.name)


def _described(mark: Mark) -> Step:
    return Step(mark.name, "builder", cleaned(mark.text), mark.source, releases_of(mark))


def releases_of(mark: Mark) -> tuple[str, ...]:
    """The releases of the generations that take the builder, and that have what it is for."""
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


VERSION = "dynamoc.explain/v1"


def field_answers(explained: Explained, index: int, below: Path, describer: Describer) -> list[Data]:
    """One answer for each leaf of an object at or below a path."""
    item: Any = explained.objects[index]
    value = item
    for step in below:
        value = value[step]
    answers = []
    for path, leaf in leaves(value, below):
        origin = explained.origin(index, path, leaf)
        answer: Data = {"object": object_title(item), "field": field_text(item, path), "value": _bare(leaf)}
        hidden = is_hidden(item, path)
        if hidden:
            answer |= {"value": HIDDEN, "hidden": True}
        if origin is not None:
            answer["origin"] = origin_data(origin, describer)
            if origin.kind == traced.USER and origin.written not in (None, leaf) and not hidden:
                answer["written"] = _bare(origin.written)
                if leaf.__class__ is int and origin.written.__class__ is int:
                    # The same place, another number: replicas of the other nodes, for instance.
                    answer["computed"] = True
            if origin.step is not None:
                answer["step"] = step_data(origin.step)
            lost = [] if hidden else _lost(origin, describer)
            if lost:
                answer["lost"] = lost
        answers.append(answer)
    return answers


def origin_data(origin: Origin, describer: Describer) -> Data:
    data: Data = {"kind": origin.kind}
    if origin.name:
        data["name"] = origin.name
    if origin.path:
        data["path"] = format_path(origin.path)
    place = describer.config_place(origin.name) if origin.kind == traced.CONFIG else None
    if origin.kind in (traced.USER, traced.CONTEXT):
        place = origin.place
    if place is not None:
        data |= {"file": place.file, "line": place.line, "column": place.column}
    data["text"] = describer.sentence(origin)
    if origin.inputs:
        data["computedFrom"] = [origin_data(item, describer) for item in origin.inputs]
    return data


def step_data(name: str) -> Data:
    step = find_step(name)
    if step is None:
        return {"name": name}
    return {
        "name": name,
        "kind": step.kind,
        "summary": step.summary,
        "source": step.source,
        "releases": list(step.releases),
    }


def _lost(origin: Origin, describer: Describer) -> list[Data]:
    """Earlier values at the same place, the latest first, each with what it lost to."""
    lost, winner = [], origin
    while winner.before is not None:
        earlier = origin_of(winner.before)
        entry: Data = {"value": _bare(winner.before), "lostTo": winner.step}
        if earlier is None:
            lost.append(entry)
            break
        entry["origin"] = origin_data(earlier, describer)
        if earlier.step is not None:
            entry["step"] = earlier.step
        lost.append(entry)
        winner = earlier
    return lost


def _bare(value: Any) -> Any:
    if value.__class__ is dict or value.__class__ is list:
        return {} if value.__class__ is dict else []
    if value.__class__ is bool:
        return bool(value)
    return plain(value)
