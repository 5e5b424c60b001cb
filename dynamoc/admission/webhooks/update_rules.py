"""Rules for updates that read the same in both versions of the API, and what the API server says whatever the kind.

Source: k8s.io/apiserver pkg/registry/rest/update.go BeforeUpdate, pkg/registry/generic/registry/store.go Update.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

from dynamoc.admission.graph import node_count
from dynamoc.admission.webhooks.review import Review
from dynamoc.documents.findings.finding import Path
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import mapping
from dynamoc.reference.slugs import ErrorSlug

ANEW = "delete the {} and apply it again, or leave this unchanged"
_ROLLING = ("Pending", "InProgress")


@dataclass(eq=False, slots=True)
class Pair:
    """A component as it will become and as it is.

    path, old_path  of the two in their documents
    in_graph        whether it is part of a graph
    """

    name: str
    new: Tree
    old: Tree
    path: Path
    old_path: Path
    _: KW_ONLY
    in_graph: bool

    @property
    def owner(self) -> str:
        """What has to be created again."""
        return "graph" if self.in_graph else "component"


def old_spec(review: Review) -> Tree:
    return mapping(review.old, "spec")


def refuse(
    review: Review, slug: ErrorSlug, path: Path, message: str, hint: str | None, old_path: Path | None = None
) -> None:
    """An error that also names a place in the old object, that of the same path by default."""
    review.error(slug, path, message, hint)
    review.problems[-1].old_path = path if old_path is None else old_path


def refuse_pair(review: Review, pair: Pair, slug: ErrorSlug, field: Path, message: str) -> None:
    """An error about one field of a component, which only a new object could have otherwise."""
    hint = ANEW.format(pair.owner)
    refuse(review, slug, (*pair.path, *field), message, hint, (*pair.old_path, *field))


def change(old: Any, new: Any) -> str:
    """What a message says of a value that is kept."""
    if not old:
        return f"it is not set, and this document sets `{new}`"
    return f"it is `{old}`, and this document " + (f"sets `{new}`" if new else "leaves it out")


def backend_is_kept(review: Review, *, owner: str) -> None:
    """Source: validateImmutableFields; validateDynamoGraphDeploymentSpecUpdate."""
    old, new = old_spec(review).get("backendFramework"), review.spec.get("backendFramework")
    if (old or "") != (new or ""):
        message = f"`backendFramework` of a {owner} is immutable: {change(old, new)}."
        refuse(review, "update/backend-framework", ("spec", "backendFramework"), message, ANEW.format(owner))


def components_are_kept(review: Review, field: str, old: list[str], new: list[str]) -> None:
    """The names in `spec.<field>`, services or components.

    Source: validateServiceTopology; validateDynamoGraphDeploymentSpecUpdate.
    """
    added = ", ".join(f"`{name}`" for name in sorted(set(new) - set(old), key=str.encode))
    removed = ", ".join(f"`{name}`" for name in sorted(set(old) - set(new), key=str.encode))
    if not added and not removed:
        return
    written = (review.origin or review.value)["spec"]
    noun = "services" if "services" in written else "components"
    changes = " and ".join([f"adds {added}"] * bool(added) + [f"removes {removed}"] * bool(removed))
    message = f"The {noun} of a graph cannot be added or removed; this update {changes}."
    hint = "delete the graph and apply it again, or create another graph" if added else ANEW.format("graph")
    refuse(review, "update/components", ("spec", field), message, hint)


def restart_waits_for_rollout(review: Review) -> None:
    """Source: validateNoRestartDuringRollingUpdate; validateDynamoGraphDeploymentUpdate."""
    phase = (((review.old or {}).get("status") or {}).get("rollingUpdate") or {}).get("phase")
    if phase not in _ROLLING:
        return
    old, new = ((spec.get("restart") or {}).get("id") or "" for spec in (old_spec(review), review.spec))
    if old != new:
        message = f"`restart.id` cannot change while a rolling update is {phase}: {change(old, new)}."
        path, reason = ("spec", "restart", "id"), ("status", "rollingUpdate", "phase")
        refuse(review, "update/restart-while-rolling", path, message, "wait until the rolling update is done", reason)


def nodes_are_kept(review: Review, pair: Pair) -> None:
    """Source: validateImmutableFields; validateDynamoComponentDeploymentSharedSpecUpdate."""
    old, new = node_count(pair.old), node_count(pair.new)
    if (old > 1) != (new > 1):
        message = f"`{pair.name}` cannot change between one node and several: it runs on {old}, and would run on {new}."
        refuse_pair(review, pair, "update/multinode", ("multinode",), message)


def topology_is_kept(review: Review, pair: Pair) -> None:
    """Source: validateTopologyConstraintImmutability; validateTopologyConstraintUpdate."""
    old, new = (_packing(spec.get("topologyConstraint"), ("packDomain",)) for spec in (pair.old, pair.new))
    if old != new:
        message = f"`topologyConstraint` of `{pair.name}` is immutable: it cannot be added, removed or changed."
        refuse_pair(review, pair, "update/topology", ("topologyConstraint",), message)


def graph_topology_is_kept(review: Review, name: str) -> None:
    """`name` is the field with the topology's name. Source: as for components."""
    fields = (name, "packDomain")
    old, new = (_packing(spec.get("topologyConstraint"), fields) for spec in (old_spec(review), review.spec))
    if old != new:
        message = "`topologyConstraint` of a graph is immutable: it cannot be added, removed or changed."
        refuse(review, "update/topology", ("spec", "topologyConstraint"), message, ANEW.format("graph"))


def _packing(constraint: Tree | None, fields: tuple[str, ...]) -> tuple[str, ...] | None:
    return None if constraint is None else tuple(constraint.get(field) or "" for field in fields)


def replicas_are_scaled(review: Review, pair: Pair) -> None:
    """Replicas of a component with a scaling adapter are the adapter's, not a user's (validateReplicasChanges)."""
    old, new = replicas(pair.old), replicas(pair.new)
    if old != new:
        said = "says" if pair.new.get("replicas") is not None else "leads to"
        message = (
            f"`{pair.name}` has {old} replicas, and this document {said} {new}; with a scaling adapter, only the "
            "adapter changes this number."
        )
        hint = (
            f"write `replicas: {old}`, or scale the DynamoGraphDeploymentScalingAdapter; if what applies the document "
            "leaves this field alone, use --omit=replicas"
        )
        path, old_path = (*pair.path, "replicas"), (*pair.old_path, "replicas")
        refuse(review, "update/scaled-replicas", path, message, hint, old_path)


def replicas(spec: Tree) -> int:
    count: int | None = spec.get("replicas")
    return 1 if count is None else count


def judge(review: Review) -> None:
    old = (review.old or {}).get("metadata") or {}
    for field in ("resourceVersion", "uid"):
        new, known = review.metadata.get(field), old.get(field)
        if new and known and new != known:
            message = f"`{field}` is {new}, but the existing object has {known}: it is not the object that was read."
            refuse(review, "update/conflict", ("metadata", field), message, f"delete `{field}`")
    if old.get("deletionTimestamp"):
        message = "The object is being deleted: the API server accepts this update, but it disappears with the object."
        review.warn("update/deleting", ("metadata", "name"), message, "wait until it is gone, and apply it again")
        review.problems[-1].old_path = ("metadata", "deletionTimestamp")
