"""A comparison as a page: totals, what each changed line costs, and objects and input side by side."""

from __future__ import annotations

from dynamoc.compare.changed_input import RESTARTS
from dynamoc.compare.line_words import change_text, cost_text, free_text, place_text
from dynamoc.compare.markdown_lines import component_of
from dynamoc.compare.path import format_steps
from dynamoc.compare.pod_counts import gpu_claims
from dynamoc.compare.text import left_behind, left_out, totals_text
from dynamoc.compare.values import count
from dynamoc.report.html import Html, prose, rows, tag
from dynamoc.report.page import Section, page
from dynamoc.report.rendering import severity_facts
from dynamoc.report.sections import findings_section, picture_section, pods_section, roles_of
from dynamoc.report.side_by_side import Inputs, object_details

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from dynamoc.compare.changed_input import ChangedLine
    from dynamoc.compare.conditions import Conditions
    from dynamoc.compare.result import Comparison
    from dynamoc.report.sources import Sources

    Tree = dict[str, Any]
    Pairs = list[tuple[str | None, str | None]]
    """Files of the old and of the new side that belong together."""


def comparison_page(
    comparison: Comparison,
    title: str,
    objects: list[Tree],
    sources: tuple[Sources, Sources, Pairs],
    conditions: Conditions,
) -> str:
    """The page; `objects` are those of the new side, and `sources` the files of the old and of the new side."""
    old, new, pairs = sources
    for side in (old, new):
        side.note_findings(conditions.findings)
        _note_costs(comparison.lines or [], side)
    inputs = Inputs(old, new, pairs)
    claims = gpu_claims(objects)
    picture, drawn = picture_section(objects, claims)
    changed = [object_details(item, inputs.redacted) for item in comparison.objects]
    sections = [
        Section("summary", "Summary", *_summary(comparison)),
        _lines_section(comparison.lines, inputs),
        Section(
            "objects", "Objects", *(changed or [tag("p", "No object differs.", class_="empty")]), count=len(changed)
        ),
        Section("input", "Input", inputs.html()),
        findings_section(conditions.findings, inputs),
        pods_section(roles_of(objects, claims)),
        picture,
    ]
    facts: list[tuple[str, object]] = [
        ("release", conditions.release),
        ("target", conditions.target),
        ("objects that differ", f"{len(changed)} of {len(changed) + comparison.unchanged}"),
        *severity_facts(conditions.findings),
    ]
    return page(title, facts, [each for each in sections if each], {"files": []}, drawn)


def _summary(comparison: Comparison) -> Iterator[Html]:
    if comparison.objects or comparison.refused:
        yield tag("p", totals_text(comparison), class_="lead")
    else:
        yield tag("p", f"No differences in {count(comparison.unchanged, 'object')}.", class_="lead")
    yield from notices(comparison)


def notices(comparison: Comparison) -> Iterator[Html]:
    """What must not be overlooked, and what was left out of account."""
    for skipped in comparison.skipped:
        yield tag("p", tag("b", "Not compared: "), prose(skipped.text()), class_="notice")
    for refused in comparison.refused:
        where = f"{refused.kind}/{refused.name} {format_steps(refused.steps)}"
        head = tag("b", "The API server refuses the update of ", tag("code", where), ". ")
        yield tag("p", head, prose(f"{refused.message} {refused.hint}"), class_="notice")
    for generation in comparison.generations:
        names = f"{generation.old or 'none'} → {generation.new or 'none'}"
        yield tag("p", f"New worker generation of {generation.namespace}/{generation.graph}: ", tag("code", names))
        if generation.stays:
            yield tag("p", left_behind(generation), class_="notice")
    for text in left_out(comparison):
        yield tag("p", text, class_="faint")


def _lines_section(lines: list[ChangedLine] | None, inputs: Inputs) -> Section | None:
    if not lines:
        return None
    body: list[tuple[object, ...]] = []
    for line in lines:
        components = dict.fromkeys(component_of(change.steps) for change in line.changes)
        cost = tag("span", cost_text(line), class_=f"badge {_style(line)}")
        body.append(
            (
                inputs.link(line.place, place_text(line)),
                ", ".join(filter(None, components)),
                tag("code", change_text(line, inputs.redacted)),
                cost,
            )
        )
    table = rows(("line", "component", "change", "cost"), body, "Cost of each changed line")
    lead = tag("p", f"{free_text(lines)}.")
    return Section("lines", "Cost of each changed line", lead, table, count=len(lines))


def _style(line: ChangedLine) -> str:
    return RESTARTS if line.total(RESTARTS) else "free" if line.is_free else "none"


def _note_costs(lines: list[ChangedLine], side: Sources) -> None:
    for line in lines:
        side.note(line.place, tag("div", cost_text(line), class_=f"remark {_style(line)}"))
