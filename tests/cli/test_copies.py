"""How often one value of a document is copied on its way to the objects: each map and list that holds it counts."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from tests.cli.conftest import Run

REPLICAS, NODES, VARIABLE = 7919, 7907, "a value that nothing else has"
GRAPH = f"""\
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {{name: web}}
spec:
  services:
    Worker:
      componentType: worker
      replicas: {REPLICAS}
      multinode: {{nodeCount: {NODES}}}
      envs: [{{name: FOO, value: {VARIABLE}}}]
      resources: {{limits: {{gpu: "8"}}}}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.0.0
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-0.6B]
"""
#: The pods of leader and worker have the variable twice, and a minimal tree keeps it in an annotation and reads it.
MOST = {REPLICAS: 15, NODES: 15, VARIABLE: 16}


def _holders(value: Any, depth: int = 0) -> Iterator[tuple[Any, Any]]:
    """Each of the values that is below a value, and the map or list that holds it."""
    items = value.values() if isinstance(value, dict) else value
    for item in items:
        if isinstance(item, dict | list):
            if depth < 14:
                yield from _holders(item, depth + 1)
        elif isinstance(item, int | str) and item in MOST:
            yield item, value


@pytest.mark.parametrize("release", ["1.0", "1.4", "1.6"])
def test_a_value_is_copied_few_times(dynamoc: Run, release: str) -> None:
    Path("graph.yaml").write_text(GRAPH)
    line = ("render", "graph.yaml", "--operator-version", release, "--target", "grove")
    dynamoc(*line)
    # What is held here has an id that nothing else gets.
    found: dict[Any, dict[int, Any]] = {value: {} for value in MOST}
    package = str(Path("dynamoc"))

    def look(frame: FrameType, event: str, result: Any) -> None:
        if event != "return" or package not in frame.f_code.co_filename or "emit" in frame.f_code.co_filename:
            return
        for value in (result, *frame.f_locals.values()):
            if isinstance(value, dict | list):
                for item, holder in _holders(value):
                    found[item][id(holder)] = holder

    sys.setprofile(look)
    try:
        result = dynamoc(*line)
    finally:
        sys.setprofile(None)
    assert result.code == 0, result.err
    counts = {value: len(holders) for value, holders in found.items()}
    assert all(counts.values())
    assert all(counts[value] <= most for value, most in MOST.items()), counts
