"""Reasons come from few traced components, and are those that all of them give."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dynamoc.analysis.compare import reasons
from dynamoc.analysis.compare import traced_sides as traced_sides_traced_sides
from dynamoc.compiler.explain.traced import leaves, origin_of
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


@pytest.fixture
def traced(monkeypatch: pytest.MonkeyPatch) -> list[traced_sides_traced_sides.Traced]:
    """What was traced."""
    found: list[traced_sides_traced_sides.Traced] = []
    original = traced_sides_traced_sides.Traced.__init__

    def noted(self: traced_sides_traced_sides.Traced, *arguments: Any) -> None:
        found.append(self)
        original(self, *arguments)

    monkeypatch.setattr(traced_sides_traced_sides.Traced, "__init__", noted)
    return found


def _write(workers: int) -> None:
    Path("graph.yaml").write_text(HEAD + "".join(WORKER.format(number=number) for number in range(workers)))


def test_of_components_that_are_alike_few_are_traced(
    dynamoc: Run, traced: list[traced_sides_traced_sides.Traced]
) -> None:
    _write(8)
    result = dynamoc(*LINES[0])
    assert "orphaned: Worker0, Worker1" in result.out, result.err
    assert len(traced) == 2
    assert all(item.components is not None and len(item.components) < 5 for item in traced)
    # Workloads of the others are not even made.
    for item in traced:
        made = {value["metadata"]["name"] for value in item._explained.objects if value["kind"] == "LeaderWorkerSet"}
        wanted = tuple(f"web-{name.lower()}-" for name in item.components or ())
        assert made
        assert all(name.startswith(wanted) for name in made)


def test_what_makes_up_the_pods_of_other_components_is_not_traced(
    dynamoc: Run, traced: list[traced_sides_traced_sides.Traced]
) -> None:
    _write(8)
    dynamoc(*LINES[0])
    assert traced
    for item in traced:
        [document] = item._explained.documents
        for name, part in document.value["spec"]["services"].items():
            known = {origin_of(leaf) is not None for _, leaf in leaves([part["extraPodSpec"], part.get("envs", {})])}
            assert known - {False} == ({True} if name in (item.components or ()) else set())
            assert origin_of(part["componentType"]) is not None


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("output", ["text", "json"])
def test_they_say_what_all_say(
    dynamoc: Run, monkeypatch: pytest.MonkeyPatch, line: tuple[str, ...], output: str
) -> None:
    _write(4)
    few = dynamoc(*line, "-o", output)
    monkeypatch.setattr(traced_sides_traced_sides.TracedSide, "_needed", lambda *_: None)
    monkeypatch.setattr(reasons, "_liken", lambda *_: None)
    every = dynamoc(*line, "-o", output)
    assert (few.code, few.out, few.err) == (every.code, every.out, every.err)


def test_components_of_other_types_have_reasons_of_their_own(dynamoc: Run) -> None:
    """The frontend's probes come from one table, those of workers from another, though both become 3."""
    _write(2)
    result = dynamoc("upgrade", "graph.yaml", "--from", "0.6", "--to", "1.4", "--target", "grove")
    assert "1.4 default: probes/worker" in result.out
    assert "1.4 default: probes/frontend" in result.out
