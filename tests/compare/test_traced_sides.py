"""What is known of one component or graph is the reason of all that are like it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dynamoc.analysis.compare import reasons
from tests.cli.conftest import Run

HEAD = """\
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {name: web, namespace: team}
spec:
  services:
    Frontend:
      componentType: frontend
      replicas: 1
      extraPodSpec: {mainContainer: {image: "registry.example/vllm-runtime:1.0.0"}}
"""
WORKER = """\
    Worker{number}:
      componentType: worker
      replicas: 2
      multinode: {{nodeCount: 2}}
      resources: {{limits: {{gpu: "8"}}}}
      envs: [{{name: SHARD, value: "{number}"}}]
      extraPodSpec:
        mainContainer:
          image: registry.example/vllm-runtime:1.0.0
          command: [python3, -m, dynamo.vllm]
          args: [--model, example/model-{number}, --tensor-parallel-size, "16"]
"""
LINES = [
    (*("upgrade", "graph.yaml", "--from", old, "--to", new), *("--target", target))
    for old, new, target in (("1.0", "1.4", "lws"), ("1.0", "1.4", "grove"), ("0.6", "1.2", "grove"))
]


def _write(workers: int) -> None:
    Path("graph.yaml").write_text(HEAD + "".join(WORKER.format(number=number) for number in range(workers)))


class _Forgetful(dict[Any, Any]):
    """Knows nothing twice."""

    def __setitem__(self, key: Any, value: Any) -> None:
        pass


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("output", ["text", "json"])
def test_what_is_known_is_what_would_be_found_again(
    dynamoc: Run, monkeypatch: pytest.MonkeyPatch, line: tuple[str, ...], output: str
) -> None:
    _write(4)
    few = dynamoc(*line, "-o", output)
    prepare = reasons.Reasons.__init__

    def forgetful(self: reasons.Reasons, *arguments: Any) -> None:
        prepare(self, *arguments)
        self._known = _Forgetful()

    monkeypatch.setattr(reasons.Reasons, "__init__", forgetful)
    every = dynamoc(*line, "-o", output)
    assert (few.code, few.out, few.err) == (every.code, every.out, every.err)


def test_components_of_other_types_have_reasons_of_their_own(dynamoc: Run) -> None:
    """The frontend's probes come from one table, those of workers from another, though both become 3."""
    _write(2)
    result = dynamoc("upgrade", "graph.yaml", "--from", "0.6", "--to", "1.4", "--target", "grove")
    assert "1.4 default: probes/worker" in result.out
    assert "1.4 default: probes/frontend" in result.out
