"""Which pods a workload runs: its templates, how many pods each has, and on how many nodes."""

from __future__ import annotations

from dynamoc.compare.pod_counts import shared_devices, sharing_cliques
from dynamoc.kube.labels import COMPONENT_LABEL
from dynamoc.kube.lenient import entries, mapping, text, texts, whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Path

    Tree = dict[str, Any]


class Template:
    """One pod template of a workload.

    name       of the clique, or the kind's word for the template
    labels     of the clique, or of the workload and its pods; annotations of the former
    path, spec the PodSpec
    unit       what its pods are repeated in: the name of a scaling group, or "" for the template itself
    each       pods in one unit, and `units` how many of these there are
    minimum    pods, and units, that a gang needs
    nodes      that the pods of one unit take where they belong to a multinode component
    shared     devices that the pods of one unit share
    """

    __slots__ = ("annotations", "each", "labels", "minimum", "name", "nodes", "path", "shared", "spec", "unit", "units")

    def __init__(
        self, name: str, holder: Tree, path: Path, spec: Tree, *, unit: str = "", pods: Tree | None = None
    ) -> None:
        self.name = name
        self.labels = {**mapping(pods or {}, "metadata", "labels"), **mapping(holder, "labels")}
        self.annotations = mapping(holder, "annotations")
        self.path = path
        self.spec = spec
        self.unit = unit
        self.each = 1
        self.units = 1
        self.minimum = (1, 1)
        self.nodes = 1
        self.shared = 0

    @property
    def component(self) -> str:
        """Of the graph, "" where it belongs to none."""
        return text(self.labels.get(COMPONENT_LABEL))

    @property
    def pods(self) -> int:
        return self.each * self.units


def templates_of(value: Tree) -> list[Template]:
    """The templates of a workload whose pods can be counted, none for other objects."""
    find = _KINDS.get(str(value.get("kind", "")))
    return find(value) if find else []


def _replicated(value: Tree, field: str = "replicas") -> list[Template]:
    spec = mapping(value, "spec")
    path = ("spec", "template", "spec")
    pods = mapping(spec, "template")
    template = Template("pods", mapping(value, "metadata"), path, mapping(pods, "spec"), pods=pods)
    template.units = whole(spec.get(field))
    return [template]


def _job(value: Tree) -> list[Template]:
    return _replicated(value, "parallelism")


def _pod(value: Tree) -> list[Template]:
    return [Template("pods", mapping(value, "metadata"), ("spec",), mapping(value, "spec"))]


def _leader_worker_set(value: Tree) -> list[Template]:
    """A group is a leader and `size` - 1 workers; a leader without a template of its own is like the workers."""
    spec, metadata = mapping(value, "spec"), mapping(value, "metadata")
    group, path = mapping(spec, "leaderWorkerTemplate"), ("spec", "leaderWorkerTemplate")
    size = whole(group.get("size"))
    leader = "leaderTemplate" if mapping(group, "leaderTemplate") else "workerTemplate"
    found = []
    for name, field, number in (("leader", leader, 1), ("worker", "workerTemplate", size - 1)):
        pods = mapping(group, field)
        template = Template(name, metadata, (*path, field, "spec"), mapping(pods, "spec"), unit="group", pods=pods)
        template.each, template.units = number, whole(spec.get("replicas"))
        template.minimum = (number, 1)
        template.nodes = number
        found.append(template)
    return found


def _pod_clique_set(value: Tree) -> list[Template]:
    """Cliques, those of scaling groups times the group's replicas.

    Source of the minimum: Grove's api/core/v1alpha1 podcliqueset.go and its defaulting webhook: `minAvailable` of a
    clique is its replicas where nobody sets it, that of a scaling group is 1.
    """
    spec = mapping(value, "spec")
    outline, path = mapping(spec, "template"), ("spec", "template")
    sets = whole(spec.get("replicas"))
    groups = {
        name: group
        for _, group in entries(outline, "podCliqueScalingGroups", path)
        for name in texts(group.get("cliqueNames"))
    }
    shared, on_one_node = shared_devices(outline), _sharing_cliques(outline)
    found = []
    for at, clique in entries(outline, "cliques", path):
        name, own = text(clique.get("name")), mapping(clique, "spec")
        group = groups.get(name)
        where = (*at, "spec", "podSpec")
        template = Template(name, clique, where, mapping(own, "podSpec"), unit=text((group or {}).get("name")))
        replicas = whole(own.get("replicas"))
        least = min(whole(own.get("minAvailable"), replicas), replicas)
        template.shared = shared.get(name, 0)
        if group is None:
            template.units, template.minimum = sets * replicas, (1, least)
        else:
            times = whole(group.get("replicas"))
            template.each, template.units = replicas, sets * times
            template.minimum = (least, min(whole(group.get("minAvailable")), times))
            template.nodes = on_one_node.get(name, replicas)
        found.append(template)
    return found


def _sharing_cliques(outline: Tree) -> dict[str, int]:
    """Nodes of cliques whose pods share devices, and so a node: 1 for the first of them, 0 for the others."""
    nodes: dict[str, int] = {}
    for _, group in entries(outline, "podCliqueScalingGroups"):
        for _, sharing in entries(group, "resourceSharing"):
            for index, name in enumerate(sharing_cliques(sharing, group)):
                nodes.setdefault(name, 0 if index else 1)
    return nodes


_KINDS = {
    "Deployment": _replicated,
    "Job": _job,
    "LeaderWorkerSet": _leader_worker_set,
    "Pod": _pod,
    "PodCliqueSet": _pod_clique_set,
    "PodGangSet": _pod_clique_set,
    "ReplicaSet": _replicated,
    "ReplicationController": _replicated,
    "StatefulSet": _replicated,
}
