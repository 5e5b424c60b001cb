"""DynamoModels beside graphs that serve their base model, or do not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run, dynamoc

__all__ = ["dynamoc"]

MODEL = """\
apiVersion: nvidia.com/v1alpha1
kind: DynamoModel
metadata: {name: adapter, namespace: team}
spec:
  modelName: me/adapter
  baseModelName: Qwen/Qwen3-0.6B
  modelType: lora
  source: {uri: s3://key:secret@bucket/adapter?token=x}
"""
GRAPH = """\
---
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {name: chat, namespace: NAMESPACE}
spec:
  services:
    Worker:
      componentType: worker
      modelRef: {name: SERVED}
      extraPodSpec:
        mainContainer: {image: "a:1.4.0", command: [sh, -c], args: ["python3 -m dynamo.vllm --model=Qwen/Qwen3-0.6B"]}
"""
BETA = """\
---
apiVersion: nvidia.com/v1beta1
kind: DynamoComponentDeployment
metadata: {name: worker, namespace: team}
spec:
  type: worker
  name: worker
  modelRef: {name: Qwen/Qwen3-0.6B}
  podTemplate: {spec: {containers: [{name: main, image: "a:1.4.0"}]}}
"""
SERVICE = """\
apiVersion: v1
kind: Service
metadata:
  name: dynamo-model-1
  namespace: team
  annotations: {nvidia.com/dynamo-base-model: Qwen/Qwen3-0.6B}
"""


def graph(served: str, namespace: str = "team") -> str:
    return GRAPH.replace("SERVED", served).replace("NAMESPACE", namespace)


def unserved(dynamoc: Run, text: str, *options: str) -> tuple[int, list[dict[str, Any]]]:
    Path("in.yaml").write_text(text)
    result = dynamoc("validate", "in.yaml", "--operator-version", "1.4", "--findings", "json", *options)
    found = json.loads(result.err)["findings"]
    return result.code, [item for item in found if item["slug"] == "model/not-served"]


@pytest.mark.parametrize("beside", [graph("Qwen/Qwen3-0.6B"), BETA, "---\n" + SERVICE])
def test_a_model_that_something_serves_is_fine(dynamoc: Run, beside: str) -> None:
    assert unserved(dynamoc, MODEL + beside) == (0, [])


@pytest.mark.parametrize("context", [graph("Qwen/Qwen3-0.6B"), SERVICE])
def test_the_context_may_serve_it(dynamoc: Run, context: str) -> None:
    Path("context.yaml").write_text(context)
    assert unserved(dynamoc, MODEL, "--cluster", "context.yaml") == (0, [])


@pytest.mark.parametrize(
    ("beside", "hint"),
    [
        ("", "add `modelRef: {name: Qwen/Qwen3-0.6B}` to the workers that serve it, or add their graph to --cluster"),
        (graph("qwen/Qwen3-0.6b"), "write `qwen/Qwen3-0.6b`, which component Worker of graph chat serves; "
         "the case of letters matters"),
        (graph("Qwen3-0.6B"), "write `Qwen3-0.6B`, which component Worker of graph chat serves"),
        (graph("Qwen/Qwen3-0.6B", "other"), "component Worker of graph chat serves it in namespace other: put both "
         "into one namespace"),
        (graph("x").replace("      modelRef: {name: x}\n", ""), "component Worker of graph chat names the model in its "
         "arguments only: add `modelRef: {name: Qwen/Qwen3-0.6B}` to it"),
    ],
)  # fmt: skip
def test_a_model_that_nothing_serves_is_a_warning_with_the_likeliest_mistake(
    dynamoc: Run, beside: str, hint: str
) -> None:
    code, found = unserved(dynamoc, MODEL + beside)
    assert code == 0
    assert [(item["severity"], item["place"]["line"], item["hint"]) for item in found] == [("warning", 6, hint)]


def test_strict_context_refuses_it(dynamoc: Run) -> None:
    code, found = unserved(dynamoc, MODEL, "--deny=context")
    assert (code, [item["severity"] for item in found]) == (1, ["error"])


def test_requires_names_the_source_without_credentials(dynamoc: Run) -> None:
    Path("in.yaml").write_text(MODEL)
    result = dynamoc("requires", "in.yaml", "--operator-version", "1.4")
    assert "model sources\n  s3://bucket/adapter  the workers read this bucket" in result.out
    assert "secret" not in result.out + result.err
    document = json.loads(dynamoc("requires", "in.yaml", "--operator-version", "1.4", "-o", "json").out)
    assert [item["name"] for item in document["modelSources"]] == ["s3://bucket/adapter"]


@pytest.mark.parametrize(
    ("kind", "spec", "words"),
    [
        ("DynamoWorkerMetadata", "{data: {}}", "workers write it themselves"),
        ("DynamoGraphDeploymentScalingAdapter", "{replicas: 3, dgdRef: {name: chat, serviceName: Worker}}",
         "it writes `replicas: 3` into component `Worker` of graph `chat`"),
        ("PodSnapshot", "{source: {}}", "needs the running pod"),
    ],
)  # fmt: skip
def test_every_kind_without_objects_says_why(dynamoc: Run, kind: str, spec: str, words: str) -> None:
    Path("in.yaml").write_text(
        f"apiVersion: nvidia.com/v1alpha1\nkind: {kind}\nmetadata: {{name: x, namespace: team}}\nspec: {spec}\n"
    )
    result = dynamoc("render", "in.yaml", "--operator-version", "1.4")
    assert result.code == 0
    assert words in result.err
    assert "[input/not-rendered]" in result.err


@pytest.mark.parametrize(
    "spec",
    [
        "3",
        "{services: [1], components: {a: b}}",
        "{services: {A: 3, B: {modelRef: [x], extraPodSpec: {mainContainer: 1, containers: 2}, podTemplate: x}}}",
        "{components: [1, {name: 3, podTemplate: {spec: {containers: [1, {args: 4, command: x}]}}}]}",
    ],
)
def test_graphs_of_any_shape_beside_a_model_are_no_crash(dynamoc: Run, spec: str) -> None:
    head = "apiVersion: nvidia.com/v1alpha1\nkind: DynamoGraphDeployment\nmetadata: {name: a, namespace: team}\n"
    code, found = unserved(dynamoc, f"{MODEL}---\n{head}spec: {spec}\n")
    assert (code, len(found)) == (1, 1)
