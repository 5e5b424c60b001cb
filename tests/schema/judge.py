"""Judges rendered objects by the schemas of what reads them: Kubernetes, Grove, LeaderWorkerSet, Volcano, KAI,
the inference extension of the Gateway API, and Dynamo.

    problems(obj, release) -> list[str]

Strict: a field that the schema doesn't know is a problem. Not judged: the CEL rules of other projects, and whether the
items of a list are told apart by their keys. The operator does send volumes and cliques of the same name, and the
records take them for admitted.
"""

import json
from functools import cache
from typing import Any

from dynamoc.documents.findings.finding import format_path
from dynamoc.documents.schema.check import check
from dynamoc.documents.schema.problem import Problem
from dynamoc.documents.schema.walk import Walk
from dynamoc.reference.releases import newest
from tests.schema.kubernetes import Definitions
from tests.schema.others import FILE as OTHERS
from tools.schemas.compact import Pool

Tree = dict[str, Any]

# Which versions of others' CRDs an operator release is built with, since a release.
CRD_SETS = {
    "0.6": ("grove-0.1.0-alpha.3", "lws-0.6.2", "test-cluster"),
    "1.0": ("grove-0.1.0-alpha.6", "lws-0.6.2", "test-cluster"),
    "1.4": ("grove-0.1.0-alpha.12-rc1", "lws-0.9.0", "test-cluster"),
}
# Versions of Kubernetes' types that an operator release is built with, since a release. Source: go.mod.
KUBERNETES = {"0.4": "1.33", "1.0": "1.34", "1.3": "1.36"}
CRD_GROUPS = (
    "grove.io/",
    "inference.networking.k8s.io/",
    "leaderworkerset.x-k8s.io/",
    "scheduling.run.ai/",
    "scheduling.volcano.sh/",
)
# Groups of which we have no schemas.
UNJUDGED_GROUPS = ("inference.networking.x-k8s.io/", "networking.istio.io/")


def problems(obj: Tree, release: str) -> list[str]:
    """What the reader of an object would refuse or ignore; KeyError for a kind that should have a schema."""
    api_version, kind = obj["apiVersion"], obj["kind"]
    if api_version.startswith(UNJUDGED_GROUPS):
        return []
    if api_version.startswith("nvidia.com/"):
        return _texts(check(release, kind, api_version, obj)[1])
    if api_version.startswith(CRD_GROUPS):
        nodes, kinds = _crds(release)
        walk = Walk(nodes, "error", typed=False)
        walk.document(obj, nodes[kinds[f"{api_version} {kind}"]])
        if release == "0.6":
            walk.errors = [problem for problem in walk.errors if not _is_null_cliques(problem)]
    else:
        nodes, root = _builtin(newest(KUBERNETES, release), api_version, kind)
        walk = Walk(nodes, "error", typed=False)
        walk.value(obj, nodes[root], None)
    return _texts([problem for problem in walk.problems if not _is_claim_metadata(problem)])


def _is_claim_metadata(problem: Problem) -> bool:
    """The CRDs know no fields of a claim template's metadata: the API server drops them, and the records hold them."""
    return problem.path[-3:-1] == ("volumeClaimTemplate", "metadata")


def _is_null_cliques(problem: Problem) -> bool:
    """A graph without services: operator 0.6 sends null for the cliques, and the records take it for admitted."""
    return problem.path == ("spec", "template", "cliques") and "it is null" in problem.message


def _texts(found: list[Problem]) -> list[str]:
    return [
        f"{format_path(problem.path)}: {problem.message}" for problem in found if problem.slug != "schema/duplicate"
    ]


@cache
def _crds(release: str) -> tuple[list[Tree], dict[str, int]]:
    found = json.loads(OTHERS.read_text())
    kinds: dict[str, int] = {}
    for name in newest(CRD_SETS, release):
        kinds |= found["kinds"][name]
    return found["nodes"], kinds


@cache
def _definitions(version: str) -> Definitions:
    return Definitions(version)


@cache
def _builtin(version: str, api_version: str, kind: str) -> tuple[list[Tree], int]:
    pool = Pool()
    root = pool.schema(_definitions(version).kind(api_version, kind))
    return pool.nodes, root
