"""An upgrade for people, as styled lines."""

from __future__ import annotations

from dynamoc.compare.lines import amount_verb
from dynamoc.compare.model import IN_PLACE, RECREATES, ROLLS, Amount
from dynamoc.compare.values import count
from dynamoc.compare.verdicts import BLOCKED, NEW, ORPHANED, RANKS, REFUSED, STUCK, UNTOUCHED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from dynamoc.compare.text import Line
    from dynamoc.compare.upgrade import Upgrade
    from dynamoc.compare.verdicts import ComponentVerdict, GraphVerdict, Why
    from dynamoc.diagnostics.finding import Finding

#: what a verdict means, in a few words
WORDS = {
    RECREATES: "must be recreated",
    ORPHANED: "orphaned",
    ROLLS: "rolls",
    IN_PLACE: "changes in place",
    UNTOUCHED: "untouched",
}
_TOTALS = {
    RECREATES: ("must be recreated", "must be recreated"),
    ORPHANED: ("leaves something orphaned", "leave something orphaned"),
    ROLLS: ("rolls", "roll"),
    IN_PLACE: ("changes in place", "change in place"),
    UNTOUCHED: ("is untouched", "are untouched"),
}
_STYLES = {RECREATES: RECREATES, ORPHANED: RECREATES, ROLLS: ROLLS, IN_PLACE: "", UNTOUCHED: "faint"}
_STATES = {
    NEW: "the earlier release refuses it, so that it cannot be running",
    BLOCKED: "the later release's webhooks refuse the graph, also to its own controller: what runs stays as it is, and "
    "nothing new reaches it",
    REFUSED: "the later release refuses it",
    STUCK: "the later release fails to reconcile it: what runs stays as it is, and nothing new reaches it",
}
_SHOWN_FIELDS = 3


def text_lines(upgrade: Upgrade, graphs: list[GraphVerdict], *, summary: bool = False) -> Iterator[Line]:
    """Graph by graph the components with their verdicts and reasons; refusals, warnings, and the totals."""
    if not summary:
        for graph in graphs:
            yield from _graph_lines(graph)
            yield []
    yield from _finding_lines("The later release refuses, when it is applied anew:", upgrade.refusals, RECREATES)
    if not summary:
        yield from _finding_lines("Only the later release remarks:", upgrade.warnings, "faint")
    yield from summary_lines(upgrade, graphs)


def graph_title(graph: GraphVerdict) -> str:
    _, kind, namespace, name = graph.key
    return f"{kind}/{name} ({namespace})"


def _graph_lines(graph: GraphVerdict) -> Iterator[Line]:
    head: Line = [("object", graph_title(graph)), ("faint", f"  {graph.document.file}")]
    if graph.refused:
        head.append((RECREATES, "  refused when applied anew"))
    yield head
    if graph.state:
        yield [(RECREATES, f"  {_STATES[graph.state]}")]
        return
    width = max((len(item.name) for item in graph.all()), default=0)
    for component in graph.all():
        yield from _component_lines(component, width)


def _component_lines(component: ComponentVerdict, width: int) -> Iterator[Line]:
    name = component.name or "(graph)"
    yield [("", f"  {name:<{max(width, 7)}}  "), (_STYLES[component.verdict], verdict_text(component))]
    for note in component.notes:
        yield [(RECREATES, f"      {note}")]
    for why in sorted(component.why, key=lambda item: RANKS.index(item.verdict)):
        yield [("", f"      {WORDS[why.verdict]}: {fields_text(why)}")]
        yield [("faint", f"          {cause(why)}")]


def verdict_text(component: ComponentVerdict) -> str:
    """`rolls: 4 pods, 32 GPUs`"""
    parts = []
    if component.restarted:
        parts.append(amount_verb(component.restarted, "restart"))
    if component.started:
        parts.append(amount_verb(component.started, "start"))
    word = WORDS[component.verdict]
    return f"{word}: {'; '.join(parts)}" if parts else word


def fields_text(why: Why) -> str:
    """The first fields, and how many more there are."""
    fields = ", ".join(why.short[:_SHOWN_FIELDS])
    more = len(why.short) - _SHOWN_FIELDS
    return f"{fields} and {more} more" if more > 0 else fields


def cause(why: Why) -> str:
    reason = why.reason
    text = reason.text.rstrip(".")
    named = f"{reason.kind} {reason.name}" if reason.name else reason.kind
    return f"{named}: {text}" if text and reason.name not in text else text or named


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
    """How many components roll, what restarts in all, and what must happen first."""
    components = [item for graph in graphs for item in graph.components.values() if item.name and not graph.state]
    counts = {verdict: sum(item.verdict == verdict for item in components) for verdict in RANKS}
    words = [f"{number} {_TOTALS[verdict][number > 1]}" for verdict, number in counts.items() if number]
    yield [("object", f"{upgrade.old.release.name} -> {upgrade.new.release.name}: {totals(graphs)}")]
    yield [
        ("", f"{count(len(components), 'component')} of {count(len(graphs), 'document')}: {', '.join(words) or 'none'}")
    ]
    refused = sum(bool(graph.refused) for graph in graphs)
    if refused:
        yield [(RECREATES, f"{count(refused, 'document')} refused when applied anew")]
    yield [("", conversion_text(upgrade, graphs))]


def totals(graphs: list[GraphVerdict]) -> str:
    """`4 pods, 32 GPUs restart`, and what stays or starts beside."""
    restarted, started, stays = Amount(), Amount(), Amount()
    for graph in graphs:
        for component in graph.components.values():
            restarted.add(component.restarted)
            started.add(component.started)
            stays.add(component.stays)
    parts = [amount_verb(restarted, "restart") if restarted else "no pods restart"]
    if started:
        parts.append(f"{amount_verb(started, 'start')} in addition")
    if stays:
        parts.append(f"{amount_verb(stays, 'stay')} though no longer wanted")
    return "; ".join(parts)


def conversion_text(upgrade: Upgrade, graphs: list[GraphVerdict]) -> str:
    """What must be rewritten before the later release can read it."""
    served = {f"nvidia.com/{version}" for version in upgrade.new.release.api_versions}
    stale = [graph for graph in graphs if graph.document.value.get("apiVersion") not in served]
    if stale:
        names = ", ".join(graph_title(graph) for graph in stale)
        return f"To be converted first, as {upgrade.new.release.name} does not serve their version: {names}"
    newest = f"nvidia.com/{upgrade.new.release.api_versions[-1]}"
    older = sum(graph.document.value.get("apiVersion") != newest for graph in graphs)
    if older:
        return f"Nothing must be converted first; {count(older, 'document')} could be rewritten in {newest}."
    return "Nothing must be converted first."
