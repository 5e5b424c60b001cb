"""What of a rendering that stands alone belongs to a graph, what graphs share, and what an administrator must apply."""

from __future__ import annotations

from dynamoc.cluster import chart_objects
from dynamoc.model.standalone import GRAPH, SHARED
from dynamoc.tracing import ALPHA, EARLY, HUB, builder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.model.operator import Operator

    Tree = dict[str, Any]

#: so that a tool that prunes what a graph no longer makes leaves what another graph needs
KEEP = {
    "argocd.argoproj.io/sync-options": "Prune=false",
    "kustomize.toolkit.fluxcd.io/prune": "disabled",
}
_OF_THE_CLUSTER = ("ClusterRole", "CustomResourceDefinition", "Queue")
#: A namespace's `admin` may make Roles, but none that allow more than it may itself: workers write nvidia.com objects.
_ACCESS = ("Role", "RoleBinding")


@builder(
    "lower/standalone/parts/keep-shared",
    source="dynamoc; Argo CD and Helm read the annotations",
    generations=(EARLY, ALPHA, HUB),
)
def keep_shared(objects: list[Tree], operator: Operator) -> list[Tree]:
    """Annotates what graphs share: the definition, ClusterRoles, queues, key pairs, and access of planner and EPP.

    Argo CD and Flux read the annotations.
    """
    accounts = set(chart_objects.accounts(operator.release).values())
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
    from dynamoc.kube.identity import identity

    if identity(item, default) in given:
        return False
    annotations = item["metadata"].get("annotations") or {}
    return item["kind"] in _ACCESS or all(annotations.get(key) == value for key, value in KEEP.items())


def _subjects(binding: Tree) -> set[str]:
    return {subject.get("name") or "" for subject in binding.get("subjects") or ()}
