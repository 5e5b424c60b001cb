"""Each command that asks for a release takes every release: tables that forget one are found here."""

import json
from pathlib import Path

import pytest

from dynamoc.reference.releases import RELEASES
from tests.cli.conftest import Run, dynamoc

__all__ = ["dynamoc"]

GRAPH = """
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {name: llm, namespace: default}
spec:
  backendFramework: sglang
  services:
    Frontend:
      componentType: frontend
      replicas: 1
      extraPodSpec: {mainContainer: {image: "nvcr.io/nvidia/ai-dynamo/sglang-runtime:1.4.0"}}
    Worker:
      componentType: worker
      replicas: 1
      multinode: {nodeCount: 2}
      resources: {limits: {gpu: "1"}}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/sglang-runtime:1.4.0
          args: [python3 -m dynamo.sglang --model m]
"""
COMMANDS = {
    "render": ("render", "{file}"),
    "standalone": ("render", "{file}", "--standalone"),
    "validate": ("validate", "{file}"),
    "requires": ("requires", "{file}"),
    "diff": ("diff", "{file}", "{file}"),
    "against": ("render", "{file}", "--against", "{file}"),
}


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "graph.yaml"
    path.write_text(GRAPH)
    return str(path)


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("command", COMMANDS)
def test_command(command: str, release: str, file: str, dynamoc: Run) -> None:
    words = [word.replace("{file}", file) for word in COMMANDS[command]]
    result = dynamoc(*words, "--operator-version", release, "--target", "grove")
    assert result.code == 0, result.err


@pytest.mark.parametrize(("old", "new"), list(zip(list(RELEASES), list(RELEASES)[1:], strict=False)))
def test_upgrade(old: str, new: str, file: str, dynamoc: Run) -> None:
    result = dynamoc("upgrade", file, "--from", old, "--to", new, "--target", "grove", "-o", "json")
    assert result.code in (0, 1), result.err
    assert json.loads(result.out)


@pytest.mark.parametrize("release", RELEASES)
def test_explain(release: str, file: str, dynamoc: Run) -> None:
    result = dynamoc("explain", file, "service/llm-frontend", "spec.ports", "--operator-version", release)
    assert result.code == 0, result.err
