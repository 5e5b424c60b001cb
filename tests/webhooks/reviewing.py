"""Judging documents that stand in the test itself."""

from typing import Any

from dynamoc.admission.cluster.config import apply
from dynamoc.admission.cluster.context import ClusterContext
from dynamoc.admission.cluster.helm_values import chart_default
from dynamoc.admission.webhooks.by_release import default, judge
from dynamoc.documents.apiserver.objects import examine_object
from dynamoc.documents.findings.finding import format_path
from dynamoc.documents.schema.problem import Problem
from dynamoc.reference.releases import get_release

Tree = dict[str, Any]


def context(
    release: str, target: str = "grove", objects: tuple[Tree, ...] = (), settings: Tree | None = None
) -> ClusterContext:
    config = chart_default(release)
    apply(config, settings or {})
    return ClusterContext(objects, config, get_release(release), target)


def graph(spec: Tree, name: str = "llm", annotations: dict[str, str] | None = None, version: str = "v1alpha1") -> Tree:
    metadata = {"name": name, "namespace": "default"} | ({"annotations": annotations} if annotations else {})
    kind = "DynamoGraphDeployment"
    return {"apiVersion": f"nvidia.com/{version}", "kind": kind, "metadata": metadata, "spec": spec}


def service(spec: Tree, name: str = "Worker") -> Tree:
    """A graph of v1alpha1 with one service."""
    return graph({"services": {name: spec}})


def component(spec: Tree, **graph_spec: Any) -> Tree:
    """A graph of v1beta1 with one component, which has an image."""
    main = {"name": "main", "image": "nvcr.io/x:1.4.0"}
    whole = {"name": "Worker", "type": "worker", "podTemplate": {"spec": {"containers": [main]}}, **spec}
    return graph({"components": [whole], **graph_spec}, version="v1beta1")


def other(kind: str, spec: Tree, version: str = "v1alpha1") -> Tree:
    metadata = {"name": "it", "namespace": "default"}
    return {"apiVersion": f"nvidia.com/{version}", "kind": kind, "metadata": metadata, "spec": spec}


def said(problems: list[Problem], severity: str = "error") -> list[str]:
    """`slug path` of each, the path as kubectl writes it."""
    return [f"{item.slug} {format_path(item.path)}".rstrip() for item in problems if item.severity == severity]


def refusals(value: Tree, release: str = "1.0", origin: Tree | None = None, **surroundings: Any) -> list[str]:
    where = context(release, **surroundings)
    return said(judge(get_release(release), value["kind"], value, where, origin))


def warnings(value: Tree, release: str = "1.0", origin: Tree | None = None, **surroundings: Any) -> list[str]:
    where = context(release, **surroundings)
    return said(judge(get_release(release), value["kind"], value, where, origin), "warning")


def defaulted(value: Tree, release: str = "1.0", **surroundings: Any) -> Tree:
    return default(get_release(release), value["kind"], value, context(release, **surroundings))


def object_refusals(value: Tree) -> list[str]:
    return said(examine_object(value))


def object_warnings(value: Tree) -> list[str]:
    return said(examine_object(value), "warning")
