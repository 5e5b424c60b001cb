"""The rules of `dynamoc check`: what fires them, and what looks like it and does not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dynamoc.analysis.check.rendering import RULES
from dynamoc.analysis.check.run import rules
from dynamoc.reference.findings import entries
from tests.check.graphs import OPTIONS, graph, slugs, worker
from tests.cli.conftest import Run

TP, PP, DP = "--tensor-parallel-size", "--pipeline-parallel-size", "--data-parallel-size"
OF_OTHERS = ("check/wrong-type", "check/unknown-field", "check/schema")
FEW, IDLE = "check/too-few-gpus", "check/idle-gpus"


def check(dynamoc: Run, text: str, *words: str) -> list[str]:
    Path("graph.yaml").write_text(text)
    result = dynamoc("check", "graph.yaml", "-o", "json", *OPTIONS, *words)
    assert result.code in (0, 1), result.err
    report = json.loads(result.out)["findings"]
    assert not [each for each in report if each["severity"] == "error" and not each["slug"].startswith("check/")]
    return slugs(result.out)


def test_every_rule_is_in_the_catalogue_and_runs() -> None:
    assert rules()
    declared = {slug for slug in entries() if slug.startswith("check/")}
    assert declared == {*RULES, "check/useless-comment", *OF_OTHERS}


@pytest.mark.parametrize(
    ("component", "found"),
    [
        (worker(f"{TP}=4", gpus=4), []),
        (worker(f"{TP}=4", gpus=2), [FEW]),
        (worker(TP, "4", gpus=2), [FEW]),
        (worker("-tp", "2", "-pp", "2", gpus=4), []),
        (worker("-tp", "2", "-pp", "2", gpus=8), [IDLE]),
        (worker(f"{TP}=2", f"{DP}=4", gpus=8), []),
        (worker(f"{TP}=2", f"{DP}=4", gpus=4), [FEW]),
        # argparse takes the last one
        (worker(f"{TP}=8", f"{TP}=2", gpus=2), ["check/flag-twice"]),
        # the shell, and a shell in a shell
        (worker(f"{TP}=4", gpus=2, shell=True), [FEW]),
        (worker(f"{TP} 4 \\\n  --model x", gpus=4, shell=True), []),
        # several nodes
        (worker(TP, "8", gpus=4, nodes=2), []),
        (worker(TP, "16", gpus=4, nodes=2), [FEW]),
        (worker(f"{TP}=4", f"{DP}=4", gpus=8, nodes=2), []),
        # what cannot be known
        (worker(f"{TP}=$(SIZE)", gpus=2), []),
        (worker(f"{TP}=4", "--config=/etc/engine.yaml", gpus=2), ["check/parallelism-in-file"]),
        (worker(f"{DP}=8", "--data-parallel-hybrid-lb", gpus=4), []),
        # one rank of many
        (worker(f"{DP}=8", "--data-parallel-rank=0", gpus=1), []),
        # room to grow
        (worker("--enable-elastic-ep", gpus=4), []),
        # sglang: attention shared out takes no further GPUs
        (worker("--tp=8", "--dp=8", "--enable-dp-attention", engine="sglang", gpus=8), []),
        (worker("--tp=4", "--dp=2", engine="sglang", gpus=8), []),
        (worker("--tp=4", "--dp=4", engine="sglang", gpus=8), [FEW]),
        (worker(f"{TP}=2", engine="trtllm", gpus=4), [IDLE]),
    ],
)
def test_the_gpus_of_an_engine(component: dict[str, Any], found: list[str], dynamoc: Run) -> None:
    assert check(dynamoc, graph(component)) == found


@pytest.mark.parametrize("target", ["grove", "lws", "plain"])
@pytest.mark.parametrize("release", ["1.0", "1.2", "1.4"])
def test_of_all_releases_and_targets(release: str, target: str, dynamoc: Run) -> None:
    text = """\
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {name: chat, namespace: ml}
spec:
  services:
    Worker:
      componentType: worker
      resources: {limits: {gpu: "2"}}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm:1.0.0
          command: [python3, -m, dynamo.vllm]
          args: ["--tensor-parallel-size", "4"]
"""
    Path("graph.yaml").write_text(text)
    result = dynamoc("check", "graph.yaml", "-o", "json", "--operator-version", release, "--target", target)
    assert slugs(result.out) == [FEW]
    [place] = [found["place"] for found in json.loads(result.out)["findings"] if found["slug"] == FEW]
    assert text.split("\n")[place["line"] - 1][place["column"] - 1 :].startswith('"--tensor-parallel-size"')


@pytest.mark.parametrize(
    ("component", "found"),
    [
        (worker(), ["check/no-gpus"]),
        (worker("--device", "cpu"), []),
        (worker(gpus=1), []),
        (worker(pod={"resourceClaims": [{"name": "gpus", "resourceClaimTemplateName": "gpus"}]}), []),
    ],
)
def test_an_engine_without_gpus(component: dict[str, Any], found: list[str], dynamoc: Run) -> None:
    assert check(dynamoc, graph(component)) == found


@pytest.mark.parametrize(
    ("variable", "found"),
    [
        ({"name": "CUDA_VISIBLE_DEVICES", "value": "0"}, ["check/visible-devices"]),
        ({"name": "CUDA_VISIBLE_DEVICES", "value": "0,1"}, []),
        ({"name": "NVIDIA_VISIBLE_DEVICES", "value": "all"}, []),
        ({"name": "CUDA_VISIBLE_DEVICES", "value": "$(DEVICES)"}, []),
    ],
)
def test_visible_devices(variable: dict[str, str], found: list[str], dynamoc: Run) -> None:
    assert check(dynamoc, graph(worker(f"{TP}=2", gpus=2, container={"env": [variable]}))) == found


def test_a_restart_in_a_file(dynamoc: Run) -> None:
    found = "check/restart-in-git"
    text = graph(worker(gpus=1))
    Path("old.yaml").write_text(text)
    restart = text.replace("spec:\n", "spec:\n  restart: {id: now}\n", 1)
    assert check(dynamoc, restart, "--against", "old.yaml") == [found]
    assert check(dynamoc, text, "--against", "old.yaml") == []


def test_a_large_object(dynamoc: Run) -> None:
    variables = [{"name": f"V{at}", "value": "x" * 1000} for at in range(300)]
    assert check(dynamoc, graph(worker(gpus=1, container={"env": variables}))) == ["check/large-object"]
    assert check(dynamoc, graph(worker(gpus=1, container={"env": variables[:200]}))) == []


@pytest.mark.parametrize(("number", "words"), [(1040, "apply it with --server-side"), (1100, "managedFields")])
def test_an_object_above_one_mebibyte(number: int, words: str, dynamoc: Run) -> None:
    variables = [{"name": f"V{at}", "value": "x" * 940} for at in range(number)]
    Path("large.yaml").write_text(graph(worker(gpus=1, container={"env": variables})))
    assert words in dynamoc("check", "large.yaml", "--operator-version", "1.4", "--target", "grove").err


PREFILL, DECODE = "--disaggregation-mode=prefill", "--disaggregation-mode=decode"


@pytest.mark.parametrize(
    ("components", "found"),
    [
        ((worker(PREFILL, gpus=1),), 1),
        ((worker(DECODE, gpus=1),), 1),
        ((worker(PREFILL, gpus=1, name="P"), worker(DECODE, gpus=1, name="D")), 0),
        # a worker without a role decodes
        ((worker(PREFILL, gpus=1, name="P"), worker(gpus=1, name="D")), 0),
        # the type alone is what many call a worker that does both
        ((worker(gpus=1, type="decode"),), 0),
        ((worker(gpus=1, type="prefill"),), 1),
        ((worker(PREFILL, gpus=1, globalDynamoNamespace=True),), 0),
    ],
)
def test_half_of_a_disaggregated_graph(components: tuple[dict[str, Any], ...], found: int, dynamoc: Run) -> None:
    assert check(dynamoc, graph(*components)) == ["check/half-disaggregated"] * found


def test_halves_in_several_graphs(dynamoc: Run) -> None:
    text = graph(worker(PREFILL, gpus=1), name="p") + "---\n" + graph(worker(DECODE, gpus=1), name="d")
    assert check(dynamoc, text) == []


def connector(name: str) -> str:
    return f'--kv-transfer-config={{"kv_connector":"{name}","kv_role":"kv_both"}}'


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [
        ("NixlConnector", "NixlConnector", 0),
        ("NixlConnector", "MooncakeConnector", 1),
        # wraps others
        ("NixlConnector", "PdConnector", 0),
    ],
)
def test_connectors_of_vllm(one: str, other: str, found: int, dynamoc: Run) -> None:
    both = (worker(PREFILL, connector(one), gpus=1, name="P"), worker(DECODE, connector(other), gpus=1, name="D"))
    assert check(dynamoc, graph(*both)) == ["check/transfer-settings"] * found


@pytest.mark.parametrize(("name", "room"), [("a" * 27, 1), ("a" * 25, 0)])
def test_room_in_names(name: str, room: int, dynamoc: Run) -> None:
    text = graph(worker(gpus=1, name=name), name="b" * 15)
    assert check(dynamoc, text) == ["check/little-room"] * room


def test_versions_of_images(dynamoc: Run) -> None:
    old = {"image": "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.3.1"}
    graph_of_two = graph(worker(gpus=1, name="A"), worker(gpus=1, name="B", container=old))
    assert check(dynamoc, graph_of_two) == ["check/runtime-versions"]
    patch = {"image": "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.4.2-cuda13"}
    assert check(dynamoc, graph(worker(gpus=1, name="A"), worker(gpus=1, name="B", container=patch))) == []


@pytest.mark.parametrize(
    ("model", "probe", "found"),
    [
        ("meta-llama/Llama-3.1-405B", {"periodSeconds": 10, "failureThreshold": 60}, 1),
        ("meta-llama/Llama-3.1-405B", {"periodSeconds": 10, "failureThreshold": 90}, 0),
        ("Qwen/Qwen3-0.6B", {"periodSeconds": 1, "failureThreshold": 3}, 0),
        ("Qwen/Qwen3-30B-A3B", {"periodSeconds": 5, "failureThreshold": 10}, 1),
        ("/models/unknown", {"periodSeconds": 1, "failureThreshold": 1}, 0),
    ],
)
def test_startup(model: str, probe: dict[str, int], found: int, dynamoc: Run) -> None:
    container = {"startupProbe": {"httpGet": {"path": "/live", "port": 9090}, **probe}}
    text = graph(worker(f"--model={model}", gpus=1, container=container))
    assert check(dynamoc, text) == ["check/short-startup"] * found


def test_plain_values_of_secrets_are_not_shown(dynamoc: Run) -> None:
    Path("graph.yaml").write_text(
        graph(worker(gpus=1, container={"env": [{"name": "HF_TOKEN", "value": "hf_abcdef"}]}))
    )
    for style in ("text", "json", "sarif", "gitlab", "junit", "checkstyle", "github"):
        result = dynamoc("check", "graph.yaml", "--findings", style, *OPTIONS)
        assert "check/plain-secret" in result.err
        assert "hf_abcdef" not in result.err
    tokens = {"env": [{"name": "MAX_TOKENS", "value": "4096"}]}
    assert check(dynamoc, graph(worker(gpus=1, container=tokens))) == []


def test_replicas_of_an_autoscaler(dynamoc: Run) -> None:
    assert check(dynamoc, graph(worker(gpus=1, replicas=2, scalingAdapter={}))) == ["check/owned-replicas"]
    assert check(dynamoc, graph(worker(gpus=1, scalingAdapter={}))) == []
    text = """\
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {name: chat, namespace: ml}
spec:
  services:
    Worker:
      componentType: worker
      replicas: 2
      scalingAdapter: {enabled: true}
      extraPodSpec: {mainContainer: {image: "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.4.0"}}
"""
    assert check(dynamoc, text) == ["check/owned-replicas"]
    assert check(dynamoc, text.replace("true", "false")) == []
    assert check(dynamoc, text.replace("      replicas: 2\n", "")) == []
