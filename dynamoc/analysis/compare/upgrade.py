"""What becomes of graphs when another release of the operator takes over.

Modelled is a graph that was created under the earlier release and came to rest:

* The origin version stays as the earlier release stamped it, or stays away where that release had none.
* Operators of v1alpha1 note the hash of the workers on the graph where they manage its rollouts: without Grove, and
  without multinode components. Workers of releases before that carry no hash; a later operator calls them `legacy`.
* Operators that hash components note their own hash; a graph of such a release is the same to the next.

Not modelled: rollouts under way, objects that were changed by hand, and graphs that lived through more than the one
release, but for what their manifest includes.
Source: internal/webhook/defaulting; controller/dynamographdeployment_rollingupdate.go of 1.0 to 1.3,
controller/dgd_worker_rollout_reconciler.go of 1.4.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from dynamoc.admission.adapters import graph_from_v1beta1
from dynamoc.admission.cluster.previous import Running
from dynamoc.admission.convert.operator import to_v1beta1
from dynamoc.analysis.compare.comparison import Terms, compare
from dynamoc.analysis.compare.effects import labels_of
from dynamoc.analysis.compare.pod_counts import component_of, templates_of
from dynamoc.analysis.compare.renderings import admitted_before, stored_documents
from dynamoc.analysis.compare.result import Change, Comparison, ObjectChange
from dynamoc.compiler.cluster import Checker, Mistake, Trace
from dynamoc.compiler.objects import COMPILED_KINDS
from dynamoc.compiler.options import Options
from dynamoc.compiler.run import compile_documents
from dynamoc.documents.findings.finding import ERROR, Finding, Findings, Progress
from dynamoc.documents.source.document import Document
from dynamoc.kube.go_types import HUB, load, typed_object
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import GRAPH_LABEL, GROVE_SETS, WORKER_HASH_LABEL, Identity, entries, identity, mapping
from dynamoc.kube.text import hex_digest
from dynamoc.reference.releases import Release
from dynamoc.rendering.lower.graphs import _alpha_view
from dynamoc.rendering.lower.hub_components import worker_hash_input

Claims = dict[str, list[str]]
"""Claims with the places where they are mounted."""

ORIGIN = "nvidia.com/dynamo-operator-origin-version"
CURRENT_HASH = "nvidia.com/current-worker-hash"
CURRENT_HASH_V2 = "nvidia.com/current-worker-hash-v2"
_LEGACY = "legacy"
_WORKERS = ("Deployment", "LeaderWorkerSet")


def left_by(release: Release, objects: list[Tree], trace: Trace) -> Running:
    """The state that `release` leaves, from what it makes of the documents and how it stores them."""
    annotations: dict[tuple[str, str, str], dict[str, str | None]] = {}
    for (_, kind, namespace, name), stored in trace.stored.items():
        own = stored["metadata"].get("annotations") or {}
        kept: dict[str, str | None] = {ORIGIN: own.get(ORIGIN)}
        if kind == "DynamoGraphDeployment" and CURRENT_HASH not in own and CURRENT_HASH_V2 not in own:
            digest = _noted_hash(release, namespace, name, objects)
            if digest:
                kept[CURRENT_HASH] = digest
                if release.has("hub/v1beta1"):
                    kept[CURRENT_HASH_V2] = _components_hash(release, stored)
        annotations[(kind, namespace, name)] = kept
    return Running(objects, annotations)


def _noted_hash(release: Release, namespace: str, graph: str, objects: list[Tree]) -> str | None:
    """The hash of v1alpha1 specs on a graph, None where the release writes none or a different one."""
    if release.has("worker-hash/of-components"):
        return None
    own = [
        item
        for item in objects
        if item["kind"] in _WORKERS
        and item["metadata"].get("namespace") == namespace
        and labels_of(item).get(GRAPH_LABEL) == graph
    ]
    is_multinode = any(item["kind"] == "LeaderWorkerSet" for item in own)
    if not own or (is_multinode and not release.has("hub/v1beta1")):
        return None
    if not release.has("worker/generations"):
        return _LEGACY
    return next((labels_of(item)[WORKER_HASH_LABEL] for item in own if WORKER_HASH_LABEL in labels_of(item)), None)


def _components_hash(release: Release, stored: Tree) -> str:
    """The hash of generated components, which 1.2 notes beside the one it names workers by."""
    value = typed_object(stored, load(release.name, HUB))
    graph = graph_from_v1beta1(value, _alpha_view(value, ""), submitted_alpha=False)
    return hex_digest(worker_hash_input(graph, release))[:8]


#: what webhooks hold against new documents, and not against those that are there
_CREATION_ONLY = ("admission/runtime-version", "admission/no-image", "admission/resource-version")


@dataclass(eq=False, slots=True)
class Upgrade:
    """Two releases, the same documents.

    comparison  the objects of both releases
    owners      the document that an object was made from, on either side
    objects     what the earlier release made
    made_before the documents that the earlier release makes something of
    compared    those that both releases do, and that the later one can bring to the cluster
    stored      the documents as each of the two releases stores them
    blocked     running graphs that the later release's webhooks do not let its own controller write to
    before      findings of the earlier release: with errors, it never ran these documents
    after       findings of the later release, as for documents that are applied to it alone
    mistakes    what the rules of `dynamoc check` find in the pods of either release
    """

    documents: list[Document]
    old: Options
    new: Options
    before: Findings = field(default_factory=Findings)
    after: Findings = field(default_factory=Findings)
    mistakes: tuple[dict[Identity, list[Mistake]], dict[Identity, list[Mistake]]] = field(
        default_factory=lambda: ({}, {})
    )
    owners: dict[Identity, Identity] = field(default_factory=dict)
    objects: list[Tree] = field(default_factory=list)
    made_before: frozenset[Identity] = frozenset()
    compared: frozenset[Identity] = frozenset()
    blocked: frozenset[Identity] = frozenset()
    stored: tuple[dict[Identity, Tree], dict[Identity, Tree]] = field(default_factory=lambda: ({}, {}))
    comparison: Comparison = field(init=False)

    @property
    def refusals(self) -> list[Finding]:
        """What the later release does not take, and the earlier one did."""
        return [finding for finding in self._news() if finding.severity == ERROR]

    @property
    def warnings(self) -> list[Finding]:
        """What only the later release warns of."""
        return [finding for finding in self._news() if finding.severity != ERROR]

    def takes_part(self, item: Tree) -> bool:
        """Whether an object can be compared: one that was given, or that both releases may make."""
        owner = self.owners.get(identity(item))
        return owner is None or owner in self.compared

    def new_mistakes(self, key: Identity) -> list[Mistake]:
        """What `dynamoc check` finds in the pods of the later release, and not in those that run now."""
        before, after = (side.get(key, []) for side in self.mistakes)
        known = {tuple(mistake[:2]) for mistake in before}
        return [mistake for mistake in after if tuple(mistake[:2]) not in known]

    def _news(self) -> list[Finding]:
        known = {(finding.slug, finding.subject, finding.path) for finding in self.before.items}
        return [finding for finding in self.after.items if (finding.slug, finding.subject, finding.path) not in known]


def compare_releases(
    documents: list[Document],
    old: Options,
    new: Options,
    *,
    fresh: bool,
    ignores: list[str],
    progress: Progress | None = None,
    checker: Checker | None = None,
) -> Upgrade:
    """The objects of `documents` under two releases, by the options of each.

    With `fresh`, both releases create everything; else the later one takes over what the earlier one left. What
    the earlier release refuses is in neither. `checker` notes the mistakes of both. ValueError for a pattern in
    `ignores` that is malformed.
    """
    exports = admitted_before(documents)
    upgrade = Upgrade(stored_documents(documents), old, new)
    upgrade.before.progress = upgrade.after.progress = progress
    old.running = None if fresh else exports
    before, after = Trace(), Trace()
    # What the earlier release made on its way is there as well: the later one updates it.
    old.include_intermediate = not fresh
    made = compile_documents(upgrade.documents, old, upgrade.before, before, checker=checker)
    upgrade.objects = [item for item in made if item["kind"] != "DynamoComponentDeployment"]
    created = compile_documents(upgrade.documents, new, upgrade.after, after, checker=checker if fresh else None)
    upgrade.made_before = frozenset(before.owners.values())
    if not fresh:
        created, after = _taken_over(upgrade, made, before, after, checker)
    upgrade.stored = before.stored, after.stored
    upgrade.mistakes = before.mistakes, after.mistakes
    upgrade.owners = {**after.owners, **before.owners}
    upgrade.compared = upgrade.made_before & frozenset(after.owners.values()) - upgrade.blocked
    given = frozenset(identity(document.value) for document in documents)
    left = [item for item in upgrade.objects if upgrade.takes_part(item)]
    right = [item for item in created if upgrade.takes_part(item)]
    owned = frozenset(before.owners)
    upgrade.comparison = compare(left, right, Terms(new.release, given, owned, ignores, rewrites=not fresh))
    return upgrade


def _taken_over(
    upgrade: Upgrade, made: list[Tree], before: Trace, anew: Trace, checker: Checker | None
) -> tuple[list[Tree], Trace]:
    """What the later release makes of what the earlier one left; `anew` is what it made of the same documents alone."""
    old, new = upgrade.old, upgrade.new
    new.running = left_by(old.release, made, before)
    new.unknown_fields = "prune"
    documents, after = running_documents(upgrade), Trace()
    if len(documents) == len(upgrade.documents):
        # In the same cluster: what its API server makes of them, the compilation before this one knows.
        new.running.defaulted = anew.defaulted
    created = compile_documents(documents, new, Findings(), after, checker=checker)
    upgrade.objects = [_in_version_of(item, new.release) for item in upgrade.objects]
    upgrade.blocked = frozenset(_blocked(upgrade))
    return created, after


def _blocked(upgrade: Upgrade) -> Iterator[Identity]:
    """Graphs on which the later operator cannot note the hash of their workers, which it does before anything else.

    Operators that store v1beta1 write that note onto every graph of an earlier one; their webhooks judge the update,
    except for what they ratchet.
    Source: controller/dgd_worker_rollout_reconciler.go ReconcileUnsupported, migrateCurrentWorkerHashIfNeeded;
    internal/webhook/validation/dynamographdeployment_handler.go ValidateUpdate.
    """
    if upgrade.old.release.has("hub/v1beta1") or not upgrade.new.release.has("hub/v1beta1"):
        return
    refused = {
        (item.subject, item.place.file if item.place else None)
        for item in upgrade.refusals
        if item.slug.startswith("admission/") and item.slug not in _CREATION_ONLY
    }
    for document in upgrade.documents:
        key = owner_of(document, upgrade.old)
        if key[1] == "DynamoGraphDeployment" and (f"{key[1]}/{key[3]}", document.file) in refused:
            yield key


def running_documents(upgrade: Upgrade) -> list[Document]:
    """The documents without graphs and components that the earlier release never took."""
    return [
        document
        for document in upgrade.documents
        if document.value.get("kind") not in COMPILED_KINDS
        or owner_of(document, upgrade.old) in upgrade.made_before
        or not upgrade.old.owns(document.value)
    ]


def owner_of(document: Document, options: Options) -> Identity:
    """The identity by which `Upgrade.owners` names a document."""
    group, kind, namespace, name = identity(document.value)
    return group, kind, namespace or options.namespace or "default", name


def _in_version_of(item: Tree, release: Release) -> Tree:
    """A scaling adapter as the later release reads it; the object in the cluster is the same."""
    if (
        item["kind"] != "DynamoGraphDeploymentScalingAdapter"
        or item["apiVersion"] == release["scaling-adapter/api-version"]
    ):
        return item

    return to_v1beta1(item)


def lost_claims(item: ObjectChange) -> dict[str, Claims]:
    """By component, the claims that the old pods of an object mount and none of the new ones does."""
    if item.old is None or item.new is None:
        return {}
    before, after = dict(_mounted(item.old)), dict(_mounted(item.new))
    names = _components(item.new)
    found: dict[str, Claims] = {}
    for pods, claims in before.items():
        gone = {claim: places for claim, places in claims.items() if claim not in after.get(pods, {})}
        if gone and pods in after:
            found.setdefault(names.get(pods, ""), {}).update(gone)
    return found


def is_of_claim(change: Change, claims: Claims) -> bool:
    """Whether a change is the volume or the mount of one of these claims, and nothing else."""
    if not claims or len(change.steps) < 2:
        return False
    field, element = change.steps[-2:]
    if not isinstance(element, tuple):
        return False
    if field == "volumeMounts":
        return any(element[1] in places for places in claims.values())
    source = change.old if isinstance(change.old, dict) else {}
    return field == "volumes" and (source.get("persistentVolumeClaim") or {}).get("claimName") in claims


def _mounted(value: Tree) -> dict[str, Claims]:
    """The claims that pods mount, by the clique, which is "" without one."""
    found: dict[str, Claims] = {}
    for template in templates_of(value):
        claims = found.setdefault(template.name if value["kind"] in GROVE_SETS else "", {})
        names = {
            volume.get("name"): mapping(volume, "persistentVolumeClaim").get("claimName")
            for _, volume in entries(template.spec, "volumes")
        }
        for part in ("initContainers", "containers"):
            for _, container in entries(template.spec, part):
                for _, mount in entries(container, "volumeMounts"):
                    claim = names.get(mount.get("name"))
                    if claim:
                        places = claims.setdefault(claim, [])
                        places += [mount["mountPath"]] if mount["mountPath"] not in places else []
    return found


def _components(value: Tree) -> dict[str, str]:
    if value["kind"] not in GROVE_SETS:
        return {"": component_of(value)}
    return {template.name: template.component for template in templates_of(value)}
