"""Who brings what the manifests need: they themselves, the context, Kubernetes, or an installation of Dynamo."""

from __future__ import annotations

from dynamoc.cluster.api_groups import ApiGroups, api_of
from dynamoc.cluster.chart_objects import accounts, cluster_roles, kai_queues, namespaced_access
from dynamoc.kube.identity import identity
from dynamoc.kube.lenient import entries, mapping
from dynamoc.kube.scope import with_namespace
from dynamoc.requires.made import made_from
from dynamoc.requires.needs import CHART, CONTEXT, INPUT, KUBERNETES, OPERATOR, RENDER
from dynamoc.rules.discovery import discovery_account

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from dynamoc.cluster.config import OperatorConfig
    from dynamoc.diagnostics.finding import Place
    from dynamoc.kube.identity import Identity
    from dynamoc.release import Release
    from dynamoc.source.document import Document

    Tree = dict[str, Any]

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
    """The objects that stand in the output or the context.

    crds  CustomResourceDefinitions among them, who brings each, and where it stands
    """

    __slots__ = ("_apis", "_by", "_made", "_places", "_shown", "crds")

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

    __slots__ = ("_config", "_made")

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
    """What is not plain about an object that nobody brings."""
    group, kind, _, name = key
    if (group, kind) == ("nvidia.com", "DynamoGraphDeployment"):
        return "the graph itself; the rendered objects work without it"
    if (group, kind) == ("", "ServiceAccount") and name.endswith(discovery_account("")):
        return "the operator creates it for graphs, but not for a DynamoComponentDeployment on its own"
    return None
