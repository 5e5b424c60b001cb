"""What a comparison says, as data, and values as people and programs may see them: what is secret never leaves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any

from dynamoc.documents.emit.yaml import json_line
from dynamoc.documents.findings.answers import OneOf
from dynamoc.documents.findings.finding import Place
from dynamoc.documents.findings.text import one_line as printable_line
from dynamoc.kube.merge import Tree
from dynamoc.kube.secrets import HIDDEN, is_confidential, names_a_secret, without_secrets

RESTARTS, STARTS, STOPS = "restarts", "starts", "stops"

Step = str | int | tuple[str, str]
Steps = tuple[Step, ...]

# what a change does in a cluster
ADDS, REMOVES = "adds", "removes"
RECREATES = "recreates"
ROLLS = "rolls"
SCALES = "scales"
IN_PLACE = "in-place"
#: only the order of a list differs, and nothing in Kubernetes looks at it
ORDER = "order"

#: of the changes of one object, the first of these that occurs is what happens to the object
SEVERITY = (ADDS, REMOVES, RECREATES, ROLLS, SCALES, IN_PLACE, ORDER)

#: how a field changed
ADDED, REMOVED, CHANGED, REORDERED = "added", "removed", "changed", "reordered"


@dataclass(eq=False, slots=True)
class Change:
    """One field that differs.

    steps     where, see `dynamoc.analysis.compare.trees`
    how       added, removed, changed or reordered
    old, new  the values; None without one
    effect    what it does in a cluster, of SEVERITY
    applied   whether the operator applies it to an object that exists
    note      why that is so, or None
    """

    steps: Steps
    how: str
    old: Any = None
    new: Any = None
    note: str | None = field(default=None, kw_only=True)
    effect: str = IN_PLACE
    applied: bool = True


@dataclass(eq=False, slots=True)
class Amount:
    """Pods, and the GPUs that they hold; GPUs without pods are those that pods get or give up when they restart."""

    pods: int = 0
    gpus: int = 0

    def __add__(self, other: Amount) -> Amount:
        return Amount(self.pods + other.pods, self.gpus + other.gpus)

    def add(self, other: Amount) -> None:
        self.pods += other.pods
        self.gpus += other.gpus

    def __bool__(self) -> bool:
        return bool(self.pods or self.gpus)


@dataclass(eq=False, slots=True)
class Part:
    """Pods of one template in a workload, and what happens to them.

    name       of the clique, or the kind's own word for it
    component  of the graph, "" where the pods carry no such label
    peak       the most pods that exist at once while the change happens
    """

    KEYS = "name component? restarted started stopped"
    name: str
    component: str
    restarted: Amount = field(default_factory=Amount)
    started: Amount = field(default_factory=Amount)
    stopped: Amount = field(default_factory=Amount)
    peak: Amount = field(default_factory=Amount)


class ObjectChange:
    """One object that differs.

    old, new    the object on both sides, None where it is not there
    changes     its fields; none for an object that is added or removed
    parts       what happens to its pods
    renamed     whether it belongs to a new worker generation, and differs in name for that reason only
    stays       what keeps running of the old object, where the operator makes the new one beside it
    orphaned    whether it is not made any more, and stays in the cluster all the same
    effect      of SEVERITY
    """

    def __init__(self, old: Tree | None, new: Tree | None, changes: list[Change], *, renamed: bool = False) -> None:
        self.old = old
        self.new = new
        self.changes = changes
        self.parts: list[Part] = []
        self.stays = Amount()
        self.orphaned = False
        self.renamed = renamed
        self.effect = ADDS if old is None else REMOVES if new is None else ROLLS if renamed else _worst(changes)

    @property
    def one(self) -> Tree:
        """The object as it stands on the side that has it, the new one first."""
        found = self.new if self.new is not None else self.old
        assert found is not None
        return found

    @property
    def is_kept(self) -> bool:
        """Whether it stays as it is, because nothing brings its changes into an object that exists."""
        return not self.renamed and bool(self.changes) and not any(change.applied for change in self.changes)

    def settle(self) -> None:
        """Take the effect from the changes, once these have theirs."""
        if self.old is not None and self.new is not None and not self.renamed:
            self.effect = _worst(self.changes)

    def total(self, what: str) -> Amount:
        """All parts together: `restarted`, `started` or `stopped`."""
        return sum((getattr(part, what) for part in self.parts), Amount())


@dataclass(eq=False, slots=True)
class Generation:
    """Workers of a graph under another hash: new names, labels and environment, and new pods.

    stays    what the operator leaves running of the old generation: nothing, where it replaces one by the other
    attended whether the operator runs; where it does not, what stays are workloads, not components
    """

    namespace: str
    graph: str
    old: str
    new: str
    objects: list[ObjectChange] = field(default_factory=list)
    stays: Amount = field(default_factory=Amount)
    attended: bool = True


@dataclass(eq=False, slots=True)
class RefusedUpdate:
    """A change of an input document that the API server takes on creation only."""

    kind: str
    namespace: str
    name: str
    steps: Steps
    message: str
    hint: str


@dataclass(eq=False, slots=True)
class Comparison:
    """Objects that differ, in install order; and what was left out of account."""

    #: documents of either side that could not be rendered
    skipped: list[Skipped] = field(default_factory=list)
    objects: list[ObjectChange] = field(default_factory=list)
    #: objects of an export that no graph makes and the other side does not have
    foreign: list[Tree] = field(default_factory=list)
    generations: list[Generation] = field(default_factory=list)
    refused: list[RefusedUpdate] = field(default_factory=list)
    #: patterns with the number of changes that each kept out, in the order of the list
    ignored: list[tuple[str, int]] = field(default_factory=list)
    unchanged: int = 0
    #: changed lines of the input with what they cost; None where it is not asked for, or the input is an export
    lines: list[ChangedLine] | None = None

    @property
    def same(self) -> bool:
        """Whether nothing differs but the order of lists in which it has no meaning."""
        return not self.refused and all(item.effect == ORDER for item in self.objects)

    def counts(self) -> dict[str, int]:
        """Objects by effect, all effects in the order of SEVERITY; those that are kept count by what would happen."""
        counts = dict.fromkeys(SEVERITY, 0)
        for item in self.objects:
            counts[item.effect] += 1
        return counts

    def total(self, what: str) -> Amount:
        return sum((item.total(what) for item in self.objects), Amount())


def _worst(changes: list[Change]) -> str:
    found = {change.effect for change in changes if change.applied} or {change.effect for change in changes} - {
        RECREATES,
        ROLLS,
        SCALES,
    }
    return next((effect for effect in SEVERITY if effect in found), IN_PLACE)


_WIDTH = 100
_CUT = "..."


def shown(kind: str, change: Change, value: Any) -> Any:
    """The value of a change, without the content of Secrets and the values of secret variables."""
    if value is None:
        return None
    if is_confidential(kind, change.steps) or _is_of_secret_variable(change.steps):
        return HIDDEN
    return without_secrets(value)


def _is_of_secret_variable(steps: Steps) -> bool:
    """Whether a path ends with the value of a variable whose name says that it is secret."""
    if len(steps) < 2 or steps[-1] != "value":
        return False
    element = steps[-2]
    return isinstance(element, tuple) and element[0] == "name" and names_a_secret(element[1])


def one_line(value: Any, width: int = _WIDTH) -> str:
    """A value in one line: scalars as YAML would quote them, trees in JSON, cut where they are long."""
    text = full_line(value)
    return text if len(text) <= width else text[: width - len(_CUT)] + _CUT


def full_line(value: Any) -> str:
    """The same, of any length: two values that differ never give the same line."""
    text = value if isinstance(value, str) else json_line(value)
    if isinstance(value, str) and (not value or value != value.strip() or "\n" in value or _looks_typed(value)):
        text = json_line(value)
    # Named, not masked: two texts may differ in these only.
    return printable_line(text)


def two_lines(old: Any, new: Any, width: int = _WIDTH) -> tuple[str, str]:
    """Two values that differ, each in one line. Long ones are cut around what differs."""
    left, right = full_line(old), full_line(new)
    return shortened(left, right, width), shortened(right, left, width)


def shortened(line: str, other: str, width: int = _WIDTH) -> str:
    """A line cut around what distinguishes it from another one."""
    if len(line) <= width and len(other) <= width:
        return line
    return _around(line, *_alike(line, other), width)


def likeness(left: str, right: str) -> int:
    """How many characters two lines share at their ends."""
    return sum(_alike(left, right))


def _alike(left: str, right: str) -> tuple[int, int]:
    """The lengths of what two texts begin and end with alike, which do not overlap."""
    shortest = min(len(left), len(right))
    before = next((at for at in range(shortest) if left[at] != right[at]), shortest)
    rest = shortest - before
    return before, next((at for at in range(rest) if left[-1 - at] != right[-1 - at]), rest)


def _around(text: str, before: int, behind: int, width: int) -> str:
    """The part of a text between two parts that the other text has as well, with as much of these as there is room."""
    middle = text[before : len(text) - behind]
    room = width - 2 * len(_CUT)
    if len(middle) > room:
        half = (room - len(_CUT)) // 2
        shown = middle[:half] + _CUT + middle[-half:]
        return (_CUT if before else "") + shown + (_CUT if behind else "")
    # Of the part before, enough to find the place again; the part behind takes what is left, and gives it back.
    lead = min(before, max((room - len(middle)) // 2, room - len(middle) - behind))
    trail = min(behind, room - len(middle) - lead)
    start, end = before - lead, len(text) - behind + trail
    return (_CUT if start else "") + text[start:end] + (_CUT if end < len(text) else "")


def _looks_typed(text: str) -> bool:
    """Strings that a reader would take for a number, a boolean or null."""
    if text in ("true", "false", "null"):
        return True
    try:
        float(text)
    except ValueError:
        return False
    return True


def count(number: int, one: str, many: str | None = None) -> str:
    """`1 pod`, `3 pods`"""
    return f"{number} {one if number == 1 else many or one + 's'}"


def amount_text(amount: Amount) -> str:
    """`4 pods, 32 GPUs`; GPUs only where there are some."""
    return count(amount.pods, "pod") + (f", {count(amount.gpus, 'GPU')}" if amount.gpus else "")


def amount_verb(amount: Amount, verb: str) -> str:
    """`1 pod restarts`; `4 pods, 32 GPUs restart`; `2 more GPUs needed` of pods that restart anyway"""
    if not amount.pods:
        needed = f"{amount.gpus} more GPU{'s' * (amount.gpus != 1)} needed"
        return needed if verb == "start" else f"{count(amount.gpus, 'GPU')} freed"
    return f"{amount_text(amount)} {verb}{'s' if amount.pods == 1 and not amount.gpus else ''}"


def pod_texts(total: Callable[[str], Amount]) -> list[str]:
    """What happens to pods: those that are restarted, started and stopped, in all."""
    verbs = (("restarted", "restart"), ("started", "start"), ("stopped", "stop"))
    return [amount_verb(amount, verb) for what, verb in verbs if (amount := total(what))]


@dataclass(eq=False, slots=True)
class Skipped:
    """A file, or a document of it, that is not compared.

    side     `old` or `new`
    file     as shown to the user, "" for what concerns no file
    subject  `Kind/name` of the document, None for a file that cannot be read
    reason   the first error
    """

    KEYS = "side file? subject reason"
    side: Annotated[str, OneOf("old", "new")]
    file: str
    subject: str | None
    reason: str

    def text(self) -> str:
        """`new.yaml (DynamoGraphDeployment/web): The field ... does not exist ...`"""
        what = f"{self.file} ({self.subject})" if self.subject and self.file else self.file or self.subject
        after = " Its objects are counted as new." if self.side == "old" else ""
        return f"{what or 'surroundings'}: {self.reason}{after}"


@dataclass(eq=False, slots=True)
class PodEffect:
    """What happens to the pods of one template."""

    KEYS = (
        "kind=item.one.kind namespace?=item.one.metadata.namespace name=item.one.metadata.name template=part.name"
        " component?=part.component effect=how pods=amount.pods gpus=amount.gpus"
    )
    how: Annotated[str, OneOf(RESTARTS, STARTS, STOPS)]
    item: ObjectChange
    part: Part
    amount: Amount


@dataclass(eq=False)
class ChangedLine:
    """What differs at one place of the input: a value, a block, a run of arguments.

    place    in the new file; in the old one for what only that one has
    last     the last line of it, as far as values begin there
    is_old   whether the place is in the old file
    kind     of the document
    changes  what differs; several where an anchor stands for several places
    effects  what happens to pods because of it
    joint    other lines that cause one of these effects as well
    removes  whether taking back this line alone removes all these effects
    alone    what would restart if only this line changed; where it is refused alone, if only the lines changed that
             cause no restart; None where that is refused as well
    refused  why the operator does not take it alone, None where it does
    update   why the API server refuses it as an update of what exists, None where it does not
    """

    place: Place
    kind: str
    is_old: bool = field(kw_only=True)
    changes: list[Change] = field(default_factory=list)
    effects: list[PodEffect] = field(default_factory=list)
    joint: list[ChangedLine] = field(default_factory=list)
    removes: bool = True
    alone: Amount | None = field(default_factory=Amount)
    refused: str | None = None
    update: str | None = None

    def __post_init__(self) -> None:
        self.last = self.place.line

    def total(self, how: str) -> Amount:
        return sum((effect.amount for effect in self.effects if effect.how == how), Amount())

    @property
    def is_free(self) -> bool:
        """Whether the line can be shipped without a restart, by itself."""
        return self.update is None and self.alone is not None and not self.alone and not self.total(RESTARTS)
