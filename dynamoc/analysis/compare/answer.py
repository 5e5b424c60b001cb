"""Comparisons and upgrades as answers for programs. docs/diff.md and docs/upgrade.md describe the keys."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from dynamoc.analysis.compare import result
from dynamoc.analysis.compare.result import Amount, Comparison, shown
from dynamoc.analysis.compare.trees import format_steps, plain_steps
from dynamoc.analysis.compare.upgrade import Upgrade
from dynamoc.analysis.compare.upgrade_text import OUTCOMES, amounts, conversion_text, outcomes
from dynamoc.analysis.compare.verdicts import BLOCKED, NEW, RANKS, REFUSED, STUCK, ComponentVerdict, GraphVerdict
from dynamoc.documents.findings.answers import ABSENT, FindingRecord, OneOf, records
from dynamoc.documents.findings.finding import Finding
from dynamoc.documents.findings.text import arrange, cut
from dynamoc.kube.merge import Tree

FORMAT = "dynamoc-diff"
VERSION = 1
"""Raised when a key changes its meaning or is removed; new keys can appear without notice."""

Steps = list[str | int | dict[str, str]]


@dataclass(slots=True)
class FieldChange:
    """A field that differs.

    field     the path as text
    path      keys, positions, and `{"name": "main"}` for elements of lists
    old, new  null where it is absent
    """

    field: str
    path: Steps
    change: Annotated[str, OneOf(result.ADDED, result.REMOVED, result.CHANGED, result.REORDERED)]
    old: Any
    new: Any


@dataclass(slots=True)
class AppliedChange(FieldChange):
    """A field that differs, and what that does in a cluster.

    applied  whether the operator changes objects that exist
    note     why that is so
    """

    effect: Annotated[str, OneOf(*result.SEVERITY)]
    applied: bool
    note: str | None


@dataclass(slots=True)
class ObjectName:
    """An object.

    namespace  null where it is absent
    """

    api_version: str
    kind: str
    namespace: str | None
    name: str


@dataclass(slots=True)
class ChangedObject(ObjectName):
    """An object that differs.

    old_name  of the object that a new generation replaces
    orphaned  whether it is not made any more, and stays in the cluster
    pods      one entry for each pod template
    """

    old_name: str | None
    effect: Annotated[str, OneOf(*result.SEVERITY)]
    orphaned: bool
    stays: Amount
    pods: list[result.Part]
    changes: list[AppliedChange]


@dataclass(slots=True)
class DiffSummary:
    """Totals.

    effects  objects by the worst that happens to them
    """

    objects: Annotated[dict[str, int], OneOf("changed", "unchanged")]
    effects: Annotated[dict[str, int], OneOf(*result.SEVERITY)]
    restarted: Amount
    started: Amount
    stopped: Amount


@dataclass(slots=True)
class NewWorkers:
    """Workers under another hash.

    old, new   hash; null for none
    old_stays  what nothing stops
    """

    KEYS = "graph=item.graph namespace=item.namespace old?=item.old new?=item.new old_stays=item.stays objects"
    item: result.Generation
    objects: list[str]


@dataclass(slots=True)
class UpdateRefusal:
    """A change of the input that the API server takes on creation only."""

    kind: str
    namespace: str
    name: str
    field: str
    path: Steps
    message: str
    hint: str | None


@dataclass(slots=True)
class IgnoredChanges:
    """A pattern, and how many changes it kept out."""

    pattern: str
    changes: int


@dataclass(slots=True)
class LineCost:
    """A changed line of the input, and what it costs.

    side          whether the place is in the new file, or in the old one for what is gone
    changes       what differs there
    effects       what the line causes, a template of pods each
    together      positions of other lines that cause the same
    undone_alone  whether taking back this line alone removes all that it causes
    """

    KEYS = (
        "side file=cost.place.file line=cost.place.line last_line changes restarted started stopped pods=cost.effects"
        " together undone_alone without_restart=cost.is_free alone=cost.alone refused_alone=cost.refused"
        " refused_update=cost.update"
    )
    cost: result.ChangedLine
    side: Annotated[str, OneOf("old", "new")]
    last_line: int
    changes: list[FieldChange]
    restarted: Amount
    started: Amount
    stopped: Amount
    together: list[int]
    undone_alone: bool | None


@dataclass(slots=True, kw_only=True)
class ComparisonAnswer:
    """What differs between two renderings.

    same             whether nothing differs but order
    generations      workers under another hash
    objects          objects that differ; not with --summary
    refused_updates  changes of the input that the API server takes on creation only
    not_compared     documents and files that could not be rendered
    foreign          objects of an export that were not compared
    ignored          patterns, and how many changes each kept out
    """

    same: bool
    summary: DiffSummary
    generations: list[NewWorkers]
    objects: list[ChangedObject] = ABSENT
    refused_updates: list[UpdateRefusal]
    not_compared: list[result.Skipped]
    foreign: list[ObjectName]
    ignored: list[IgnoredChanges]


@dataclass(slots=True, kw_only=True)
class Diff(ComparisonAnswer):
    """`dynamoc diff -o json`

    version  rises when a key changes its meaning or is removed
    lines    changed lines of the input and what each costs; null for exports; not with --summary
    """

    KEYS = (
        "format version old new operator_version target same summary generations objects refused_updates not_compared"
        " foreign ignored lines"
    )
    format: Annotated[str, OneOf(FORMAT)] = FORMAT
    version: Annotated[int, OneOf(VERSION)] = VERSION
    old: str
    new: str
    operator_version: str
    target: str
    lines: list[LineCost] | None = ABSENT


Answer = TypeVar("Answer", bound=ComparisonAnswer)


def comparison_answer(comparison: Comparison, kind: type[Answer], **others: Any) -> Answer:
    """The answer of a kind, whose own fields are `others`."""
    total = comparison.total
    return kind(
        same=comparison.same,
        summary=DiffSummary(
            {"changed": len(comparison.objects), "unchanged": comparison.unchanged},
            comparison.counts(),
            total("restarted"),
            total("started"),
            total("stopped"),
        ),
        generations=[NewWorkers(each, list(map(_title, each.objects))) for each in comparison.generations],
        objects=list(map(_object, comparison.objects)),
        refused_updates=[
            UpdateRefusal(each.kind, each.namespace, each.name, *_steps(each.steps), each.message, each.hint)
            for each in comparison.refused
        ],
        not_compared=comparison.skipped,
        foreign=[ObjectName(*_name(each)) for each in comparison.foreign],
        ignored=[IgnoredChanges(*each) for each in comparison.ignored],
        **others,
    )


def diff_answer(comparison: Comparison, sides: tuple[str, str], release: str, target: str) -> Diff:
    lines = None if comparison.lines is None else line_costs(comparison.lines)
    old, new = sides
    return comparison_answer(comparison, Diff, old=old, new=new, operator_version=release, target=target, lines=lines)


def _name(value: Tree) -> tuple[str, str, str | None, str]:
    metadata = value["metadata"]
    return value["apiVersion"], value["kind"], metadata.get("namespace"), metadata.get("name")


def _object(item: result.ObjectChange) -> ChangedObject:
    kind = item.one["kind"]
    return ChangedObject(
        *_name(item.one),
        item.old["metadata"].get("name") if item.renamed and item.old else None,
        item.effect,
        item.orphaned,
        item.stays,
        item.parts,
        [AppliedChange(*_field(kind, each), each.effect, each.applied, each.note) for each in item.changes],
    )


def _steps(steps: result.Steps) -> tuple[str, Steps]:
    return format_steps(steps), plain_steps(steps)


def _field(kind: str, change: result.Change) -> tuple[str, Steps, str, Any, Any]:
    values = [shown(kind, change, value) if change.steps else None for value in (change.old, change.new)]
    return *_steps(change.steps), change.how, values[0], values[1]


def _title(item: result.ObjectChange) -> str:
    return f"{item.one['kind']}/{item.one['metadata']['name']}"


def line_costs(lines: list[result.ChangedLine]) -> list[LineCost]:
    """Changed lines of the input and what they cost."""
    numbers = {id(line): number for number, line in enumerate(lines)}
    return [
        LineCost(
            line,
            "old" if line.is_old else "new",
            max(line.last, line.place.line),
            [FieldChange(*_field(line.kind, change)) for change in line.changes],
            *(line.total(result.RESTARTS), line.total(result.STARTS), line.total(result.STOPS)),
            [numbers[id(other)] for other in line.joint if id(other) in numbers],
            line.removes if line.effects else None,
        )
        for line in lines
    ]


UPGRADE_FORMAT = "dynamoc-upgrade"


@dataclass(slots=True)
class UpgradeSummary:
    """Totals.

    verdicts  components by what happens to them
    outcomes  documents by `stuck` and `refused`, components by the others
    refused   documents
    running   before the upgrade
    peak      the most at once during it
    """

    documents: int
    verdicts: Annotated[dict[str, int], OneOf(*RANKS)]
    outcomes: Annotated[dict[str, int], OneOf(*OUTCOMES)]
    refused: int
    restarted: Amount
    started: Amount
    stopped: Amount
    stays: Amount
    running: Amount
    peak: Amount
    conversion: str


@dataclass(slots=True)
class UpgradedGraph:
    """A document.

    refused  whether the newer release refuses it when it is applied again
    """

    kind: str
    namespace: str
    name: str
    file: str
    state: Annotated[str | None, OneOf(NEW, REFUSED, STUCK, BLOCKED, None)]
    refused: bool
    components: list[ComponentVerdict]


@dataclass(slots=True)
class UpgradeAnswer:
    """`dynamoc upgrade -o json`

    version     rises when a key changes its meaning or is removed
    graphs      not with --summary
    refusals    errors that only the newer release has
    warnings    warnings that only the newer release has
    comparison  as `dynamoc diff` prints it
    """

    format: Annotated[str, OneOf(UPGRADE_FORMAT)]
    version: Annotated[int, OneOf(VERSION)]
    from_: str
    to: str
    target: str
    mode: Annotated[str, OneOf("running", "fresh")]
    summary: UpgradeSummary
    graphs: list[UpgradedGraph] = ABSENT
    refusals: list[FindingRecord] = ABSENT
    warnings: list[FindingRecord] = ABSENT
    comparison: ComparisonAnswer = ABSENT


def upgrade_answer(upgrade: Upgrade, graphs: list[GraphVerdict], *, fresh: bool, summary: bool) -> UpgradeAnswer:
    old, new, mode = upgrade.old.release.name, upgrade.new.release.name, "fresh" if fresh else "running"
    answer = UpgradeAnswer(
        UPGRADE_FORMAT, VERSION, old, new, upgrade.new.target, mode, _upgrade_summary(upgrade, graphs)
    )
    if not summary:
        answer.graphs = list(map(_graph, graphs))
        answer.refusals = _findings(upgrade.refusals)
        answer.warnings = _findings(upgrade.warnings)
        answer.comparison = comparison_answer(upgrade.comparison, ComparisonAnswer)
    return answer


def _upgrade_summary(upgrade: Upgrade, graphs: list[GraphVerdict]) -> UpgradeSummary:
    named = [item for graph in graphs for item in graph.components.values() if item.name and not graph.state]
    counts = {verdict: sum(item.verdict == verdict for item in named) for verdict in RANKS}
    refused = sum(bool(graph.refused) for graph in graphs)
    total, conversion = amounts(graphs), conversion_text(upgrade, graphs)
    return UpgradeSummary(
        len(graphs),
        counts,
        outcomes(graphs),
        refused,
        *(total["restarted"], total["started"], total["stopped"], total["stays"], total["running"], total["peak"]),
        conversion,
    )


def _graph(graph: GraphVerdict) -> UpgradedGraph:
    _, kind, namespace, name = graph.key
    components = [] if graph.state else graph.all()
    file, refused = graph.document.file, bool(graph.refused)
    return UpgradedGraph(kind, namespace, name, file, graph.state or None, refused, components)


def _findings(findings: list[Finding]) -> list[FindingRecord]:
    """As `--findings json` prints them."""
    return records(cut(arrange(findings), lambda finding: finding.severity))
