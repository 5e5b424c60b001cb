"""An upgrade as a comment on a pull or merge request."""

from __future__ import annotations

from dynamoc.compare.changed_lines import amount_text
from dynamoc.compare.conditions import target_text
from dynamoc.compare.markdown import cell, code, escaped, fitted, html
from dynamoc.compare.markdown_lines import finding_lines
from dynamoc.compare.upgrade_text import (
    WORDS,
    cause,
    concerned,
    conversion_text,
    graph_title,
    notes_of,
    shared_reasons,
    totals,
)
from dynamoc.compare.verdicts import NEW
from dynamoc.diagnostics.finding import ERROR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from dynamoc.compare.upgrade import Upgrade
    from dynamoc.compare.verdicts import GraphVerdict
    from dynamoc.diagnostics.finding import Finding

_SHOWN_FIELDS = 5
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
