"""Small facts of rules: which resources are GPUs, and the order of what is sorted."""

from __future__ import annotations

import pytest

from dynamoc.rules.gpu_count import requested_gpus
from tests.rules.early import service
from tests.rules.graphs import Tree, render


@pytest.mark.parametrize(
    ("amounts", "count"),
    [
        ({"cpu": "4"}, 0),
        ({"GPU": "2"}, 2),
        ({"cpu": "4", "amd.com/gpu": "3"}, 3),
        ({"mig-1g": "1"}, 1),
        ({"nvidia.com/mig-1g": "1"}, 1),
    ],
)
def test_gpus_are_known_by_name(amounts: Tree, count: int) -> None:
    """internal/dynamo/graph.go isGPUResource of 1.2"""
    assert requested_gpus({"limits": amounts}) == count


def test_sources_of_a_projected_volume_are_in_the_order_of_their_names() -> None:
    """internal/controller_common/podspec.go SortPodSpec of 0.6: `a` is before `a-b`."""
    sources = "{configMap: {name: a-b}}, {secret: {name: b}}, {configMap: {name: a}}, {secret: {name: a}}"
    pod = service(
        "componentType: worker, extraPodSpec: {mainContainer: {image: i, command: [x]}, "
        f"volumes: [{{name: v, projected: {{sources: [{sources}]}}}}]}}"
    ).one("Deployment")["spec"]["template"]["spec"]
    (volume,) = [item for item in pod["volumes"] if item["name"] == "v"]
    found = [next(iter(item.values()))["name"] for item in volume["projected"]["sources"]]
    assert found == ["a", "a-b", "a", "b"]


CLAIMING = """
components:
- name: worker
  type: worker
  multinode: {nodeCount: 2}
  podTemplate:
    spec:
      resourceClaims: [{name: gpus, resourceClaimTemplateName: both}]
      containers:
      - name: main
        image: engine:1.4.0
        command: [python3, -m, dynamo.vllm]
        args: [--tensor-parallel-size, "16"]
        resources: {claims: [{name: gpus, request: %s}]}
"""


@pytest.mark.parametrize(("request_", "spans"), [("eight", True), ("sixteen", False)])
def test_only_the_named_request_of_a_claim_counts(request_: str, spans: bool) -> None:
    """internal/dra/dra.go ResolveGPUCount"""
    requests = [
        {"name": name, "exactly": {"deviceClassName": "gpu.nvidia.com", "count": count}}
        for name, count in (("eight", 8), ("sixteen", 16))
    ]
    claim = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": "both", "namespace": "default"},
        "spec": {"spec": {"devices": {"requests": requests}}},
    }
    args = render(CLAIMING % request_, claim).cliques()["worker-ldr"]["spec"]["podSpec"]["containers"][0]["args"]
    assert ("--nnodes" in args) is spans


def test_a_weight_server_is_used_by_an_engine_that_a_shell_starts() -> None:
    """internal/dynamo/utils.go injectFlagsIntoContainerCommand: behind the first word of the backend."""
    text = """
backendFramework: vllm
components:
- name: worker
  type: worker
  experimental: {gpuMemoryService: {mode: InterPod}}
  podTemplate:
    spec:
      containers:
      - name: main
        image: engine:1.4.0
        command: [sh, -c]
        args: [python3 -m dynamo.vllm --model m]
        resources: {limits: {nvidia.com/gpu: "1"}}
"""
    engines = [clique for name, clique in render(text).cliques().items() if "gms" not in name]
    lines = [clique["spec"]["podSpec"]["containers"][0]["args"] for clique in engines]
    assert lines == [["python3 -m dynamo.vllm --load-format gms --model m"]]
