"""Which pods a workload runs: its templates, how many pods each has, on how many nodes, and what they hold."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from dynamoc.analysis.compare.result import Amount
from dynamoc.documents.findings.finding import Path
from dynamoc.kube import quantity
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import COMPONENT_LABEL, GROVE_SETS, entries, identity, mapping, text, texts, whole

Claims = dict[tuple[str, str], int]
"""GPUs of a ResourceClaimTemplate by namespace and name."""


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


@dataclass(eq=False, slots=True)
class Pods:
    """The pods of one template.

    name       clique name, or the kind's word for the template
    component  from the label of the pods, or of the object
    group      scaling group whose replicas restart as a whole, or None
    """

    name: str
    component: str
    amount: Amount
    group: str | None


#: workloads whose pods are compared
_COMPARED = ("Deployment", "StatefulSet", "Job", "LeaderWorkerSet", *GROVE_SETS)


def pods_of(value: Tree, claims: Claims) -> list[Pods]:
    """The pods of a workload by template; none for other objects."""
    kind, namespace = text(value.get("kind")), text(mapping(value, "metadata").get("namespace"))
    found = []
    for template in templates_of(value) if kind in _COMPARED else ():
        component = template.component if kind in GROVE_SETS else component_of(value)
        gpus = gpus_of(template.spec) + claimed_gpus(template.spec, namespace, claims)
        amount = Amount(template.pods, template.pods * gpus + template.units * template.shared)
        found.append(Pods(template.name, component, amount, template.unit or None))
    return found


def gpu_claims(objects: list[Tree]) -> Claims:
    """What the ResourceClaimTemplates among the objects ask for."""
    return {
        identity(value)[2:]: _devices(mapping(value, "spec"))
        for value in objects
        if value.get("kind") == "ResourceClaimTemplate"
    }


def component_of(value: Tree) -> str:
    """The component of a graph that an object belongs to, "" for the objects of the whole graph."""
    return str(mapping(value, "metadata", "labels").get(COMPONENT_LABEL, ""))


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
    """A group is a leader and `size` - 1 workers; a leader without a template is like the workers."""
    spec, metadata = mapping(value, "spec"), mapping(value, "metadata")
    group, path = mapping(spec, "leaderWorkerTemplate"), ("spec", "leaderWorkerTemplate")
    size = whole(group.get("size"))
    leader = "leaderTemplate" if mapping(group, "leaderTemplate") else "workerTemplate"
    found = []
    for name, field, number in (("leader", leader, 1), ("worker", "workerTemplate", max(size - 1, 0))):
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
    clique is its replicas by default, that of a scaling group is 1.
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


def shared_devices(template: Tree) -> dict[str, int]:
    """Devices that cliques of one replica share, counted at the first clique that has them."""
    asked = {
        text(item.get("name")): _devices(mapping(item, "templateSpec"))
        for _, item in entries(template, "resourceClaimTemplates")
    }
    shared: dict[str, int] = {}
    for _, group in entries(template, "podCliqueScalingGroups"):
        for _, sharing in entries(group, "resourceSharing"):
            names = sharing_cliques(sharing, group)
            if names:
                shared[names[0]] = shared.get(names[0], 0) + asked.get(text(sharing.get("name")), 0)
    return shared


def sharing_cliques(sharing: Tree, group: Tree) -> list[str]:
    """The cliques of a scaling group that share a claim: those of its filter, or all."""
    return texts(mapping(sharing, "filter").get("childCliqueNames")) or texts(group.get("cliqueNames"))


def gpus_of(spec: Tree) -> int:
    """GPUs of one pod that its containers ask for."""
    return sum(number for name, number in pod_resources(spec).items() if is_gpu(name))


def claimed_gpus(spec: Tree, namespace: str, claims: Claims) -> int:
    """GPUs that a pod claims through templates."""
    names = [text(claim.get("resourceClaimTemplateName")) for _, claim in entries(spec, "resourceClaims")]
    return sum(claims.get((namespace, name), 0) for name in names)


def is_gpu(resource: str) -> bool:
    """Whether a resource is a GPU, or a part of one."""
    name = resource.lower()
    return "gpu" in name or "/mig-" in name


def pod_resources(spec: Tree) -> dict[str, int]:
    """Extended resources of one pod: what its containers hold together, or the most that it holds while it starts.

    Source: k8s.io/component-helpers resource PodRequests: sidecars count on, other init containers run alone.
    """
    running: Counter[str] = Counter()
    peak: Counter[str] = Counter()
    for _, container in entries(spec, "initContainers"):
        own = _extended(container)
        if container.get("restartPolicy") == "Always":
            running, own = running + own, Counter()
        peak |= running + own
    for _, container in entries(spec, "containers"):
        running += _extended(container)
    return dict(peak | running)


def _extended(container: Tree) -> Counter[str]:
    """Limits: an extended resource has no other request."""
    found: Counter[str] = Counter()
    for name, amount in mapping(container, "resources", "limits").items():
        if "/" in name or is_gpu(name):
            try:
                number = quantity.value(amount)
            except ValueError:
                continue
            if number > 0:
                found[name] = number
    return found


def _devices(template: Tree) -> int:
    """GPUs that the ResourceClaimSpec in a template asks for."""
    total = 0
    for _, request in entries(mapping(template, "spec", "devices"), "requests"):
        exactly = mapping(request, "exactly") or request
        if "gpu" in str(exactly.get("deviceClassName", "")).lower():
            total += whole(exactly.get("count"))
    return total
