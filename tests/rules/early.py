"""Graphs of releases up to 0.6 for tests: short YAML in, objects out, with the API server's defaults."""

from typing import Any

from dynamoc.admission.cluster.capabilities import capabilities
from dynamoc.admission.cluster.config import OperatorConfig
from dynamoc.admission.cluster.context import ClusterContext
from dynamoc.admission.cluster.helm_values import chart_default
from dynamoc.admission.operator import Operator
from dynamoc.documents.schema.check import check
from dynamoc.kube.go_types import BARE, load, typed_object
from dynamoc.reference.releases import get_release
from dynamoc.rendering.lower.early_graph import lower_document
from tests import quick_yaml
from tests.golden.cases import at
from tests.rules.graphs import Rendered, Tree

VERSION = "nvidia.com/v1alpha1"


def config(release: str = "0.6") -> OperatorConfig:
    return chart_default(release)


def render(
    spec: str,
    *known: Tree,
    target: str = "plain",
    settings: OperatorConfig | None = None,
    kind: str = "DynamoGraphDeployment",
    name: str = "llm",
    release: str = "0.6",
    **metadata: Any,
) -> Rendered:
    """Lowers a `spec` written in YAML. `known` are objects of the cluster."""
    imitated = get_release(release)
    settings = settings or config(release)
    cluster = ClusterContext(known, settings, imitated, target)
    told: list[tuple[str, Any]] = []
    operator = Operator(
        imitated,
        settings,
        cluster,
        capabilities(target, settings, imitated, cluster.groups),
        lambda *finding, **_: told.append((finding[1], finding[3])),
    )
    value, problems = check(release, kind, VERSION, document(spec, kind=kind, name=name, **metadata))
    assert not problems, [problem.message for problem in problems]
    objects = lower_document(typed_object(value, load(release)), operator)
    bare = load(release, BARE)
    return Rendered([typed_object(item, bare) for item in objects], told)


def document(spec: str, *, kind: str = "DynamoGraphDeployment", name: str = "llm", **metadata: Any) -> Tree:
    return {
        "apiVersion": VERSION,
        "kind": kind,
        "metadata": {"name": name, "namespace": "default", **metadata},
        "spec": quick_yaml.load(spec),
    }


def refused(spec: str, kind: str = "DynamoGraphDeployment", release: str = "0.6") -> list[str]:
    """Messages of the schema's refusal, with the path of each; empty where it takes the spec."""
    problems = check(release, kind, VERSION, document(spec, kind=kind))[1]
    return [f"{'.'.join(map(str, problem.path))}: {problem.message}" for problem in problems]


def service(text: str, name: str = "Worker", **options: Any) -> Rendered:
    """A graph of one service, written as a YAML flow mapping without its braces."""
    return render(f"services: {{{name}: {{{text}}}}}", **options)


def main_of(rendered: Rendered) -> Tree:
    """The container `main` of the only Deployment."""
    found: Tree = at(rendered.one("Deployment"), "spec.template.spec.containers[main]")
    return found
