"""A graph that is refused still has a picture, requirements, origins and a page, behind its errors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run, dynamoc

__all__ = ["dynamoc"]

GRAPH = """\
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata: {name: chat, namespace: ml}
spec:
  components:
  - name: Frontend
    type: frontend
    replicas: 1
    podTemplate:
      spec:
        containers:
        - {name: main, image: "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.4.0"}
  - name: Worker
    type: worker
    podTemplate:
      spec:
        containers:
        - name: main
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.4.0
          env: [{name: A, valueFrom: {secretKeyRef: {name: token, key: a}}}]
          resources: {limits: {nvidia.com/gpu: "1"}}
"""
OPTIONS = ("--operator-version", "1.4", "--target", "plain")
#: what is replaced in the graph by what, and the error
FAULTS = [
    ("replicas: 1", "replicsa: 1", "schema/unknown-field"),
    ("replicas: 1", "replicas: one", "schema/type"),
    ("type: worker", "type: wroker", "schema/enum"),
    ("name: chat", 'name: "${CHAT}"', "schema/name"),
    ("name: A,", "name: A, vaule: [],", "schema/unknown-field"),
    ("  - name: Worker", "  - name: frontend", "cel/component-names-differ"),
    ('limits: {nvidia.com/gpu: "1"}', 'limits: {nvidia.com/gpu: "1"}, requests: {cpu: x}', "schema/pattern"),
    ("spec:\n  comp", "spec:\n  topologyConstraint: 3\n  comp", "schema/type"),
]


@pytest.mark.parametrize(("old", "new", "name"), FAULTS, ids=lambda text: text[-20:])
def test_what_can_be_known_is_told_behind_the_error(old: str, new: str, name: str, dynamoc: Run) -> None:
    Path("graph.yaml").write_text(GRAPH.replace(old, new))
    strict = dynamoc("render", "graph.yaml", *OPTIONS)
    assert (strict.code, strict.out) == (1, "")
    assert name in strict.err
    picture = dynamoc("report", "-o", "mermaid", "graph.yaml", *OPTIONS)
    assert (picture.code, picture.err) == (1, strict.err)
    assert "1 pod x 1 GPU" in picture.out
    needed = dynamoc("requires", "graph.yaml", "-o", "json", *OPTIONS)
    assert needed.code == 1
    assert "token" in [item["name"] for item in json.loads(needed.out)["objects"]]
    script = dynamoc("requires", "graph.yaml", "-o", "script", *OPTIONS)
    assert (script.code, script.out) == (1, "")
    listed = dynamoc("explain", "graph.yaml", *OPTIONS)
    assert listed.code == 1
    assert "deployment/" in listed.out
    line = 1 + GRAPH[: GRAPH.index("nvidia.com/gpu")].count("\n")
    explained = dynamoc("explain", f"graph.yaml:{line}", *OPTIONS)
    assert explained.code == 1
    assert "goes to deployment/" in explained.out
    page = dynamoc("report", "graph.yaml", *OPTIONS)
    assert page.code == 1
    assert "These are the objects as far as they can be known." in page.out


def test_nothing_is_told_where_nothing_is_known(dynamoc: Run) -> None:
    Path("graph.yaml").write_text(GRAPH.replace("v1beta1", "v9"))
    for command in ("report -o mermaid", "requires", "explain"):
        result = dynamoc(*command.split(), "graph.yaml", *OPTIONS)
        assert (result.code, result.out) == (1, "")
        assert "[schema/api-version]" in result.err
