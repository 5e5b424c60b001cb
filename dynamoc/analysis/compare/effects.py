"""What a changed field does: which fields of a kind cannot change, which ones roll pods, which ones scale.

Sources: Kubernetes pkg/apis/{apps,batch,core,rbac}/validation (immutable fields); LeaderWorkerSet
pkg/webhooks/leaderworkerset_webhook.go and pkg/utils/revision/revision_utils.go getPatch (what makes a revision);
Grove operator/internal/webhook/admission/pcs/validation/podcliqueset.go (validatePodCliqueUpdate,
validatePodCliqueScalingGroupConfigsUpdate, validateTopologyConstraintsUpdate) and
operator/internal/controller/common/component/utils/podclique.go ComputePCLQPodTemplateHash (what a clique's pods are
recognised by).

A generation of workers is a hash in names, labels and environment, which changes with the workers' specs. What differs
by the hash alone is one change of the graph, not a removal and an addition of every object.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dynamoc.analysis.compare import result
from dynamoc.analysis.compare.pod_counts import Claims, Pods, pods_of
from dynamoc.analysis.compare.result import Amount, Change, Generation, ObjectChange, Part, Steps
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import GRAPH_LABEL, GROVE_SETS, WORKER_HASH_LABEL, Identity, identity, mapping

Verdict = tuple[str, str | None]
"""An effect, and why where that is not plain."""

Graph = tuple[str, str]
"""(namespace, name)"""

_GROVE = "Grove refuses the update: {} cannot change while the PodCliqueSet exists"

Fields = tuple[tuple[Steps, str, str | None], ...]
"""Fields, what a change at or below them does, and why; the first that fits counts."""

_CONTENT = ("data", "binaryData", "stringData", "immutable")


def _immutable(kind: str, *fields: str) -> Fields:
    return tuple((("spec", field), result.RECREATES, f"{field} of a {kind} is immutable") for field in fields)


_ROLE = "the role of a binding is immutable; the operator deletes the binding and creates it again"
_CLUSTER_IP = "the cluster IP of a Service is immutable, and so is being headless"
_DEPLOYMENT: Fields = (
    (("spec", "selector"), result.RECREATES, "the selector of a Deployment is immutable"),
    (("spec", "template"), result.ROLLS, None),
    (("spec", "replicas"), result.SCALES, None),
)
_POD_CLIQUE_SET: Fields = (
    (("spec", "replicas"), result.SCALES, None),
    (("spec", "template", "priorityClassName"), result.ROLLS, "part of every pod"),
    *(
        (("spec", "template", field), result.RECREATES, _GROVE.format(field))
        for field in ("cliqueStartupType", "topologyConstraint", "resourceClaimTemplates", "resourceSharing")
    ),
)
_GROUP = ("spec", "leaderWorkerTemplate")
_FIELDS: dict[str, Fields] = {
    "Deployment": _DEPLOYMENT,
    "DaemonSet": _DEPLOYMENT,
    "StatefulSet": (
        *_immutable("StatefulSet", "serviceName", "podManagementPolicy", "volumeClaimTemplates"),
        *_DEPLOYMENT,
    ),
    "Job": (
        *_immutable("Job", "template", "selector", "completions", "completionMode", "podFailurePolicy"),
        *_immutable("Job", "backoffLimitPerIndex"),
    ),
    "PersistentVolumeClaim": (
        (("spec", "resources", "requests"), result.IN_PLACE, None),
        (("spec", "volumeAttributesClassName"), result.IN_PLACE, None),
        (("spec",), result.RECREATES, "the spec of a claim is immutable, except for a larger storage request"),
    ),
    "Service": (
        (("spec", "clusterIP"), result.RECREATES, _CLUSTER_IP),
        (("spec", "clusterIPs"), result.RECREATES, _CLUSTER_IP),
    ),
    "RoleBinding": ((("roleRef",), result.RECREATES, _ROLE),),
    "ClusterRoleBinding": ((("roleRef",), result.RECREATES, _ROLE),),
    "ConfigMap": ((("type",), result.RECREATES, "the type of a Secret is immutable"),),
    "Secret": ((("type",), result.RECREATES, "the type of a Secret is immutable"),),
    "LeaderWorkerSet": (
        (("spec", "replicas"), result.SCALES, None),
        (("spec", "networkConfig"), result.ROLLS, "part of the revision"),
        ((*_GROUP, "size"), result.ROLLS, "LeaderWorkerSet before 0.7 refuses a different size"),
        ((*_GROUP, "subGroupPolicy"), result.RECREATES, "the sub-group policy of a LeaderWorkerSet is immutable"),
        (_GROUP, result.ROLLS, None),
    ),
    "PodCliqueSet": _POD_CLIQUE_SET,
    "PodGangSet": _POD_CLIQUE_SET,
    "ResourceClaimTemplate": ((("spec",), result.RECREATES, "the spec of a ResourceClaimTemplate is immutable"),),
}


def judge(kind: str, change: Change, old: Tree) -> None:
    """Set the effect of a change of an object that exists on both sides; `old` is the object before."""
    if change.how == result.REORDERED and change.effect == result.ORDER:
        return
    change.effect, why = _verdict(kind, change, old)
    change.note = change.note or why


def _verdict(kind: str, change: Change, old: Tree) -> Verdict:
    steps = change.steps
    if kind in GROVE_SETS and steps[:3] == ("spec", "template", "cliques"):
        return _clique(steps, change, old)
    if kind in GROVE_SETS and steps[:3] == ("spec", "template", "podCliqueScalingGroups"):
        return _scaling_group(steps)
    if kind in ("ConfigMap", "Secret") and old.get("immutable") is True and steps[0] in _CONTENT:
        return result.RECREATES, "the object sets `immutable: true`"
    fields = _FIELDS.get(kind, ())
    return next(((effect, why) for at, effect, why in fields if steps[: len(at)] == at), (result.IN_PLACE, None))


def _clique(steps: Steps, change: Change, old: Tree) -> Verdict:
    if change.how == result.REORDERED and len(steps) == 3:
        return result.ORDER, None
    if len(steps) <= 4:
        word = "added" if change.how == result.ADDED else "removed"
        return result.RECREATES, f"Grove refuses the update: no clique can be {word} while the PodCliqueSet exists"
    if steps[4] in ("labels", "annotations") or steps[4:6] == ("spec", "podSpec"):
        return (result.ROLLS, None) if _updates_pods(old) else (result.IN_PLACE, "the update strategy is OnDelete")
    if steps[4:6] == ("spec", "replicas"):
        return result.SCALES, None
    if steps[4] == "topologyConstraint" or steps[4:6] in (
        ("spec", "minAvailable"),
        ("spec", "roleName"),
        ("spec", "startsAfter"),
    ):
        return result.RECREATES, _GROVE.format(f"{steps[5] if steps[4] == 'spec' else steps[4]} of a clique")
    return result.IN_PLACE, None


def _updates_pods(pod_clique_set: Tree) -> bool:
    strategy = (pod_clique_set.get("spec") or {}).get("updateStrategy") or {}
    return strategy.get("type") != "OnDelete"


def _scaling_group(steps: Steps) -> Verdict:
    if len(steps) <= 4:
        return result.RECREATES, _GROVE.format("the set of scaling groups")
    if steps[4] == "replicas":
        return result.SCALES, None
    if steps[4] in ("cliqueNames", "minAvailable", "resourceSharing", "topologyConstraint"):
        return result.RECREATES, _GROVE.format(f"{steps[4]} of a scaling group")
    return result.IN_PLACE, None


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
    remade = beside and rewrites and any(change.effect == result.ROLLS for change in item.changes)
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
        if item.effect in (result.ADDS, result.REMOVES) or beside:
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
    if item.effect == result.RECREATES:
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
    """Names of the templates whose pods are created again."""
    if item.effect == result.RECREATES or item.renamed:
        return set(before)
    rolling = [change for change in item.changes if change.effect == result.ROLLS and change.applied]
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


_SUFFIX_VARIABLE = "DYN_NAMESPACE_WORKER_SUFFIX"


def labels_of(value: Tree) -> dict[str, str]:
    return (value.get("metadata") or {}).get("labels") or {}


class Generations:
    """The worker generations of both sides, by graph; "" where the workers of a graph carry no hash."""

    def __init__(self, old: list[Tree], new: list[Tree]) -> None:
        self._old, self._new = _hashes(old), _hashes(new)
        graphs = {**self._old, **self._new}
        # A graph that is new, or gone, has no new generation.
        lasting = _graphs(old) & _graphs(new)
        self.changed: dict[Graph, Generation] = {
            graph: Generation(*graph, self._old.get(graph, ""), self._new.get(graph, ""))
            for graph in graphs
            if graph in lasting and self._old.get(graph, "") != self._new.get(graph, "")
        }
        self._multinode = _graphs(old, "LeaderWorkerSet") | _graphs(new, "LeaderWorkerSet")
        self._by_namespace: dict[str, list[Generation]] = {}
        for (namespace, _), generation in self.changed.items():
            self._by_namespace.setdefault(namespace, []).append(generation)

    def timeless(self, value: Tree, *, new: bool) -> Identity:
        """The identity of an object without the hash of its generation."""
        group, kind, namespace, name = identity(value)
        for generation in self._by_namespace.get(namespace, ()):
            digest = generation.new if new else generation.old
            if digest and f"-{digest}" in name:
                name = name.replace(f"-{digest}", "", 1)
        return group, kind, namespace, name

    def of(self, old: Tree, new: Tree) -> Generation | None:
        """The new generation that two objects of different names belong to."""
        namespace = (new.get("metadata") or {}).get("namespace") or ""
        name = (new.get("metadata") or {}).get("name") or ""
        before = (old.get("metadata") or {}).get("name") or ""
        for generation in self._by_namespace.get(namespace, ()):
            if is_same_but_for(generation, before, name):
                return generation
        return None

    def of_old(self, old: Tree) -> Generation | None:
        """The changed generation whose old hash is in the name of an object."""
        metadata = old.get("metadata") or {}
        candidates = self._by_namespace.get(metadata.get("namespace") or "", ())
        return next((item for item in candidates if item.old and f"-{item.old}" in metadata.get("name", "")), None)

    def is_multinode(self, generation: Generation) -> bool:
        """Whether the graph has LeaderWorkerSets, whose generations the operator does not roll from one to the next."""
        return (generation.namespace, generation.graph) in self._multinode

    def within(self, new: Tree) -> Generation | None:
        """The changed generation of the graph that an object belongs to."""
        namespace = (new.get("metadata") or {}).get("namespace") or ""
        return self.changed.get((namespace, labels_of(new).get(GRAPH_LABEL, "")))


def is_same_but_for(generation: Generation, old: str, new: str) -> bool:
    """Whether two texts differ in the hash only."""
    if old == new:
        return True
    return without(old, generation.old) == without(new, generation.new)


def without(text: str, digest: str) -> str:
    """The text without the hash, and without the dash in front of it."""
    return text.replace(f"-{digest}", "").replace(digest, "") if digest else text


def is_of_generation(change: Change, generation: Generation) -> bool:
    """A label or variable that says the hash alone, and came or went with it."""
    last = change.steps[-1]
    value = change.new if change.old is None else change.old
    if last == WORKER_HASH_LABEL:
        return value in (generation.old, generation.new)
    return last == ("name", _SUFFIX_VARIABLE)


def _hashes(objects: list[Tree]) -> dict[Graph, str]:
    found: dict[Graph, str] = {}
    for value in objects:
        labels = labels_of(value)
        digest, graph = labels.get(WORKER_HASH_LABEL), labels.get(GRAPH_LABEL)
        if digest and graph:
            found[(value["metadata"].get("namespace") or "", graph)] = digest
    return found


def _graphs(objects: list[Tree], kind: str = "") -> set[Graph]:
    """Graphs that have objects, or such of one kind."""
    return {
        (value["metadata"].get("namespace") or "", labels_of(value)[GRAPH_LABEL])
        for value in objects
        if GRAPH_LABEL in labels_of(value) and kind in ("", value["kind"])
    }
