"""Two engines in one pod."""

import pytest

from dynamoc.documents.findings.finding import Refusal
from dynamoc.rendering.rules.failover import _move_master_port
from tests.rules.graphs import env, render

GRAPH = """
backendFramework: vllm
components:
- name: worker
  type: worker
  experimental: {gpuMemoryService: {mode: IntraPod}, failover: {mode: IntraPod}}
  podTemplate:
    spec:
      containers:
      - name: main
        image: engine:1.4.0
        command: [python3, -m, dynamo.vllm]
        args: [--model, m]
        resources: {limits: {nvidia.com/gpu: "1"}}
      - {name: other, image: other:1.0.0}
"""


def test_main_becomes_two_engines_ahead_of_the_others() -> None:
    containers = render(GRAPH).cliques()["worker"]["spec"]["podSpec"]["containers"]
    assert [container["name"] for container in containers] == ["engine-0", "engine-1", "other"]


@pytest.mark.parametrize("index", [0, 1])
def test_engines_have_ports_of_their_own(index: int) -> None:
    engine = render(GRAPH).cliques()["worker"]["spec"]["podSpec"]["containers"][index]
    variables = env(engine)
    assert variables["ENGINE_ID"] == str(index)
    assert variables["DYN_SYSTEM_PORT"] == str(9090 + index)
    assert variables["VLLM_NIXL_SIDE_CHANNEL_PORT"] == str(5600 + index)
    assert engine["ports"] == [{"name": f"system-{index}", "containerPort": 9090 + index, "protocol": "TCP"}]
    assert {engine[probe]["httpGet"]["port"] for probe in ("livenessProbe", "readinessProbe", "startupProbe")} == {
        f"system-{index}"
    }


def test_engines_share_no_variable_that_names_one_of_them() -> None:
    engine = render(GRAPH).cliques()["worker"]["spec"]["podSpec"]["containers"][0]
    names = [item["name"] for item in engine["env"]]
    assert len(names) == len(set(names))
    assert not {"DYN_HEALTH_CHECK_ENABLED", "DYN_SYSTEM_USE_ENDPOINT_HEALTH_STATUS"} & set(names)


def test_another_backend_is_refused() -> None:
    with pytest.raises(Refusal) as refused:
        render(GRAPH.replace("vllm", "sglang"))
    assert refused.value.slug == "failover/backend"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([], ["--master-port", "29600"]),
        (["--master-port", "5"], ["--master-port", "105"]),
        (["-m vllm --master-port 29500 -x"], ["-m vllm --master-port 29600 -x"]),
        # nothing to add to
        (["--master-port", "$PORT"], ["--master-port", "$PORT"]),
        # the operator doesn't see this spelling
        (["--master-port=5"], ["--master-port=5", "--master-port", "29600"]),
    ],
)
def test_the_second_engine_gets_a_master_port_of_its_own(before: list[str], after: list[str]) -> None:
    container = {"args": before}
    _move_master_port(container, 100)
    assert container["args"] == after
