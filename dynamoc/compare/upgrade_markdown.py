"""An upgrade as a comment on a pull or merge request."""

from __future__ import annotations

from dynamoc.compare.lines import amount_text
from dynamoc.compare.markdown import cell, code, escaped, fitted, html
from dynamoc.compare.upgrade_text import WORDS, cause, conversion_text, graph_title, totals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from dynamoc.compare.upgrade import Upgrade
    from dynamoc.compare.verdicts import ComponentVerdict, GraphVerdict
    from dynamoc.diagnostics.finding import Finding

_SHOWN_FIELDS = 5
_WORDS = ("document", "dynamoc upgrade")


def markdown(upgrade: Upgrade, graphs: list[GraphVerdict], limit: int, *, summary: bool = False) -> str:
    """The comment; never longer than `limit`, as long as that leaves room for the head."""
    head = "".join(_head(upgrade, graphs))
    return fitted(head, [] if summary else ["".join(_detail(graph)) for graph in graphs], _WORDS, limit)


def _head(upgrade: Upgrade, graphs: list[GraphVerdict]) -> Iterator[str]:
    yield f"### Operator {upgrade.old.release.name} → {upgrade.new.release.name}\n\n**{escaped(totals(graphs))}**\n\n"
    yield from _refusals(upgrade.refusals)
    yield escaped(conversion_text(upgrade, graphs)) + "\n\n"
    yield "| document | component | verdict | restarts |\n| --- | --- | --- | --- |\n"
    for graph in graphs:
        for component in graph.all() if not graph.state else ():
            amount = amount_text(component.restarted) if component.restarted else ""
            name = cell(component.name) if component.name else "_graph_"
            yield f"| {cell(graph_title(graph))} | {name} | {WORDS[component.verdict]} | {amount} |\n"
        if graph.state:
            yield f"| {cell(graph_title(graph))} | | {graph.state} | |\n"
    yield "\n"


def _refusals(findings: list[Finding]) -> Iterator[str]:
    for finding in findings:
        where = code(str(finding.place or finding.subject or ""))
        yield f"> **Refused when applied anew**, {where}: {escaped(finding.message)}\n\n"


def _detail(graph: GraphVerdict) -> Iterator[str]:
    if graph.state:
        return
    yield f"<details><summary><code>{html(graph_title(graph))}</code></summary>\n\n"
    for component in graph.all():
        yield from _component(component)
    yield "\n</details>\n\n"


def _component(component: ComponentVerdict) -> Iterator[str]:
    yield f"**{escaped(component.name) or 'graph'}**: {WORDS[component.verdict]}\n\n"
    for note in component.notes:
        yield f"- **{escaped(note)}**\n"
    for why in component.why:
        fields = ", ".join(code(field) for field in why.short[:_SHOWN_FIELDS])
        more = len(why.short) - _SHOWN_FIELDS
        yield f"- {WORDS[why.verdict]}: {fields}{f' and {more} more' if more > 0 else ''}: {escaped(cause(why))}\n"
    yield "\n"
