"""What of a rendering belongs to a graph, is shared by graphs, or needs an administrator or an operator that runs."""

from __future__ import annotations

from collections.abc import Iterator

from dynamoc.admission.cluster import helm_chart
from dynamoc.admission.operator import GRAPH, SHARED, Operator
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import identity
from dynamoc.kube.tracing import ALL, builder

#: so that a tool that prunes what a graph no longer makes leaves what another graph needs
KEEP = {
    "argocd.argoproj.io/sync-options": "Prune=false",
    "kustomize.toolkit.fluxcd.io/prune": "disabled",
}
_OF_THE_CLUSTER = ("ClusterRole", "CustomResourceDefinition", "Queue")
#: A namespace's `admin` may make Roles, but none that allow more than it may itself: workers write nvidia.com objects.
_ACCESS = ("Role", "RoleBinding")


@builder("lower/standalone/parts/keep-shared", "dynamoc; Argo CD and Helm read the annotations", ALL)
def keep_shared(objects: list[Tree], operator: Operator) -> list[Tree]:
    """Annotates what graphs share: the definition, ClusterRoles, queues, key pairs, and access of planner and EPP.

    Argo CD and Flux read the annotations.
    """
    accounts = set(helm_chart.accounts(operator.release).values())
    bound = [item for item in objects if item["kind"] == "RoleBinding" and _subjects(item) & accounts]
    names = {
        "ServiceAccount": accounts,
        "RoleBinding": {item["metadata"]["name"] for item in bound},
        "Role": {item["roleRef"]["name"] for item in bound},
        "Secret": {operator.config.mpi.ssh_secret_name},
    }
    for item in objects:
        if item["kind"] in _OF_THE_CLUSTER or item["metadata"].get("name") in names.get(item["kind"], ()):
            metadata = item["metadata"]
            metadata["annotations"] = {**(metadata.get("annotations") or {}), **KEEP}
    return objects


def part_of(objects: list[Tree], part: str, given: frozenset[tuple[str, str, str, str]], default: str) -> list[Tree]:
    """The objects of one part, `shared`, `graph` or `all`; what the input brings (`given`) belongs to the graph.

    Shared is what an administrator applies: what is annotated, and what the ClusterRole `admin` may not make.
    """
    if part not in (SHARED, GRAPH):
        return objects
    return [item for item in objects if _is_administrators(item, given, default) == (part == SHARED)]


def _is_administrators(item: Tree, given: frozenset[tuple[str, str, str, str]], default: str) -> bool:
    if identity(item, default) in given:
        return False
    annotations = item["metadata"].get("annotations") or {}
    return item["kind"] in _ACCESS or all(annotations.get(key) == value for key, value in KEEP.items())


def _subjects(binding: Tree) -> set[str]:
    return {subject.get("name") or "" for subject in binding.get("subjects") or ()}


def pod_specs(objects: list[Tree]) -> Iterator[tuple[str, Tree]]:
    """Namespace and PodSpec of each pod template."""
    for namespace, template in pod_templates(objects):
        yield namespace, template.get("spec") or {}


def pod_templates(objects: list[Tree]) -> Iterator[tuple[str, Tree]]:
    """Namespace and template (`metadata`, `spec`) of each kind of pod; cliques of Grove are converted to that shape."""
    for item in objects:
        find = _TEMPLATES.get(item["kind"])
        if find is not None:
            for template in find(item.get("spec") or {}):
                yield item["metadata"]["namespace"], template or {}


def _cliques(spec: Tree) -> list[Tree]:
    return [
        {
            "metadata": {key: clique[key] for key in ("labels", "annotations") if key in clique},
            "spec": (clique.get("spec") or {}).get("podSpec") or {},
        }
        for clique in (spec.get("template") or {}).get("cliques") or ()
    ]


def _members(spec: Tree) -> list[Tree]:
    template = spec.get("leaderWorkerTemplate") or {}
    return [template[part] for part in ("leaderTemplate", "workerTemplate") if part in template]


_TEMPLATES = {
    "Deployment": lambda spec: [spec.get("template")],
    "Job": lambda spec: [spec.get("template")],
    "LeaderWorkerSet": _members,
    "PodCliqueSet": _cliques,
    "PodGangSet": _cliques,
}


@builder("lower/standalone/preparation/without-waiting", "dynamoc; without an operator nothing ends the wait", ALL)
def without_waiting(value: Tree, operator: Operator) -> Tree:
    """The canonical document with checkpoints disabled, and with a restart of all components at once.

    The operator takes snapshots, holds pods back until there is one, and restarts one component after the other: each
    is a second step that nobody takes without it. The document itself stays as it is.
    """
    spec = dict(value.get("spec") or {})
    name = value["metadata"].get("name") or ""
    if value["kind"] == "DynamoComponentDeployment":
        spec = _without_checkpoint(spec, name, operator)
        value = _owned(value, operator)
    services, components = spec.get("services"), spec.get("components")
    if isinstance(services, dict):
        spec["services"] = {
            key: _without_checkpoint(item or {}, f"{name}/{key}", operator) for key, item in services.items()
        }
    if isinstance(components, list):
        spec["components"] = [
            _without_checkpoint(item, f"{name}/{item.get('name', '')}", operator) for item in components
        ]
    if (spec.get("restart") or {}).get("id"):
        spec["restart"] = _at_once(spec["restart"], name, operator)
    return {**value, "spec": spec}


def _without_checkpoint(spec: Tree, name: str, operator: Operator) -> Tree:
    """v1alpha1 has the block in the component itself, v1beta1 among what is experimental."""
    experimental = spec.get("experimental") or {}
    block = spec.get("checkpoint") or experimental.get("checkpoint")
    if block is None:
        return spec
    is_on = block.get("enabled") or ("checkpoint" in experimental and not operator.release.has("snapshots/switched"))
    if is_on and operator.standalone is not None:
        operator.standalone.lose("checkpoints", name)
    kept = {key: item for key, item in spec.items() if key not in ("checkpoint", "experimental")}
    others = {key: item for key, item in experimental.items() if key != "checkpoint"}
    return {**kept, "experimental": others} if others else kept


def _owned(value: Tree, operator: Operator) -> Tree:
    """A component without a graph, as its own owner.

    Up to 1.1 the discovery account of pods is named after the owner alone: without one, the API server refuses them.
    """
    owners, release = value["metadata"].get("ownerReferences") or [], operator.release
    if owners or release.has("discovery/account-without-graph") or not release.has("discovery/kubernetes"):
        return value
    owner = {
        "apiVersion": value["apiVersion"],
        "kind": "DynamoGraphDeployment",
        "name": value["metadata"].get("name", ""),
    }
    return {**value, "metadata": {**value["metadata"], "ownerReferences": [{**owner, "uid": ""}]}}


def _at_once(restart: Tree, name: str, operator: Operator) -> Tree:
    if (restart.get("strategy") or {}).get("type") != "Parallel" and operator.standalone is not None:
        operator.standalone.lose("restarts", name)
    return {**restart, "strategy": {"type": "Parallel"}}
