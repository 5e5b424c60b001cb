"""Two sets of objects: which belong together, what differs, what that does, and how many pods it touches."""

from __future__ import annotations

from dataclasses import dataclass

from dynamoc.analysis.compare.applied import (
    filled,
    is_export,
    is_of_graph,
    is_orphaned,
    settle_applied,
    settle_unattended,
)
from dynamoc.analysis.compare.default_pods import with_own
from dynamoc.analysis.compare.effects import Generations, count_pods, is_of_generation, is_same_but_for, judge
from dynamoc.analysis.compare.pod_counts import Claims, gpu_claims
from dynamoc.analysis.compare.result import Change, Comparison, Generation, ObjectChange
from dynamoc.analysis.compare.trees import compare_trees, is_same
from dynamoc.analysis.compare.uncompared import Pattern, is_ignored
from dynamoc.documents.findings.finding import Finding
from dynamoc.kube.names import GROVE_SETS, Identity, Tree, identity
from dynamoc.reference.releases import Release


class Terms:
    """What a comparison depends on beside the objects.

    release  the operator that brings the new objects into the cluster
    given    identities of objects that the user applies himself, past the operator
    owned    identities of old objects whose graph or component is on the new side as well: what the operator does not
             make of it any more, nobody deletes
    ignores  changes to leave out
    attended whether an operator runs, which removes old generations and hands changes on
    rewrites whether it is another release than before, which writes what is left of old generations, too
    claims   GPUs of claim templates in the cluster, which neither side has
    """

    def __init__(
        self,
        release: Release,
        given: frozenset[Identity] = frozenset(),
        owned: frozenset[Identity] = frozenset(),
        ignores: list[str] | None = None,
        *,
        attended: bool = True,
        rewrites: bool = False,
        claims: Claims | None = None,
    ) -> None:
        self.rewrites = rewrites
        self.claims = claims or {}
        self.release = release
        self.given = given
        self.owned = owned
        self.ignores = [Pattern(text) for text in ignores or ()]
        self.attended = attended


def compare(old: list[Tree], new: list[Tree], terms: Terms) -> Comparison:
    """The differences between two renderings, in the order of the new one; what only the old one has comes last."""
    old, new = with_own(old), with_own(new)
    comparison = Comparison()
    generations = Generations(old, new)
    side = _Sides(old, new, generations, terms)
    for before, after in _pairs(old, new, generations):
        if _is_foreign(before, after):
            comparison.foreign.append(before or after or {})
            continue
        item = side.compare(before, after)
        if item is None:
            comparison.unchanged += 1
            continue
        comparison.objects.append(item)
    comparison.generations = [item for item in generations.changed.values() if item.objects]
    comparison.ignored = [(pattern.text, pattern.count) for pattern in terms.ignores]
    return comparison


def _is_foreign(old: Tree | None, new: Tree | None) -> bool:
    """Whether one side alone has the object, as part of an export that shows more of a cluster than graphs."""
    alone = old if new is None else new if old is None else None
    return alone is not None and is_export(alone) and not is_of_graph(alone)


class _Sides:
    """The two sets of objects that are being compared."""

    def __init__(self, old: list[Tree], new: list[Tree], generations: Generations, terms: Terms) -> None:
        self._generations = generations
        self._terms = terms
        self._old_claims, self._new_claims = ({**terms.claims, **gpu_claims(side)} for side in (old, new))
        self._grove = {item["metadata"].get("namespace") for item in new if item.get("kind") in GROVE_SETS}

    def compare(self, old: Tree | None, new: Tree | None) -> ObjectChange | None:
        """The difference between two objects that belong together, None where there is none to tell."""
        if old is None or new is None:
            item = ObjectChange(old, new, [])
        else:
            found = self._changes(old, new)
            if found is None:
                return None
            item = found
        left, rewrites = self._left_behind(item), self._terms.rewrites
        if old is not None and new is None:
            item.orphaned = (left is not None and not rewrites) or not self._terms.attended
            item.orphaned = item.orphaned or (identity(old) in self._terms.owned and is_orphaned(old))
        count_pods(item, self._old_claims, self._new_claims, beside=left is not None, rewrites=rewrites)
        if left is not None:
            left.stays.add(item.stays)
            left.attended = self._terms.attended
        return item

    def _left_behind(self, item: ObjectChange) -> Generation | None:
        """The generation that comes beside the workers of an old object, where the operator lets these run on."""
        attended = self._terms.attended
        if item.old is None or (attended and not self._terms.release.has("rollout/leaves-multinode-generation")):
            return None
        if item.new is not None:
            generation = self._generations.of(item.old, item.new) if item.renamed else None
        else:
            # The groups of a component have been one object since, which keeps their number.
            generation = self._generations.of_old(item.old) if item.old["kind"] == "LeaderWorkerSet" else None
        if generation is None or (attended and not self._generations.is_multinode(generation)):
            return None
        return generation

    def _changes(self, old: Tree, new: Tree) -> ObjectChange | None:
        if is_same(old, new):
            return None
        old, new = filled(old, new)
        renamed = old["metadata"].get("name") != new["metadata"].get("name")
        generation = self._generations.of(old, new) if renamed else self._generations.within(new)
        same_text = (lambda a, b: is_same_but_for(generation, a, b)) if generation else None
        changes = compare_trees(old, new, same_text)
        if generation:
            changes = [change for change in changes if not is_of_generation(change, generation)]
        kind, name = new["kind"], new["metadata"].get("name", "")
        changes = [change for change in changes if not is_ignored(self._terms.ignores, kind, name, change)]
        if not changes and not renamed:
            return None
        item = ObjectChange(old, new, changes, renamed=renamed)
        for change in changes:
            self._judge(change, old, renamed=renamed)
        item.settle()
        if generation and renamed:
            generation.objects.append(item)
        return item

    def _judge(self, change: Change, old: Tree, *, renamed: bool) -> None:
        judge(old["kind"], change, old)
        # A renamed object is made anew: everything reaches it.
        if not renamed and identity(old) not in self._terms.given:
            on_grove = old["metadata"].get("namespace") in self._grove
            settle_applied(change, old, self._terms.release, on_grove=on_grove)
        if not self._terms.attended:
            settle_unattended(change, old)


def _pairs(old: list[Tree], new: list[Tree], generations: Generations) -> list[tuple[Tree | None, Tree | None]]:
    """Objects of one identity; and those whose identities differ by the hash of a worker generation."""
    before = {identity(item): item for item in old}
    after = [(identity(item), item) for item in new]
    lasting = {key for key, _ in after}
    renamed: dict[Identity, Tree | None] = {}
    for key, item in before.items():
        if key not in lasting:
            timeless = generations.timeless(item, new=False)
            # Two objects that differ in their hash only cannot be told apart without it.
            renamed[timeless] = None if timeless in renamed else item
    pairs: list[tuple[Tree | None, Tree | None]] = []
    taken: set[Identity] = set()
    for key, item in after:
        found = before.get(key) or renamed.pop(generations.timeless(item, new=True), None)
        if found is not None:
            taken.add(identity(found))
        pairs.append((found, item))
    return pairs + [(item, None) for key, item in before.items() if key not in taken]


@dataclass(eq=False, slots=True)
class Conditions:
    """The release and the target that objects were rendered for, and the findings.

    release   `1.4`; of an upgrade, `1.0 → 1.4`
    target    `grove`, and what `auto` came to
    """

    release: str
    target: str
    findings: list[Finding]

    def text(self) -> str:
        return f"Operator {self.release}, target {self.target}"


def target_text(target: str, objects: list[Tree]) -> str:
    """The target, and for `auto` what runs the pods of the objects."""
    if target != "auto":
        return target
    kinds = {item.get("kind") for item in objects}
    if kinds & {*GROVE_SETS}:
        return "grove (auto)"
    return "lws (auto)" if "LeaderWorkerSet" in kinds else "plain (auto)" if "Deployment" in kinds else "auto"
