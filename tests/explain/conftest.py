"""The command line on files of a test."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from dynamoc.interfaces.cli.entry import run

Run = Callable[..., "Result"]


class Result:
    def __init__(self, code: int, out: str, err: str) -> None:
        self.code = code
        self.out = out
        self.err = err


@pytest.fixture
def dynamoc(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """`dynamoc("explain", "graph.yaml")` where graph.yaml is the graph of this folder."""
    (tmp_path / "graph.yaml").write_text(GRAPH)
    monkeypatch.chdir(tmp_path)

    def command(*argv: str) -> Result:
        capfd.readouterr()
        code = run(list(argv))
        out, err = capfd.readouterr()
        return Result(code, out, err)

    return command


GRAPH = """\
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: web
  labels: {team: search}
spec:
  envs:
  - name: LOG_LEVEL
    value: info
  services:
    Frontend:
      componentType: frontend
      replicas: 3
      extraPodSpec:
        mainContainer:
          image: registry.example.com/runtime:1.0.0
    Worker:
      componentType: worker
      autoscaling: {enabled: true}
      envs:
      - name: LOG_LEVEL
        value: debug
      - name: DYN_SYSTEM_PORT
        value: "9999"
      resources:
        requests: {cpu: "0.5"}
        limits: {gpu: "1"}
      multinode:
        nodeCount: 2
      extraPodSpec:
        mainContainer:
          image: registry.example.com/runtime:1.0.0
          command: [python3, -m, dynamo.vllm]
          args: [--model, tiny, --tensor-parallel-size, "2"]
"""
