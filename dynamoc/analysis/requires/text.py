"""Requirements for people, as styled lines, and for programs: one JSON document, described in docs/requires.md."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from shlex import quote
from typing import Annotated

from dynamoc.analysis.blocks import STRONG, Line, Segment, aligned, section
from dynamoc.analysis.compare.result import Amount, count
from dynamoc.analysis.requires.needs import (
    BRINGERS,
    CHART,
    INPUT,
    KUBERNETES,
    OPERATOR,
    RENDER,
    SETTLED,
    Address,
    Api,
    Chart,
    Gang,
    Named,
    Need,
    Requirement,
    Requirements,
    need_text,
    object_title,
    requirement_title,
    role_rows,
)
from dynamoc.analysis.requires.pods import LABEL
from dynamoc.analysis.requires.providers import chart_of, module_of
from dynamoc.documents.findings.answers import OneOf
from dynamoc.reference.features import read_data
from dynamoc.reference.releases import Release

_NEVER_ASKED = (RENDER, INPUT, KUBERNETES)

_SHOWN = 3
"""Of those that need something, how many are reported."""
_MISSING, _OPTIONAL, _LATER = "recreates", "scales", "rolls"
"""Styles of `dynamoc.analysis.blocks`: red, cyan and yellow."""


def requirement_blocks(found: Requirements) -> Iterator[Line]:
    """What nothing provides first, then what an installation of Dynamo brings, pods, and what is provided."""
    missing = [item for item in found.objects if item.by is None]
    yield from section(found.lack, _missing(_MISSING, *(item for item in missing if not item.optional)))
    yield from section("optional", _missing(_OPTIONAL, *(item for item in missing if item.optional)))
    yield from section("APIs to install", _missing(_MISSING, *(item for item in found.apis if item.by is None)))
    yield from section("installed with Dynamo", _installation(found))
    yield from section("addresses", _addresses(found.addresses))
    for title, named in (
        ("scheduler", found.schedulers),
        ("on the nodes", found.nodes),
        ("images", found.images),
        ("model sources", found.sources),
    ):
        yield from section(title, _named(named))
    yield from section("pods and GPUs", _pods(found) if found.roles else ())
    yield from section("provided", _brought(found))
    yield [(STRONG, summary(found))]


def summary(found: Requirements) -> str:
    """`3 objects and 1 API are needed; 6 pods, 32 GPUs`"""
    objects = sum(item.by is None and not item.optional for item in found.objects)
    apis = sum(item.by is None for item in found.apis)
    parts = [count(number, word) for number, word in ((objects, "object"), (apis, "API")) if number]
    verb = "is" if objects + apis == 1 else "are"
    lack = f"{' and '.join(parts)} {verb} {found.lack}"
    if not parts:
        lack = "nothing is missing" if found.shown else "nothing else is needed"
    pods, gpus = sum(role.pods for role in found.roles), sum(role.gpus for role in found.roles)
    return f"{lack}; {count(pods, 'pod')}, {count(gpus, 'GPU')}"


def _entry(style: str, title: str, beside: Segment, needs: list[Need], note: str | None = None) -> Iterator[Line]:
    """What is needed, what there is to know about it, and who needs it."""
    yield [(style, f"  {title}"), beside]
    if note:
        yield [("faint", f"      {note}")]
    yield from _needs(needs)


def _needs(needs: list[Need]) -> Iterator[Line]:
    """Once a line of the input, or an object without one: pods of one component say the same."""
    told: dict[str, Need] = {}
    for need in needs:
        told.setdefault(str(need.place) if need.place else need_text(need), need)
    for need in list(told.values())[:_SHOWN]:
        place = [("", f"  {need.place}")] if need.place else []
        yield [("faint", f"      {need_text(need)}"), *place]
    if len(told) > _SHOWN:
        yield [("faint", f"      and {len(told) - _SHOWN} more")]


def _missing(style: str, *items: Requirement | Api) -> Iterator[Line]:
    for item in items:
        if isinstance(item, Api):
            beside = f"  {item.project}" if item.project else ""
        else:
            keys = ", ".join(f"{key}{' (optional)' if free else ''}" for key, free in sorted(item.keys.items()))
            beside = f"  with {keys}" if keys else ""
        yield from _entry(style, requirement_title(item), ("", beside), item.needs, item.note)


def _installation(found: Requirements) -> Iterator[Line]:
    for reason, needs in found.operator:
        yield from _entry(_LATER, f"the operator {reason}", ("", ""), needs)
    items: list[Api | Requirement] = [*found.apis, *found.objects]
    for item in items:
        if item.by in (CHART, OPERATOR):
            yield from _entry(_LATER, requirement_title(item), ("", f"  {item.note}"), item.needs)


def _addresses(addresses: list[Address]) -> Iterator[Line]:
    for item in addresses:
        by = f", provided by {BRINGERS[item.by]}" if item.by else ""
        service = f"  Service/{item.service[1]} ({item.service[0]})" if item.service else ""
        style, title = "" if item.by else _MISSING, f"{item.variable}={item.value}"
        yield from _entry(style, title, ("", service + by), item.needs)


def _named(items: list[Named]) -> Iterator[Line]:
    for item in items:
        what = "" if item.what in ("image", "scheduler", "source") else f"{item.what} "
        by = f"  provided by {BRINGERS[item.by]}" if item.by else ""
        is_image = item.what == "image"
        beside = ("faint", f"{by}  {item.note}" if item.note else by)
        who = dict.fromkeys(need.component or object_title(need.subject) for need in item.needs if is_image)
        yield from _entry("", what + item.name, beside, [] if is_image else item.needs, ", ".join(who))


def _pods(found: Requirements) -> Iterator[Line]:
    rows = [(f"{graph} {name}".strip(), *cells) for graph, name, *cells in role_rows(found.roles)]
    yield from aligned([("", "type", "pods", "GPUs/pod", "GPUs", "nodes"), *rows[: None if len(rows) > 2 else 1]], 2)
    for role in found.roles:
        if role.unknown:
            yield [(_LATER, f"  {role.name}: claims of {', '.join(sorted(role.unknown))} are unknown and not counted")]
    for name, (most, total) in found.resources.items():
        yield [("", f"  {name}: {total} in total, {most} for one pod")]
    if found.gangs:
        yield [("", f"  largest gang: {gang_text(found.gangs[0])}")]


def gang_text(gang: Gang) -> str:
    """`3 pods, 16 GPUs of PodCliqueSet/chat (team): frontend 1, worker-ldr 1, worker-wkr 1`"""
    where = f"{gang.group} in {object_title(gang.subject)}" if gang.group else object_title(gang.subject)
    parts = ", ".join(f"{name} {pods}" for name, pods, _ in gang.parts)
    parts += f"; scheduled by {gang.scheduler}" if gang.scheduler else ""
    return f"{count(gang.pods, 'pod')}, {count(gang.gpus, 'GPU')} of {where}: {parts}"


def _brought(found: Requirements) -> Iterator[Line]:
    items: list[Api | Requirement] = [*found.apis, *found.objects]
    for by in SETTLED:
        brought = [item for item in items if item.by == by]
        if brought:
            yield [("", f"  by {BRINGERS[by]}")]
        for item in brought:
            more = "" if isinstance(item, Api) else f"{f', {item.note}' if item.note else ''} {item.source or ''}"
            yield [("faint", f"    {requirement_title(item)}{more}".rstrip())]


FORMAT = "dynamoc-requires"
VERSION = 1


@dataclass(slots=True)
class RequiresSummary:
    """Totals.

    of_installation  what an installation of Dynamo brings
    """

    missing: int
    of_installation: int
    brought: int
    needs_operator: bool
    pods: int
    gpus: int
    largest_gang: Amount | None


@dataclass(slots=True)
class OperatorReason:
    """Why the operator has to run all the time."""

    reason: str
    needed_by: list[Need]


@dataclass(slots=True)
class NodeNeed:
    """What nodes must have."""

    KEYS = "what=item.what name=item.name brought_by=item.by note=item.note needed_by=item.needs"
    item: Named


@dataclass(slots=True)
class ResourceSum:
    """An extended resource."""

    name: str
    largest_pod: int
    total: int


@dataclass(slots=True)
class RequiresAnswer:
    """`dynamoc requires -o json`

    version   rises when a key changes its meaning or is removed
    operator  why the operator has to run all the time
    """

    KEYS = (
        "format version operator_version target summary objects=found.objects apis=found.apis operator"
        " addresses=found.addresses schedulers=found.schedulers nodes images=found.images model_sources=found.sources"
        " components=found.roles resources gangs=found.gangs"
    )
    found: Requirements
    format: Annotated[str, OneOf(FORMAT)]
    version: Annotated[int, OneOf(VERSION)]
    operator_version: str
    target: str
    summary: RequiresSummary
    operator: list[OperatorReason]
    nodes: list[NodeNeed]
    resources: list[ResourceSum]


def requires_answer(found: Requirements, release: str, target: str) -> RequiresAnswer:
    """`release` is the operator's, which some versions depend on."""
    for api in found.apis:
        chart = chart_of(api.project, release)
        api.built_with, api.chart = module_of(api.project, release), Chart(*chart) if chart else None
    operator = [OperatorReason(*pair) for pair in found.operator]
    resources = [ResourceSum(name, most, total) for name, (most, total) in found.resources.items()]
    nodes = list(map(NodeNeed, found.nodes))
    return RequiresAnswer(found, FORMAT, VERSION, release, target, _summary(found), operator, nodes, resources)


def _summary(found: Requirements) -> RequiresSummary:
    bringers = [by for by in (*(item.by for item in found.apis), *(item.by for item in found.objects)) if by]
    brought = sum(by in SETTLED for by in bringers)
    pods, gpus = sum(role.pods for role in found.roles), sum(role.gpus for role in found.roles)
    largest = Amount(found.gangs[0].pods, found.gangs[0].gpus) if found.gangs else None
    needs_operator = bool(found.operator)
    return RequiresSummary(found.missing, len(bringers) - brought, brought, needs_operator, pods, gpus, largest)


def script(found: Requirements, release: Release) -> str:
    """The text of the script, which asks for all that is in neither the input nor the output."""
    lines = "".join(f"{line}\n" for line in _checks(found))
    return read_data("scripts/check-cluster.txt").replace("{release}", release.name).replace("@checks@", lines)


def _checks(found: Requirements) -> Iterator[str]:
    for api in found.apis:
        if api.by not in _NEVER_ASKED:
            yield _line("api", f"{api.group}/{api.version}", api.kind, _why(api.needs, api.by))
    for item in found.objects:
        # The name of what only the operator asks for may be one of several.
        if item.by not in _NEVER_ASKED and not (item.asked and item.kind == "DaemonSet"):
            yield from _object_checks(item)
    for address in found.addresses:
        if address.service is not None and address.by not in _NEVER_ASKED:
            namespace, name = address.service
            title = f"Service/{name} ({namespace}), which is {address.variable}"
            yield _line("object", title, _why(address.needs, address.by), "Service", name, namespace)
    for named in found.nodes:
        if named.what == LABEL:
            yield _line("labelled", named.name, _why(named.needs, None))
    for resource, (most, total) in found.resources.items():
        yield _line("capacity", resource, str(most), str(total))


def _object_checks(item: Requirement) -> Iterator[str]:
    title, why = requirement_title(item), _why(item.needs, item.by)
    kind = f"{item.kind}.{item.group}" if item.group else item.kind
    optional = "optional " if item.optional else ""
    yield optional + _line("object", title, why, kind, item.name, item.namespace)
    for key, free in sorted(item.keys.items()):
        prefix = "optional " if free or item.optional else ""
        yield prefix + _line("key", title, why, kind, item.name, item.namespace, key)


def _why(needs: list[Need], by: str | None) -> str:
    need = needs[0]
    place = f" at {need.place}" if need.place else ""
    others = f", and {len(needs) - 1} more" if len(needs) > 1 else ""
    bringer = f"; {BRINGERS[by]} provides it" if by else ""
    return f"{need_text(need)}{place}{others}{bringer}"


def _line(*words: str) -> str:
    return " ".join(quote(word) for word in words)
