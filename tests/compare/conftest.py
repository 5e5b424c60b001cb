"""The command line, and graphs to compare."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dynamoc.analysis.compare.comparison import Terms, compare
from dynamoc.analysis.compare.result import Comparison
from dynamoc.reference.releases import get_release
from tests.cli.conftest import dynamoc

__all__ = ["dynamoc"]

Tree = dict[str, Any]

GRAPH = """\
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {name: web, namespace: team}
spec:
  services:
    Frontend:
      componentType: frontend
      replicas: 2
      extraPodSpec: {mainContainer: {image: "nvcr.io/x/vllm:1.0.0"}}
    Worker:
      componentType: worker
      replicas: 3
      resources: {limits: {gpu: "2"}}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/x/vllm:1.0.0
          command: [python3, -m, dynamo.vllm]
          args: [--model, m]
"""
MULTINODE = GRAPH.replace("      replicas: 3\n", "      replicas: 2\n      multinode: {nodeCount: 4}\n").replace(
    "args: [--model, m]", 'args: [--model, m, --tensor-parallel-size, "8"]'
)


@pytest.fixture
def graphs(dynamoc: object) -> tuple[Path, Path]:
    """`old.yaml` and `new.yaml` in the current directory, the same graph."""
    paths = Path("old.yaml"), Path("new.yaml")
    for path in paths:
        path.write_text(GRAPH)
    return paths


def item(kind: str = "ConfigMap", name: str = "a", **fields: Any) -> Tree:
    """An object, with an API group that only dynamoc's own tests need to know."""
    metadata = {"name": name, "namespace": "team", **fields.pop("metadata", {})}
    return {"apiVersion": "v1", "kind": kind, "metadata": metadata, **fields}


def compared(old: list[Tree], new: list[Tree], *, release: str = "1.4", **terms: Any) -> Comparison:
    return compare(old, new, Terms(get_release(release), **terms))
