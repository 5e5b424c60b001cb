"""A document under review: what rules look at, and where they write what is wrong."""

from __future__ import annotations

from dynamoc.diagnostics.finding import WARNING
from dynamoc.model.experimental import node_count
from dynamoc.schema.problem import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.cluster.context import ClusterContext
    from dynamoc.diagnostics.catalog.slugs import ErrorSlug, Severity, Slug, WarningSlug
    from dynamoc.diagnostics.change import Change
    from dynamoc.diagnostics.finding import Path

    Tree = dict[str, Any]


class Review:
    """A document and its problems so far. The operator of 1.0 stops at its first error; a review collects them all.

    origin  the document as the user wrote it, where that was another API version; None otherwise
    old     the object that the document updates, in the version of the document; None where it creates one
    kept    what v1alpha1 says of a document that was written in v1beta1, where annotations keep fields of v1alpha1
    """

    __slots__ = ("context", "kept", "old", "origin", "problems", "value")

    def __init__(
        self, value: Tree, context: ClusterContext, origin: Tree | None = None, old: Tree | None = None
    ) -> None:
        self.value = value
        self.origin = origin
        self.old = old
        self.kept: Tree | None = None
        self.context = context
        self.problems: list[Problem] = []

    @property
    def is_first_generation(self) -> bool:
        """Whether the spec is the one that the object was created with; topologies are looked up for that one only."""
        if self.old is None:
            return True
        generation: int = self.old.get("metadata", {}).get("generation", 1)
        return generation <= 1 and self.spec == (self.old.get("spec") or {})

    @property
    def metadata(self) -> Tree:
        metadata: Tree = self.value.get("metadata") or {}
        return metadata

    @property
    def annotations(self) -> dict[str, str]:
        annotations: dict[str, str] = self.metadata.get("annotations") or {}
        return annotations

    @property
    def spec(self) -> Tree:
        spec: Tree = self.value.get("spec") or {}
        return spec

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
        """For what the context has to tell."""
        self.problems.append(Problem(slug, self.place(path), message, hint, severity))

    def place(self, path: Path) -> Path:
        """The path in the document as the user wrote it."""
        return path


class Reviewed:
    """A part of the document under review that becomes pods.

    path      of its spec in the document
    in_graph  whether it is part of a graph, and not a DynamoComponentDeployment
    """

    __slots__ = ("in_graph", "name", "path", "spec")

    def __init__(self, name: str, spec: Tree, path: Path, *, in_graph: bool) -> None:
        self.name = name
        self.spec = spec
        self.path = path
        self.in_graph = in_graph

    @property
    def nodes(self) -> int:
        return node_count(self.spec)

    @property
    def is_multinode(self) -> bool:
        return self.nodes > 1


class Component(Reviewed):
    """One of v1alpha1. `dynamo_namespace` is what the operator computes for it."""

    __slots__ = ("dynamo_namespace",)

    def __init__(self, name: str, spec: Tree, path: Path, dynamo_namespace: str, *, in_graph: bool) -> None:
        super().__init__(name, spec, path, in_graph=in_graph)
        self.dynamo_namespace = dynamo_namespace
