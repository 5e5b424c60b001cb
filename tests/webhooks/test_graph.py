"""Graphs of v1alpha1, as operator 1.0 judges them."""

import pytest

from tests.webhooks.reviewing import Tree, graph, refusals

A = {"replicas": 1}
CLAIM = {"name": "c", "create": True, "size": "1Gi", "storageClass": "fast", "volumeAccessMode": "ReadWriteMany"}


@pytest.mark.parametrize("spec", [{}, {"services": {}}, {"services": None}, {"services": {"A": None}}])
def test_a_graph_has_services(spec: Tree) -> None:
    assert [line.split()[0] for line in refusals(graph(spec))] == ["admission/no-services"]


@pytest.mark.parametrize("version", ["1.0.0", "v1.0.0", "1", "1.2", "1.0.0-rc.1+build.7", "01.2.3"])
def test_versions_that_the_operator_reads(version: str) -> None:
    value = graph({"services": {"A": A}}, annotations={"nvidia.com/dynamo-operator-origin-version": version})
    assert refusals(value) == []


@pytest.mark.parametrize("version", ["", "garbage", "1.2.3.4", "V1.0.0", "1.0.0-", "1.0.0-01", "1.0.0+", " 1.0.0"])
def test_versions_that_it_refuses(version: str) -> None:
    key = "nvidia.com/dynamo-operator-origin-version"
    value = graph({"services": {"A": A}}, annotations={key: version})
    assert refusals(value) == [f"admission/origin-version metadata.annotations[{key}]"]


@pytest.mark.parametrize(("backend", "good"), [("mp", True), ("RAY", True), ("dask", False), ("", False)])
def test_executor_backend(backend: str, good: bool) -> None:
    key = "nvidia.com/vllm-distributed-executor-backend"
    on_graph = refusals(graph({"services": {"A": A}}, annotations={key: backend}))
    on_service = refusals(graph({"services": {"A": {**A, "annotations": {key: backend}}}}))
    assert on_graph == ([] if good else [f"admission/executor-backend metadata.annotations[{key}]"])
    assert on_service == ([] if good else [f"admission/executor-backend spec.services.A.annotations[{key}]"])


@pytest.mark.parametrize(
    ("claim", "where"),
    [
        (CLAIM, []),
        ({"name": "c"}, []),
        ({"name": "c", "create": False}, []),
        ({}, ["spec.pvcs[0]"]),
        ({"name": ""}, ["spec.pvcs[0].name"]),
        ({**CLAIM, "storageClass": ""}, ["spec.pvcs[0].storageClass"]),
        ({**CLAIM, "volumeAccessMode": ""}, ["spec.pvcs[0].volumeAccessMode"]),
        ({**CLAIM, "size": "0Gi"}, ["spec.pvcs[0].size"]),
        ({**CLAIM, "size": 0}, ["spec.pvcs[0].size"]),
        ({"name": "c", "create": True}, ["spec.pvcs[0]"] * 3),
    ],
)
def test_claims(claim: Tree, where: list[str]) -> None:
    found = refusals(graph({"services": {"A": A}, "pvcs": [claim]}))
    assert found == [f"admission/claim-incomplete {path}" for path in where]


ORDER = "admission/restart-order spec.restart.strategy.order"


@pytest.mark.parametrize(
    ("restart", "found"),
    [
        ({"id": "1"}, []),
        ({"id": "1", "strategy": {"type": "Parallel"}}, []),
        ({"id": "1", "strategy": {"order": ["B", "A"]}}, []),
        ({}, ["admission/restart-id spec.restart"]),
        ({"id": ""}, ["admission/restart-id spec.restart"]),
        ({"id": "1", "strategy": {"type": "Parallel", "order": ["A", "B"]}}, [ORDER]),
        ({"id": "1", "strategy": {"order": ["A"]}}, [ORDER]),
        ({"id": "1", "strategy": {"order": ["A", "B", "A"]}}, [f"{ORDER}[2]"]),
        ({"id": "1", "strategy": {"order": ["A", "B", "C"]}}, [f"{ORDER}[2]"]),
        ({"strategy": {"order": ["C"]}}, ["admission/restart-id spec.restart", f"{ORDER}[0]", ORDER, ORDER]),
    ],
)
def test_restart(restart: Tree, found: list[str]) -> None:
    assert refusals(graph({"services": {"A": A, "B": A}, "restart": restart})) == found


@pytest.mark.parametrize(
    ("name", "service", "spec", "fits"),
    [
        ("a" * 40, "b" * 5, {}, True),
        ("a" * 41, "b" * 5, {}, False),
        ("a" * 11, "b" * 15, {"multinode": {"nodeCount": 2}}, True),
        ("a" * 12, "b" * 15, {"multinode": {"nodeCount": 2}}, False),
        ("a" * 12, "b" * 15, {"multinode": {"nodeCount": 1}}, True),
    ],
)
def test_names_leave_room_for_grove(name: str, service: str, spec: Tree, fits: bool) -> None:
    value = graph({"services": {service: spec}}, name)
    for target in ("grove", "lws"):
        assert refusals(value, target=target) == ([] if fits else [f"admission/name-length spec.services.{service}"])
    value["metadata"]["annotations"] = {"nvidia.com/enable-grove": "FALSE"}
    assert refusals(value) == []
    value["metadata"]["annotations"] = {"nvidia.com/enable-grove": "no"}
    assert bool(refusals(value)) is not fits


def test_all_faults_are_told_at_once() -> None:
    services = {"A": {"ingress": {"enabled": True}}, "B": {"sharedMemory": {}}}
    found = refusals(graph({"services": services, "pvcs": [{}]}))
    assert [line.split()[0] for line in found] == [
        "admission/claim-incomplete",
        "admission/ingress-host",
        "admission/shared-memory",
    ]
