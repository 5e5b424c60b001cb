"""Rules about gangs, autoscalers and planners."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.check.graphs import ALPHA, OPTIONS, check, graph, worker
from tests.cli.conftest import Run

TP = "--tensor-parallel-size"


def line_of(dynamoc: Run, slug: str, *words: str) -> str:
    """The text of the line that a finding points at."""
    report = json.loads(dynamoc("check", "graph.yaml", "-o", "json", *OPTIONS, *words).out)
    [place] = [each["place"] for each in report["findings"] if each["slug"] == slug]
    return Path(place["file"]).read_text().split("\n")[place["line"] - 1].strip()


def test_a_gang_that_ends_while_it_loads(dynamoc: Run) -> None:
    found = "check/gang-ends-loading"
    Path("operator.yaml").write_text("dynamo-operator: {dynamo: {groveTerminationDelay: 15m}}\n")
    config = ("--operator-config", "operator.yaml")
    assert check(dynamoc, ALPHA, *config) == [found]
    for text in (
        ALPHA.replace("700B", "70B"),
        ALPHA.replace("readinessProbe", "startupProbe"),
        ALPHA.replace("          readinessProbe: {httpGet: {path: /health, port: 9090}}\n", ""),
    ):
        assert found not in check(dynamoc, text, *config)
    # With the values of the chart, Grove waits for four hours; plain Deployments have no gangs.
    assert found not in check(dynamoc, ALPHA)
    assert found not in check(dynamoc, ALPHA, *config, options=("--operator-version", "1.0", "--target", "plain"))


@pytest.mark.parametrize(
    ("replicas", "least", "nodes", "found"), [(3, 3, 1, 1), (3, 2, 1, 0), (1, 1, 1, 0), (2, 2, 2, 1), (2, 1, 2, 0)]
)
def test_a_gang_without_a_spare(replicas: int, least: int, nodes: int, found: int, dynamoc: Run) -> None:
    text = graph(worker(TP, str(nodes), gpus=1, nodes=nodes, replicas=replicas, minAvailable=least))
    assert check(dynamoc, text) == ["check/gang-without-spare"] * found
    if found and nodes == 1:
        assert line_of(dynamoc, "check/gang-without-spare") == f"minAvailable: {least}"


@pytest.mark.parametrize(("release", "nodes", "found"), [("1.0", 4, 1), ("1.0", 2, 0), ("1.1", 4, 0)])
def test_a_gang_of_some_nodes(release: str, nodes: int, found: int, dynamoc: Run) -> None:
    """check/partial-gang: a leader is one pod, the workers are the others."""
    text = ALPHA.replace("componentType: main", f"componentType: worker\n      multinode: {{nodeCount: {nodes}}}")
    text = text.replace('"8"]', f'"{nodes * 8}"]').replace("700B", "70B")
    options = ("--operator-version", release, "--target", "grove")
    assert check(dynamoc, text, options=options) == ["check/partial-gang"] * found


def scaler(target: str, kind: str, name: str = "scaler", least: int = 1) -> str:
    if kind == "ScaledObject":
        return json.dumps(
            {
                "apiVersion": "keda.sh/v1alpha1",
                "kind": "ScaledObject",
                "metadata": {"name": name, "namespace": "ml"},
                "spec": {"scaleTargetRef": {"kind": target, "name": "chat-worker"}, "minReplicaCount": least},
            }
        )
    metric = {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}}
    return json.dumps(
        {
            "apiVersion": "autoscaling/v2",
            "kind": kind,
            "metadata": {"name": name, "namespace": "ml"},
            "spec": {
                "minReplicas": least,
                "maxReplicas": 9,
                "scaleTargetRef": {"apiVersion": "a/v1", "kind": target, "name": "chat-worker"},
                "metrics": [{"type": "Resource", "resource": metric}],
            },
        }
    )


ADAPTER, HPA, KEDA = "DynamoGraphDeploymentScalingAdapter", "HorizontalPodAutoscaler", "ScaledObject"


@pytest.mark.parametrize(
    ("target", "fields", "scalers", "found"),
    [
        ("plain", {"replicas": 2}, [scaler("Deployment", HPA)], ["check/scaled-directly"]),
        ("plain", {"scalingAdapter": {}}, [scaler(ADAPTER, HPA)], []),
        (
            "plain",
            {"scalingAdapter": {}},
            [scaler(ADAPTER, HPA, "a"), scaler(ADAPTER, KEDA, "b")],
            ["check/two-scalers"],
        ),
        (
            # Of a graph of the same name in another namespace.
            "plain",
            {"scalingAdapter": {}},
            [
                scaler(ADAPTER, HPA, "a"),
                scaler(ADAPTER, KEDA, "b").replace('"namespace": "ml"', '"namespace": "other"'),
            ],
            [],
        ),
        (
            "grove",
            {"scalingAdapter": {}, "minAvailable": 1},
            [scaler(ADAPTER, KEDA, least=0).replace('"namespace": "ml"', '"namespace": "other"')],
            [],
        ),
        (
            "grove",
            {"replicas": 2},
            [scaler("PodClique", KEDA).replace("chat-worker", "chat-0-worker")],
            ["check/scaled-directly"],
        ),
        ("grove", {"scalingAdapter": {}, "minAvailable": 1}, [scaler(ADAPTER, KEDA, least=1)], []),
        (
            "grove",
            {"scalingAdapter": {}, "minAvailable": 1},
            [scaler(ADAPTER, KEDA, least=0)],
            ["check/scaled-below-minimum"],
        ),
    ],
)
def test_autoscalers(target: str, fields: dict[str, Any], scalers: list[str], found: list[str], dynamoc: Run) -> None:
    """check/scaled-directly, check/two-scalers, check/scaled-below-minimum"""
    text = "---\n".join([graph(worker(gpus=1, **fields)), *(each + "\n" for each in scalers)])
    options = ("--operator-version", "1.4", "--target", target)
    if target == "plain":
        # A Deployment is named after the hash of its workers.
        Path("graph.yaml").write_text(text)
        rendered = dynamoc("render", "graph.yaml", "-o", "json", *options).out
        items = json.loads(rendered)["items"]
        [name] = [each["metadata"]["name"] for each in items if each["kind"] == "Deployment"]
        text = text.replace('"Deployment", "name": "chat-worker"', f'"Deployment", "name": "{name}"')
    assert check(dynamoc, text, options=options) == found


def planner(**fields: Any) -> dict[str, Any]:
    return {**worker(name="Planner", type="planner", **fields), "podTemplate": {"spec": {"containers": [PLANNER]}}}


PLANNER = {"name": "main", "image": "nvcr.io/nvidia/ai-dynamo/dynamo-planner:1.4.0"}


@pytest.mark.parametrize(
    ("fields", "found"),
    [({"replicas": 2}, 1), ({}, 0), ({"scalingAdapter": {}}, 0)],
)
def test_a_planner_without_adapters(fields: dict[str, Any], found: int, dynamoc: Run) -> None:
    text = graph(planner(), worker(gpus=1, **fields))
    assert check(dynamoc, text) == ["check/planner-without-adapter"] * found
    assert check(dynamoc, graph(worker(gpus=1, **fields))) == []
