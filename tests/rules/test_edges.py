"""Small facts of rules: which resources are GPUs, and the order of what is sorted."""

from __future__ import annotations

import pytest

from dynamoc.rendering.rules.resources import requested_gpus
from tests.rules.early import main_of, service
from tests.rules.graphs import Tree, env, render


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
    """internal/dynamo/backend_vllm.go getGPUQuantity, resourceNameIsGPU of 1.2"""
    assert requested_gpus({"limits": amounts}) == count


def test_sources_of_a_projected_volume_are_in_the_order_of_their_names() -> None:
    """internal/controller_common/pod.go CanonicalizePodSpec of 0.6: ConfigMaps first, then Secrets, each by name."""
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
    """internal/dra/dra.go ResolveGPUCount of 1.4"""
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
    """internal/dynamo/utils.go injectFlagsIntoContainerCommand, injectFlagsIntoPythonCommand of 1.4"""
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


def test_defaults_that_the_environment_of_the_user_replaces_are_told_in_0_4() -> None:
    """internal/dynamo/graph.go GenerateBasePodSpec of 0.4: lists replace lists."""
    text = (
        "componentType: worker, extraPodSpec: {mainContainer: {image: i, command: [python3], args: [-m, dynamo.vllm], "
        "env: [%s]}}"
    )
    defaults = env(main_of(service(text % "", release="0.4")))
    every = ", ".join(f"{{name: {name}, value: a}}" for name in defaults)
    for written, told in (("{name: MINE, value: a}", True), (every, False)):
        found = service(text % written, release="0.4").told
        assert ("env/defaults-lost" in [slug for slug, _ in found]) is told


@pytest.mark.parametrize("release", ["0.4", "0.5"])
def test_an_address_that_is_set_twice_is_told(release: str) -> None:
    """internal/dynamo/graph.go addStandardEnvVars appends in 0.4, and at 58d2699d6, which knows 0.5's Model Express.

    The commit of 0.5 itself is not at hand.
    """
    text = (
        "componentType: worker, "
        "extraPodSpec: {mainContainer: {image: i, command: [python3], args: [-m, dynamo.vllm]%s}}"
    )
    own = ", env: [{name: ETCD_ENDPOINTS, value: mine}]"
    for written, told in (("", 0), (own, 1)):
        found = service(text % written, release=release).told
        assert [slug for slug, _ in found].count("env/set-twice") == told
