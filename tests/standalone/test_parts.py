"""`--standalone=shared` and `=graph`: two parts of one rendering."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from dynamoc.rendering.lower.shared_objects import KEEP
from tests.cli.conftest import Run
from tests.standalone.graphs import graph, worker
from tests.standalone.rendering import render

Tree = dict[str, Any]

OWN_ROLE = """\
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: mine, namespace: team}
rules: []
"""


def kinds(objects: list[Tree]) -> set[str]:
    return {item["kind"] for item in objects}


@pytest.mark.parametrize("release", ["0.6", "1.0", "1.4"])
@pytest.mark.parametrize("target", ["plain", "grove", "lws"])
def test_two_parts_are_the_whole(release: str, target: str) -> None:
    parts = [
        render(graph(), standalone=part, operator_version=release, target=target).objects
        for part in ("shared", "graph", "all")
    ]
    shared, own, whole = ([json.dumps(item, sort_keys=True) for item in part] for part in parts)
    assert sorted([*shared, *own]) == sorted(whole)
    assert not set(shared) & set(own)
    assert whole == [
        json.dumps(item, sort_keys=True) for item in render(graph(), operator_version=release, target=target).objects
    ]


def test_what_the_parts_hold() -> None:
    shared = render(graph(), standalone="shared", target="plain").objects
    own = render(graph(), standalone="graph", target="plain").objects
    access = {"ClusterRole", "CustomResourceDefinition", "Role", "RoleBinding", "ServiceAccount"}
    assert kinds(shared) == access
    assert kinds(own) == {"Deployment", "Service", "ServiceAccount"}
    assert [item["metadata"]["name"] for item in shared if item["kind"] == "ServiceAccount"] == [
        "planner-serviceaccount"
    ]


def test_pruning_spares_what_other_graphs_use() -> None:
    kept = {
        f"{item['kind']}/{item['metadata']['name']}"
        for item in render(graph(), target="plain").objects
        if KEEP.items() <= (item["metadata"].get("annotations") or {}).items()
    }
    assert kept == {
        "ClusterRole/dynamo-platform-dynamo-operator-planner",
        "CustomResourceDefinition/dynamoworkermetadatas.nvidia.com",
        "RoleBinding/planner-serviceaccount-binding",
        "ServiceAccount/planner-serviceaccount",
    }


def test_what_the_input_brings_is_not_the_administrators(dynamoc: Run) -> None:
    Path("chat.yaml").write_text(graph() + OWN_ROLE)
    for part, count in (("shared", 0), ("graph", 1)):
        out = dynamoc("render", "chat.yaml", f"--standalone={part}").out
        assert [item["metadata"]["name"] for item in yaml.safe_load_all(out)].count("mine") == count


def test_losses_are_the_graphs(dynamoc: Run) -> None:
    Path("chat.yaml").write_text(graph({"Worker": worker()}))
    assert "standalone/without-operator" not in dynamoc("render", "chat.yaml", "--standalone=shared").err
    assert "standalone/without-operator" in dynamoc("render", "chat.yaml", "--standalone=graph").err


def test_other_words_are_refused(dynamoc: Run) -> None:
    Path("chat.yaml").write_text(graph())
    result = dynamoc("render", "chat.yaml", "--standalone=both")
    assert (result.code, result.out) == (2, "")
    assert "'both'" in result.err
    assert "'shared'" in result.err
