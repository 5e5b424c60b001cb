"""Who brings what the manifests need: they themselves, the context, Kubernetes, or an installation of Dynamo."""

from __future__ import annotations

from collections.abc import Iterable

from dynamoc.admission.cluster.capabilities import ApiGroups, api_of
from dynamoc.admission.cluster.config import OperatorConfig
from dynamoc.admission.cluster.helm_chart import accounts, cluster_roles, kai_queues, namespaced_access
from dynamoc.analysis.requires.needs import CHART, CONTEXT, INPUT, KUBERNETES, OPERATOR, RENDER, Api, Need
from dynamoc.analysis.requires.pods import pod_specs, variables
from dynamoc.analysis.requires.workload_pods import made_from
from dynamoc.documents.findings.finding import Place
from dynamoc.documents.source.document import Document
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import TYPE_LABEL, Identity, entries, identity, mapping, with_namespace
from dynamoc.reference.features import read_rows
from dynamoc.reference.releases import CHARTS, MODULES, VALUES, Release, merged
from dynamoc.rendering.rules.container import discovery_account
from dynamoc.rendering.rules.snapshot_storage import RESTORE_LABEL

RBAC = "rbac.authorization.k8s.io"
#: objects that every cluster has, by (group, kind)
_OF_KUBERNETES = {
    ("", "Namespace"): ("default", "kube-system", "kube-public", "kube-node-lease"),
    ("", "ServiceAccount"): ("default",),
    ("", "ConfigMap"): ("kube-root-ca.crt",),
    ("scheduling.k8s.io", "PriorityClass"): ("system-cluster-critical", "system-node-critical"),
    (RBAC, "ClusterRole"): ("admin", "cluster-admin", "edit", "view"),
}
DEFAULT_SCHEDULER = "default-scheduler"


class Known:
    """The objects that are in the output or the context.

    crds  CustomResourceDefinitions among them, who brings each, and where it stands
    """

    def __init__(
        self,
        objects: list[Tree],
        inputs: dict[Identity, Document],
        context: list[Document],
        default: str,
        apis: Iterable[str] = (),
    ) -> None:
        self._apis = ApiGroups((), apis)
        self._by: dict[Identity, str] = {}
        self._places: dict[Identity, Place] = {}
        self.crds: list[tuple[Tree, str, Place | None]] = []
        self._made: dict[Identity, tuple[Identity, str, Place | None]] = {}
        self._shown: dict[tuple[str, str, str], Place] = {}
        for document in context:
            value, place = with_namespace(document.value, default), document.place(("metadata", "name"))
            self._add(value, CONTEXT, place)
            self._shown.setdefault(_served(value), place)
        for value in objects:
            given = inputs.get(identity(value))
            self._add(value, INPUT if given else RENDER, given.place(("metadata", "name")) if given else None)

    def _add(self, value: Tree, by: str, place: Place | None) -> None:
        key, made = identity(value), made_from(value)
        self._by[key] = by
        if place is not None:
            self._places[key] = place
        if made is not None:
            self._made[made] = (key, by, place)
        if value.get("kind") == "CustomResourceDefinition":
            self.crds.append((value, by, place))

    def bring(self, key: Identity) -> tuple[str | None, Place | None]:
        return self._by.get(key), self._places.get(key)

    def makes(self, key: Identity) -> tuple[str, Place | None, str] | None:
        """Who brings the object from which a controller makes another, where that stands, and a note."""
        found = self._made.get(key)
        if found is None:
            return None
        (_, kind, _, name), by, place = found
        return by, place, f"made from {kind}/{name}"

    def serves(self, group: str, version: str, kind: str) -> tuple[str, Place | None] | None:
        """Who shows that a kind is served in a version: the command line, a definition, or an object that exists."""
        if self._apis.serves(api_of(group, version, kind)):
            return CONTEXT, None
        shown = self._shown.get((group, version, kind)) or self._shown.get((group, version, ""))
        if shown is not None:
            return CONTEXT, shown
        for value, by, place in self.crds:
            spec = mapping(value, "spec")
            if spec.get("group") != group or mapping(spec, "names").get("kind") != kind:
                continue
            if any(item.get("name") == version and item.get("served", True) for _, item in entries(spec, "versions")):
                return by, place
        return None


def _served(value: Tree) -> tuple[str, str, str]:
    """Group, version and kind that an object of the cluster shows to be served; an APIService serves any kind."""
    spec = mapping(value, "spec")
    if value.get("kind") == "APIService":
        return str(spec.get("group", "")), str(spec.get("version", "")), ""
    group, _, version = str(value.get("apiVersion", "")).rpartition("/")
    return group, version, str(value.get("kind", ""))


class Installation:
    """What an installation of Dynamo brings: its operator, and the Helm chart that installs the operator."""

    def __init__(self, config: OperatorConfig, release: Release) -> None:
        self._config = config
        restricted = config.namespace.restricted
        made = [*cluster_roles(config, release), *kai_queues()]
        if restricted:
            for component_type in accounts(release):
                made += namespaced_access(component_type, restricted, release)
        self._made = {identity(value) for value in made}

    def brings(self, key: Identity) -> tuple[str, str] | None:
        """Who of the two makes an object, and how; None where neither does."""
        group, kind, _, name = key
        if key in self._made:
            return CHART, "the platform chart creates it" + (" if KAI is enabled" if kind == "Queue" else "")
        if (group, kind) == (RBAC, "ClusterRole") and name == self._config.rbac.dgdr_profiling_cluster_role_name:
            return CHART, "the platform chart creates it"
        if (group, kind) == ("", "Secret") and name and name == self._config.mpi.ssh_secret_name:
            return OPERATOR, "the operator creates the key pair for mpirun, or copies it from its own namespace"
        return None


def of_kubernetes(key: Identity) -> bool:
    """Whether every cluster has an object."""
    group, kind, _, name = key
    if kind == "ClusterRole" and name.startswith("system:"):
        return True
    return name in _OF_KUBERNETES.get((group, kind), ())


def settle(
    key: Identity, known: Known, installation: Installation | None
) -> tuple[str | None, Place | None, str | None]:
    """Who brings an object, where that stands, and a note."""
    by, place = known.bring(key)
    if by is not None:
        return by, place, None
    made = known.makes(key)
    if made is not None:
        return made
    if of_kubernetes(key):
        return KUBERNETES, None, None
    found = installation.brings(key) if installation else None
    return (found[0], None, found[1]) if found else (None, None, _why_nobody(key))


def _why_nobody(key: Identity) -> str | None:
    """What is not plain about an object that nothing provides."""
    group, kind, _, name = key
    if (group, kind) == ("nvidia.com", "DynamoGraphDeployment"):
        return "the graph itself; the rendered objects work without it"
    if (group, kind) == ("", "ServiceAccount") and name.endswith(discovery_account("")):
        return "the operator creates it for graphs, but not for a DynamoComponentDeployment on its own"
    return None


#: API group, or kind and group, to what serves it
PROJECTS = {group: " ".join(words) for group, *words in read_rows("projects.txt")}
#: schedulers by what brings them
SCHEDULERS = {"kai-scheduler": "KAI", "volcano": "Volcano"}


def module_of(project: str, release: str) -> str | None:
    """`sigs.k8s.io/lws v0.9.0`: the types that the operator of a release was built with, None where unknown."""
    return merged(MODULES, release).get(project)


def chart_of(project: str, release: str) -> tuple[str, str, str] | None:
    """Chart, version and value by which the platform chart of a release installs a project, None where unknown."""
    chart = merged(CHARTS, release).get(project)
    return (*chart, merged(VALUES, release)[project]) if chart else None


#: Groups that each cluster of the last years serves; what else ends in `.k8s.io` was added to it.
_BUILT_IN = frozenset(
    (
        *("", "admissionregistration.k8s.io", "apiextensions.k8s.io", "apiregistration.k8s.io", "apps"),
        *("authentication.k8s.io", "authorization.k8s.io", "autoscaling", "batch", "certificates.k8s.io"),
        *("coordination.k8s.io", "discovery.k8s.io", "events.k8s.io", "flowcontrol.apiserver.k8s.io"),
        *("networking.k8s.io", "node.k8s.io", "policy", "rbac.authorization.k8s.io", "scheduling.k8s.io"),
        *("storage.k8s.io",),
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
    """An autoscaler that looks at the CPU or memory of pods reads what a metrics server must measure."""
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
    """Which version of a project belongs to a release of Dynamo, as far as the release says so itself."""
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
