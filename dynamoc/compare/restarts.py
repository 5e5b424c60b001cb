"""From the changes of an object to what happens to its pods."""

from __future__ import annotations

from dynamoc.compare.pod_counts import pods_of
from dynamoc.compare.result import ADDS, RECREATES, REMOVES, ROLLS, Amount, Part
from dynamoc.kube.lenient import mapping
from dynamoc.kube.scope import GROVE_SETS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from dynamoc.compare.pod_counts import Claims, Pods
    from dynamoc.compare.result import Change, ObjectChange


def count_pods(
    item: ObjectChange, old_claims: Claims, new_claims: Claims, *, beside: bool = False, rewrites: bool = False
) -> None:
    """Set the parts of an object that differs: pods that restart, that start, and that stop for good; what stays of an
    old object that is not wanted any more; and the most pods that exist at once.

    With `beside`, the new object comes beside the old one. With `rewrites`, the operator writes the old one, too, as it
    writes all components that it finds: its pods restart, and one object takes over the replicas of all.
    Source: controller/dynamocomponentdeployment_controller.go reconcileLeaderWorkerSetResources of f7f37be17.
    """
    before = {pods.name: pods for pods in pods_of(item.old, old_claims)} if item.old else {}
    after = {pods.name: pods for pods in pods_of(item.new, new_claims)} if item.new else {}
    restarting, unscaled = _restarting(item, before), _unscaled(item)
    remade = beside and rewrites and any(change.effect == ROLLS for change in item.changes)
    for name in {**before, **after}:
        old, new = before.get(name), after.get(name)
        found = new or old
        assert found is not None
        part = Part(name, found.component)
        item.parts.append(part)
        had, has = old.amount if old else Amount(), new.amount if new else Amount()
        if old and has.pods and unscaled & {name, found.group}:
            has = Amount(had.pods, has.gpus // has.pods * had.pods)
        # Those that stay are replaced one by one; the others come or go once.
        kept = Amount(min(had.pods, has.pods), had.gpus if had.pods <= has.pods else has.gpus)
        if beside and rewrites:
            part.restarted = kept if remade else Amount()
            part.started, part.stopped = _beyond(has, kept, remade=remade), _beyond(had, kept, remade=remade)
            part.started.add(has)
            item.stays.add(has)
            _add(part.peak, has, has)
            continue
        if item.effect in (ADDS, REMOVES) or beside:
            kept = Amount()
        if beside or item.orphaned:
            item.stays.add(had)
            part.peak.add(had)
            had = Amount()
        if name in restarting:
            part.restarted = kept
        part.started, part.stopped = (_beyond(side, kept, remade=name in restarting) for side in (has, had))
        _add(part.peak, *_most(item, had, has, rolls=name in restarting))


def _add(total: Amount, *amounts: Amount) -> None:
    for amount in amounts:
        total.add(amount)


def _most(item: ObjectChange, had: Amount, has: Amount, *, rolls: bool) -> Iterator[Amount]:
    """What exists at once while an object changes: of a Deployment that rolls, also the pods beyond its number."""
    if item.effect == RECREATES:
        yield had
        return
    yield had if (had.pods, had.gpus) > (has.pods, has.gpus) else has
    if rolls and item.one["kind"] == "Deployment" and has.pods:
        surge = min(_surge(item.one, has.pods), has.pods)
        yield Amount(surge, has.gpus // has.pods * surge)


def _surge(deployment: dict[str, Any], replicas: int) -> int:
    """Pods beyond the number of a Deployment while it rolls: a quarter, rounded up, unless it says something else."""
    strategy = mapping(deployment, "spec", "strategy")
    if strategy.get("type") == "Recreate":
        return 0
    most = mapping(strategy, "rollingUpdate").get("maxSurge", "25%")
    share = str(most).removesuffix("%")
    if not share.isascii() or not share.isdecimal():
        return 0
    return -(-replicas * int(share) // 100) if str(most).endswith("%") else int(share)


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
