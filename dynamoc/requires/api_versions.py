"""The kinds and versions that a cluster must serve before the objects can be applied, or their pods can run."""

from __future__ import annotations

from dynamoc.kube.labels import TYPE_LABEL
from dynamoc.kube.lenient import entries, mapping
from dynamoc.requires.addresses import variables
from dynamoc.requires.installers import PROJECTS, chart_of, module_of
from dynamoc.requires.needs import CHART, Api, Need
from dynamoc.requires.pod_specs import pod_specs
from dynamoc.rules.snapshot_marks import RESTORE_LABEL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.release import Release
    from dynamoc.requires.providers import Known

    Tree = dict[str, Any]

#: Groups that each cluster of the last years serves; what else ends in `.k8s.io` was added by somebody.
_BUILT_IN = frozenset(
    (
        "",
        "admissionregistration.k8s.io",
        "apiextensions.k8s.io",
        "apiregistration.k8s.io",
        "apps",
        "authentication.k8s.io",
        "authorization.k8s.io",
        "autoscaling",
        "batch",
        "certificates.k8s.io",
        "coordination.k8s.io",
        "discovery.k8s.io",
        "events.k8s.io",
        "flowcontrol.apiserver.k8s.io",
        "networking.k8s.io",
        "node.k8s.io",
        "policy",
        "rbac.authorization.k8s.io",
        "scheduling.k8s.io",
        "storage.k8s.io",
    )
)
_DYNAMO = "nvidia.com"
_METADATA = ("nvidia.com", "v1alpha1", "DynamoWorkerMetadata")
#: pods that start from a snapshot: deploy/snapshot/protocol/common.go; internal/checkpoint/podspec.go
_CANDIDATE = "nvidia.com/dynamo-checkpoint-restore-candidate"
_METRICS = ("metrics.k8s.io", "v1beta1", "PodMetrics")
#: kinds of Dynamo that only its operator acts on, and what it does
_CONTROLLED = {
    "DynamoCheckpoint": "takes the snapshots that a DynamoCheckpoint describes",
    "DynamoComponentDeployment": "turns a DynamoComponentDeployment into pods",
    "DynamoGraphDeployment": "turns a DynamoGraphDeployment into pods",
    "DynamoGraphDeploymentRequest": "profiles models for a DynamoGraphDeploymentRequest",
    "DynamoGraphDeploymentScalingAdapter": "copies the replicas of a DynamoGraphDeploymentScalingAdapter to its graph",
    "DynamoModel": "loads the adapters of a DynamoModel",
}


def api_needs(objects: list[Tree], release: Release, known: Known, *, installed: bool) -> list[Api]:
    """The APIs behind the objects, and those that their pods use, in order of group and kind."""
    found: dict[tuple[str, str, str], Api] = {}
    for value in objects:
        group, _, version = str(value.get("apiVersion", "")).rpartition("/")
        if group not in _BUILT_IN:
            _note(found, (group, version, str(value.get("kind", ""))), Need(value, ("apiVersion",)))
        for need in _worker_metadata(value):
            _note(found, _METADATA, need)
        for need in _metrics(value):
            _note(found, _METRICS, need)
    for api in found.values():
        _settle(api, release, known, installed=installed)
    return [found[key] for key in sorted(found)]


def _note(found: dict[tuple[str, str, str], Api], key: tuple[str, str, str], need: Need) -> None:
    group, version, kind = key
    if key not in found:
        found[key] = Api(group, version, kind, PROJECTS.get(f"{kind}.{group}", PROJECTS.get(group, "")))
    found[key].needs.append(need)


def _worker_metadata(value: Tree) -> list[Need]:
    """Pods that find each other through Kubernetes write a DynamoWorkerMetadata each, and stop where they cannot."""
    return [
        Need(value, path)
        for name, backend, path in variables(value)
        if name == "DYN_DISCOVERY_BACKEND" and backend == "kubernetes"
    ]


def _metrics(value: Tree) -> list[Need]:
    """An autoscaler that looks at the CPU or memory of pods reads what somebody must measure."""
    if value.get("kind") != "HorizontalPodAutoscaler":
        return []
    metrics = entries(mapping(value, "spec"), "metrics", ("spec",))
    return [Need(value, at) for at, item in metrics if item.get("type") in ("Resource", "ContainerResource")]


def _settle(api: Api, release: Release, known: Known, *, installed: bool) -> None:
    served = known.serves(api.group, api.version, api.kind)
    if served is not None:
        api.by, api.source = served
    elif installed and api.group == _DYNAMO and (api.kind in _CONTROLLED or api.kind == _METADATA[2]):
        api.by, api.note = CHART, "installed with the operator"
    elif api.group == "resource.k8s.io":
        api.note = "part of Kubernetes since 1.34" if api.version == "v1" else "part of Kubernetes"
    else:
        api.note = version_note(api.project, release)


def version_note(project: str, release: Release) -> str | None:
    """Which version of a project goes with a release of Dynamo, as far as the release says so itself."""
    chart, module = chart_of(project, release.name), module_of(project, release.name)
    if chart is not None:
        name, version, value = chart
        return f"the platform chart of Dynamo {release.name} installs {name} {version} if {value} is set"
    if module is not None:
        return f"the operator of Dynamo {release.name} was built with {module}"
    return None


def operator_reasons(objects: list[Tree]) -> list[tuple[str, list[Need]]]:
    """Why the Dynamo operator must run beside the objects: what it does for them all the time, and for which."""
    reasons: dict[str, list[Need]] = {}
    for value in objects:
        group, kind = str(value.get("apiVersion", "")).rpartition("/")[0], value.get("kind")
        if group == _DYNAMO and kind in _CONTROLLED:
            reasons.setdefault(_CONTROLLED[kind], []).append(Need(value, ("kind",)))
            continue
        for pod in pod_specs(value):
            labels = pod.labels or mapping(value, "metadata", "labels")
            if labels.get(TYPE_LABEL) == "planner":
                need = Need(value, (*pod.metadata, "labels", TYPE_LABEL))
                reasons.setdefault("applies the replicas that a planner writes into its graph", []).append(need)
            elif RESTORE_LABEL in pod.labels or _CANDIDATE in pod.annotations:
                need = Need(value, pod.metadata)
                reasons.setdefault("lets pods start from a snapshot, by its webhook for pods", []).append(need)
    return list(reasons.items())
