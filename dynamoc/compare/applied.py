"""Which differences an operator brings into objects that exist, and which ones it leaves as they are.

The operator compares the spec that it wants with the spec that it applied last, lists sorted by name, and copies the
spec only: labels and annotations of an object stay as they were created, and another order alone changes nothing.
Claims, key Secrets and ServiceAccounts are made once. The replicas of a scaling adapter belong to the adapter.
Source: internal/controller_common/resource.go SyncResource, GetSpecChangeResult, CopySpec, SortKeys;
internal/rbac/manager.go; internal/secret; controller/dgd_pvc_reconciler.go, dgd_scaling_adapters_reconciler.go.
"""

from __future__ import annotations

from dynamoc.compare.result import REMOVED, REORDERED
from dynamoc.kube.scope import GROVE_SETS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.compare.result import Change
    from dynamoc.release import Release

    Tree = dict[str, Any]

_INSTANCE_LABEL = "instance-id"
_METADATA = "the operator never updates the labels and annotations of an existing object"
_ONCE = "the operator creates this object once and never updates it"
_RESTARTED = "a restart requested earlier stays on the pods"
_VERSION = "the same object in another API version"
_ORDER = "the operator does not react to a different order"

#: Objects without a spec, whose content the operator has compared since `sync/content`.
_WITHOUT_SPEC = ("ConfigMap", "Role", "RoleBinding")


def settle_applied(change: Change, old: Tree, release: Release, *, on_grove: bool) -> None:
    """Mark a change that the operator of `release` does not bring into the existing object `old`, and say why."""
    why = _left_alone(change, old, release, on_grove=on_grove)
    if why:
        change.applied = False
        change.note = why


def settle_unattended(change: Change, old: Tree) -> None:
    """Mark changed replicas that Grove does not hand on to cliques that run; the operator would scale those itself.

    Source: controller/dgd_grove_scaler.go.
    """
    if old["kind"] in GROVE_SETS and change.steps[:2] == ("spec", "template") and change.steps[-1] == "replicas":
        change.applied = False
        change.note = (
            "Grove does not scale running pods by this field; scale the PodClique or PodCliqueScalingGroup instead"
        )


def is_orphaned(value: Tree) -> bool:
    """Whether an object that the operator does not make any more stays in the cluster.

    Operators delete what follows from a count or a switch: replicas of LeaderWorkerSets beyond the wanted number, with
    their PodGroups, scaling adapters, and Services and Ingresses of components. Nothing else is cleaned up as long as
    the graph is there.
    Source: controller/dynamocomponentdeployment_controller.go reconcileLeaderWorkerSetResources,
    createOrUpdateOrDeleteServices; dgd_scaling_adapters_reconciler.go.
    """
    kind = value["kind"]
    labels = (value.get("metadata") or {}).get("labels") or {}
    if kind in ("LeaderWorkerSet", "PodGroup"):
        return _INSTANCE_LABEL not in labels
    return kind not in ("DynamoGraphDeploymentScalingAdapter", "Service", "Ingress", "VirtualService")


def _left_alone(change: Change, old: Tree, release: Release, *, on_grove: bool) -> str | None:
    kind, steps = old["kind"], change.steps
    if kind in ("PersistentVolumeClaim", "Secret", "ServiceAccount"):
        return _ONCE
    if steps[0] == "metadata":
        if kind == "Service" and on_grove and steps[1:2] == ("annotations",) and change.how != REMOVED:
            # reconcileComponentService of the Grove pathway adds what is missing.
            return None
        return _METADATA
    if steps == ("apiVersion",):
        return _VERSION
    if change.how == REMOVED and steps[-2:] == ("annotations", "nvidia.com/restartAt"):
        return _RESTARTED
    if kind == "DynamoGraphDeploymentScalingAdapter" and steps == ("spec", "replicas"):
        return "the adapter owns its replicas once it exists"
    if kind in _WITHOUT_SPEC and not release.has("sync/content") and not _is_rbac_managed(old):
        return f"operator {release.name} never updates the content of an existing {kind}"
    if change.how == REORDERED and _are_named(change):
        return _ORDER
    return None


def _are_named(change: Change) -> bool:
    """Whether the operator sorts the list before it compares: its elements are objects with names."""
    return all(isinstance(label, str) for label in change.old or ())


def _is_rbac_managed(value: Tree) -> bool:
    """The bindings of planner and endpoint picker to the ClusterRoles of the Helm chart, in every release."""
    return value["kind"] == "RoleBinding" and (value.get("roleRef") or {}).get("kind") == "ClusterRole"
