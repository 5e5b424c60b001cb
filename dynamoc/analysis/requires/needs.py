"""What rendered objects need, as data, and how it is called in text and in scripts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from dynamoc.analysis.compare.trees import format_steps, named_steps, short_steps
from dynamoc.documents.findings.answers import OneOf
from dynamoc.documents.findings.finding import Path, Place
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import Identity, mapping

# who brings what is needed
RENDER = "render"
INPUT = "input"
CONTEXT = "context"
KUBERNETES = "kubernetes"
OPERATOR = "operator"
CHART = "chart"

#: the manifests provide it, or the cluster is known to have it; what OPERATOR and CHART bring is installed with them
SETTLED = (RENDER, INPUT, CONTEXT, KUBERNETES)


@dataclass(eq=False, slots=True)
class Need:
    """Who needs something, and where it says so.

    subject    the object, of the output; of the input where only the operator needs the thing
    path       the field in the subject
    component  of the graph, "" where the subject belongs to none
    optional   whether pods start without it
    place      the line of the input that led to it, None where no line is known
    """

    KEYS = (
        "kind=subject.kind namespace?=subject.metadata.namespace name=subject.metadata.name component? field=text path"
        " optional place"
    )
    subject: Tree
    path: Path
    optional: bool = field(default=False, kw_only=True)
    component: str = ""
    place: Place | None = None

    @property
    def text(self) -> str:
        """The path as text."""
        return field_text(self.subject, self.path)


@dataclass(slots=True)
class Key:
    """A key of a Secret or ConfigMap that must be in it."""

    name: str
    optional: bool


@dataclass(eq=False, slots=True, kw_only=True)
class Needed:
    """What something needs.

    by      what provides it; None if nothing does
    source  place of the document that provides it, for INPUT and CONTEXT
    note    what there is to know about it, or None
    """

    needs: list[Need] = field(default_factory=list)
    by: str | None = None
    source: Place | None = None
    note: str | None = None


@dataclass(eq=False, slots=True)
class Requirement(Needed):
    """An object that must exist.

    keys    of a Secret or ConfigMap that must be in it, each with whether it may be missing
    asked   whether only the operator looks it up, and no object names it
    """

    KEYS = "group kind namespace? name keys=sorted_keys optional brought_by=by source note needed_by=needs"
    group: str
    kind: str
    namespace: str
    name: str
    keys: dict[str, bool] = field(default_factory=dict)
    asked: bool = False

    @property
    def identity(self) -> Identity:
        return self.group, self.kind, self.namespace, self.name

    @property
    def sorted_keys(self) -> list[Key]:
        return [Key(*pair) for pair in sorted(self.keys.items())]

    @property
    def optional(self) -> bool:
        """Whether pods start without it."""
        return all(need.optional for need in self.needs)


@dataclass(slots=True)
class Chart:
    """What installs a project, and the value that switches it on."""

    name: str
    version: str
    value: str


@dataclass(eq=False, slots=True)
class Api(Needed):
    """A kind in a version that the cluster must serve.

    project     what serves it, e.g. `Grove`
    built_with  the Go module that the operator was built with
    """

    KEYS = "group version kind project? built_with chart brought_by=by source note needed_by=needs"
    group: str
    version: str
    kind: str
    project: str
    built_with: str | None = field(default=None, init=False)
    chart: Chart | None = field(default=None, init=False)


@dataclass(eq=False, slots=True)
class Address(Needed):
    """A host that pods get in an environment variable.

    service  namespace and name of the Service that the host is, None for hosts outside of the cluster
    """

    KEYS = "variable value service=named_service brought_by=by source needed_by=needs"
    variable: str
    value: str
    service: tuple[str, str] | None

    @property
    def named_service(self) -> Annotated[dict[str, str], OneOf("namespace", "name")] | None:
        return dict(zip(("namespace", "name"), self.service, strict=True)) if self.service else None


@dataclass(eq=False, slots=True)
class Named(Needed):
    """What has a name but is not an object of the API: an image, a scheduler, something on the nodes.

    what  `image`, `scheduler`, `source` of a model, or the kind of what nodes must have: `label`, `path`, `NFS export`,
          `seccomp profile`, `AppArmor profile`
    """

    KEYS = "name brought_by=by note needed_by=needs"
    what: str
    name: str


@dataclass(eq=False, slots=True)
class Role:
    """The pods of one component, or of one workload that belongs to none.

    name      component, or `Kind/name`
    type      component type by label, "" without one
    pods      of all replicas
    nodes     that one replica spreads over; 1 for pods that stand alone
    gpus      of all replicas
    per_pod   GPUs of one pod, by name of the template
    shared    GPUs that pods of a replica share, of all replicas
    unknown   ResourceClaimTemplates that are not shown; their GPUs are not counted
    place     the component in the input
    """

    KEYS = (
        "namespace? graph? name type? replicas pods gpus gpus_per_pod=per_pod shared_gpus=shared"
        " nodes_per_replica=nodes unknown_claims place"
    )
    namespace: str
    graph: str
    name: str
    type: str = ""
    pods: int = 0
    replicas: int = 0
    nodes: int = 1
    gpus: int = 0
    per_pod: dict[str, int] = field(default_factory=dict)
    shared: int = 0
    unknown: dict[str, None] = field(default_factory=dict)
    place: Place | None = None

    @property
    def unknown_claims(self) -> list[str]:
        return sorted(self.unknown)

    @property
    def all_nodes(self) -> int:
        """Nodes of all replicas of a multinode component, 0 for pods that may share nodes with others."""
        return self.replicas * self.nodes if self.nodes > 1 else 0


@dataclass(slots=True)
class GangPods:
    """The pods of one template."""

    name: str
    pods: int
    gpus_per_pod: int


@dataclass(eq=False, slots=True)
class Gang:
    """Pods that run together or not at all.

    subject  the workload: a PodCliqueSet or LeaderWorkerSet, of which each replica is a gang
    group    the scaling group of which each further replica is a gang, "" for the workload itself
    count    how many such gangs there are
    parts    name of a template, its pods, and GPUs of each
    shared   GPUs that its pods share
    scheduler  that its pods name, "" for the cluster's own, which knows nothing of gangs
    """

    KEYS = (
        "kind=subject.kind namespace?=subject.metadata.namespace name=subject.metadata.name scaling_group?=group"
        " scheduler? count pods gpus shared_gpus=shared parts=templates"
    )
    subject: Tree
    group: str
    count: int
    parts: list[tuple[str, int, int]] = field(default_factory=list)
    shared: int = 0
    scheduler: str = ""

    @property
    def templates(self) -> list[GangPods]:
        return [GangPods(*part) for part in self.parts]

    @property
    def pods(self) -> int:
        return sum(pods for _, pods, _ in self.parts)

    @property
    def gpus(self) -> int:
        return self.shared + sum(pods * gpus for _, pods, gpus in self.parts)


@dataclass(eq=False, slots=True)
class Requirements:
    """Everything that a set of objects needs.

    operator  why the Dynamo operator must run beside them, in full sentences; empty where it need not
    resources extended resources by name: the most that one pod asks for, and the sum
    shown     whether something of the cluster is known
    """

    objects: list[Requirement] = field(default_factory=list)
    apis: list[Api] = field(default_factory=list)
    addresses: list[Address] = field(default_factory=list)
    schedulers: list[Named] = field(default_factory=list)
    images: list[Named] = field(default_factory=list)
    sources: list[Named] = field(default_factory=list)
    nodes: list[Named] = field(default_factory=list)
    operator: list[tuple[str, list[Need]]] = field(default_factory=list)
    roles: list[Role] = field(default_factory=list)
    resources: dict[str, tuple[int, int]] = field(default_factory=dict)
    gangs: list[Gang] = field(default_factory=list)
    shown: bool = False

    @property
    def lack(self) -> str:
        """The word for what nothing provides: nothing is known to be missing in a cluster that is not shown."""
        return "missing" if self.shown else "needed"

    @property
    def missing(self) -> int:
        """Objects that are not optional, and APIs, that nothing provides."""
        return sum(item.by is None and not item.optional for item in self.objects) + sum(
            item.by is None for item in self.apis
        )


def role_rows(roles: list[Role]) -> list[tuple[str, ...]]:
    """Graph, component, type, pods, GPUs of a pod, all GPUs, and nodes of each role; and the totals.

    A graph has its namespace where several have a graph of this name.
    """
    spaces: dict[str, set[str]] = {}
    for role in roles:
        spaces.setdefault(role.graph, set()).add(role.namespace)
    rows = []
    for role in roles:
        graph = f"{role.graph} ({role.namespace})" if role.graph and len(spaces[role.graph]) > 1 else role.graph
        each = "shared" if role.shared else " or ".join(map(str, sorted(set(role.per_pod.values())))) or "0"
        nodes = f"{role.replicas} x {role.nodes}" if role.nodes > 1 else ""
        rows.append((graph, role.name, role.type, str(role.pods), each, str(role.gpus), nodes))
    pods, gpus, nodes = (sum(getattr(role, what) for role in roles) for what in ("pods", "gpus", "all_nodes"))
    return [*rows, ("total", "", "", str(pods), "", str(gpus), str(nodes or ""))]


BRINGERS = {
    RENDER: "the rendered objects",
    INPUT: "the input",
    CONTEXT: "the context",
    KUBERNETES: "Kubernetes",
    OPERATOR: "the operator",
    CHART: "the platform chart",
}


def title(kind: str, namespace: str, name: str) -> str:
    """`Secret/token (team)`"""
    return f"{kind}/{name}" + (f" ({namespace})" if namespace else "")


def object_title(value: Tree) -> str:
    metadata = mapping(value, "metadata")
    return title(str(value.get("kind", "")), metadata.get("namespace") or "", metadata.get("name") or "")


def requirement_title(item: Requirement | Api) -> str:
    """With the group where the kind alone may mean several."""
    if isinstance(item, Api):
        return f"{item.group}/{item.version} {item.kind}"
    kind = f"{item.kind}.{item.group}" if item.kind in ("Queue", "Gateway") else item.kind
    return title(kind, item.namespace, item.name)


def field_text(value: Tree, path: Path) -> str:
    """`spec.template.spec.containers[main].envFrom[0].secretRef.name`: elements by name where they have one."""
    return format_steps(named_steps(value, path))


def need_text(need: Need) -> str:
    """`Worker: pod volumes[cache].persistentVolumeClaim.claimName of Deployment/chat-worker`"""
    metadata = mapping(need.subject, "metadata")
    subject = f"{need.subject.get('kind')}/{metadata.get('name') or ''}"
    component = f"{need.component}: " if need.component else ""
    field = short_steps(named_steps(need.subject, need.path)).strip()
    return f"{component}{field} of {subject}" if field else f"{component}{subject}"


class Reference:
    """An object that is named at `path`.

    namespace  None for the namespace of the object that names it; "" for kinds without one
    key        of a Secret or ConfigMap, None where any will do
    """

    def __init__(
        self,
        kind: tuple[str, str],
        name: str,
        path: Path,
        *,
        namespace: str | None = None,
        optional: bool = False,
        key: str | None = None,
    ) -> None:
        self.group, self.kind = kind
        self.name = name
        self.path = path
        self.namespace = namespace
        self.optional = optional
        self.key = key


# kinds as (group, kind)
SECRET = ("", "Secret")
CONFIG_MAP = ("", "ConfigMap")
CLAIM = ("", "PersistentVolumeClaim")
VOLUME = ("", "PersistentVolume")
SERVICE = ("", "Service")
SERVICE_ACCOUNT = ("", "ServiceAccount")
ENDPOINTS = ("", "Endpoints")
NODE = ("", "Node")
PRIORITY_CLASS = ("scheduling.k8s.io", "PriorityClass")
RUNTIME_CLASS = ("node.k8s.io", "RuntimeClass")
STORAGE_CLASS = ("storage.k8s.io", "StorageClass")
CSI_DRIVER = ("storage.k8s.io", "CSIDriver")
INGRESS_CLASS = ("networking.k8s.io", "IngressClass")
RESOURCE_CLAIM = ("resource.k8s.io", "ResourceClaim")
CLAIM_TEMPLATE = ("resource.k8s.io", "ResourceClaimTemplate")
DEVICE_CLASS = ("resource.k8s.io", "DeviceClass")
TRUST_BUNDLE = ("certificates.k8s.io", "ClusterTrustBundle")
ROLE_GROUP = "rbac.authorization.k8s.io"
KAI_QUEUE = ("scheduling.run.ai", "Queue")
VOLCANO_QUEUE = ("scheduling.volcano.sh", "Queue")
POD_GROUP = ("scheduling.volcano.sh", "PodGroup")
TOPOLOGY = ("grove.io", "ClusterTopologyBinding")
ISTIO_GATEWAY = ("networking.istio.io", "Gateway")
GATEWAY_GROUP = "gateway.networking.k8s.io"
NETWORK = ("k8s.cni.cncf.io", "NetworkAttachmentDefinition")
SECRET_PROVIDER = ("secrets-store.csi.x-k8s.io", "SecretProviderClass")
GRAPH = ("nvidia.com", "DynamoGraphDeployment")
