"""Which kinds live in a namespace."""

from __future__ import annotations

#: kinds of Grove that hold a whole graph; release 0.4 has the second
GROVE_SETS = ("PodCliqueSet", "PodGangSet")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Tree = dict[str, Any]

#: Kinds without a namespace whose names don't say so. Kinds that begin with `Cluster` never have one.
_CLUSTER_SCOPED = frozenset(
    (
        "APIService",
        "CSIDriver",
        "CSINode",
        "CertificateSigningRequest",
        "CustomResourceDefinition",
        "DeviceClass",
        "FlowSchema",
        "GatewayClass",
        "IngressClass",
        "MutatingAdmissionPolicy",
        "MutatingAdmissionPolicyBinding",
        "MutatingWebhookConfiguration",
        "Namespace",
        "Node",
        "PersistentVolume",
        "PriorityClass",
        "PriorityLevelConfiguration",
        "ResourceSlice",
        "RuntimeClass",
        "StorageClass",
        "ValidatingAdmissionPolicy",
        "ValidatingAdmissionPolicyBinding",
        "ValidatingWebhookConfiguration",
        "VolumeAttachment",
    )
)
#: (group, kind) of custom resources without a namespace that stand beside graphs
_CLUSTER_SCOPED_RESOURCES = frozenset((("scheduling.run.ai", "Queue"), ("scheduling.volcano.sh", "Queue")))


def is_namespaced(value: Tree) -> bool:
    """Whether an object lives in a namespace, as far as kind and group tell."""
    kind = str(value.get("kind", ""))
    group = str(value.get("apiVersion", "")).rpartition("/")[0]
    if kind.startswith("Cluster") or kind in _CLUSTER_SCOPED:
        return False
    return (group, kind) not in _CLUSTER_SCOPED_RESOURCES


def with_namespace(value: Tree, namespace: str) -> Tree:
    """The object itself, or a shallow copy with `namespace` where it names none and has to live in one."""
    metadata = value.get("metadata")
    if not isinstance(metadata, dict) or metadata.get("namespace") or not is_namespaced(value):
        return value
    return {**value, "metadata": {**metadata, "namespace": namespace}}
