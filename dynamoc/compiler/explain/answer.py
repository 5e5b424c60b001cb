"""What is known of one field, as data: the same for text and JSON.

The JSON form is documented in docs/explain.md; the versions change when a reader of it would have to.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pkgutil import walk_packages
from typing import Annotated, Any

from dynamoc import kube
from dynamoc.compiler.explain import traced
from dynamoc.compiler.explain.annotated import Describer
from dynamoc.compiler.explain.selection import field_text, object_title
from dynamoc.compiler.explain.traced import Origin, leaves, origin_of, plain
from dynamoc.compiler.explain.traced_compilation import Explained
from dynamoc.documents.findings.answers import OneOf
from dynamoc.documents.findings.finding import Path, Place, format_path
from dynamoc.documents.findings.text import one_line
from dynamoc.documents.source.files import text_again
from dynamoc.documents.source.secrets import Confidential
from dynamoc.kube.secrets import HIDDEN, is_hidden
from dynamoc.kube.tracing import STEPS
from dynamoc.kube.tracing import Step as Mark
from dynamoc.reference.releases import RELEASES, Release
from dynamoc.rendering import lower, requests
from dynamoc.rendering.rules.order import rules_of

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

    KEYS = "name kind text source releases without_records=source_only"
    name: str
    kind: Annotated[str, OneOf("rule", "builder")]
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


@dataclass(slots=True)
class RulesAnswer:
    """`dynamoc rules -o json` and `dynamoc rule NAME -o json`"""

    api_version: Annotated[str, OneOf(RULES_VERSION)]
    rules: list[Step]


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
        found = [release for release in RELEASES.values() if "request/answer" in release.constants]
    else:
        lowerings = mark.generations or (mark.name.split("/")[1],)
        found = [release for release in RELEASES.values() if release["lower"] in lowerings]
    return tuple(release.name for release in found if _applies(mark, release))


def _applies(mark: Mark, release: Release) -> bool:
    return (not mark.when or release.has(mark.when)) and not (mark.unless and release.has(mark.unless))


def cleaned(text: str) -> str:
    """A docstring without its indent."""
    lines = text.strip().split("\n")
    return "\n".join(line.strip() if index == 0 else line.removeprefix("    ") for index, line in enumerate(lines))


VERSION = "dynamoc.explain/v1"


@dataclass(frozen=True, slots=True)
class ValueOrigin:
    """Where a value comes from.

    kind           `user`, `context`, `schema-default`, `webhook-default`, `conversion`, `namespace`, `constant`,
                   `config`, `rule` or `builder`
    text           the same in words
    name           of a constant, a field of the configuration, a rule or a builder
    path           of the field in the input, such as `spec.components[0].replicas`
    place          file, line and column of the input; None for what no file holds
    computed_from  the origins that the value was computed from
    """

    KEYS = "kind [name?] [path?] [file=place.file] [line=place.line] [column=place.column] text [computed_from]"
    kind: Annotated[str, OneOf(*traced.KINDS)]
    text: str
    name: str = ""
    path: str = ""
    place: Place | None = None
    computed_from: tuple[ValueOrigin, ...] = ()


@dataclass(frozen=True, slots=True)
class LostValue:
    """A value that was at the place before, and the rule or builder that it lost to."""

    KEYS = "value lost_to [origin] [step]"
    value: Any
    lost_to: str | None
    origin: ValueOrigin | None
    step: str | None = dataclasses.field(default=None, repr=False)


@dataclass(slots=True)
class NamedStep:
    """The rule or builder that put a value where it is."""

    KEYS = "name [kind=step.kind] [summary=step.summary] [source=step.source] [releases=step.releases]"
    name: str
    step: Step | None


@dataclass(frozen=True, slots=True)
class Explanation:
    """One value of a rendered object.

    object    `kind/name`
    field     such as `spec.template.spec.containers[main].image`
    value     of confidential fields `(hidden)`
    origin    where it comes from, where that is known
    step      name of the rule or builder that put the value where it is, None where none did
    written   what the input has there, where that is something else
    lost      earlier values, the latest first
    hidden    whether the value is confidential and not shown
    computed  whether `value` was computed from `written`
    """

    KEYS = "object field value [hidden] [origin] [written] [computed] [step=named_step] [lost]"
    object: str
    field: str
    value: Any
    origin: ValueOrigin | None
    step: str | None
    written: Any
    lost: tuple[LostValue, ...]
    hidden: bool | None = dataclasses.field(default=None, repr=False)
    computed: bool | None = dataclasses.field(default=None, repr=False)

    @property
    def named_step(self) -> NamedStep | None:
        return NamedStep(self.step, find_step(self.step)) if self.step else None


@dataclass(slots=True)
class FieldsAnswer:
    """A field or an object"""

    api_version: Annotated[str, OneOf(VERSION)]
    release: str
    target: str
    fields: list[Explanation]


@dataclass(slots=True)
class ObjectsAnswer:
    """PATH alone

    objects  `kind/name` of each
    """

    api_version: Annotated[str, OneOf(VERSION)]
    objects: list[str]


def field_answers(explained: Explained, index: int, below: Path, describer: Describer) -> list[Explanation]:
    """One answer for each leaf of an object at or below a path."""
    item: Any = explained.objects[index]
    value = item
    for step in below:
        value = value[step]
    answers = []
    for path, leaf in leaves(value, below):
        origin = explained.origin(index, path, leaf)
        hidden = is_hidden(item, path) or None
        written = computed = None
        if origin is not None and origin.kind == traced.USER and origin.written not in (None, leaf) and not hidden:
            written = _bare(origin.written)
            # The same place, another number: replicas of the other nodes, for instance.
            computed = (leaf.__class__ is int and origin.written.__class__ is int) or None
        answers.append(
            Explanation(
                object_title(item),
                field_text(item, path),
                HIDDEN if hidden else _bare(leaf),
                origin_answer(origin, describer) if origin else None,
                origin.step if origin else None,
                written,
                () if hidden or origin is None else tuple(_lost(origin, describer)),
                hidden,
                computed,
            )
        )
    return answers


def origin_answer(origin: Origin, describer: Describer) -> ValueOrigin:
    place = describer.config_place(origin.name) if origin.kind == traced.CONFIG else None
    if origin.kind in (traced.USER, traced.CONTEXT):
        place = origin.place
    inputs = tuple(origin_answer(item, describer) for item in origin.inputs)
    return ValueOrigin(origin.kind, describer.sentence(origin), origin.name, format_path(origin.path), place, inputs)


def _lost(origin: Origin, describer: Describer) -> Iterator[LostValue]:
    """Earlier values at the same place, the latest first, each with what it lost to."""
    winner: Origin | None = origin
    while winner is not None and winner.before is not None:
        earlier = origin_of(winner.before)
        found, step = (origin_answer(earlier, describer), earlier.step) if earlier else (None, None)
        yield LostValue(_bare(winner.before), winner.step, found, step)
        winner = earlier


def _bare(value: Any) -> Any:
    if value.__class__ is dict or value.__class__ is list:
        return {} if value.__class__ is dict else []
    if value.__class__ is bool:
        return bool(value)
    return plain(value)


Read = dict[str, Confidential]
"""The files of excerpts."""

_LONGEST = 400
_INDENT = " " * 14


def answers_text(answers: list[Explanation], release: str) -> str:
    """Some lines on each field."""
    read: Read = {}
    return "\n\n".join(_answer_text(item, release, read) for item in answers) + "\n"


def _answer_text(answer: Explanation, release: str, read: Read) -> str:
    lines = [f"{answer.object} {one_line(answer.field)}", *_row("value", value_text(answer.value))]
    origin = answer.origin
    if origin is None:
        return "\n".join(lines)
    lines += _row("from", origin.text)
    if answer.written is not None:
        title = "computed" if answer.computed else "written"
        lines += _row(title, f"{'from ' if answer.computed else ''}{value_text(answer.written)}")
    excerpt = None if answer.hidden else _excerpt(origin, read)
    if excerpt:
        lines.append(f"{_INDENT}{excerpt}")
    for source in _computed_from(origin):
        lines += _row("made of", source.text)
    if answer.step is not None:
        step = find_step(answer.step)
        lines += _row("set by", f"{step.kind if step else 'step'} {answer.step}, release {release}")
        if step and step.summary:
            lines.append(f"{_INDENT}{step.summary}")
        if step and step.source:
            lines.append(f"{_INDENT}operator: {step.source}")
    for loser in answer.lost:
        text = loser.origin.text if loser.origin else "an unknown origin"
        lines += _row("instead of", f"{value_text(loser.value)}, from {text}; replaced by {loser.lost_to}")
    return "\n".join(lines)


def _row(title: str, text: str) -> list[str]:
    first, *others = text.split("\n")
    return [f"  {title:<12}{first}", *(f"{_INDENT}{line}" for line in others)]


def _computed_from(origin: ValueOrigin) -> list[ValueOrigin]:
    found = []
    for item in origin.computed_from:
        found += [item, *_computed_from(item)]
    return list({item.text: item for item in found}.values())


def _excerpt(origin: ValueOrigin, read: Read) -> str | None:
    if origin.place is None or origin.place.file == "-":
        return None
    file, number = origin.place.file, origin.place.line - 1
    if file not in read:
        read[file] = Confidential(file, text_again(file))
    lines = read[file].lines
    if number >= len(lines):
        return None
    # Another field of the line may be secret.
    shown = HIDDEN if read[file].hides(number) else read[file].redacted(lines[number])
    return f"{origin.place.line} | {shown.strip()}"


def value_text(value: Any) -> str:
    if isinstance(value, str):
        shown = value if value and value.strip() == value else f'"{value}"'
        return shown if len(shown) <= _LONGEST else shown[:_LONGEST] + "…"
    if value is None:
        return "null"
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def table_text(answers: list[Explanation], columns: int | None = None) -> str:
    """Field, value, origin: a line for each field, or two where a terminal has too few columns for that."""
    rows = [(one_line(item.field), _cell(item.value), _origin_cell(item)) for item in answers]
    width, middle = (max((len(row[column]) for row in rows), default=0) for column in (0, 1))
    lines = [f"{field:<{width}}  {value:<{middle}}  {origin}\n" for field, value, origin in rows]
    if columns is not None and any(len(line) > columns + 1 for line in lines):
        lines = [f"{field}: {value}\n    {origin}\n" for field, value, origin in rows]
    return "".join(lines)


def _cell(value: Any) -> str:
    text = one_line(value_text(value))
    return text if len(text) <= 40 else text[:39] + "…"


def _origin_cell(answer: Explanation) -> str:
    origin = answer.origin
    if origin is None:
        return "-"
    if origin.place is not None:
        words = f"{origin.place.file}:{origin.place.line}"
    else:
        words = f"{origin.kind} {origin.name}" if origin.name else origin.kind
    made = dict.fromkeys(str(item.place.line) for item in _computed_from(origin) if item.place is not None)
    return f"{words}, made of line {', '.join(made)}" if made else words
