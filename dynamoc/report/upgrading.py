"""An upgrade as a page: what becomes of each component and why, and the objects side by side."""

from __future__ import annotations

from dynamoc.compare.changed_lines import amount_text
from dynamoc.compare.conditions import target_text
from dynamoc.compare.pod_counts import gpu_claims
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
from dynamoc.compare.verdicts import RANKS, UNTOUCHED
from dynamoc.report.comparison import notices
from dynamoc.report.html import Html, join, prose, rows, tag
from dynamoc.report.page import Section, page
from dynamoc.report.rendering import severity_facts
from dynamoc.report.sections import findings_section, picture_section
from dynamoc.report.side_by_side import object_details

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from dynamoc.compare.upgrade import Upgrade
    from dynamoc.compare.verdicts import GraphVerdict
    from dynamoc.diagnostics.finding import Finding
    from dynamoc.report.sources import Sources

_SHOWN_FIELDS = 8


def upgrade_page(upgrade: Upgrade, graphs: list[GraphVerdict], findings: list[Finding], sources: Sources) -> str:
    """The page; `findings` are errors of the run, to which come those that only the later release has."""
    told = [*findings, *upgrade.refusals, *upgrade.warnings]
    sources.note_findings(told)
    made = [item.new for item in upgrade.comparison.objects if item.new is not None]
    picture, drawn = picture_section(made, gpu_claims(made))
    changed = [object_details(item, sources.redacted) for item in upgrade.comparison.objects]
    reasons = list(_reasons(graphs, sources))
    sections = [
        Section("summary", "Summary", *_summary(upgrade, graphs)),
        Section("components", "Components", _components(graphs, sources), *_notes(graphs)),
        Section("reasons", "Why", *reasons, count=len(reasons)) if reasons else None,
        findings_section(told, sources),
        Section(
            "objects", "Objects", *(changed or [tag("p", "No object differs.", class_="empty")]), count=len(changed)
        ),
        Section("input", "Input", sources.html() if sources.files else tag("p", "No files.", class_="empty")),
        picture,
    ]
    facts: list[tuple[str, object]] = [
        ("from", upgrade.old.release.name),
        ("to", upgrade.new.release.name),
        ("target", target_text(upgrade.new.target, made)),
        ("documents", len(graphs)),
        *severity_facts(told),
    ]
    title = f"dynamoc upgrade {upgrade.old.release.name} → {upgrade.new.release.name}"
    return page(title, facts, [each for each in sections if each], {"files": []}, drawn)


def _summary(upgrade: Upgrade, graphs: list[GraphVerdict]) -> Iterator[Html]:
    yield tag("p", totals(graphs), class_="lead")
    yield tag("p", conversion_text(upgrade, graphs))
    yield from notices(upgrade.comparison)


def _components(graphs: list[GraphVerdict], sources: Sources) -> Html:
    body: list[tuple[object, ...]] = []
    for graph in graphs:
        place = sources.link(graph.document.place(("kind",), key=True))
        title = graph_title(graph)
        if graph.state:
            body.append((place, title, "", tag("span", graph.state, class_=f"badge {graph.state}"), "", ""))
            continue
        for component in sorted(graph.all(), key=lambda item: RANKS.index(item.verdict)):
            word = ", ".join((*filter(None, [component.serving]), WORDS[component.verdict]))
            verdict = word if component.verdict == UNTOUCHED else tag("span", word, class_=f"badge {component.verdict}")
            name = component.name or tag("i", "graph")
            amounts = (amount_text(each) if each else "" for each in (component.restarted, component.started))
            body.append((place, title, name, verdict, *amounts))
    return rows(("line", "document", "component", "verdict", "restart", "start"), body, "Components")


def _notes(graphs: list[GraphVerdict]) -> Iterator[Html]:
    for graph in graphs:
        for note, names in notes_of(graph).items() if not graph.state else ():
            yield tag("p", prose(note), " ", tag("span", f"({', '.join(names)})", class_="faint"), class_="notice")


def _reasons(graphs: list[GraphVerdict], sources: Sources) -> Iterator[Html]:
    for one in shared_reasons(graphs):
        fields = list(one.fields)
        shown = [tag("li", tag("code", sources.redacted(field + values))) for field, values in fields[:_SHOWN_FIELDS]]
        if len(fields) > _SHOWN_FIELDS:
            shown.append(tag("li", f"and {len(fields) - _SHOWN_FIELDS} more"))
        badge = tag("span", WORDS[one.why.verdict], class_=f"badge {one.why.verdict}")
        head = join(badge, " ", concerned(one, several=len(graphs) > 1), ": ", prose(cause(one.why)))
        yield tag("div", head, tag("ul", *shown), class_="why")
