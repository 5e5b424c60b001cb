"""How many pods a workload has, and how many GPUs they hold."""

from __future__ import annotations

from typing import Any

from dynamoc.analysis.compare.result import Amount
from dynamoc.kube import quantity
from dynamoc.kube.names import COMPONENT_LABEL, Tree, entries, identity, mapping, text, texts, whole

Claims = dict[tuple[str, str], int]
"""GPUs of a ResourceClaimTemplate by namespace and name."""


class Pods:
    """The pods of one template.

    name       clique name, or the kind's word for the template
    component  from the label of the pods, or of the object
    group      scaling group whose replicas restart as a whole, or None
    """

    __slots__ = ("amount", "component", "group", "name")

    def __init__(self, name: str, component: str, pods: int, gpus_each: int, group: str | None = None) -> None:
        self.name = name
        self.component = component
        self.amount = Amount(pods, pods * gpus_each)
        self.group = group


def pods_of(value: Tree, claims: Claims) -> list[Pods]:
    """The pods of a workload by template; none for other objects."""
    count = _KINDS.get(text(value.get("kind")))
    return count(value, claims) if count else []


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


def _deployment(value: Tree, claims: Claims) -> list[Pods]:
    spec = mapping(value, "spec")
    return [Pods("pods", component_of(value), whole(spec.get("replicas")), _gpus(spec.get("template"), value, claims))]


def _job(value: Tree, claims: Claims) -> list[Pods]:
    spec = mapping(value, "spec")
    pods = whole(spec.get("parallelism"))
    return [Pods("pods", component_of(value), pods, _gpus(spec.get("template"), value, claims))]


def _leader_worker_set(value: Tree, claims: Claims) -> list[Pods]:
    """Every group has one leader; a leader without a template of its own is like the workers."""
    groups = whole(mapping(value, "spec").get("replicas"))
    template = mapping(value, "spec", "leaderWorkerTemplate")
    worker = _gpus(template.get("workerTemplate"), value, claims)
    leader = _gpus(template["leaderTemplate"], value, claims) if template.get("leaderTemplate") else worker
    component = component_of(value)
    return [
        Pods("leader", component, groups, leader),
        Pods("worker", component, groups * max(whole(template.get("size")) - 1, 0), worker),
    ]


def _pod_clique_set(value: Tree, claims: Claims) -> list[Pods]:
    template = mapping(value, "spec", "template")
    sets = whole(mapping(value, "spec").get("replicas"))
    groups = {
        name: (text(group.get("name")), whole(group.get("replicas")))
        for _, group in entries(template, "podCliqueScalingGroups")
        for name in texts(group.get("cliqueNames"))
    }
    shared = shared_devices(template)
    found = []
    for _, clique in entries(template, "cliques"):
        name = text(clique.get("name"))
        group, times = groups.get(name, (None, 1))
        own = mapping(clique, "spec")
        pods = Pods(
            name,
            text(mapping(clique, "labels").get(COMPONENT_LABEL)),
            sets * times * whole(own.get("replicas")),
            _gpus({"spec": own.get("podSpec")}, value, claims),
            group,
        )
        pods.amount.gpus += sets * times * shared.get(name, 0)
        found.append(pods)
    return found


def shared_devices(template: Tree) -> dict[str, int]:
    """Devices that cliques of one replica share, told at the first clique that has them."""
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


def _gpus(template: Any, value: Tree, claims: Claims) -> int:
    """GPUs of one pod: limits of its containers, and the devices that it claims."""
    spec = mapping(template, "spec")
    gpus = 0
    for container in (*(item for _, item in entries(spec, "containers")), *_sidecars(spec)):
        limits = mapping(container, "resources", "limits")
        gpus += sum(_number(amount) for name, amount in limits.items() if is_gpu(name))
    return gpus + claimed_gpus(spec, text(mapping(value, "metadata").get("namespace")), claims)


def claimed_gpus(spec: Tree, namespace: str, claims: Claims) -> int:
    """GPUs that a pod claims through templates."""
    names = [text(claim.get("resourceClaimTemplateName")) for _, claim in entries(spec, "resourceClaims")]
    return sum(claims.get((namespace, name), 0) for name in names)


def _sidecars(spec: Tree) -> list[Tree]:
    return [item for _, item in entries(spec, "initContainers") if item.get("restartPolicy") == "Always"]


def is_gpu(resource: str) -> bool:
    """Whether a resource is a GPU, or a part of one."""
    name = resource.lower()
    return "gpu" in name or "/mig-" in name


def _number(amount: Any) -> int:
    """Devices of a quantity, as the API server counts them: `500m` is one."""
    try:
        return max(quantity.value(amount), 0)
    except ValueError:
        return 0


def _devices(template: Tree) -> int:
    """GPUs that the ResourceClaimSpec in a template asks for."""
    total = 0
    for _, request in entries(mapping(template, "spec", "devices"), "requests"):
        exactly = mapping(request, "exactly") or request
        if "gpu" in str(exactly.get("deviceClassName", "")).lower():
            total += whole(exactly.get("count"))
    return total


_KINDS = {
    "Deployment": _deployment,
    "StatefulSet": _deployment,
    "Job": _job,
    "LeaderWorkerSet": _leader_worker_set,
    "PodCliqueSet": _pod_clique_set,
    "PodGangSet": _pod_clique_set,
}
