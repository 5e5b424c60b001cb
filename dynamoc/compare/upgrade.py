"""What becomes of graphs when another release of the operator takes over."""

from __future__ import annotations

from dynamoc.compare.comparison import Terms, compare
from dynamoc.compare.exported import admitted_before, stored_documents
from dynamoc.compare.live import left_by
from dynamoc.compilation import COMPILED_KINDS, Trace
from dynamoc.compiler import compile_documents
from dynamoc.diagnostics.finding import ERROR, Findings
from dynamoc.kube.identity import identity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from dynamoc.compare.result import Comparison
    from dynamoc.compilation import Checker
    from dynamoc.diagnostics.finding import Finding, Progress
    from dynamoc.kube.identity import Identity
    from dynamoc.options import Options
    from dynamoc.release import Release
    from dynamoc.source.document import Document
    from dynamoc.stages.state import Mistake

    Tree = dict[str, Any]


#: what webhooks hold against new documents, and not against those that are there
_CREATION_ONLY = ("admission/runtime-version", "admission/no-image", "admission/resource-version")


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
    after       findings of the later release, as for documents that are applied to it anew
    mistakes    what the rules of `dynamoc check` find in the pods of either release
    """

    __slots__ = (
        "after",
        "before",
        "blocked",
        "compared",
        "comparison",
        "documents",
        "made_before",
        "mistakes",
        "new",
        "objects",
        "old",
        "owners",
        "stored",
    )

    def __init__(self, documents: list[Document], old: Options, new: Options) -> None:
        self.documents = documents
        self.old = old
        self.new = new
        self.before, self.after = Findings(), Findings()
        self.mistakes: tuple[dict[Identity, list[Mistake]], dict[Identity, list[Mistake]]] = ({}, {})
        self.owners: dict[Identity, Identity] = {}
        self.objects: list[Tree] = []
        self.made_before: frozenset[Identity] = frozenset()
        self.compared: frozenset[Identity] = frozenset()
        self.blocked: frozenset[Identity] = frozenset()
        self.stored: tuple[dict[Identity, Tree], dict[Identity, Tree]] = ({}, {})
        self.comparison: Comparison

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

    With `fresh`, both releases create everything anew; else the later one takes over what the earlier one left. What
    the earlier release refuses is in neither. `checker` notes the mistakes of both. ValueError for a pattern in
    `ignores` that is none.
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
    """What the later release makes of what the earlier one left; `anew` is what it made of the same documents anew."""
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
        if document.value.get("kind") not in COMPILED_KINDS or owner_of(document, upgrade.old) in upgrade.made_before
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
    from dynamoc.convert import to_v1beta1

    return to_v1beta1(item)
