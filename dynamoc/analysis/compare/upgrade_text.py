"""An upgrade for people, as blocks: in full for a terminal, and as a comment on a pull or merge request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain
from typing import Any

from dynamoc.analysis.blocks import (
    CODE,
    EMPHASIS,
    STRONG,
    Block,
    Comment,
    CommentBlock,
    Details,
    Line,
    Point,
    Quote,
    Row,
    Table,
    markdown_comment,
    section,
)
from dynamoc.analysis.compare.comparison import target_text
from dynamoc.analysis.compare.result import (
    IN_PLACE,
    RECREATES,
    ROLLS,
    Amount,
    amount_text,
    amount_verb,
    count,
    one_line,
    pod_texts,
    two_lines,
)
from dynamoc.analysis.compare.text import finding_quotes
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


#: what verdicts are called: of a component, and of one and of several in totals
_VERDICTS = {
    LOST: ("loses storage", "loses storage", "lose storage"),
    RECREATES: ("must be recreated", "must be recreated", "must be recreated"),
    ORPHANED: ("orphaned", "leaves something orphaned", "leave something orphaned"),
    ROLLS: ("rolls", "rolls", "roll"),
    IN_PLACE: ("changes in place", "changes in place", "change in place"),
    UNTOUCHED: ("untouched", "is untouched", "are untouched"),
}
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
_SHOWN_GRAPHS = 3
_WIDTH = 60


def upgrade_blocks(upgrade: Upgrade, graphs: list[GraphVerdict], *, summary: bool = False) -> Iterator[Block]:
    """The totals, graph by graph the components with their verdicts, each reason once; refusals, and warnings.

    The totals have the worst outcome first, what restarts in all, how many components roll, and what must happen first.
    """
    old, new = upgrade.old.release.name, upgrade.new.release.name
    yield [(STRONG, f"{old} -> {new}: {totals(graphs)}")]
    components = [item for graph in graphs for item in graph.components.values() if item.name and not graph.state]
    counts = {verdict: sum(item.verdict == verdict for item in components) for verdict in RANKS}
    words = [f"{number} {_VERDICTS[verdict][1 + (number > 1)]}" for verdict, number in counts.items() if number]
    if components:
        documents = count(sum(not graph.state for graph in graphs), "document")
        yield [("", f"{count(len(components), 'component')} of {documents}: {', '.join(words)}")]
    yield [("", conversion_text(upgrade, graphs))]
    if upgrade.refusals or not summary:
        yield []
    if not summary:
        for graph in sorted(graphs, key=_rank):
            yield from _graph_lines(graph)
            yield []
        yield from section("Why:", reasons(graphs))
    yield from section("Would be rejected if re-created:", _finding_lines(upgrade.refusals, RECREATES))
    if not summary:
        yield from section(f"New warnings in {new}:", _finding_lines(upgrade.warnings, "faint"))


def _rank(graph: GraphVerdict) -> int:
    """Worst outcome first; graphs with the same one stay in the order of the input."""
    found = outcomes([graph])
    worst = next((at for at, name in enumerate(found) if found[name]), len(found))
    return -1 if graph.state == NEW else worst


def graph_title(graph: GraphVerdict) -> str:
    _, kind, namespace, name = graph.key
    return f"{kind}/{name} ({namespace})"


def _graph_lines(graph: GraphVerdict) -> Iterator[Line]:
    head: Line = [(STRONG, graph_title(graph)), ("faint", f"  {graph.document.file}")]
    if graph.refused and not graph.state:
        head.append((RECREATES, "  would be rejected if re-created"))
    yield head
    if graph.state:
        yield [(RECREATES, f"  {_STATES[graph.state]}")]
        return
    width = max((len(item.name) for item in graph.all()), default=0)
    for component in ranked(graph):
        style = component.serving or component.verdict
        amounts = pod_texts(partial(getattr, component))
        restarts = f": {'; '.join(amounts)}" if amounts else ""
        yield [("", f"  {component.name or '(graph)':<{max(width, 7)}}  "), (style, verdict_text(component) + restarts)]
    for note, names in notes_of(graph).items():
        yield [(RECREATES, f"      {note}"), ("faint", f" ({', '.join(names)})" if len(names) > 1 else "")]


def ranked(graph: GraphVerdict) -> list[ComponentVerdict]:
    """The components, those of the worst verdicts first."""
    return sorted(graph.all(), key=lambda item: RANKS.index(item.verdict))


def notes_of(graph: GraphVerdict) -> dict[str, list[str]]:
    """Each note with the components that it concerns, those of the worst verdicts first."""
    found: dict[str, list[str]] = {}
    for component in ranked(graph) if not graph.state else ():
        for note in component.notes:
            found.setdefault(note, []).append(component.name or "graph")
    return found


def reasons(graphs: list[GraphVerdict]) -> list[Point]:
    """Each reason once, with all that it concerns, the worst verdict first."""
    found: dict[tuple[str, ...], tuple[Why, dict[str, list[str]], dict[str, None]]] = {}
    for graph in graphs:
        for component in graph.all() if not graph.state else ():
            for why in component.why:
                _, names, fields = found.setdefault((why.verdict, *why.reason.key()), (why, {}, {}))
                names.setdefault("/".join(graph.key[2:]), []).append(component.name or "(graph)")
                for field, (old, new) in zip(why.short, why.values, strict=True):
                    fields[f"{field}{_values_text(old, new)}"] = None
    several = len(graphs) > 1
    return [
        Point((why.verdict, _VERDICTS[why.verdict][0]), _concerned(names, several=several), _cause(why), list(fields))
        for why, names, fields in sorted(found.values(), key=lambda item: RANKS.index(item[0].verdict))
    ]


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


def _concerned(components: dict[str, list[str]], *, several: bool) -> str:
    """`Frontend, Worker`; `Frontend of team/web; Worker of team/shop` where there are several graphs."""
    parts = [", ".join(names) + (f" of {graph}" if several else "") for graph, names in components.items()]
    more = f" and of {count(len(parts) - _SHOWN_GRAPHS, 'more graph')}" if len(parts) > _SHOWN_GRAPHS else ""
    return "; ".join(parts[:_SHOWN_GRAPHS]) + more


def verdict_text(component: ComponentVerdict) -> str:
    """`rolls`; `breaks, rolls`"""
    return ", ".join(filter(None, (component.serving, _VERDICTS[component.verdict][0])))


def _cause(why: Why) -> str:
    """Why an outcome is what it is, for people; JSON has the names of rules and features."""
    reason = why.reason
    if reason.kind in ("rule", "builder"):
        return "The operator sets these fields differently"
    return reason.text.rstrip(".") or f"{reason.kind} {reason.name}".strip()


def _finding_lines(findings: list[Finding], style: str) -> Iterator[Line]:
    groups: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        groups.setdefault((finding.slug, finding.message), []).append(finding)
    for first, *others in groups.values():
        where = f"{first.place or first.subject or ''}{f' and {len(others)} more' if others else ''}"
        yield [("", f"  {where}: "), (style, first.message), ("faint", f" [{first.slug}]")]
        if first.hint:
            yield [("faint", f"      hint: {first.hint}")]


def totals(graphs: list[GraphVerdict]) -> str:
    """`1 document gets stuck; 4 pods, 32 GPUs restart`, and what stays or starts beside."""
    found = outcomes(graphs)
    new = sum(graph.state == NEW for graph in graphs)
    them = "it" if new == 1 else "them"
    parts = [f"{count(new, 'document')} not compared: the earlier release refuses {them}"] if new else []
    parts += [
        f"{number} {_OUTCOMES[name][number > 1]}" for name, number in found.items() if number and name in _OUTCOMES
    ]
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


def upgrade_markdown(upgrade: Upgrade, graphs: list[GraphVerdict], limit: int, *, summary: bool = False) -> str:
    """A comment on a pull or merge request: the totals, a table of components, reasons and notes."""
    details: Iterable[Comment] = chain(([point] for point in reasons(graphs)), map(_detail, graphs))
    title = f"Operator {upgrade.old.release.name} → {upgrade.new.release.name}"
    return markdown_comment(
        title, _head(upgrade, graphs), () if summary else details, limit, what="document", command="upgrade"
    )


def _head(upgrade: Upgrade, graphs: list[GraphVerdict]) -> Iterator[CommentBlock]:
    yield [(STRONG, totals(graphs))]
    yield [("", f"Target {target_text(upgrade.new.target, [item.one for item in upgrade.comparison.objects])}")]
    for graph in graphs:
        if graph.state == NEW:
            # The earlier release refuses it, so it cannot be running: the first error says why.
            errors = (item for item in upgrade.before.items if item.severity == ERROR)
            own = (item.message for item in errors if item.subject == f"{graph.key[1]}/{graph.key[3]}")
            yield Quote([(STRONG, "Not compared: "), (CODE, graph_title(graph)), ("", f" {next(own, '')}")])
    for finding in upgrade.refusals:
        place = (CODE, str(finding.place or finding.subject or ""))
        yield Quote([(STRONG, "Would be rejected if re-created"), ("", ", "), place, ("", f": {finding.message}")])
    yield [("", conversion_text(upgrade, graphs))]
    if upgrade.warnings:
        yield [("", f"New in {upgrade.new.release.name}:")]
        yield from finding_quotes(upgrade.warnings)
    rows: list[Row] = []
    for graph in graphs:
        where = f"{graph.document.file}:{graph.document.place(('kind',), key=True).line}"
        head: Row = [(CODE, where)], [(CODE, graph_title(graph))]
        for component in graph.all() if not graph.state else ():
            amount = amount_text(component.restarted) if component.restarted else ""
            name = (CODE, component.name) if component.name else (EMPHASIS, "graph")
            rows.append((*head, [name], verdict_text(component), amount))
        if graph.state:
            rows.append((*head, None, graph.state, None))
    yield Table(("file", "document", "component", "verdict", "restarts"), rows)


def _detail(graph: GraphVerdict) -> list[CommentBlock]:
    lines = [[(STRONG, note), ("", f" ({', '.join(names)})")] for note, names in notes_of(graph).items()]
    return [[], Details(graph_title(graph), lines)] if lines else []
