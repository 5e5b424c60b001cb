"""What an upgrade does to each component of each graph, and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated, Any

from dynamoc.analysis.compare.pod_counts import component_of, gpu_claims, pods_of
from dynamoc.analysis.compare.reasons import Reason, Reasons
from dynamoc.analysis.compare.result import (
    ADDS,
    IN_PLACE,
    ORDER,
    RECREATES,
    ROLLS,
    SCALES,
    Amount,
    Change,
    ObjectChange,
    Steps,
    amount_verb,
    shown,
)
from dynamoc.analysis.compare.trees import format_steps, short_steps
from dynamoc.analysis.compare.upgrade import Upgrade, is_of_claim, lost_claims, owner_of
from dynamoc.compiler.cluster import Mistake
from dynamoc.compiler.objects import COMPILED_KINDS
from dynamoc.documents.findings.answers import OneOf
from dynamoc.documents.findings.finding import ERROR, WARNING, Finding
from dynamoc.documents.source.document import Document
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import COMPONENT_LABEL, GROVE_SETS, Identity, identity
from dynamoc.reference.releases import Release

BREAKS, DEGRADES, LOST, ORPHANED, UNTOUCHED = "breaks", "degrades", "lost", "orphaned", "untouched"
NEW, REFUSED, STUCK, BLOCKED = "new", "refused", "stuck", "blocked"
#: of what happens to the objects of a component, the first that occurs is the verdict
RANKS = (LOST, RECREATES, ORPHANED, ROLLS, IN_PLACE, UNTOUCHED)
_VERDICTS = {RECREATES: RECREATES, ROLLS: ROLLS, SCALES: IN_PLACE, IN_PLACE: IN_PLACE, ADDS: IN_PLACE}


@dataclass(eq=False, slots=True)
class Why:
    """A reason, the fields that it explains, in full and for people with their values, and what happens for it.

    values  the value before and after, of each of `short`; both None for whole objects
    """

    KEYS = "verdict kind=reason.kind name?=reason.name text=reason.text source?=reason.source fields values=pairs"
    reason: Reason
    fields: list[str] = field(default_factory=list)
    short: list[str] = field(default_factory=list)
    values: list[tuple[Any, Any]] = field(default_factory=list)
    verdict: Annotated[str, OneOf(*RANKS)] = UNTOUCHED

    @property
    def pairs(self) -> list[Annotated[dict[str, Any], OneOf("old", "new")]]:
        """One for each field that is shown."""
        return [{"old": old, "new": new} for old, new in self.values]


@dataclass(slots=True)
class NewMistake:
    slug: str
    severity: Annotated[str, OneOf(ERROR, WARNING)]
    message: str
    hint: str | None


@dataclass(eq=False)
class ComponentVerdict:
    """One component; the one without a name stands for the objects of the whole graph.

    name       "" for the graph's own objects
    serving    `breaks` or `degrades` where its pods cannot serve afterwards, or serve worse; "" otherwise
    mistakes   what `dynamoc check` finds, that makes it so
    notes      sentences on what the operator cannot do, or leaves behind
    restarted  pods that are replaced
    started    pods that come in addition
    stopped    pods that go for good
    stays      what keeps running of an old generation
    running    all pods before the upgrade
    peak       the most pods that exist at once during it
    """

    KEYS = "name? verdict serving? restarted started stopped stays running peak notes mistakes=new_mistakes why"
    name: str
    serving: Annotated[str, OneOf("", BREAKS, DEGRADES)] = ""
    mistakes: list[Mistake] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    restarted: Amount = field(default_factory=Amount)
    started: Amount = field(default_factory=Amount)
    stays: Amount = field(default_factory=Amount)
    stopped: Amount = field(default_factory=Amount)
    running: Amount = field(default_factory=Amount)
    peak: Amount = field(default_factory=Amount)
    verdict: Annotated[str, OneOf(*RANKS)] = UNTOUCHED
    _by_reason: dict[tuple[str, str, str], Why] = field(default_factory=dict)

    @property
    def new_mistakes(self) -> list[NewMistake]:
        """What `dynamoc check` finds in the pods of the later release only."""
        return [NewMistake(*each[1:]) for each in self.mistakes]

    @property
    def why(self) -> list[Why]:
        """What happens for each reason, in the order in which they were found."""
        return list(self._by_reason.values())

    def take(
        self,
        verdict: str,
        reason: Reason | None = None,
        field: str = "",
        short: str = "",
        values: tuple[Any, Any] = (None, None),
    ) -> None:
        """Something happens to an object of the component."""
        self.verdict = min(self.verdict, verdict, key=RANKS.index)
        if reason is None:
            return
        found = self._by_reason.get(reason.key())
        if found is None:
            found = self._by_reason[reason.key()] = Why(reason)
        found.verdict = min(found.verdict, verdict, key=RANKS.index)
        if field and field not in found.fields:
            found.fields.append(field)
        if (short or field) and (short or field) not in found.short:
            found.short.append(short or field)
            found.values.append(values)

    def note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)


class GraphVerdict:
    """One graph or component of the input.

    state     "" where both releases make something of it; `new` where the earlier one refuses it, `stuck` where the
              later one fails to reconcile it, `blocked` where its own webhooks keep it from writing to the graph: both
              leave what runs alone. Among graphs that are new there is only `refused`
    refused   what the later release says when the document is applied
    """

    def __init__(self, document: Document, key: Identity, components: list[str]) -> None:
        self.document = document
        self.key = key
        self.components = {name: ComponentVerdict(name) for name in (*components, "")}
        self.refused: list[Finding] = []
        self.state = ""

    def component(self, name: str) -> ComponentVerdict:
        """By the name on objects; what no component claims belongs to the whole graph."""
        return self.components.get(name) or self.components[""]

    def all(self) -> list[ComponentVerdict]:
        """The components, and the graph's own objects where something happens to them."""
        return [item for name, item in self.components.items() if name or item.verdict != UNTOUCHED]


def verdicts(upgrade: Upgrade, reasons: Reasons | None) -> list[GraphVerdict]:
    """One verdict a document that the operator compiles, in the order of the input. Nobody need ask for reasons."""
    found: dict[Identity, GraphVerdict] = {}
    for document in upgrade.documents:
        if document.value.get("kind") in COMPILED_KINDS and upgrade.old.owns(document.value):
            key = owner_of(document, upgrade.old)
            found[key] = _graph(upgrade, document, key)
    for item in upgrade.comparison.objects:
        owner = upgrade.owners.get(identity(item.one))
        graph = found.get(owner) if owner else None
        if graph is not None:
            _judge_object(graph, item, upgrade, reasons)
    _count_running(found, upgrade)
    for graph in found.values():
        if not graph.state:
            _judge_pods(graph, upgrade)
    return list(found.values())


def _count_running(graphs: dict[Identity, GraphVerdict], upgrade: Upgrade) -> None:
    """The pods before the upgrade; those of objects that do not change are there all the time."""
    changed = {identity(item.old) for item in upgrade.comparison.objects if item.old is not None}
    claims = gpu_claims(upgrade.objects)
    for item in upgrade.objects:
        graph = graphs.get(upgrade.owners.get(identity(item), ("", "", "", "")))
        if graph is None:
            continue
        for pods in pods_of(item, claims):
            component = graph.component(pods.component)
            component.running.add(pods.amount)
            if identity(item) not in changed:
                component.peak.add(pods.amount)


#: warnings about what the operator's part in a pod decides: its flags, probes, volumes and gangs
_DEGRADING = (
    "check/epp-namespace", "check/flag-twice", "check/gang-ends-loading", "check/gang-without-spare",
    "check/grace-period", "check/num-gpus", "check/probe-port", "check/short-startup", "check/side-channel-host",
    "check/small-shared-memory",
)  # fmt: skip


def _judge_pods(graph: GraphVerdict, upgrade: Upgrade) -> None:
    """Pods that start under the later release, and find there what `dynamoc check` warns of.

    An error means that they cannot serve, and some warnings that they serve worse than now. Pods that do not restart
    keep what they have.
    """
    notes: dict[tuple[str, str | None], str] = {}
    for mistake in upgrade.new_mistakes(graph.key):
        name, slug, severity, message, hint = mistake
        component = graph.component(name)
        serves = severity != ERROR
        if component.verdict in (IN_PLACE, UNTOUCHED) or (serves and slug not in _DEGRADING):
            continue
        component.serving = DEGRADES if serves and component.serving != BREAKS else BREAKS
        component.mistakes.append(mistake)
        advice = f" Before the upgrade: {hint}." if hint else ""
        # Components with the same mistake share the sentence of the first.
        component.note(notes.setdefault((slug, hint), message + advice))


def _in_words(kind: str, steps: Steps) -> tuple[str, str]:
    """A field of an object in words, in full and for people."""
    short = short_steps(steps)
    return f"{kind} {format_steps(steps)}", short if short.startswith("pod") else f"{kind} {short}"


def _graph(upgrade: Upgrade, document: Document, key: Identity) -> GraphVerdict:
    graph = GraphVerdict(document, key, _component_names(document.value))
    subject = f"{key[1]}/{key[3]}"
    own = [
        item
        for item in upgrade.refusals
        if item.subject == subject and (item.place is None or item.place.file == document.file)
    ]
    if key not in upgrade.made_before:
        graph.state = NEW
    elif key in upgrade.blocked:
        graph.state = BLOCKED
    elif key not in upgrade.compared:
        graph.state = REFUSED if upgrade.new.running is None else STUCK
    graph.refused = own
    return graph


def _component_names(value: Tree) -> list[str]:
    spec = value.get("spec")
    if not isinstance(spec, dict):
        # Refused for that; its name is all there is.
        spec = {}
    services, components = spec.get("services"), spec.get("components")
    if isinstance(services, dict):
        return list(services)
    if isinstance(components, list):
        return [str(item.get("name", "")) for item in components if isinstance(item, dict)]
    # A component on its own is known by its service's name.
    return [str(spec.get("serviceName") or spec.get("name") or (value.get("metadata") or {}).get("name", ""))]


def _judge_object(graph: GraphVerdict, item: ObjectChange, upgrade: Upgrade, reasons: Reasons | None) -> None:
    for part in item.parts:
        component = graph.component(part.component)
        component.restarted.add(part.restarted)
        component.started.add(part.started)
        component.stopped.add(part.stopped)
        component.peak.add(part.peak)
    if item.old is None or item.new is None:
        _judge_made(graph.component(_component(item)), item, reasons, upgrade.old.release)
        return
    if item.effect == RECREATES:
        # One field holds the whole object back, and with it all of its pods.
        for part in item.parts:
            component = graph.component(part.component)
            component.take(RECREATES)
            component.note(
                f"{_title(item)} must be deleted so that the operator creates it again; until then, it does not change."
            )
    lost = lost_claims(item)
    for name, claims in lost.items():
        for claim, places in claims.items():
            _take_lost(graph.component(name), claim, places, upgrade.new.release)
    if item.renamed:
        _judge_generation(graph.component(_component(item)), item, upgrade, reasons)
    for change in item.changes:
        if not change.applied or change.effect == ORDER:
            continue
        reason = reasons.of_change(item, change) if reasons else None
        field, short = _in_words(item.one["kind"], change.steps)
        for component in _touched(graph, item, change):
            if is_of_claim(change, lost.get(component.name) or {}):
                continue
            old, new = (shown(item.one["kind"], change, value) for value in (change.old, change.new))
            component.take(_VERDICTS[change.effect], reason, field, short, (old, new))
            if change.effect == RECREATES and change.note:
                component.note(f"{_title(item)}: {change.note}")


def _take_lost(component: ComponentVerdict, claim: str, places: list[str], new: Release) -> None:
    where = ", ".join(f"volumeMounts[{place}]" for place in places)
    text = f"Release {new.name} does not mount the claim: its API does not have the field that the earlier release read"
    component.take(LOST, Reason("lost", claim, text), f"pod {where}", values=(f"claim {claim}", None))
    component.note(f"The claim {claim} is no longer mounted at {', '.join(places)}: pods start without its data.")


def _judge_made(component: ComponentVerdict, item: ObjectChange, reasons: Reasons | None, old: Release) -> None:
    """An object that one release makes and the other one doesn't."""
    reason = reasons.of_object(item) if reasons else None
    if item.old is None:
        component.take(IN_PLACE, reason, f"{_title(item)} (new)")
    elif item.orphaned:
        is_deleted_claim = item.one["kind"] == "PersistentVolumeClaim" and old.has("storage/claims-of-components")
        component.take(LOST if is_deleted_claim else ORPHANED, reason, _title(item))
        component.stays.add(item.stays)
        component.note(f"{_title(item)} is no longer created; {_keeper(item.one, old)}.")
    else:
        component.take(IN_PLACE, reason, f"{_title(item)} (deleted)")


def _keeper(value: Tree, old: Release) -> str:
    """Who decides about an object that no operator makes any more."""
    if value["kind"] == "PersistentVolumeClaim" and old.has("storage/claims-of-components"):
        return (
            "its DynamoComponentDeployment owns it, and Kubernetes deletes both together. A new worker "
            "generation replaces the DynamoComponentDeployment of the old one: remove the owner reference from "
            "the claim first"
        )
    return "nothing deletes it"


def _judge_generation(
    component: ComponentVerdict, item: ObjectChange, upgrade: Upgrade, reasons: Reasons | None
) -> None:
    generation = next((found for found in upgrade.comparison.generations if item in found.objects), None)
    if generation is None:
        return
    field = f"worker generation {generation.old or 'without a hash'} -> {generation.new or 'without a hash'}"
    stays = item.stays
    component.take(ORPHANED if stays else ROLLS, reasons.of_generation() if reasons else None, field)
    if stays:
        assert item.old is not None
        component.stays.add(stays)
        deployment = item.old["metadata"]["name"].removesuffix("-0")
        restarted = item.total("restarted")
        if restarted:
            component.note(
                f"Release {upgrade.new.release.name} rewrites {_title_of(item.old)} of the old generation while it "
                "starts the new one: nothing serves until one of the two is ready."
            )
        component.note(
            f"The operator keeps the old generation next to the new one: {amount_verb(stays, 'stay')} until you delete "
            f"DynamoComponentDeployment/{deployment}."
        )


def _touched(graph: GraphVerdict, item: ObjectChange, change: Change) -> Iterator[ComponentVerdict]:
    """The components that a change of an object concerns: of a PodCliqueSet, those of the clique or scaling group."""
    if item.one["kind"] not in GROVE_SETS:
        yield graph.component(_component(item))
        return
    names = dict.fromkeys(_clique_components(item, change))
    if not names:
        # What concerns the whole set restarts, or holds back, all of its pods.
        names = dict.fromkeys(part.component for part in item.parts)
        if change.effect not in (ROLLS, RECREATES):
            names = {"": None}
    for name in names:
        yield graph.component(name)


def _clique_components(item: ObjectChange, change: Change) -> Iterator[str]:
    step = change.steps[3] if len(change.steps) > 3 else None
    if not isinstance(step, tuple):
        return
    template = item.one["spec"]["template"]
    cliques = {step[1]}
    if change.steps[2] == "podCliqueScalingGroups":
        groups = template.get("podCliqueScalingGroups") or ()
        cliques = {name for group in groups if group["name"] == step[1] for name in group.get("cliqueNames") or ()}
    for clique in template.get("cliques") or ():
        if clique["name"] in cliques:
            yield (clique.get("labels") or {}).get(COMPONENT_LABEL, "")


def _component(item: ObjectChange) -> str:
    name = component_of(item.one)
    if name or item.one["kind"] != "PodGroup":
        return name
    # The gang of a LeaderWorkerSet carries no label of its component; it is called like that.
    return next((part.component for part in item.parts), "")


def _title(item: ObjectChange) -> str:
    return _title_of(item.one)


def _title_of(value: Tree) -> str:
    return f"{value['kind']}/{value['metadata'].get('name', '')}"
