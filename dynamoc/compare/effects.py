"""What a changed field does: which fields of a kind cannot change, which ones roll pods, which ones scale.

Sources: Kubernetes pkg/apis/{apps,batch,core,rbac}/validation (immutable fields); LeaderWorkerSet
pkg/webhooks/leaderworkerset_webhook.go and pkg/utils/revision/revision_utils.go getPatch (what makes a revision);
Grove operator/internal/webhook/admission/pcs/validation/podcliqueset.go (validatePodCliqueUpdate,
validatePodCliqueScalingGroupConfigsUpdate, validateTopologyConstraintsUpdate) and
operator/internal/controller/common/component/utils/podclique.go ComputePCLQPodTemplateHash (what a clique's pods are
recognised by).
"""

from __future__ import annotations

from dynamoc.compare.result import ADDED, IN_PLACE, ORDER, RECREATES, REORDERED, ROLLS, SCALES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from dynamoc.compare.path import Steps
    from dynamoc.compare.result import Change

    Tree = dict[str, Any]
    Verdict = tuple[str, str | None]
    """An effect, and why where that is not plain."""

_GROVE = "Grove refuses the update: {} cannot change while the PodCliqueSet exists"


def judge(kind: str, change: Change, old: Tree) -> None:
    """Set the effect of a change of an object that exists on both sides; `old` is the object before."""
    if change.how == REORDERED and change.effect == ORDER:
        return
    change.effect, why = _KINDS.get(kind, _other)(change, old)
    change.note = change.note or why


def _deployment(change: Change, _old: Tree) -> Verdict:
    steps = change.steps
    if steps[:2] == ("spec", "selector"):
        return RECREATES, "the selector of a Deployment is immutable"
    if steps[:2] == ("spec", "template"):
        return ROLLS, None
    return (SCALES if steps == ("spec", "replicas") else IN_PLACE), None


def _stateful_set(change: Change, old: Tree) -> Verdict:
    field = change.steps[1] if change.steps[:1] == ("spec",) and len(change.steps) > 1 else ""
    if field in ("serviceName", "podManagementPolicy", "volumeClaimTemplates"):
        return RECREATES, f"{field} of a StatefulSet is immutable"
    return _deployment(change, old)


def _job(change: Change, _old: Tree) -> Verdict:
    field = change.steps[1] if change.steps[:1] == ("spec",) and len(change.steps) > 1 else ""
    if field in ("template", "selector", "completions", "completionMode", "podFailurePolicy", "backoffLimitPerIndex"):
        return RECREATES, f"{field} of a Job is immutable"
    return IN_PLACE, None


def _claim(change: Change, _old: Tree) -> Verdict:
    steps = change.steps
    may_change = steps[:3] == ("spec", "resources", "requests") or steps[:2] == ("spec", "volumeAttributesClassName")
    if steps[:1] == ("spec",) and not may_change:
        return RECREATES, "the spec of a claim is immutable, except for a larger storage request"
    return IN_PLACE, None


def _service(change: Change, _old: Tree) -> Verdict:
    if change.steps[:2] in (("spec", "clusterIP"), ("spec", "clusterIPs")):
        return RECREATES, "the cluster IP of a Service is immutable, and so is being headless"
    return IN_PLACE, None


def _binding(change: Change, _old: Tree) -> Verdict:
    if change.steps[:1] == ("roleRef",):
        return RECREATES, ("the role of a binding is immutable; the operator deletes the binding and creates it again")
    return IN_PLACE, None


def _config(change: Change, old: Tree) -> Verdict:
    if old.get("immutable") is True and change.steps[0] in ("data", "binaryData", "stringData", "immutable"):
        return RECREATES, "the object sets `immutable: true`"
    if change.steps == ("type",):
        return RECREATES, "the type of a Secret is immutable"
    return IN_PLACE, None


def _leader_worker_set(change: Change, _old: Tree) -> Verdict:
    steps = change.steps
    if steps == ("spec", "replicas"):
        return SCALES, None
    if steps[:2] != ("spec", "leaderWorkerTemplate"):
        return (ROLLS, "part of the revision") if steps[:2] == ("spec", "networkConfig") else (IN_PLACE, None)
    if steps[2:3] == ("size",):
        return ROLLS, "LeaderWorkerSet before 0.7 refuses a different size"
    if steps[2:3] == ("subGroupPolicy",):
        return RECREATES, "the sub-group policy of a LeaderWorkerSet is immutable"
    return ROLLS, None


def _pod_clique_set(change: Change, old: Tree) -> Verdict:
    steps = change.steps
    if steps == ("spec", "replicas"):
        return SCALES, None
    if steps[:2] != ("spec", "template") or len(steps) < 3:
        return IN_PLACE, None
    field = steps[2]
    if field == "cliques":
        return _clique(steps, change, old)
    if field == "podCliqueScalingGroups":
        return _scaling_group(steps)
    if field == "priorityClassName":
        return ROLLS, "part of every pod"
    if field in ("cliqueStartupType", "topologyConstraint", "resourceClaimTemplates", "resourceSharing"):
        return RECREATES, _GROVE.format(field)
    return IN_PLACE, None


def _clique(steps: Steps, change: Change, old: Tree) -> Verdict:
    if change.how == REORDERED and len(steps) == 3:
        return ORDER, None
    if len(steps) <= 4:
        word = "added" if change.how == ADDED else "removed"
        return RECREATES, f"Grove refuses the update: no clique can be {word} while the PodCliqueSet exists"
    if steps[4] in ("labels", "annotations") or steps[4:6] == ("spec", "podSpec"):
        return (ROLLS, None) if _updates_pods(old) else (IN_PLACE, "the update strategy is OnDelete")
    if steps[4:6] == ("spec", "replicas"):
        return SCALES, None
    if steps[4] == "topologyConstraint" or steps[4:6] in (
        ("spec", "minAvailable"),
        ("spec", "roleName"),
        ("spec", "startsAfter"),
    ):
        return RECREATES, _GROVE.format(f"{steps[5] if steps[4] == 'spec' else steps[4]} of a clique")
    return IN_PLACE, None


def _updates_pods(pod_clique_set: Tree) -> bool:
    strategy = (pod_clique_set.get("spec") or {}).get("updateStrategy") or {}
    return strategy.get("type") != "OnDelete"


def _scaling_group(steps: Steps) -> Verdict:
    if len(steps) <= 4:
        return RECREATES, _GROVE.format("the set of scaling groups")
    if steps[4] == "replicas":
        return SCALES, None
    if steps[4] in ("cliqueNames", "minAvailable", "resourceSharing", "topologyConstraint"):
        return RECREATES, _GROVE.format(f"{steps[4]} of a scaling group")
    return IN_PLACE, None


def _claim_template(change: Change, _old: Tree) -> Verdict:
    if change.steps[:1] == ("spec",):
        return RECREATES, "the spec of a ResourceClaimTemplate is immutable"
    return IN_PLACE, None


def _other(_change: Change, _old: Tree) -> Verdict:
    return IN_PLACE, None


_KINDS: dict[str, Callable[[Change, Tree], Verdict]] = {
    "Deployment": _deployment,
    "DaemonSet": _deployment,
    "StatefulSet": _stateful_set,
    "Job": _job,
    "PersistentVolumeClaim": _claim,
    "Service": _service,
    "RoleBinding": _binding,
    "ClusterRoleBinding": _binding,
    "ConfigMap": _config,
    "Secret": _config,
    "LeaderWorkerSet": _leader_worker_set,
    "PodCliqueSet": _pod_clique_set,
    "PodGangSet": _pod_clique_set,
    "ResourceClaimTemplate": _claim_template,
}
