"""From the changes of an object to what happens to its pods."""

from __future__ import annotations

from dynamoc.compare.pod_counts import pods_of
from dynamoc.compare.result import ADDS, RECREATES, REMOVES, ROLLS, Amount, Part
from dynamoc.kube.scope import GROVE_SETS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.compare.pod_counts import Claims, Pods
    from dynamoc.compare.result import Change, ObjectChange


def count_pods(item: ObjectChange, old_claims: Claims, new_claims: Claims, *, beside: bool = False) -> Amount:
    """Set the parts of an object that differs: pods that restart, that start, and that stop for good.

    With `beside`, the new object comes beside the old one. The result is what stays of an old object, because of that
    or because nobody deletes it.
    """
    stays = Amount()
    before = {pods.name: pods for pods in pods_of(item.old, old_claims)} if item.old else {}
    after = {pods.name: pods for pods in pods_of(item.new, new_claims)} if item.new else {}
    restarting, unscaled = _restarting(item, before), _unscaled(item)
    for name in {**before, **after}:
        old, new = before.get(name), after.get(name)
        found = new or old
        assert found is not None
        part = Part(name, found.component)
        had, has = old.amount if old else Amount(), new.amount if new else Amount()
        if old and has.pods and unscaled & {name, found.group}:
            has = Amount(had.pods, has.gpus // has.pods * had.pods)
        # Those that stay are replaced one by one; the others come or go once.
        kept = Amount(min(had.pods, has.pods), had.gpus if had.pods <= has.pods else has.gpus)
        if item.effect in (ADDS, REMOVES) or beside:
            kept = Amount()
        if beside or item.orphaned:
            stays.add(had)
            had = Amount()
        if name in restarting:
            part.restarted = kept
        part.started, part.stopped = (_beyond(side, kept, remade=name in restarting) for side in (has, had))
        item.parts.append(part)
    return stays


def _beyond(side: Amount, kept: Amount, *, remade: bool) -> Amount:
    """The pods of a side beside those that are kept, and the GPUs; pods that run on hold what they hold."""
    pods = side.pods - kept.pods
    return Amount(pods, max(0, side.gpus - kept.gpus) if pods or remade else 0)


def _restarting(item: ObjectChange, before: dict[str, Pods]) -> set[str]:
    """Names of the templates whose pods are made anew."""
    if item.effect == RECREATES or item.renamed:
        return set(before)
    rolling = [change for change in item.changes if change.effect == ROLLS and change.applied]
    if not rolling:
        return set()
    if item.one["kind"] not in GROVE_SETS:
        # A LeaderWorkerSet has one revision for leaders and workers.
        return set(before)
    return _cliques(rolling, before)


def _unscaled(item: ObjectChange) -> set[str | None]:
    """Names of cliques and scaling groups whose new replicas reach no pods."""
    left = [change.steps for change in item.changes if not change.applied and change.steps[-1] == "replicas"]
    return {step[1] for steps in left for step in steps[3:4] if isinstance(step, tuple)}


def _cliques(rolling: list[Change], before: dict[str, Pods]) -> set[str]:
    """The cliques that changed, and their companions: a replica of a scaling group is replaced as a whole."""
    changed: set[str] = set()
    for change in rolling:
        step = change.steps[3] if len(change.steps) > 3 else None
        if not isinstance(step, tuple):
            return set(before)
        changed.add(step[1])
    groups = {before[name].group for name in changed if name in before} - {None}
    return changed | {name for name, pods in before.items() if pods.group in groups}
