"""The sections that several pages have: picture, findings, requirements, pods and GPUs."""

from __future__ import annotations

from dynamoc.compare.values import count
from dynamoc.diagnostics.arrange import SEVERITIES, arrange, folded_findings
from dynamoc.picture.picture import picture_of
from dynamoc.picture.svg import svg
from dynamoc.report.html import Html, join, prose, rows, tag
from dynamoc.report.page import Section
from dynamoc.requires.by_component import Count
from dynamoc.requires.needs import graph_names
from dynamoc.requires.words import BRINGERS, requirement_title

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from dynamoc.compare.pod_counts import Claims
    from dynamoc.diagnostics.finding import Finding
    from dynamoc.report.sources import Linked
    from dynamoc.requires.needs import Need, Requirements, Role

    Tree = dict[str, Any]

_SHOWN = 3
#: a picture of more graphs is folded: a browser draws it when it is opened
_GRAPHS = 20


def picture_section(objects: list[Tree], claims: Claims) -> tuple[Section | None, str]:
    """The picture, and its SVG; nothing where no object has pods."""
    picture = picture_of(objects, claims)
    if not picture.groups and not picture.boxes:
        return None, ""
    drawn = svg(picture)
    label = "Components, their pods and GPUs, Services, and what the pods use"
    drawn = drawn.replace(' role="img">', f' role="img" aria-label="{label}">', 1)
    frame = tag("div", Html(drawn), class_="scroll picture", tabindex="0", role="region", aria_label="Picture")
    if len(picture.groups) > _GRAPHS:
        frame = tag("details", tag("summary", f"{len(picture.groups)} graphs"), frame)
    return Section("picture", "Picture", frame), drawn


def findings_section(findings: list[Finding], sources: Linked) -> Section:
    """All findings, with links to their lines."""
    if not findings:
        return Section("findings", "Findings", tag("p", "No findings."), count=0)
    folded = folded_findings(arrange([item for item in findings if not item.aside]))
    body: list[tuple[object, ...]] = [
        (
            tag("span", alike[0].severity, class_=f"badge {alike[0].severity}"),
            _places(alike, sources),
            join(
                prose(alike[0].whole_message),
                tag("div", prose(alike[0].hint), class_="faint") if alike[0].hint else None,
            ),
            tag("code", alike[0].slug),
        )
        for alike in sorted(folded, key=lambda alike: SEVERITIES.index(alike[0].severity))
    ]
    table = rows(("severity", "place", "finding", "name"), body, "Findings")
    return Section("findings", "Findings", table, count=len(body))


def _places(alike: list[Finding], sources: Linked) -> Html:
    """The places of findings that say the same: the first one, and how many more."""
    first = sources.link(alike[0].place) or alike[0].subject or ""
    return join(first, tag("div", f"and {len(alike) - 1} more", class_="faint") if len(alike) > 1 else None)


def pods_section(roles: list[Role]) -> Section | None:
    """Pods and GPUs of each component, and in all."""
    if not roles:
        return None
    body: list[tuple[object, ...]] = []
    for role, graph in zip(roles, graph_names(roles), strict=True):
        each = " or ".join(map(str, sorted(set(role.per_pod.values())))) or "0"
        nodes = f"{role.replicas} x {role.nodes}" if role.nodes > 1 else ""
        body.append((graph, role.name, role.type, role.pods, "shared" if role.shared else each, role.gpus, nodes))
    pods, gpus = sum(role.pods for role in roles), sum(role.gpus for role in roles)
    total = sum(role.all_nodes for role in roles)
    body.append(tuple(tag("b", cell) if cell != "" else "" for cell in ("total", "", "", pods, "", gpus, total or "")))
    head = ("graph", "component", "type", "pods", "GPUs/pod", "GPUs", "nodes")
    return Section("pods", "Pods and GPUs", rows(head, body, "Pods and GPUs by component", (3, 4, 5, 6)))


def roles_of(objects: list[Tree], claims: Claims) -> list[Role]:
    """The pods of objects by component."""
    counted = Count(claims)
    for item in objects:
        counted.add(item)
    return counted.roles


def requirements_section(found: Requirements, sources: Linked) -> Section:
    """What the cluster must have: what nobody brings first."""
    body: list[tuple[object, ...]] = []
    missing = 0
    for state, name, needs, note in _required(found):
        missing += state == found.lack
        shown = join(name, tag("div", note, class_="faint") if note else None)
        body.append((tag("span", state, class_=f"badge {state.split(' ')[0]}"), shown, _needs(needs, sources)))
    if not body:
        return Section("requirements", "Requirements", tag("p", "The objects need nothing that they do not bring."))
    table = rows(("state", "what", "needed at"), body, "Requirements")
    words = f"{missing} of {count(len(body), 'requirement')} {'is' if missing == 1 else 'are'} {found.lack}."
    return Section("requirements", "Requirements", tag("p", words), table, count=len(body))


def _required(found: Requirements) -> Iterator[tuple[str, str, list[Need], str]]:
    """State, name, who needs it, and a note."""
    for optional in (False, True):
        for item in found.objects:
            if item.by is None and item.optional is optional:
                keys = f" with {', '.join(sorted(item.keys))}" if item.keys else ""
                state = "optional" if optional else found.lack
                yield state, requirement_title(item) + keys, item.needs, item.note or ""
        for api in found.apis if not optional else ():
            if api.by is None:
                yield found.lack, f"API {api.group}/{api.version} {api.kind}", api.needs, api.note or api.project
    for address in found.addresses:
        if address.by is None:
            yield "check", f"{address.variable}={address.value}", address.needs, "address"
    for named in (*found.schedulers, *found.nodes, *found.images, *found.sources):
        yield "check", f"{named.what} {named.name}", named.needs, named.note or ""
    for item in found.objects:
        if item.by is not None:
            yield "provided", requirement_title(item), item.needs, f"by {BRINGERS[item.by]}"
    for api in found.apis:
        if api.by is not None:
            yield "provided", f"API {api.group}/{api.version} {api.kind}", api.needs, f"by {BRINGERS[api.by]}"


def _needs(needs: list[Need], sources: Linked) -> Html:
    places = {str(need.place): sources.link(need.place) for need in needs if need.place is not None}
    names = dict.fromkeys(need.component for need in needs if need.component)
    shown: list[object] = [*(places.values() if places else names)][:_SHOWN]
    more = len(places) - _SHOWN
    parts = [part for each in shown for part in (", ", each)][1:]
    return join(*parts, f" and {more} more" if more > 0 else None)
