"""The recorded inputs of all releases, rendered for a cluster without the operator."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dynamoc.documents.emit.order import INSTALL_ORDER
from dynamoc.rendering.lower.shared_objects import pod_specs, pod_templates
from tests import quick_yaml
from tests.conformance.corpora import graph_corpora, needs_corpora
from tests.schema.judge import problems
from tests.standalone.rendering import Tree, identity, recorded

#: API groups without a published schema at hand
_UNJUDGED = ("apiextensions.k8s.io/", "scheduling.run.ai/")
_INERT = (
    "DynamoCheckpoint",
    "DynamoComponentDeployment",
    "DynamoGraphDeployment",
    "DynamoGraphDeploymentScalingAdapter",
)
#: ClusterRoles that Kubernetes ships
_SHIPPED = ("admin", "cluster-admin", "edit", "view")


@needs_corpora
@pytest.mark.parametrize("corpus", graph_corpora())
def test_the_output_is_whole(corpus: str) -> None:
    release = corpus.partition("-")[0]
    seen, found = 0, []
    # Of small corpora, every fifth may be one that is refused.
    for case, path, objects in [*recorded(corpus, every=5)] or recorded(corpus, every=1):
        seen += 1
        given = _given(path)
        for item in objects:
            if not item["apiVersion"].startswith(_UNJUDGED) and identity(item) not in given:
                found += [f"{case}: {identity(item)}: {line}" for line in problems(item, release)]
        found += [f"{case}: {line}" for line in (*_dangling(objects, path.read_text()), *_strangers(objects, path))]
        found += [f"{case}: {line}" for line in _out_of_order(objects)]
    assert seen
    if found:
        pytest.fail("\n".join(found[:50]), pytrace=False)


def _given(path: Path) -> set[Any]:
    documents = [document for document in quick_yaml.load_all(path.read_text()) if document]
    return {
        (document["kind"], document["metadata"].get("namespace") or "", document["metadata"].get("name"))
        for document in documents
    }


def _dangling(objects: list[Tree], text: str) -> list[str]:
    """Accounts and roles that something refers to and nothing makes; what the input names itself is the user's."""
    have = {identity(item) for item in objects}
    lines = []
    for namespace, spec in pod_specs(objects):
        account = spec.get("serviceAccountName") or "default"
        if account != "default" and ("ServiceAccount", namespace, account) not in have and account not in text:
            lines.append(f"no ServiceAccount {namespace}/{account}")
    for item in objects:
        if item["kind"] not in ("RoleBinding", "ClusterRoleBinding"):
            continue
        role, namespace = item["roleRef"], item["metadata"].get("namespace") or ""
        wanted = (role["kind"], namespace if role["kind"] == "Role" else "", role["name"])
        if wanted not in have and role["name"] not in (*_SHIPPED, *text.split()):
            lines.append(f"no {wanted}")
        lines += [
            f"no account for {item['metadata']['name']}"
            for subject in item["subjects"]
            if ("ServiceAccount", subject["namespace"], subject["name"]) not in have and subject["name"] not in text
        ]
    return lines


def _strangers(objects: list[Tree], path: Path) -> list[str]:
    """Objects that only an operator reads, and objects in namespaces that the input knows nothing of."""
    text = path.read_text()
    lines = [f"{identity(item)} does nothing" for item in objects if item["kind"] in _INERT]
    spaces = {item["metadata"].get("namespace") or "default" for item in objects}
    return lines + [f"namespace {name}" for name in spaces if name != "default" and name not in text]


def _out_of_order(objects: list[Tree]) -> list[str]:
    """What is referred to comes first: accounts, definitions, roles, bindings, then pods; queues before all pods."""
    ranks = {kind: rank for rank, kind in enumerate(INSTALL_ORDER)}
    kinds = [item["kind"] for item in objects if item["kind"] != "Queue"]
    known = [ranks[kind] for kind in kinds if kind in ranks]
    lines = [] if known == sorted(known) else [f"order of {kinds}"]
    queues = [index for index, item in enumerate(objects) if item["kind"] == "Queue"]
    pods = [index for index, item in enumerate(objects) if any(True for _ in pod_templates([item]))]
    return lines + (["a queue comes behind pods"] if queues and pods and max(queues) > min(pods) else [])
