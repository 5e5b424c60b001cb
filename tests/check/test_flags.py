"""Rules about flags that an image lacks, or needs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.check.graphs import NIXL, OPTIONS, check, graph, worker
from tests.cli.conftest import Run

TP = "--tensor-parallel-size"
MODEL = "--model=Qwen/Qwen3-8B"
PREFILL, DECODE = "--disaggregation-mode=prefill", "--disaggregation-mode=decode"


OLD = "check/old-flag"


@pytest.mark.parametrize(
    ("flag", "tag", "severity"),
    [
        ("--is-prefill-worker", "1.4.0", "error"),
        ("--is-prefill-worker", "1.2.0", "warning"),
        ("--is-prefill-worker", "0.9.0", None),
        ("--is-prefill-worker", "nightly", None),
        ("--connector=nixl", "1.0.0", "error"),
        ("--connector=nixl", "0.8.0", None),
    ],
)
def test_flags_that_were_replaced(flag: str, tag: str, severity: str | None, dynamoc: Run) -> None:
    image = {"image": f"nvcr.io/nvidia/ai-dynamo/vllm-runtime:{tag}"}
    component = worker(flag, NIXL, gpus=1, type="prefill", container=image)
    Path("graph.yaml").write_text(graph(component))
    report = json.loads(dynamoc("check", "graph.yaml", "-o", "json", *OPTIONS).out)["findings"]
    assert [each["severity"] for each in report if each["slug"] == OLD] == [severity] * (severity is not None)


@pytest.mark.parametrize(
    ("arguments", "tag", "found"),
    [
        (("--disaggregation-mode=decode",), "0.9.0", 1),
        (("--disaggregation-mode=decode",), "1.0.0", 0),
        (("--is-decode-worker", NIXL), "0.6.1", 1),
        (("--is-decode-worker", NIXL), "0.9.0", 0),
        (("--is-decode-worker",), "0.6.1", 0),
    ],
)
def test_flags_that_are_too_new(arguments: tuple[str, ...], tag: str, found: int, dynamoc: Run) -> None:
    image = {"image": f"nvcr.io/nvidia/ai-dynamo/vllm-runtime:{tag}"}
    text = graph(worker(*arguments, gpus=1, type="decode", container=image))
    assert check(dynamoc, text).count("check/new-flag") == found


@pytest.mark.parametrize(("tag", "found"), [("0.7.1", 1), ("0.8.0", 0), ("1.4.0", 0)])
def test_flags_of_the_operator_that_are_too_new(tag: str, found: int, dynamoc: Run) -> None:
    """It starts vLLM on several nodes with `--nnodes`."""
    image = {"image": f"nvcr.io/nvidia/ai-dynamo/vllm-runtime:{tag}"}
    text = graph(worker("--tensor-parallel-size", "16", gpus=8, nodes=2, container=image))
    assert check(dynamoc, text).count("check/new-flag") == found


def test_old_roles_are_corrected(dynamoc: Run) -> None:
    Path("graph.yaml").write_text(graph(worker("--is-decode-worker", NIXL, gpus=1, type="decode")))
    dynamoc("check", "graph.yaml", "--fix", *OPTIONS)
    assert "- --disaggregation-mode=decode\n" in Path("graph.yaml").read_text().replace('"', "")


@pytest.mark.parametrize(
    ("arguments", "tag", "found"),
    [
        (("--disaggregation-mode", "prefill"), "1.4.0", 1),
        (("--disaggregation-mode", "prefill", NIXL), "1.4.0", 0),
        (("--disaggregation-mode", "prefill", "--config=/a.yaml"), "1.4.0", 0),
        (("--disaggregation-mode", "decode"), "1.4.0", 0),
        (("--is-prefill-worker",), "0.7.0", 0),
    ],
)
def test_prefill_without_a_connector(arguments: tuple[str, ...], tag: str, found: int, dynamoc: Run) -> None:
    image = {"image": f"nvcr.io/nvidia/ai-dynamo/vllm-runtime:{tag}"}
    both = (worker(*arguments, gpus=1, name="A", container=image), worker(DECODE, gpus=1, name="B", container=image))
    assert check(dynamoc, graph(*both)).count("check/no-transfer-config") == found


@pytest.mark.parametrize(
    ("prefill", "decode", "found"),
    [
        ((), (), 0),
        (("--kv-cache-dtype=fp8",), (), 1),
        (("--kv-cache-dtype", "auto"), (), 0),
        (("--dtype=bfloat16",), ("--dtype=float16",), 1),
        (("--dtype=$(TYPE)",), ("--dtype=float16",), 0),
        ((f"{TP}=1",), (f"{TP}=1", "--block-size=64"), 0),
    ],
)
def test_what_nixl_compares(prefill: tuple[str, ...], decode: tuple[str, ...], found: int, dynamoc: Run) -> None:
    both = (
        worker(PREFILL, MODEL, NIXL, *prefill, gpus=1, name="P"),
        worker(DECODE, MODEL, NIXL, *decode, gpus=1, name="D"),
    )
    assert check(dynamoc, graph(*both)) == ["check/transfer-compatibility"] * found


@pytest.mark.parametrize(("size", "found"), [("2", 0), ("3", 1), ("8", 1)])
def test_experts_of_tensorrt(size: str, found: int, dynamoc: Run) -> None:
    text = graph(worker(f"{TP}=4", f"--expert-parallel-size={size}", engine="trtllm", gpus=4))
    assert check(dynamoc, text) == ["check/expert-parallelism"] * found
