"""The command line, and graphs that need something."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dynamoc.admission.cluster.config import OperatorConfig
from dynamoc.analysis.requires.needs import Requirements
from dynamoc.analysis.requires.requirements import Places, Surroundings, requirements
from dynamoc.compiler.cluster import Trace
from dynamoc.compiler.faults import FaultSources
from dynamoc.compiler.options import Options
from dynamoc.reference.releases import get_release
from tests.cli.conftest import Run, dynamoc

__all__ = ["dynamoc"]

Tree = dict[str, Any]
Ask = Callable[..., Tree]

GRAPH = """\
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
  namespace: team
spec:
  services:
    Frontend:
      componentType: frontend
      replicas: 2
      extraPodSpec:
        mainContainer:
          image: nvcr.io/x/vllm-runtime:1.0.0
    Worker:
      componentType: worker
      replicas: 3
      multinode:
        nodeCount: 2
      envFromSecret: token
      resources:
        limits:
          gpu: "8"
      extraPodSpec:
        imagePullSecrets:
          - name: registry
        priorityClassName: high
        volumes:
          - name: cache
            persistentVolumeClaim:
              claimName: models
        mainContainer:
          image: nvcr.io/x/vllm-runtime:1.0.0
          command: [python3, -m, dynamo.vllm]
          args: [--model, m, --tensor-parallel-size, "16"]
"""


def needs_of(objects: list[Tree], release: str = "1.4", config: OperatorConfig | None = None) -> Requirements:
    """What objects need that stand alone: without an input, a context or a configuration."""
    around = Surroundings(get_release(release), config or OperatorConfig(), [], "default")
    options = Options(operator_version=release)
    return requirements(objects, Places([], [], FaultSources([], options), Trace(), options), around, [])


def item(kind: str, name: str = "a", *, version: str = "v1", **fields: Any) -> Tree:
    metadata = {"name": name, "namespace": "team", **fields.pop("metadata", {})}
    return {"apiVersion": version, "kind": kind, "metadata": metadata, **fields}


def pod(**spec: Any) -> Tree:
    """A Pod with a container, unless `spec` has some."""
    return item("Pod", spec={"containers": [{"name": "main", "image": "x"}], **spec})


def names(found: Requirements, *, missing: bool = False) -> set[str]:
    """`Kind/name` of what is needed, but namespaces."""
    wanted = [entry for entry in found.objects if entry.kind != "Namespace" and not (missing and entry.by)]
    return {f"{entry.kind}/{entry.name}" for entry in wanted}


@pytest.fixture
def ask(dynamoc: Run) -> Ask:
    """`ask(GRAPH, "--target", "grove")`: the JSON document for a graph in `graph.yaml`."""

    def command(graph: str, *options: str) -> Tree:
        Path("graph.yaml").write_text(graph)
        result = dynamoc("requires", "graph.yaml", "-o", "json", *options)
        assert result.code == 0, result.err
        document: Tree = json.loads(result.out)
        return document

    return command
