"""A comparison or an upgrade as a page: what becomes of what, and objects and input side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import zip_longest

from dynamoc.analysis.blocks import CODE, Quote
from dynamoc.analysis.compare.changed_input import change_text, components_of, cost_text, free_text, place_text
from dynamoc.analysis.compare.comparison import Conditions, target_text
from dynamoc.analysis.compare.edits import Opcode, grouped, opcodes
from dynamoc.analysis.compare.pod_counts import gpu_claims
from dynamoc.analysis.compare.result import RESTARTS, ChangedLine, Comparison, ObjectChange, amount_text, count
from dynamoc.analysis.compare.text import effect_text, left_behind, left_out, object_name, skipped_quotes, totals_text
from dynamoc.analysis.compare.trees import format_steps
from dynamoc.analysis.compare.unified import field_of, texts_of
from dynamoc.analysis.compare.upgrade import Upgrade
from dynamoc.analysis.compare.upgrade_text import (
    conversion_text,
    graph_title,
    notes_of,
    ranked,
    reasons,
    totals,
    verdict_text,
)
from dynamoc.analysis.compare.verdicts import UNTOUCHED, GraphVerdict
from dynamoc.analysis.report.page import (
    Html,
    Section,
    findings_section,
    html_of,
    join,
    page,
    picture_section,
    pods_section,
    prose,
    roles_of,
    rows,
    tag,
)
from dynamoc.analysis.report.rendering import Sources, severity_facts
from dynamoc.documents.findings.finding import Finding, Place
from dynamoc.kube.merge import Tree

Redact = Callable[[str], str]

Pairs = list[tuple[str | None, str | None]]
"""Files of the old and of the new side that belong together."""

#: so many unchanged lines in a row are folded, but for some around what differs
_FOLDED, _AROUND = 20, 3


def object_details(item: ObjectChange, redacted: Redact) -> Html:
    """An object that differs: what happens to it, its notes, and what changes."""
    effect = "stays" if item.changes and not any(change.applied for change in item.changes) else item.effect
    head = tag("summary", tag("code", object_name(item)), tag("span", effect_text(item), class_=f"badge {effect}"))
    notes = dict.fromkeys(change.note for change in item.changes if change.note)
    remarks = tag("ul", *(tag("li", note, class_="faint") for note in notes)) if notes else None
    if item.old is None or item.new is None:
        return tag("details", head, remarks, _whole(item, redacted), class_="change")
    old, new = texts_of(item)
    body = []
    for group in grouped(opcodes(old.lines, new.lines)):
        body.append(tag("tr", tag("th", field_of(group, old, new) or object_name(item), colspan="4", scope="rowgroup")))
        body += _rows(group, [redacted(line) for line in old.lines], [redacted(line) for line in new.lines])
    if not body:
        body = [tag("tr", tag("td", "Only names or the order of a list differ.", colspan="4", class_="faint"))]
    return tag("details", head, remarks, _table(body), class_="change")


def _whole(item: ObjectChange, redacted: Redact) -> Html:
    """An object that only one side has."""
    kind = "gone" if item.new is None else "came"
    lines = (line for text in texts_of(item) for line in text.lines)
    cells = ((tag("td", at, class_="no"), tag("td", redacted(line), class_=kind)) for at, line in enumerate(lines, 1))
    columns = tag("colgroup", tag("col", class_="no"), tag("col"))
    return tag("table", columns, tag("tbody", *(tag("tr", *cell) for cell in cells)), class_="side")


def _table(body: list[Html]) -> Html:
    columns = tag("colgroup", *(tag("col", class_=kind) for kind in ("no", None, "no", None)))
    return tag("table", columns, tag("tbody", *body), class_="side")


def _rows(group: list[Opcode], old: list[str], new: list[str]) -> Iterator[Html]:
    for code in group:
        for i, j in _pairs(code):
            yield _row(code[0] == "equal", (i, old), (j, new))


def _pairs(code: Opcode) -> Iterator[tuple[int | None, int | None]]:
    """The lines of both sides that stand side by side, counted from 0; None where a side has no more."""
    _, i1, i2, j1, j2 = code
    return zip_longest(range(i1, i2), range(j1, j2))


def _row(
    same: bool,
    left: tuple[int | None, list[str]],
    right: tuple[int | None, list[str]],
    names: tuple[str, str] = ("", ""),
) -> Html:
    cells: list[Html] = []
    for (at, lines), style, name in ((left, "gone", names[0]), (right, "came", names[1])):
        if at is None:
            cells += [tag("td", class_="no void"), tag("td", class_="void")]
            continue
        kind = ("same-old" if style == "gone" else None) if same else style
        cells += [
            tag("td", at + 1, class_="no"),
            tag("td", lines[at], class_=kind, id=f"{name}-{at + 1}" if name else None),
        ]
    return tag("tr", *cells)


def _folded(body: list[Html]) -> Html:
    return tag("details", tag("summary", f"{len(body)} unchanged lines", class_="faint"), _table(body))


@dataclass(eq=False, slots=True)
class Inputs:
    """The files of both sides, each beside its counterpart."""

    _old: Sources
    _new: Sources
    _pairs: Pairs

    def link(self, place: Place | None, text: str | None = None) -> Html | None:
        """A place as a link to its line, on the side that has it."""
        if place is None:
            return None
        side = self._new if self._new.anchor(place) else self._old
        return side.link(place, text)

    def redacted(self, text: str) -> str:
        return self._old.redacted(self._new.redacted(text))

    def html(self) -> Html:
        return join(*(self._file(old, new) for old, new in self._pairs))

    def _file(self, old: str | None, new: str | None) -> Html:
        left = self._old.lines(old) if old else []
        right = self._new.lines(new) if new else []
        names = (f"j{self._old.files.index(old)}" if old else "", f"i{self._new.files.index(new)}" if new else "")
        parts: list[Html] = []
        body: list[Html] = []
        for code in opcodes(left, right):
            same, length = code[0] == "equal", code[2] - code[1]
            for at, (i, j) in enumerate(_pairs(code)):
                if same and length > _FOLDED and at in (_AROUND, length - _AROUND):
                    parts.append(_table(body) if at == _AROUND else _folded(body))
                    body = []
                body.append(_row(same, (i, left), (j, right), names))
                notes = [
                    *(self._old.notes(old, i + 1) if old and i is not None else ()),
                    *(self._new.notes(new, j + 1) if new and j is not None else ()),
                ]
                body += [tag("tr", tag("td", note, colspan="4")) for note in notes]
        title = join(tag("code", old or "none"), " → ", tag("code", new or "none")) if old != new else tag("code", new)
        return tag("details", tag("summary", title), *parts, _table(body), class_="file", open=left != right)


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
    sections = [
        Section("summary", "Summary", *_summary(comparison)),
        _lines_section(comparison.lines, inputs),
        _objects_section(comparison, inputs.redacted),
        Section("input", "Input", inputs.html()),
        findings_section(conditions.findings, inputs),
        pods_section(roles_of(objects, claims)),
        picture,
    ]
    differing = len(comparison.objects)
    facts: list[tuple[str, object]] = [
        ("release", conditions.release),
        ("target", conditions.target),
        ("objects that differ", f"{differing} of {differing + comparison.unchanged}"),
        *severity_facts(conditions.findings),
    ]
    return page(title, facts, sections, {"files": []}, drawn)


def _objects_section(comparison: Comparison, redacted: Redact) -> Section:
    details = [object_details(item, redacted) for item in comparison.objects]
    empty = tag("p", "No object differs.", class_="empty")
    return Section("objects", "Objects", *(details or [empty]), count=len(details))


def _summary(comparison: Comparison) -> Iterator[Html]:
    if comparison.objects or comparison.refused:
        yield tag("p", totals_text(comparison), class_="lead")
    else:
        yield tag("p", f"No differences in {count(comparison.unchanged, 'object')}.", class_="lead")
    yield from notices(comparison)


def notices(comparison: Comparison) -> Iterator[Html]:
    """What must not be overlooked, and what was left out of account."""
    yield from html_of(skipped_quotes(comparison))
    for refused in comparison.refused:
        where = f"{refused.kind}/{refused.name} {format_steps(refused.steps)}"
        head = tag("b", "The API server refuses the update of ", tag("code", where), ". ")
        yield tag("p", head, prose(f"{refused.message} {refused.hint}"), class_="notice")
    for generation in comparison.generations:
        names = (CODE, f"{generation.old or 'none'} → {generation.new or 'none'}")
        yield from html_of([[("", f"New worker generation of {generation.namespace}/{generation.graph}: "), names]])
        if generation.stays:
            yield from html_of([Quote([("", left_behind(generation))])])
    yield from html_of(left_out(comparison))


def _lines_section(lines: list[ChangedLine] | None, inputs: Inputs) -> Section | None:
    if not lines:
        return None
    body: list[tuple[object, ...]] = []
    for line in lines:
        cost = tag("span", cost_text(line), class_=f"badge {_style(line)}")
        names = ", ".join(filter(None, components_of([line])))
        change = tag("code", change_text(line, inputs.redacted))
        body.append((inputs.link(line.place, place_text(line)), names, change, cost))
    table = rows(("line", "component", "change", "cost"), body, "Cost of each changed line")
    lead = tag("p", f"{free_text(lines)}.")
    return Section("lines", "Cost of each changed line", lead, table, count=len(lines))


def _style(line: ChangedLine) -> str:
    return RESTARTS if line.total(RESTARTS) else "free" if line.is_free else "none"


def _note_costs(lines: list[ChangedLine], side: Sources) -> None:
    for line in lines:
        side.note(line.place, tag("div", cost_text(line), class_=f"remark {_style(line)}"))


def upgrade_page(upgrade: Upgrade, graphs: list[GraphVerdict], findings: list[Finding], sources: Sources) -> str:
    """The page; `findings` are errors of the run, to which come those that only the later release has."""
    told = [*findings, *upgrade.refusals, *upgrade.warnings]
    sources.note_findings(told)
    made = [item.new for item in upgrade.comparison.objects if item.new is not None]
    picture, drawn = picture_section(made, gpu_claims(made))
    why = list(html_of(reasons(graphs), sources.redacted))
    sections = [
        Section("summary", "Summary", *_upgrade_summary(upgrade, graphs)),
        Section("components", "Components", _components(graphs, sources), *_notes(graphs)),
        Section("reasons", "Why", *why, count=len(why)) if why else None,
        findings_section(told, sources),
        _objects_section(upgrade.comparison, sources.redacted),
        Section("input", "Input", sources.html()),
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
    return page(title, facts, sections, {"files": []}, drawn)


def _upgrade_summary(upgrade: Upgrade, graphs: list[GraphVerdict]) -> Iterator[Html]:
    yield tag("p", totals(graphs), class_="lead")
    yield from html_of([[("", conversion_text(upgrade, graphs))]])
    yield from notices(upgrade.comparison)


def _components(graphs: list[GraphVerdict], sources: Sources) -> Html:
    body: list[tuple[object, ...]] = []
    for graph in graphs:
        place = sources.link(graph.document.place(("kind",), key=True))
        title = graph_title(graph)
        if graph.state:
            body.append((place, title, "", tag("span", graph.state, class_=f"badge {graph.state}"), "", ""))
            continue
        for component in ranked(graph):
            word = verdict_text(component)
            verdict = word if component.verdict == UNTOUCHED else tag("span", word, class_=f"badge {component.verdict}")
            name = component.name or tag("i", "graph")
            amounts = (amount_text(each) if each else "" for each in (component.restarted, component.started))
            body.append((place, title, name, verdict, *amounts))
    return rows(("line", "document", "component", "verdict", "restart", "start"), body, "Components")


def _notes(graphs: list[GraphVerdict]) -> Iterator[Html]:
    for graph in graphs:
        for note, names in notes_of(graph).items():
            yield tag("p", prose(note), " ", tag("span", f"({', '.join(names)})", class_="faint"), class_="notice")
