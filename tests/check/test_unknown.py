"""What looks wrong and is not, because something says otherwise that a rule can see, or that nobody knows here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.check.graphs import OPTIONS, check, graph, worker
from tests.cli.conftest import Run

TP = "--tensor-parallel-size"
START = "python3 -m dynamo.vllm --model"
PREFILL, DECODE = "--disaggregation-mode=prefill", "--disaggregation-mode=decode"


def script(text: str) -> dict[str, Any]:
    return {"command": ["/bin/sh", "-c"], "args": [text]}


@pytest.mark.parametrize(
    ("component", "found"),
    [
        (worker("--model=m", "$(EXTRA_ARGS)", gpus=4), []),
        (worker(gpus=4, container=script(f"exec {START} m $EXTRA_ARGS")), []),
        (worker(gpus=4, container=script(f"{START} $MODEL")), ["check/idle-gpus"]),
        (worker("--tensor_parallel_size=4", gpus=4), []),
        (worker("--tensor_parallel_size=8", gpus=4), ["check/too-few-gpus"]),
        # two engines share the GPUs of a pod
        (worker(gpus=4, container=script(f"{START} a {TP} 2 & {START} b {TP} 2; wait")), []),
        (worker(gpus=4, container=script(f"# {TP} 8 elsewhere\n{START} a {TP} 4")), []),
    ],
)
def test_parallelism_that_is_said_otherwise(component: dict[str, Any], found: list[str], dynamoc: Run) -> None:
    assert check(dynamoc, graph(component)) == found


def test_a_transfer_config_may_be_in_a_variable(dynamoc: Run) -> None:
    decode = worker(DECODE, gpus=1, name="D")
    for more, found in (("--x", ["check/no-transfer-config"]), ("$(KV_ARGS)", [])):
        prefill = worker(gpus=1, name="P")
        prefill["podTemplate"]["spec"]["containers"][0]["args"] = [PREFILL, "--model=m", more]
        assert [slug for slug in check(dynamoc, graph(prefill, decode)) if "transfer" in slug] == found


def test_gpus_of_another_container_are_not_those_of_the_engine(dynamoc: Run) -> None:
    environment = {"env": [{"name": "CUDA_VISIBLE_DEVICES", "value": "0,1"}]}
    for gpus, found in ((2, []), (4, ["check/idle-gpus", "check/visible-devices"])):
        component = worker(f"{TP}=2", gpus=gpus, container=environment)
        other = {"name": "other", "image": "a/b:1", "resources": {"limits": {"nvidia.com/gpu": "2"}}}
        component["podTemplate"]["spec"]["containers"].append(other)
        assert check(dynamoc, graph(component)) == found


@pytest.mark.parametrize(("gpus", "is_fixed"), [(4, False), (1, True)])
def test_a_list_of_fewer_gpus_than_there_are_may_be_meant(gpus: int, is_fixed: bool, dynamoc: Run) -> None:
    variable = {"env": [{"name": "CUDA_VISIBLE_DEVICES", "value": "0,1"}]}
    Path("graph.yaml").write_text(graph(worker(f"{TP}={gpus}", gpus=gpus, container=variable)))
    report = json.loads(dynamoc("check", "graph.yaml", "-o", "json", *OPTIONS).out)["findings"]
    [found] = [each for each in report if each["slug"] == "check/visible-devices"]
    assert ("fix" in found) == is_fixed
    assert ("or request 2" in found["hint"]) == (not is_fixed)


def test_a_worker_whose_command_is_unknown_may_be_the_other_half(dynamoc: Run) -> None:
    other = worker(gpus=1, name="P", type="prefill", container={"command": ["./start.sh"], "args": []})
    decode = worker(DECODE, gpus=1, name="D")
    assert check(dynamoc, graph(other, decode)) == []
    assert check(dynamoc, graph(decode)) == ["check/half-disaggregated"]


@pytest.mark.parametrize(
    ("name", "value", "found"),
    [
        ("HF_TOKEN", "hf_abcdef", 1),
        ("DB_PASSWORD", "12345678", 1),
        ("HF_TOKEN_PATH", "/run/token", 0),
        ("PASSWORD_FILE", "/run/password", 0),
        ("TLS_SECRET_NAME", "tls", 0),
        ("DYN_TOKEN_ECHO_DELAY_MS", "10", 0),
        ("HF_HUB_DISABLE_IMPLICIT_TOKEN", "true", 0),
        ("OPENAI_KEY", "abcdefgh", 1),
        ("GITHUB_PAT", "abcdefgh", 1),
        ("DB_PASS", "abcdefgh", 1),
        ("REDIS_URL", "redis://user:hunter22@redis:6379/0", 1),
        ("REDIS_URL", "redis://user@redis:6379/0", 0),
        ("REDIS_URL", "redis://user:$(PASSWORD)@redis:6379/0", 0),
        ("NATS_SERVER", "nats://nats:4222", 0),
        ("OTHER", "hf_AbCdEfGh12345678", 1),
        ("OTHER", "sk-proj-AbCdEfGh1234", 1),
        ("OTHER", "ghp_abcdefgh12345678", 1),
        ("OTHER", "github_pat_11ABCDEFG0_abc", 1),
        ("OTHER", "glpat-abcdefgh12345678", 1),
        ("OTHER", "nvapi-abcdefgh12345678", 1),
        ("OTHER", "xoxb-123456789-abcdef", 1),
        ("OTHER", "AKIAIOSFODNN7EXAMPLE", 1),
        ("OTHER", "hf_transfer", 0),
        ("OTHER", "task-1234567890abcdefgh", 0),
        ("OPENAI_API_KEY", "EMPTY", 0),
        ("OPENAI_API_KEY", "", 0),
        ("OPENAI_API_KEY", "$(FROM_SECRET)", 0),
        ("OPENAI_API_KEY", "<your key>", 0),
        ("API_KEY_DIR", "/run/secrets", 0),
        ("HF_TOKEN", "/run/secrets/x", 0),
        ("DYN_TOKENIZER", "a/b", 0),
        ("PUBLIC_KEY", "abcdefgh", 0),
        ("KV_CACHE_KEY", "abcdefgh", 0),
        ("MODEL_PATH", "abcdefgh", 0),
    ],
)
def test_variables_about_secrets(name: str, value: str, found: int, dynamoc: Run) -> None:
    text = graph(worker(gpus=1, container={"env": [{"name": name, "value": value}]}))
    assert check(dynamoc, text) == ["check/plain-secret"] * found


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        (["--api-key=abcdefgh"], 1),
        (["--hf-token", "abcdefgh"], 1),
        (["--hf-token abcdefgh"], 1),
        (["--api-key", "--port", "8000"], 0),
        (["--api-key", "$(KEY)", "--hf-token=$HF_TOKEN", "--api-key=${KEY}", "--password=$(cat /run/x)"], 0),
        (["--tokenizer", "a/b", "--max-tokens", "512000", "--max-num-batched-tokens=819200"], 0),
        (["--api-key-file", "abcdefgh", "--token-path=abcdefgh", "--api-key=EMPTY"], 0),
        (["--ssl-keyfile", "/run/secrets/tls.key", "--hf-token=/run/secrets/x"], 0),
        (["--router-mode", "kv", "--enable-prompt-tokens-details", "--block-size", "16"], 0),
        (["--database", "postgres://u:hunter22@db/x"], 1),
    ],
)
def test_arguments_with_secrets(arguments: list[str], found: int, dynamoc: Run) -> None:
    text = graph(worker(*arguments, gpus=1))
    assert [name for name in check(dynamoc, text) if "secret" in name] == ["check/plain-secret"] * found


@pytest.mark.parametrize(
    ("argument", "found"), [("--listen=0.0.0.0:8085", 0), ("--bind=8085", 0), ("--x=18085", 1), ("--x", 1)]
)
def test_a_port_that_an_argument_names(argument: str, found: int, dynamoc: Run) -> None:
    probe = {"readinessProbe": {"httpGet": {"path": "/", "port": 8085}}}
    assert check(dynamoc, graph(worker(argument, gpus=1, container=probe))) == ["check/probe-port"] * found


@pytest.mark.parametrize(
    ("model", "seconds", "found"),
    [
        ("nvidia/Llama-3.1-405B-Instruct", 600, 1),
        ("nvidia/Llama-3.1-405B-Instruct-FP8", 600, 0),
        ("nvidia/Llama-3.1-405B-Instruct-FP8", 400, 1),
        ("nvidia/Llama-3.1-405B-Instruct-FP4", 300, 0),
        ("x/Llama-3.1-405B-AWQ", 100, 1),
    ],
)
def test_smaller_weights_load_faster(model: str, seconds: int, found: int, dynamoc: Run) -> None:
    probe = {"httpGet": {"path": "/live", "port": 9090}, "periodSeconds": 1, "failureThreshold": seconds}
    text = graph(worker(f"--model={model}", gpus=1, container={"startupProbe": probe}))
    assert check(dynamoc, text) == ["check/short-startup"] * found


@pytest.mark.parametrize("namespace", ["ml", None])
def test_an_autoscaler_beside_a_graph_without_a_namespace(namespace: str | None, dynamoc: Run) -> None:
    text = graph(worker(gpus=1))
    if namespace is None:
        text = text.replace("  namespace: ml\n", "")
    scaler = """\
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: scaler}
spec:
  maxReplicas: 3
  scaleTargetRef: {apiVersion: grove.io/v1alpha1, kind: PodClique, name: chat-0-worker}
"""
    assert check(dynamoc, text + scaler) == ["check/scaled-directly"]
