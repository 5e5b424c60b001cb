"""Components of v1beta1, as operator 1.4 judges them in a graph and on their own."""

from typing import Any

import pytest

from tests.webhooks.reviewing import Tree, component, other, refusals

MAIN = {"name": "main", "image": "x:1.4.0"}
GPU = {"resources": {"limits": {"nvidia.com/gpu": "1"}}}
CHECKPOINTS = {"checkpoint.enabled": True}


def pod(*containers: Tree, **fields: Any) -> Tree:
    return {"podTemplate": {"spec": {"containers": list(containers), **fields}}}


def alone(spec: Tree) -> Tree:
    return other("DynamoComponentDeployment", {"name": "it", "type": "worker", **pod(MAIN), **spec}, "v1beta1")


@pytest.mark.parametrize(
    ("spec", "found"),
    [
        ({"sharedMemorySize": "0"}, None),
        ({"sharedMemorySize": "-1Gi"}, "admission/shared-memory .sharedMemorySize"),
        ({"frontendSidecar": "helper", **pod(MAIN, {"name": "helper"})}, None),
        ({"frontendSidecar": "absent"}, "admission/sidecar-name .frontendSidecar"),
        ({"frontendSidecar": ""}, "admission/sidecar-name .frontendSidecar"),
        ({"type": "epp", "eppConfig": {"config": {}}}, None),
        ({"type": "epp"}, "admission/epp-config "),
        ({"type": "epp", "eppConfig": {"configMapRef": {}}}, "admission/epp-config .eppConfig.configMapRef"),
        ({"type": "epp", "eppConfig": {"config": {}}, "replicas": 2}, "admission/epp-replicas .replicas"),
        (
            {"type": "epp", "eppConfig": {"config": {}}, "multinode": {"nodeCount": 2}},
            "admission/epp-multinode .multinode",
        ),
        (pod({"name": "main"}), "admission/no-image .podTemplate.spec.containers[0]"),
        (pod({"name": "helper", "image": "x:1.4.0"}), "admission/no-image .podTemplate.spec.containers"),
        ({"podTemplate": None}, "admission/no-image .podTemplate.spec.containers"),
    ],
)
def test_components(spec: Tree, found: str | None) -> None:
    slug, _, tail = (found or "").partition(" ")
    assert refusals(component(spec), "1.4") == ([f"{slug} spec.components[0]{tail}"] if found else [])
    assert refusals(alone(spec), "1.4") == ([f"{slug} spec{tail}"] if found else [])


@pytest.mark.parametrize(
    ("image", "override", "good"),
    [
        ("nvcr.io/x:1.4.0", None, True),
        ("nvcr.io/x:v1.4.0-cuda13", None, True),
        ("x:1.4", None, False),
        ("x:my-tag", None, False),
        ("x:my-tag", "1.4.0", True),
        ("localhost:5000/x", None, False),
        ("x@sha256:abc", None, False),
        ("x:1.4.0@sha256:abc", None, True),
    ],
)
def test_the_runtimes_version_is_known_in_graphs(image: str, override: str | None, good: bool) -> None:
    spec = pod({"name": "main", "image": image}) | ({"runtimeVersionOverride": override} if override else {})
    path = "spec.components[0].podTemplate.spec.containers[0].image"
    assert refusals(component(spec), "1.4") == ([] if good else [f"admission/runtime-version {path}"])
    assert refusals(alone(spec), "1.4") == []


def test_a_component_on_its_own_never_runs_on_grove() -> None:
    assert refusals(alone({"minAvailable": 1}), "1.4") == ["admission/needs-grove spec.minAvailable"]


@pytest.mark.parametrize(
    ("experimental", "containers", "found"),
    [
        ({"gpuMemoryService": {}}, [MAIN | GPU], []),
        ({"gpuMemoryService": {}}, [MAIN], ["memory-service .gpuMemoryService"]),
        (
            {"gpuMemoryService": {}},
            [MAIN | {"resources": {"limits": {"nvidia.com/gpu": "500m"}}}],
            ["memory-service .gpuMemoryService"],
        ),
        ({"gpuMemoryService": {}}, [MAIN | {"resources": {"requests": {"amd.com/gpu": 2}}}], []),
        (
            {"gpuMemoryService": {"extraClientContainers": ["a", "b", "a"]}},
            [MAIN | GPU, {"name": "a"}],
            [f"memory-service .gpuMemoryService.extraClientContainers[{index}]" for index in (1, 2)],
        ),
        ({"failover": {}}, [MAIN | GPU], ["failover .failover"]),
        (
            {"failover": {}, "gpuMemoryService": {"mode": "InterPod"}},
            [MAIN | GPU],
            ["failover .failover.mode"],
        ),
        ({"failover": {"mode": "InterPod"}, "gpuMemoryService": {"mode": "InterPod"}}, [MAIN | GPU], []),
        ({"checkpoint": {"enabled": True}}, [MAIN], []),
        (
            {"checkpoint": {"enabled": True}, "gpuMemoryService": {"mode": "InterPod"}},
            [MAIN | GPU],
            ["checkpoint .checkpoint"],
        ),
        (
            {"checkpoint": {"enabled": True}, "gpuMemoryService": {}, "failover": {}},
            [MAIN | GPU],
            ["checkpoint .checkpoint"],
        ),
        (
            {"checkpoint": {"job": {"gmsClientContainers": ["main"]}}},
            [MAIN],
            ["checkpoint .checkpoint.job.gmsClientContainers"],
        ),
        ({"checkpoint": {"job": {"gmsClientContainers": ["main"]}}, "gpuMemoryService": {}}, [MAIN | GPU], []),
    ],
)
def test_experimental(experimental: Tree, containers: list[Tree], found: list[str]) -> None:
    value = component({"experimental": experimental, **pod(*containers)}, backendFramework="vllm")
    value["metadata"]["annotations"] = {"nvidia.com/dynamo-kube-discovery-mode": "container"}
    expected = [f"admission/{line.replace(' ', ' spec.components[0].experimental')}" for line in found]
    assert refusals(value, "1.4", settings=CHECKPOINTS) == expected


@pytest.mark.parametrize("kind", ["frontend", "planner", "epp", None])
def test_only_workers_have_a_memory_service(kind: str | None) -> None:
    spec = {"type": kind, "eppConfig": {"config": {}}, "experimental": {"gpuMemoryService": {}}, **pod(MAIN | GPU)}
    assert refusals(component(spec), "1.4") == [
        "admission/memory-service spec.components[0].experimental.gpuMemoryService"
    ]


def test_checkpoints_must_be_enabled_in_the_operator() -> None:
    value = component({"experimental": {"checkpoint": {"enabled": True}}})
    assert refusals(value, "1.4") == ["admission/checkpoint-disabled spec.components[0].experimental.checkpoint"]


def test_failover_in_a_pod_is_found_by_container() -> None:
    spec = {"experimental": {"gpuMemoryService": {}, "failover": {}}, **pod(MAIN | GPU)}
    value = component(spec)
    assert refusals(value, "1.4") == ["admission/failover-discovery spec.components[0].experimental.failover"]
    key = "nvidia.com/dynamo-kube-discovery-mode"
    value["metadata"]["annotations"] = {key: "pod"}
    assert refusals(value, "1.4") == [f"admission/failover-discovery metadata.annotations[{key}]"]


@pytest.mark.parametrize(
    ("target", "framework", "found"),
    [
        ("grove", "vllm", []),
        ("grove", "", ["admission/memory-service"]),
        ("lws", "vllm", ["admission/needs-grove"]),
        ("lws", "sglang", ["admission/needs-grove", "admission/memory-service"]),
    ],
)
def test_memory_service_between_pods(target: str, framework: str, found: list[str]) -> None:
    spec = {"experimental": {"gpuMemoryService": {"mode": "InterPod"}}, **pod(MAIN | GPU)}
    value = component(spec, backendFramework=framework)
    path = "spec.components[0].experimental.gpuMemoryService.mode"
    assert refusals(value, "1.4", target=target) == [f"{slug} {path}" for slug in found]


LIMIT = "dynamo.nvidia.com/gpu-power-limit"


@pytest.mark.parametrize(
    ("watts", "good"),
    [("300", True), ("+300", True), ("0", False), ("-1", False), ("3e2", False), ("", False), ("٣", False)],
)
def test_power_limit(watts: str, good: bool) -> None:
    template = {"metadata": {"annotations": {LIMIT: watts}}, "spec": {"containers": [MAIN]}}
    path = f"spec.components[0].podTemplate.metadata.annotations[{LIMIT}]"
    assert refusals(component({"podTemplate": template}), "1.4") == ([] if good else [f"admission/power-limit {path}"])


def test_power_is_not_limited_for_claimed_gpus() -> None:
    claims = {"resources": {"claims": [{"name": "gpu"}]}}
    for containers, path in (
        ({"containers": [MAIN, {"name": "a", **claims}]}, "containers[1]"),
        ({"containers": [MAIN], "initContainers": [{"name": "i", **claims}]}, "initContainers[0]"),
    ):
        template = {"metadata": {"annotations": {LIMIT: "300"}}, "spec": containers}
        found = refusals(component({"podTemplate": template}), "1.4")
        assert found == [f"admission/power-limit spec.components[0].podTemplate.spec.{path}.resources.claims"]


@pytest.mark.parametrize(
    ("framework", "main", "good"),
    [
        ("vllm", {"args": ["--enable-elastic-ep", "--data-parallel-backend", "ray"]}, False),
        ("vllm", {"args": ["--enable-elastic-ep --data-parallel-backend=ray"]}, False),
        ("vllm", {"args": ["--enable-elastic-ep", "-dpb", "ray"]}, False),
        ("vllm", {"args": ["--enable-elastic-ep", "-dpb", "mp"]}, True),
        ("vllm", {"args": ["--enable-elastic-ep", "ray", "-dpb"]}, True),
        ("vllm", {"args": ["--data-parallel-backend", "ray"]}, True),
        ("vllm", {"args": ["--enable-elastic-ep", "-dpb=ray"], "command": ["python3"]}, True),
        ("sglang", {"args": ["--enable-elastic-ep", "-dpb=ray"]}, True),
    ],
)
def test_elastic_parallelism_needs_a_command(framework: str, main: Tree, good: bool) -> None:
    value = component(pod(MAIN | main), backendFramework=framework)
    path = "spec.components[0].podTemplate.spec.containers[0]"
    assert refusals(value, "1.4") == ([] if good else [f"admission/elastic-ep-command {path}"])
