"""An upgrade for people, as styled lines and as a comment on a pull or merge request."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dynamoc.analysis.compare.comparison import target_text
from dynamoc.analysis.compare.markdown import cell, code, escaped, finding_lines, fitted, html
from dynamoc.analysis.compare.result import (
    IN_PLACE,
    RECREATES,
    ROLLS,
    Amount,
    Line,
    amount_text,
    amount_verb,
    count,
    one_line,
    pod_texts,
    two_lines,
)
from dynamoc.analysis.compare.upgrade import Upgrade
from dynamoc.analysis.compare.verdicts import (
    BLOCKED,
    BREAKS,
    DEGRADES,
    LOST,
    NEW,
    ORPHANED,
    RANKS,
    REFUSED,
    STUCK,
    UNTOUCHED,
    ComponentVerdict,
    GraphVerdict,
    Why,
)
from dynamoc.documents.findings.finding import ERROR, Finding

AMOUNTS = ("restarted", "started", "stopped", "stays", "running", "peak")
#: outcomes from the worst on: of graphs (stuck, refused) and of components
OUTCOMES = (BREAKS, DEGRADES, STUCK, LOST, REFUSED, RECREATES, ORPHANED, ROLLS, IN_PLACE)


def outcomes(graphs: list[GraphVerdict]) -> dict[str, int]:
    """How many graphs or components each outcome concerns, from the worst on."""
    found = dict.fromkeys(OUTCOMES, 0)
    for graph in graphs:
        found[STUCK] += graph.state in (STUCK, BLOCKED)
        found[REFUSED] += graph.state == REFUSED or (not graph.state and bool(graph.refused))
        named = {component.verdict for name, component in graph.components.items() if name}
        for name, component in graph.components.items() if not graph.state else ():
            if component.serving:
                found[component.serving] += 1
            # The graph's own objects count where no component fares as badly.
            if component.verdict in found and (name or component.verdict not in named):
                found[component.verdict] += 1
            if component.restarted and component.verdict != ROLLS:
                found[ROLLS] += 1
    return found


#: what a verdict means, in a few words
WORDS = {
    LOST: "loses storage",
    RECREATES: "must be recreated",
    ORPHANED: "orphaned",
    ROLLS: "rolls",
    IN_PLACE: "changes in place",
    UNTOUCHED: "untouched",
}
_TOTALS = {
    LOST: ("loses storage", "lose storage"),
    RECREATES: ("must be recreated", "must be recreated"),
    ORPHANED: ("leaves something orphaned", "leave something orphaned"),
    ROLLS: ("rolls", "roll"),
    IN_PLACE: ("changes in place", "change in place"),
    UNTOUCHED: ("is untouched", "are untouched"),
}
_STYLES = {**dict.fromkeys((LOST, RECREATES, ORPHANED), RECREATES), ROLLS: ROLLS, IN_PLACE: "", UNTOUCHED: "faint"}
_STATES = {
    NEW: "the earlier release refuses it, so it cannot be running",
    BLOCKED: "the later release's webhooks reject the graph, even when its own controller updates it: what runs "
    "stays as it is, and no change reaches it",
    REFUSED: "the later release refuses it",
    STUCK: "the later release fails to reconcile it: what runs stays as it is, and no change reaches it",
}
#: of graphs, and of components that are worse off than by a restart
_OUTCOMES = {
    BREAKS: ("component breaks", "components break"),
    DEGRADES: ("component degrades", "components degrade"),
    STUCK: ("document gets stuck", "documents get stuck"),
    LOST: ("component loses storage", "components lose storage"),
    REFUSED: ("document would be rejected if re-created", "documents would be rejected if re-created"),
}
_SHOWN_FIELDS = 5
_SHOWN_GRAPHS = 3
_WIDTH = 60


def text_lines(upgrade: Upgrade, graphs: list[GraphVerdict], *, summary: bool = False) -> Iterator[Line]:
    """The totals, graph by graph the components with their verdicts, each reason once; refusals, and warnings."""
    yield from summary_lines(upgrade, graphs)
    if upgrade.refusals or not summary:
        yield []
    if not summary:
        for graph in sorted(graphs, key=_rank):
            yield from _graph_lines(graph)
            yield []
        yield from _reason_lines(graphs)
    yield from _finding_lines("Would be rejected if re-created:", upgrade.refusals, RECREATES)
    if not summary:
        yield from _finding_lines(f"New warnings in {upgrade.new.release.name}:", upgrade.warnings, "faint")


def _rank(graph: GraphVerdict) -> int:
    """Worst outcome first; graphs with the same one stay in the order of the input."""
    found = outcomes([graph])
    worst = next((at for at, name in enumerate(found) if found[name]), len(found))
    return -1 if graph.state == NEW else worst


def graph_title(graph: GraphVerdict) -> str:
    _, kind, namespace, name = graph.key
    return f"{kind}/{name} ({namespace})"


def _graph_lines(graph: GraphVerdict) -> Iterator[Line]:
    head: Line = [("object", graph_title(graph)), ("faint", f"  {graph.document.file}")]
    if graph.refused and not graph.state:
        head.append((RECREATES, "  would be rejected if re-created"))
    yield head
    if graph.state:
        yield [(RECREATES, f"  {_STATES[graph.state]}")]
        return
    width = max((len(item.name) for item in graph.all()), default=0)
    for component in sorted(graph.all(), key=lambda item: RANKS.index(item.verdict)):
        name = component.name or "(graph)"
        yield [
            ("", f"  {name:<{max(width, 7)}}  "),
            (RECREATES if component.serving else _STYLES[component.verdict], verdict_text(component)),
        ]
    for note, names in notes_of(graph).items():
        yield [(RECREATES, f"      {note}"), ("faint", f" ({', '.join(names)})" if len(names) > 1 else "")]


def notes_of(graph: GraphVerdict) -> dict[str, list[str]]:
    """Each note with the components that it concerns, those of the worst verdicts first."""
    found: dict[str, list[str]] = {}
    for component in sorted(graph.all(), key=lambda item: RANKS.index(item.verdict)):
        for note in component.notes:
            found.setdefault(note, []).append(component.name or "graph")
    return found


@dataclass(eq=False, slots=True)
class Shared:
    """A reason with all that it concerns: components by their graphs, and fields with their values."""

    why: Why
    components: dict[str, list[str]] = dataclasses.field(default_factory=dict, init=False)
    fields: dict[tuple[str, str], None] = dataclasses.field(default_factory=dict, init=False)


def shared_reasons(graphs: list[GraphVerdict]) -> list[Shared]:
    """Each reason once, the worst verdict first."""
    found: dict[tuple[str, ...], Shared] = {}
    for graph in graphs:
        for component in graph.all() if not graph.state else ():
            for why in component.why:
                one = found.setdefault((why.verdict, *why.reason.key()), Shared(why))
                one.components.setdefault("/".join(graph.key[2:]), []).append(component.name or "(graph)")
                for field, (old, new) in zip(why.short, why.values, strict=True):
                    one.fields[field, _values_text(old, new)] = None
    return sorted(found.values(), key=lambda item: RANKS.index(item.why.verdict))


def _values_text(old: Any, new: Any) -> str:
    """`: 1 -> 2`; nothing for whole objects, whose name says it all."""
    if old is None and new is None:
        return ""
    old, new = _bare(old), _bare(new)
    if old is None or new is None:
        left, right = ("none" if value is None else one_line(value, _WIDTH) for value in (old, new))
    else:
        left, right = two_lines(old, new, _WIDTH)
    return f": {left} -> {right}"


def _bare(value: Any) -> Any:
    """The value of an element that its path names already."""
    return value["value"] if isinstance(value, dict) and set(value) == {"name", "value"} else value


def concerned(one: Shared, *, several: bool) -> str:
    """`Frontend, Worker`; `Frontend of team/web; Worker of team/shop` where there are several graphs."""
    parts = [", ".join(names) + (f" of {graph}" if several else "") for graph, names in one.components.items()]
    more = f" and of {count(len(parts) - _SHOWN_GRAPHS, 'more graph')}" if len(parts) > _SHOWN_GRAPHS else ""
    return "; ".join(parts[:_SHOWN_GRAPHS]) + more


def _reason_lines(graphs: list[GraphVerdict]) -> Iterator[Line]:
    shared = shared_reasons(graphs)
    if not shared:
        return
    yield [("object", "Why:")]
    for one in shared:
        verdict = one.why.verdict
        yield [(_STYLES[verdict], f"  {WORDS[verdict]}"), ("", f": {concerned(one, several=len(graphs) > 1)}")]
        yield [("faint", f"      {cause(one.why)}")]
        for field, values in list(one.fields)[:_SHOWN_FIELDS]:
            yield [("", f"      {field}{values}")]
        if len(one.fields) > _SHOWN_FIELDS:
            yield [("", f"      and {count(len(one.fields) - _SHOWN_FIELDS, 'more field')}")]
    yield []


def verdict_text(component: ComponentVerdict) -> str:
    """`rolls: 4 pods, 32 GPUs`"""
    parts = pod_texts(lambda what: getattr(component, what))
    word = f"{component.serving}, {WORDS[component.verdict]}" if component.serving else WORDS[component.verdict]
    return f"{word}: {'; '.join(parts)}" if parts else word


def cause(why: Why) -> str:
    """Why an outcome is what it is, for people; JSON has the names of rules and features."""
    reason = why.reason
    if reason.kind in ("rule", "builder"):
        return "The operator sets these fields differently"
    return reason.text.rstrip(".") or f"{reason.kind} {reason.name}".strip()


def _finding_lines(title: str, findings: list[Finding], style: str) -> Iterator[Line]:
    if not findings:
        return
    yield [("object", title)]
    groups: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        groups.setdefault((finding.slug, finding.message), []).append(finding)
    for alike in groups.values():
        first = alike[0]
        more = f" and {len(alike) - 1} more" if len(alike) > 1 else ""
        where = str(first.place or first.subject or "")
        yield [("", f"  {where}{more}: "), (style, first.message), ("faint", f" [{first.slug}]")]
        if first.hint:
            yield [("faint", f"      hint: {first.hint}")]
    yield []


def summary_lines(upgrade: Upgrade, graphs: list[GraphVerdict]) -> Iterator[Line]:
    """The worst outcome first, what restarts in all, how many components roll, and what must happen first."""
    components = [item for graph in graphs for item in graph.components.values() if item.name and not graph.state]
    counts = {verdict: sum(item.verdict == verdict for item in components) for verdict in RANKS}
    words = [f"{number} {_TOTALS[verdict][number > 1]}" for verdict, number in counts.items() if number]
    yield [("object", f"{upgrade.old.release.name} -> {upgrade.new.release.name}: {totals(graphs)}")]
    if components:
        documents = count(sum(not graph.state for graph in graphs), "document")
        yield [("", f"{count(len(components), 'component')} of {documents}: {', '.join(words)}")]
    yield [("", conversion_text(upgrade, graphs))]


def totals(graphs: list[GraphVerdict]) -> str:
    """`1 document gets stuck; 4 pods, 32 GPUs restart`, and what stays or starts beside."""
    found = outcomes(graphs)
    new = sum(graph.state == NEW for graph in graphs)
    parts = (
        [f"{count(new, 'document')} not compared: the earlier release refuses {'it' if new == 1 else 'them'}"]
        if new
        else []
    )
    for name, (one, many) in _OUTCOMES.items():
        number = found[name]
        if number:
            parts.append(f"{number} {one if number == 1 else many}")
    if len(graphs) > new + found[STUCK]:
        parts += _pods(graphs)
    return "; ".join(parts) or "no document is compared"


def amounts(graphs: list[GraphVerdict]) -> dict[str, Amount]:
    """The pods of all components together, by what happens to them."""
    components = [component for graph in graphs for component in graph.components.values()]
    return {name: sum((getattr(each, name) for each in components), Amount()) for name in AMOUNTS}


def _pods(graphs: list[GraphVerdict]) -> list[str]:
    restarted, started, stopped, stays, running, peak = amounts(graphs).values()
    parts = [amount_verb(restarted, "restart") if restarted else "no pods restart"]
    if started:
        parts.append(f"{amount_verb(started, 'start')} in addition")
    if stopped:
        parts.append(amount_verb(stopped, "stop"))
    if stays:
        parts.append(f"{amount_verb(stays, 'stay')} although no longer wanted")
    if peak.gpus > running.gpus:
        parts.append(f"{peak.gpus} GPUs are needed at once, instead of {running.gpus}")
    return parts


def conversion_text(upgrade: Upgrade, graphs: list[GraphVerdict]) -> str:
    """What must be rewritten before the later release can read it."""
    served = {f"nvidia.com/{version}" for version in upgrade.new.release.api_versions}
    stale = [graph for graph in graphs if graph.document.value.get("apiVersion") not in served]
    if stale:
        names = ", ".join(graph_title(graph) for graph in stale)
        return f"Convert these first, because {upgrade.new.release.name} does not serve their version: {names}"
    newest = f"nvidia.com/{upgrade.new.release.api_versions[-1]}"
    older = sum(graph.document.value.get("apiVersion") != newest for graph in graphs)
    if older:
        return f"No document needs conversion first; {count(older, 'document')} can be converted to {newest}."
    return "No document needs conversion first."


_WORDS = ("document", "dynamoc upgrade")


def markdown(upgrade: Upgrade, graphs: list[GraphVerdict], limit: int, *, summary: bool = False) -> str:
    """The comment; never longer than `limit`, as long as that leaves room for the head."""
    head = "".join(_head(upgrade, graphs))
    details = [*_reasons(graphs), *("".join(_detail(graph)) for graph in graphs)]
    return fitted(head, [] if summary else [text for text in details if text], _WORDS, limit)


def _head(upgrade: Upgrade, graphs: list[GraphVerdict]) -> Iterator[str]:
    yield f"### Operator {upgrade.old.release.name} → {upgrade.new.release.name}\n\n**{escaped(totals(graphs))}**\n\n"
    target = target_text(upgrade.new.target, [item.one for item in upgrade.comparison.objects])
    yield f"Target {escaped(target)}\n\n"
    yield from _not_compared(upgrade, graphs)
    yield from _refusals(upgrade.refusals)
    yield escaped(conversion_text(upgrade, graphs)) + "\n\n"
    if upgrade.warnings:
        yield f"New in {upgrade.new.release.name}:\n\n"
        yield from finding_lines(upgrade.warnings, code, escaped)
    yield "| file | document | component | verdict | restarts |\n| --- | --- | --- | --- | --- |\n"
    for graph in graphs:
        where = cell(f"{graph.document.file}:{graph.document.place(('kind',), key=True).line}")
        for component in graph.all() if not graph.state else ():
            amount = amount_text(component.restarted) if component.restarted else ""
            name = cell(component.name) if component.name else "_graph_"
            verdict = ", ".join((*filter(None, [component.serving]), WORDS[component.verdict]))
            yield f"| {where} | {cell(graph_title(graph))} | {name} | {verdict} | {amount} |\n"
        if graph.state:
            yield f"| {where} | {cell(graph_title(graph))} | | {graph.state} | |\n"
    yield "\n"


def _not_compared(upgrade: Upgrade, graphs: list[GraphVerdict]) -> Iterator[str]:
    """Documents that the earlier release refuses, which cannot be running, with the first error."""
    for graph in graphs:
        if graph.state == NEW:
            errors = (item for item in upgrade.before.items if item.severity == ERROR)
            own = (item.message for item in errors if item.subject == f"{graph.key[1]}/{graph.key[3]}")
            yield f"> **Not compared:** {code(graph_title(graph))} {escaped(next(own, ''))}\n\n"


def _refusals(findings: list[Finding]) -> Iterator[str]:
    for finding in findings:
        where = code(str(finding.place or finding.subject or ""))
        yield f"> **Would be rejected if re-created**, {where}: {escaped(finding.message)}\n\n"


def _reasons(graphs: list[GraphVerdict]) -> Iterator[str]:
    """Each reason once, with the components that it concerns, and its fields with their values."""
    for one in shared_reasons(graphs):
        head = f"**{WORDS[one.why.verdict]}**: {escaped(concerned(one, several=len(graphs) > 1))}"
        fields = "".join(f"  - {code(field + values)}\n" for field, values in list(one.fields)[:_SHOWN_FIELDS])
        more = len(one.fields) - _SHOWN_FIELDS
        rest = f"  - and {more} more\n" if more > 0 else ""
        yield f"- {head}: {escaped(cause(one.why))}\n{fields}{rest}"


def _detail(graph: GraphVerdict) -> Iterator[str]:
    notes = {} if graph.state else notes_of(graph)
    if notes:
        yield f"\n<details><summary><code>{html(graph_title(graph))}</code></summary>\n\n"
        for note, names in notes.items():
            yield f"- **{escaped(note)}** ({escaped(', '.join(names))})\n"
        yield "\n</details>\n\n"
