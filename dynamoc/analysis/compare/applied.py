"""Which differences an operator brings into objects that exist, and which ones it leaves as they are.

The operator compares the spec that it wants with the spec that it applied last, lists sorted by name, and copies the
spec only: labels and annotations of an object stay as they were created, and another order alone changes nothing.
Claims, key Secrets and ServiceAccounts are made once. The replicas of a scaling adapter belong to the adapter.
Source: internal/controller_common/resource.go SyncResource, GetSpecChangeResult, CopySpec, SortKeys;
internal/rbac/manager.go; internal/secret; controller/dgd_pvc_reconciler.go, dgd_scaling_adapters_reconciler.go.

An API server defaults the built-in kinds and allocates addresses and ports; CRDs and webhooks default LeaderWorkerSets
and PodCliqueSets. Only pairs with an export on one side are filled, since a field that one of two renderings leaves out
is a difference to the operator, which compares what it renders.
Source: Kubernetes pkg/apis/{apps,batch,core,networking,rbac,resource}/v1/defaults.go, pkg/registry/core/service
(allocated fields); LeaderWorkerSet pkg/webhooks/leaderworkerset_webhook.go Default and its CRD; Grove
operator/internal/webhook/admission/pcs/defaulting/podcliqueset.go. tests/compare/live/ holds answers of a server.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from typing import Any

from dynamoc.admission.cluster.objects import is_dynamo
from dynamoc.analysis.compare.default_pods import fill, fill_pod, fill_quantities
from dynamoc.analysis.compare.result import REMOVED, REORDERED, Change
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import GRAPH_LABEL, GROVE_SETS, entries, mapping
from dynamoc.reference.releases import Release

Filler = Callable[[Tree, Tree], None]
"""Fills an object in place; the second is the other side, where values come from that only a server chooses."""

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


LAST_HASH = "nvidia.com/last-applied-hash"
_SERVER_METADATA = ("uid", "resourceVersion", "creationTimestamp", "managedFields")
#: annotations that controllers of Kubernetes write
_ANNOTATIONS = (
    "deployment.kubernetes.io/",
    "deprecated.daemonset.template.generation",
    "leaderworkerset.sigs.k8s.io/",
    "pv.kubernetes.io/",
    "volume.beta.kubernetes.io/",
    "volume.kubernetes.io/",
)


def is_export(value: Tree) -> bool:
    """Whether an object was read from a cluster: a server's metadata, a status, or values that only a server fills."""
    metadata, spec = mapping(value, "metadata"), mapping(value, "spec")
    if any(metadata.get(field) for field in _SERVER_METADATA) or "status" in value:
        return True
    if value.get("kind") == "Service":
        return "clusterIPs" in spec
    return value.get("kind") == "Deployment" and "progressDeadlineSeconds" in spec and "revisionHistoryLimit" in spec


def is_made_by_operator(value: Tree) -> bool:
    """Whether an export shows that the operator made the object, and keeps it up to date."""
    owners = entries(mapping(value, "metadata"), "ownerReferences")
    return LAST_HASH in mapping(value, "metadata", "annotations") or any(is_dynamo(owner) for _, owner in owners)


def is_of_graph(value: Tree) -> bool:
    """Whether an export is an object of some graph, or one that the operator makes around it."""
    labels = mapping(value, "metadata", "labels")
    is_labelled = GRAPH_LABEL in labels or labels.get("app.kubernetes.io/managed-by") == "dynamo-operator"
    return is_dynamo(value) or is_labelled or is_made_by_operator(value)


def filled(old: Tree, new: Tree) -> tuple[Tree, Tree]:
    """Both sides of a pair as a cluster stores them, where one of them is an export; else as they are."""
    if not is_export(old) and not is_export(new):
        return old, new
    left, right = _copy(old), _copy(new)
    try:
        for value, other in ((left, right), (right, left)):
            _drop_server_metadata(value, other)
            if (fill_kind := _KINDS.get(value.get("kind", ""))) is not None:
                fill_kind(value, other)
            _drop_empty(value)
    except (AttributeError, TypeError):
        # A mapping where a list belongs, and the like, in an object that passes through: no API server takes it.
        return old, new
    return left, right


def _drop_server_metadata(value: Tree, other: Tree) -> None:
    """Annotations of controllers, and finalizers, which the other side has no word on."""
    metadata, wanted = value["metadata"], other.get("metadata") or {}
    annotations, known = metadata.get("annotations"), wanted.get("annotations") or {}
    if annotations:
        metadata["annotations"] = {
            key: text for key, text in annotations.items() if key in known or not key.startswith(_ANNOTATIONS)
        }
    if not wanted.get("finalizers"):
        metadata.pop("finalizers", None)


def _drop_empty(value: Any) -> None:
    """Mappings of metadata without a key say nothing."""
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _drop_empty(item)
    if isinstance(value, dict):
        for key in ("labels", "annotations", "metadata"):
            if value.get(key) == {}:
                del value[key]


def _deployment(value: Tree, _other: Tree) -> None:
    spec = value.setdefault("spec", {})
    fill(spec, {"replicas": 1, "revisionHistoryLimit": 10, "progressDeadlineSeconds": 600})
    strategy = fill(spec, {"strategy": {}})["strategy"]
    fill(strategy, {"type": "RollingUpdate"})
    if strategy["type"] == "RollingUpdate":
        fill(fill(strategy, {"rollingUpdate": {}})["rollingUpdate"], {"maxSurge": "25%", "maxUnavailable": "25%"})
    fill_pod(spec.get("template"))


def _stateful_set(value: Tree, other: Tree) -> None:
    spec = value.setdefault("spec", {})
    fill(spec, {"replicas": 1, "revisionHistoryLimit": 10, "podManagementPolicy": "OrderedReady", "updateStrategy": {}})
    fill(spec["updateStrategy"], {"type": "RollingUpdate"})
    if spec["updateStrategy"]["type"] == "RollingUpdate":
        fill(fill(spec["updateStrategy"], {"rollingUpdate": {}})["rollingUpdate"], {"partition": 0})
    fill(spec, {"persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Retain", "whenScaled": "Retain"}})
    for claim in spec.get("volumeClaimTemplates") or ():
        claim.pop("status", None)
        fill(claim, {"apiVersion": "v1", "kind": "PersistentVolumeClaim"})
        _claim(claim, other)
    fill_pod(spec.get("template"))


def _daemon_set(value: Tree, _other: Tree) -> None:
    spec = value.setdefault("spec", {})
    fill(spec, {"revisionHistoryLimit": 10, "updateStrategy": {}})
    fill(spec["updateStrategy"], {"type": "RollingUpdate"})
    if spec["updateStrategy"]["type"] == "RollingUpdate":
        rolling = fill(spec["updateStrategy"], {"rollingUpdate": {}})["rollingUpdate"]
        fill(rolling, {"maxSurge": 0, "maxUnavailable": 1})
    fill_pod(spec.get("template"))


_JOB_LABELS = ("batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name", "controller-uid", "job-name")


def _job(value: Tree, other: Tree) -> None:
    spec, wanted = value.setdefault("spec", {}), other.get("spec") or {}
    if "parallelism" not in spec and "completions" not in spec:
        spec["completions"] = 1
    fill(spec, {"parallelism": 1, "backoffLimit": 6, "completionMode": "NonIndexed", "suspend": False})
    policy = "Failed" if "podFailurePolicy" in spec else "TerminatingOrFailed"
    fill(spec, {"podReplacementPolicy": policy, "manualSelector": False})
    template = spec.get("template") or {}
    fill_pod(template)
    if "selector" not in wanted:
        # The server makes up the selector, and labels pods by it.
        spec.pop("selector", None)
        for metadata in (value["metadata"], template.get("metadata") or {}):
            for label in _JOB_LABELS:
                (metadata.get("labels") or {}).pop(label, None)


def _service(value: Tree, other: Tree) -> None:
    spec, wanted = value.setdefault("spec", {}), other.get("spec") or {}
    fill(spec, {"type": "ClusterIP", "sessionAffinity": "None"})
    if spec["type"] != "ExternalName":
        fill(spec, {"internalTrafficPolicy": "Cluster"})
        if spec.get("clusterIP") == "None" and "clusterIPs" not in spec:
            spec["clusterIPs"] = ["None"]
        _allocate(spec, wanted, ("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"))
    if spec["type"] in ("NodePort", "LoadBalancer"):
        fill(spec, {"externalTrafficPolicy": "Cluster"})
        _allocate(spec, wanted, ("healthCheckNodePort",))
    if spec["type"] == "LoadBalancer":
        fill(spec, {"allocateLoadBalancerNodePorts": True})
    if spec["sessionAffinity"] == "ClientIP":
        fill(spec, {"sessionAffinityConfig": {"clientIP": {"timeoutSeconds": 10800}}})
    ports = {(port.get("name"), port.get("port")): port for port in wanted.get("ports") or ()}
    for port in spec.get("ports") or ():
        fill(port, {"protocol": "TCP", "targetPort": port.get("port")})
        if spec["type"] in ("NodePort", "LoadBalancer"):
            _allocate(port, ports.get((port.get("name"), port.get("port")), {}), ("nodePort",))


def _allocate(value: Tree, other: Tree, fields: tuple[str, ...]) -> None:
    """An update that doesn't name such a field keeps it."""
    for field in fields:
        if value.get(field) in (None, "") and other.get(field) not in (None, "None", ["None"]):
            value[field] = other[field]


def _claim(value: Tree, other: Tree) -> None:
    spec = value.setdefault("spec", {})
    fill(spec, {"volumeMode": "Filesystem"})
    fill_quantities(spec.get("resources"))
    _allocate(spec, other.get("spec") or {}, ("volumeName", "storageClassName"))


def _account(value: Tree, other: Tree) -> None:
    if "secrets" not in other:
        # Tokens, in clusters before Kubernetes 1.24.
        value.pop("secrets", None)


def _secret(value: Tree, _other: Tree) -> None:
    fill(value, {"type": "Opaque"})
    texts = value.pop("stringData", None) or {}
    encoded = {key: b64encode(str(text).encode()).decode() for key, text in texts.items()}
    if encoded:
        value["data"] = {**(value.get("data") or {}), **encoded}


def _binding(value: Tree, _other: Tree) -> None:
    group = "rbac.authorization.k8s.io"
    fill(value.setdefault("roleRef", {}), {"apiGroup": group})
    for subject in value.get("subjects") or ():
        fill(subject, {"apiGroup": "" if subject.get("kind") == "ServiceAccount" else group})


def _claim_template(value: Tree, _other: Tree) -> None:
    spec = value.get("spec") or {}
    for request in ((spec.get("spec") or spec).get("devices") or {}).get("requests") or ():
        exact = request.get("exactly", request)
        for wanted in (*(request.get("firstAvailable") or ()), *((exact,) if "deviceClassName" in exact else ())):
            fill(wanted, {"allocationMode": "ExactCount"})
            if wanted["allocationMode"] == "ExactCount":
                fill(wanted, {"count": 1})


def _leader_worker_set(value: Tree, other: Tree) -> None:
    spec = value.setdefault("spec", {})
    # What the webhook fills in here differs from version to version.
    _allocate(spec, other.get("spec") or {}, ("rolloutStrategy", "networkConfig"))
    fill(spec, {"replicas": 1, "startupPolicy": "LeaderCreated", "leaderWorkerTemplate": {}})
    template = spec["leaderWorkerTemplate"]
    if template.get("restartPolicy") == "Default":
        template["restartPolicy"] = "RecreateGroupOnPodRestart"
    fill(template, {"size": 1, "restartPolicy": "RecreateGroupOnPodRestart"})
    if "subGroupPolicy" in template:
        fill(template["subGroupPolicy"], {"subGroupPolicyType": "LeaderWorker"})
    for pods in (template.get("leaderTemplate"), template.get("workerTemplate")):
        # The CRD defaults protocols only. LeaderWorkerSet applies the rest through the StatefulSets that it makes.
        fill_pod(pods)


def _pod_clique_set(value: Tree, other: Tree) -> None:
    spec, wanted = value.setdefault("spec", {}), other.get("spec") or {}
    # Versions of Grove differ in how they roll by default.
    _allocate(spec, wanted, ("updateStrategy",))
    fill(spec, {"replicas": 1, "template": {}})
    template = spec["template"]
    for name in ("cliques", "podCliqueScalingGroups"):
        known = {item.get("name"): item for item in (wanted.get("template") or {}).get(name) or ()}
        for item in template.get(name) or ():
            _allocate(item, known.get(item.get("name"), {}), ("rollingUpdate",))
    fill(template, {"cliqueStartupType": "CliqueStartupTypeAnyOrder", "terminationDelay": "4h0m0s"})
    fill(template, {"headlessServiceConfig": {"publishNotReadyAddresses": True}})
    for clique in template.get("cliques") or ():
        own = clique.setdefault("spec", {})
        fill(own, {"replicas": 1})
        fill(own, {"minAvailable": own["replicas"]})
        if "autoScalingConfig" in own:
            fill(own["autoScalingConfig"], {"minReplicas": own["replicas"]})
        fill_pod({"spec": own.get("podSpec")})
    for group in template.get("podCliqueScalingGroups") or ():
        fill(group, {"replicas": 1, "minAvailable": 1})
        if "scaleConfig" in group:
            fill(group["scaleConfig"], {"minReplicas": group["replicas"]})


def _volcano_group(value: Tree, _other: Tree) -> None:
    fill(value.setdefault("spec", {}), {"queue": "default"})


def _copy(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copy(item) for key, item in value.items() if item is not None}
    return [_copy(item) for item in value] if isinstance(value, list) else value


_KINDS: dict[str, Filler] = {
    "Deployment": _deployment,
    "StatefulSet": _stateful_set,
    "DaemonSet": _daemon_set,
    "Job": _job,
    "Service": _service,
    "PersistentVolumeClaim": _claim,
    "ServiceAccount": _account,
    "Secret": _secret,
    "RoleBinding": _binding,
    "ClusterRoleBinding": _binding,
    "ResourceClaimTemplate": _claim_template,
    "LeaderWorkerSet": _leader_worker_set,
    "PodCliqueSet": _pod_clique_set,
    "PodGroup": _volcano_group,
}
