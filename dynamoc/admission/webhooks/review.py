"""A document under review: what rules look at, and where they write what is wrong.

Since 1.3 the webhooks see v1beta1 only. Rules say paths of the version that they see; they become those of the version
in which the document was written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

from dynamoc.admission.adapters import ENABLE_GROVE, GROVE, PROVIDER
from dynamoc.admission.cluster.context import ClusterContext
from dynamoc.admission.graph import INTRA_POD, MAIN, is_inter_pod_gms, node_count, uses_scaling_group
from dynamoc.documents.findings.edits import Change
from dynamoc.documents.findings.finding import WARNING, Path
from dynamoc.documents.schema.problem import Problem
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import lower, mapping
from dynamoc.reference.features import beta_places
from dynamoc.reference.slugs import ErrorSlug, Severity, Slug, WarningSlug

_RENAMED: list[tuple[Path, Path]] = [*beta_places("renamed")]
_TO_ALPHA: list[tuple[Path, Path]] = [
    *((beta, alpha) for alpha, beta in _RENAMED),
    (("podTemplate",), ("extraPodSpec",)),
    (("name",), ()),
]
#: fields of a request, below `spec`
_REQUEST_TO_ALPHA: list[tuple[Path, Path]] = [(beta, alpha) for alpha, beta in beta_places("request")]


def in_alpha(path: Path, value: Tree, origin: Tree) -> Path:
    """`path` of the v1beta1 `value` as a path of the v1alpha1 `origin`, cut where that has no such field."""
    if path[:2] == ("spec", "components"):
        if len(path) == 2:
            return existing(("spec", "services"), origin)
        index = path[2]
        assert isinstance(index, int)
        component = value["spec"]["components"][index]
        return existing(("spec", "services", component.get("name", ""), *_field(path[3:], component)), origin)
    if path[:1] == ("spec",) and value.get("kind") == "DynamoComponentDeployment":
        return existing(("spec", *_field(path[1:], value.get("spec") or {})), origin)
    return existing(path, origin)


def _field(path: Path, component: Tree) -> Path:
    path = _renamed(path, _TO_ALPHA)
    if path[:2] == ("extraPodSpec", "containers") and len(path) > 2:
        return _container(path, component["podTemplate"]["spec"]["containers"])
    return path


def _renamed(path: Path, names: Sequence[tuple[Path, Path]]) -> Path:
    """The path with its beginning under the other name, by the first pair that fits."""
    return next(((*new, *path[len(old) :]) for old, new in names if path[: len(old)] == old), path)


def _container(path: Path, containers: list[Tree]) -> Path:
    """`main` has a separate field, and the others keep their order without it."""
    index = path[2]
    assert isinstance(index, int)
    if containers[index].get("name") == "main":
        return ("extraPodSpec", "mainContainer", *path[3:])
    others = [container for container in containers if container.get("name") != "main"]
    position = next(number for number, container in enumerate(others) if container is containers[index])
    return ("extraPodSpec", "containers", position, *path[3:])


def existing(path: Path, origin: Tree) -> Path:
    """As much of the path as the document has."""
    value: Any = origin
    for depth, step in enumerate(path):
        known = step in value if isinstance(value, dict) else isinstance(value, list) and isinstance(step, int)
        if not known or (isinstance(value, list) and isinstance(step, int) and step >= len(value)):
            return path[:depth]
        value = value[step]
    return path


def in_beta(path: Path, origin: Tree) -> Path:
    """`path` of a v1alpha1 document as a path of the v1beta1 `origin`, cut where that has no such field."""
    if path[:2] == ("spec", "services"):
        return existing(("spec", "components", *_component(path[2:], origin)), origin)
    if path[:1] == ("spec",) and origin.get("kind") == "DynamoComponentDeployment":
        return existing(("spec", *_beta_field(path[1:], origin.get("spec") or {})), origin)
    return existing(path, origin)


def _component(path: Path, origin: Tree) -> Path:
    """A service's name becomes the place of the component."""
    for index, component in enumerate((origin.get("spec") or {}).get("components") or ()):
        if path[:1] == (component.get("name"),):
            return (index, *_beta_field(path[1:], component))
    return ()


def _beta_field(path: Path, component: Tree) -> Path:
    if path[:2] == ("extraPodSpec", "mainContainer"):
        return ("podTemplate", "spec", "containers", *_main(component), *path[2:])
    return _renamed(path, _RENAMED)


def _main(component: Tree) -> Path:
    containers = ((component.get("podTemplate") or {}).get("spec") or {}).get("containers") or ()
    for index, container in enumerate(containers):
        if container.get("name") == "main":
            return (index,)
    return ()


def request_in_alpha(path: Path, origin: Tree) -> Path:
    """`path` of a v1beta1 request as a path of the v1alpha1 `origin`, cut where that has no such field."""
    if path[:1] == ("spec",):
        path = ("spec", *_renamed(path[1:], _REQUEST_TO_ALPHA))
    return existing(path, origin)


@dataclass(eq=False, slots=True)
class Review:
    """A document and its problems so far. The operator of 1.0 stops at its first error; a review collects them all.

    origin  the document as the user wrote it, where that was another API version; None otherwise
    old     the object that the document updates, in the version of the document; None where it creates one
    graph   whether it may run on Grove, which a component on its own never does
    kept    what v1alpha1 says of a document that was written in v1beta1, where annotations keep fields of v1alpha1
    """

    value: Tree
    context: ClusterContext
    origin: Tree | None = None
    old: Tree | None = None
    _: KW_ONLY
    graph: bool = True
    kept: Tree | None = field(default=None, init=False)
    problems: list[Problem] = field(default_factory=list, init=False)

    @property
    def is_first_generation(self) -> bool:
        """Whether the spec is the one that the object was created with; topologies are looked up for that one only."""
        if self.old is None:
            return True
        generation: int = self.old.get("metadata", {}).get("generation", 1)
        return generation <= 1 and self.spec == (self.old.get("spec") or {})

    @property
    def metadata(self) -> Tree:
        return mapping(self.value, "metadata")

    @property
    def annotations(self) -> dict[str, str]:
        return mapping(self.value, "metadata", "annotations")

    @property
    def spec(self) -> Tree:
        return mapping(self.value, "spec")

    @property
    def needs_grove(self) -> str | None:
        """None on Grove's pathway, else why the document isn't on it.

        Source: internal/webhook/validation/dynamographdeployment_helpers.go grovePathwayForDynamoGraphDeployment.
        """
        if not self.graph:
            return "a component on its own never runs on Grove"
        chosen = self.annotations.get(PROVIDER) if self.context.release.has("grove/chosen-once") else None
        if chosen == GROVE:
            return None
        if chosen is not None:
            return f"the annotation `{PROVIDER}` is not set to Grove"
        if not self.context.capabilities.grove:
            return "the operator runs without Grove here"
        if self.annotations.get(ENABLE_GROVE, "").lower() == "false":
            return f"the annotation `{ENABLE_GROVE}` turns Grove off"
        return None

    def error(
        self,
        slug: ErrorSlug,
        path: Path,
        message: str,
        hint: str | None = None,
        *,
        excess: int = 0,
        change: Change | None = None,
    ) -> None:
        self.problems.append(Problem(slug, self.place(path), message, hint, excess=excess, change=change))

    def warn(
        self, slug: WarningSlug, path: Path, message: str, hint: str | None = None, *, change: Change | None = None
    ) -> None:
        self.problems.append(Problem(slug, self.place(path), message, hint, WARNING, change=change))

    def report(self, severity: Severity, slug: Slug, message: str, path: Path, hint: str | None) -> None:
        """For findings on the context."""
        self.problems.append(Problem(slug, self.place(path), message, hint, severity))

    def place(self, path: Path) -> Path:
        """The path in the document as the user wrote it."""
        return path


@dataclass(eq=False, slots=True)
class Reviewed:
    """A part of the document under review that becomes pods.

    path      of its spec in the document
    in_graph  whether it is part of a graph, and not a DynamoComponentDeployment
    """

    name: str
    spec: Tree
    path: Path
    _: KW_ONLY
    in_graph: bool

    @property
    def nodes(self) -> int:
        return node_count(self.spec)

    @property
    def is_multinode(self) -> bool:
        return self.nodes > 1


@dataclass(eq=False, slots=True)
class Component(Reviewed):
    """One of v1alpha1. `dynamo_namespace` is what the operator computes for it."""

    dynamo_namespace: str

    @property
    def type(self) -> str:
        return str(self.spec.get("componentType", ""))

    def main(self) -> tuple[Tree | None, Path]:
        """The main container and its path, be it there or not."""
        path = (*self.path, "extraPodSpec", "mainContainer")
        return mapping(self.spec, "extraPodSpec").get("mainContainer"), path


class HubReview(Review):
    """One of v1beta1, which the user may have written in v1alpha1."""

    def old_component(self, name: str) -> Tree | None:
        """The component of that name in the object that the document updates."""
        components = ((self.old or {}).get("spec") or {}).get("components") or ()
        return next((item for item in components if item.get("name") == name), None)

    def place(self, path: Path) -> Path:
        """The path in the document as the user wrote it."""
        if self.origin is None:
            return path

        return in_alpha(path, self.value, self.origin)


class HubComponent(Reviewed):
    """One of v1beta1."""

    def __init__(self, spec: Tree, path: Path, backend_framework: str, *, in_graph: bool) -> None:
        super().__init__(spec.get("name", ""), spec, path, in_graph=in_graph)
        self.backend_framework = backend_framework

    @property
    def type(self) -> str:
        return str(self.spec.get("type", ""))

    @property
    def experimental(self) -> Tree:
        return mapping(self.spec, "experimental")

    @property
    def memory_service(self) -> Tree | None:
        service: Tree | None = self.experimental.get("gpuMemoryService")
        return service

    @property
    def has_memory_pods(self) -> bool:
        """GPU memory service with separate pods."""
        return is_inter_pod_gms(self.spec)

    @property
    def uses_scaling_group(self) -> bool:
        """api/v1beta1 UsesPCSG"""
        return uses_scaling_group(self.spec)

    @property
    def containers(self) -> list[Tree]:
        return self._pod_list("containers")

    @property
    def init_containers(self) -> list[Tree]:
        return self._pod_list("initContainers")

    def _pod_list(self, key: str) -> list[Tree]:
        containers: list[Tree] = mapping(self.spec, "podTemplate", "spec").get(key) or []
        return containers

    def main(self) -> tuple[Tree | None, Path]:
        """The container `main` and its path; the path of the containers where it is missing."""
        path = (*self.path, "podTemplate", "spec", "containers")
        for index, container in enumerate(self.containers):
            if container.get("name") == MAIN:
                return container, (*path, index)
        return None, path

    def longest_clique(self) -> str:
        """The longest name of a PodClique (internal/dynamo/graph.go LongestPodCliqueNameForDGDComponent)."""
        name = lower(self.name)
        if self.has_memory_pods:
            last = max(self.nodes, 1) - 1
            names = [f"{name}-gms-{last}", *([f"{name}-ldr", f"{name}-wkr-{last}"] if self.is_multinode else [])]
        else:
            names = [f"{name}-ldr"] if self.is_multinode else [name]
        return max(names, key=len)


def mode_of(block: Tree | None) -> str | None:
    """The mode of GPU memory service or failover, IntraPod where none is given; None without the block."""
    if block is None:
        return None
    mode: str = block.get("mode") or INTRA_POD
    return mode


def image_of(container: Tree | None) -> str:
    return str((container or {}).get("image") or "")
