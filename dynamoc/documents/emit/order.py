"""The order of objects, in which what others refer to comes first, and sync waves of Argo CD.

Kinds that Helm does not know, custom resources among them, come last, in alphabetical order.
Source: Helm's kind_sorter.go InstallOrder; argo-cd.readthedocs.io/en/stable/user-guide/sync-waves.
"""

from __future__ import annotations

from dynamoc.kube.merge import Tree

INSTALL_ORDER = (
    "PriorityClass", "Namespace", "NetworkPolicy", "ResourceQuota", "LimitRange", "PodSecurityPolicy",
    "PodDisruptionBudget", "ServiceAccount", "Secret", "SecretList", "ConfigMap", "StorageClass",
    "PersistentVolume", "PersistentVolumeClaim", "CustomResourceDefinition", "ClusterRole", "ClusterRoleList",
    "ClusterRoleBinding", "ClusterRoleBindingList", "Role", "RoleList", "RoleBinding", "RoleBindingList",
    "Service", "DaemonSet", "Pod", "ReplicationController", "ReplicaSet", "Deployment", "HorizontalPodAutoscaler",
    "StatefulSet", "Job", "CronJob", "IngressClass", "Ingress", "APIService", "MutatingWebhookConfiguration",
    "ValidatingWebhookConfiguration",
)  # fmt: skip
_BEFORE_QUEUES = "CustomResourceDefinition"
_RANKS = {kind: rank for rank, kind in enumerate(INSTALL_ORDER)}


def sort_objects(objects: list[Tree]) -> list[Tree]:
    """The objects in install order, then by kind, namespace, name and API version, whatever order they came in."""
    return sorted(objects, key=_key)


def sort_with_queues(objects: list[Tree]) -> list[Tree]:
    """`sort_objects`, but queues of a scheduler come before what is scheduled with them, and parents first."""
    queues: list[Tree] = []
    others: list[Tree] = []
    for item in sort_objects(objects):
        (queues if item.get("kind") == "Queue" else others).append(item)
    queues.sort(key=_has_parent)
    first = next((index for index, item in enumerate(others) if _key(item)[0] > _RANKS[_BEFORE_QUEUES]), len(others))
    return [*others[:first], *queues, *others[first:]]


def _has_parent(queue: Tree) -> bool:
    """A queue of the input may have any shape."""
    spec = queue.get("spec")
    return isinstance(spec, dict) and bool(spec.get("parentQueue"))


def _key(item: Tree) -> tuple[int, str, str, str, str]:
    kind = item.get("kind") or ""
    metadata = item.get("metadata") or {}
    rank = _RANKS.get(kind, len(_RANKS))
    return rank, kind, metadata.get("namespace") or "", metadata.get("name") or "", item.get("apiVersion") or ""


ANNOTATION = "argocd.argoproj.io/sync-wave"
#: kinds that run pods, and kinds that need them; all others are of wave 0
_PODS = frozenset(("DaemonSet", "Deployment", "Job", "LeaderWorkerSet", "PodCliqueSet", "PodGangSet", "StatefulSet"))
_BEHIND = frozenset((
    "DynamoGraphDeploymentScalingAdapter", "HTTPRoute", "HorizontalPodAutoscaler", "InferencePool", "Ingress",
    "ScaledObject", "VirtualService",
))  # fmt: skip


def with_sync_wave(item: Tree) -> Tree:
    """The object with its wave, unless it has one: none for what pods need, 1 what runs pods, 2 what leads to them."""
    wave = 1 if item["kind"] in _PODS else 2 if item["kind"] in _BEHIND else 0
    metadata = item["metadata"]
    annotations = metadata.get("annotations") or {}
    if not wave or ANNOTATION in annotations:
        return item
    return {**item, "metadata": {**metadata, "annotations": {**annotations, ANNOTATION: str(wave)}}}
