"""Requirements for people, as styled lines, and for programs: one JSON document, described in docs/requires.md."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from shlex import quote
from typing import Annotated

from dynamoc.analysis.compare.result import Amount, Line, count
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
    Role,
    graph_names,
    need_text,
    object_title,
    requirement_title,
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
"""Styles of `dynamoc.analysis.compare.text`: red, cyan and yellow."""


def text_lines(found: Requirements) -> Iterator[Line]:
    """What nothing provides first, then what an installation of Dynamo brings, pods, and what is provided."""
    missing = [item for item in found.objects if item.by is None]
    yield from _section(found.lack, _objects([item for item in missing if not item.optional], _MISSING))
    yield from _section("optional", _objects([item for item in missing if item.optional], _OPTIONAL))
    yield from _section("APIs to install", _apis([item for item in found.apis if item.by is None]))
    yield from _section("installed with Dynamo", _installation(found))
    yield from _section("addresses", _addresses(found.addresses))
    yield from _section("scheduler", _named(found.schedulers))
    yield from _section("on the nodes", _named(found.nodes))
    yield from _section("images", _named(found.images))
    yield from _section("model sources", _named(found.sources))
    yield from _section("pods and GPUs", _pods(found) if found.roles else ())
    yield from _section("provided", _brought(found))
    yield [("object", summary(found))]


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


def _section(head: str, lines: Iterable[Line]) -> Iterator[Line]:
    """Lines below a head; nothing without lines."""
    listed = list(lines)
    if listed:
        yield from ([("object", head)], *listed, [])


def _objects(items: Sequence[Requirement], style: str) -> Iterator[Line]:
    for item in items:
        keys = ", ".join(f"{key}{' (optional)' if free else ''}" for key, free in sorted(item.keys.items()))
        yield [(style, f"  {requirement_title(item)}"), ("", f"  with {keys}" if keys else "")]
        if item.note:
            yield [("faint", f"      {item.note}")]
        yield from _needs(item.needs)


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


def _apis(apis: Sequence[Api]) -> Iterator[Line]:
    for item in apis:
        project = f"  {item.project}" if item.project else ""
        yield [(_MISSING, f"  {item.group}/{item.version} {item.kind}"), ("", project)]
        if item.note:
            yield [("faint", f"      {item.note}")]
        yield from _needs(item.needs)


def _installation(found: Requirements) -> Iterator[Line]:
    apis = [item for item in found.apis if item.by in (CHART, OPERATOR)]
    items = [item for item in found.objects if item.by in (CHART, OPERATOR)]
    for reason, needs in found.operator:
        yield [(_LATER, f"  the operator {reason}")]
        yield from _needs(needs)
    for api in apis:
        yield [(_LATER, f"  {api.group}/{api.version} {api.kind}"), ("", f"  {api.note}")]
        yield from _needs(api.needs)
    for item in items:
        yield [(_LATER, f"  {requirement_title(item)}"), ("", f"  {item.note}")]
        yield from _needs(item.needs)


def _addresses(addresses: Sequence[Address]) -> Iterator[Line]:
    for item in addresses:
        by = f", provided by {BRINGERS[item.by]}" if item.by else ""
        service = f"  Service/{item.service[1]} ({item.service[0]})" if item.service else ""
        yield [("" if item.by else _MISSING, f"  {item.variable}={item.value}"), ("", service + by)]
        yield from _needs(item.needs)


def _named(items: Sequence[Named]) -> Iterator[Line]:
    for item in items:
        what = "" if item.what in ("image", "scheduler", "source") else f"{item.what} "
        by = f"  provided by {BRINGERS[item.by]}" if item.by else ""
        yield [("", f"  {what}{item.name}"), ("faint", f"{by}  {item.note}" if item.note else by)]
        if item.what != "image":
            yield from _needs(item.needs)
        else:
            who = dict.fromkeys(need.component or object_title(need.subject) for need in item.needs)
            yield [("faint", f"      {', '.join(who)}")]


def _pods(found: Requirements) -> Iterator[Line]:
    graphs = graph_names(found.roles)
    rows = [("", "type", "pods", "GPUs/pod", "GPUs", "nodes"), *map(_row, found.roles, graphs)]
    if len(found.roles) > 1:
        pods, gpus = sum(role.pods for role in found.roles), sum(role.gpus for role in found.roles)
        nodes = sum(role.all_nodes for role in found.roles)
        rows.append(("total", "", str(pods), "", str(gpus), str(nodes) if nodes else ""))
    widths = [max(len(row[column]) for row in rows) for column in range(6)]
    for index, row in enumerate(rows):
        named = [cell.ljust(width) for cell, width in zip(row[:2], widths[:2], strict=True)]
        cells = [*named, *(cell.rjust(width) for cell, width in zip(row[2:], widths[2:], strict=True))]
        yield [("" if index else "faint", ("  " + "  ".join(cells)).rstrip())]
    for role in found.roles:
        if role.unknown:
            yield [(_LATER, f"  {role.name}: claims of {', '.join(sorted(role.unknown))} are unknown and not counted")]
    for name, (most, total) in found.resources.items():
        yield [("", f"  {name}: {total} in total, {most} for one pod")]
    if found.gangs:
        yield [("", f"  largest gang: {gang_text(found.gangs[0])}")]


def _row(role: Role, graph: str) -> tuple[str, ...]:
    each = " or ".join(map(str, sorted(set(role.per_pod.values()))))
    name = f"{graph} {role.name}" if graph else role.name
    nodes = f"{role.replicas} x {role.nodes}" if role.nodes > 1 else ""
    return name, role.type, str(role.pods), "shared" if role.shared else each or "0", str(role.gpus), nodes


def gang_text(gang: Gang) -> str:
    """`3 pods, 16 GPUs of PodCliqueSet/chat (team): frontend 1, worker-ldr 1, worker-wkr 1`"""
    where = f"{gang.group} in {object_title(gang.subject)}" if gang.group else object_title(gang.subject)
    parts = ", ".join(f"{name} {pods}" for name, pods, _ in gang.parts)
    parts += f"; scheduled by {gang.scheduler}" if gang.scheduler else ""
    return f"{count(gang.pods, 'pod')}, {count(gang.gpus, 'GPU')} of {where}: {parts}"


def _brought(found: Requirements) -> Iterator[Line]:
    by_bringer: dict[str, list[str]] = {}
    for api in found.apis:
        if api.by in SETTLED:
            by_bringer.setdefault(str(api.by), []).append(f"{api.group}/{api.version} {api.kind}")
    for item in found.objects:
        if item.by in SETTLED:
            place = f" {item.source}" if item.source else ""
            note = f", {item.note}" if item.note else ""
            by_bringer.setdefault(str(item.by), []).append(requirement_title(item) + note + place)
    for by in SETTLED:
        if by in by_bringer:
            yield [("", f"  by {BRINGERS[by]}")]
            for name in by_bringer[by]:
                yield [("faint", f"    {name}")]


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
