"""Rules about nodes, memory and time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.check.graphs import OPTIONS, check, graph, worker
from tests.cli.conftest import Run

TP, PP, DP = "--tensor-parallel-size", "--pipeline-parallel-size", "--data-parallel-size"
MODEL = "--model=Qwen/Qwen3-8B"


LOCAL = "--data-parallel-size-local"
FITS = "check/parallelism-of-nodes"


@pytest.mark.parametrize(
    ("component", "found"),
    [
        (worker(f"{DP}=8", f"{LOCAL}=8", gpus=4), [FITS]),
        (worker(f"{TP}=2", f"{DP}=4", f"{LOCAL}=4", gpus=8), []),
        # the operator adds its own number behind it
        (worker(DP, "16", f"{LOCAL}=4", gpus=8, nodes=2), ["check/flag-twice"]),
        # each node runs all of them, and the operator adds nothing
        (worker(DP, "4", f"{LOCAL}=4", gpus=4, nodes=2), ["check/idle-gpus"]),
        (worker(DP, "16", f"{LOCAL}=4", gpus=16, nodes=2), [FITS]),
        (worker(DP, "16", f"{LOCAL}=8", gpus=8, nodes=2), []),
        (worker(f"{DP}=$(DP)", f"{LOCAL}=4", gpus=8, nodes=2), []),
        (worker("--tp=16", "--dp=2", engine="sglang", gpus=8, nodes=2), [FITS]),
        (worker("--tp=16", "--dp=2", "--enable-dp-attention", engine="sglang", gpus=8, nodes=2), []),
        (worker("--tp=8", "--dp=3", "--enable-dp-attention", engine="sglang", gpus=8), [FITS]),
        (worker("--tp=8", "--pp-size=2", engine="sglang", gpus=8, nodes=2), []),
        (worker("--tp=4", "--pp-size=2", engine="sglang", gpus=8, nodes=3), [FITS]),
        (worker("--tp=$(TP)", "--dp=2", engine="sglang", gpus=8, nodes=2), []),
    ],
)
def test_parallelism_of_nodes(component: dict[str, Any], found: list[str], dynamoc: Run) -> None:
    assert sorted(check(dynamoc, graph(component))) == sorted(found)


UNREAD = "check/unread-flag"


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ((TP, "16"), []),
        ((f"{TP}=16",), [UNREAD]),
        (("-tp", "16"), [UNREAD]),
        ((TP, "8", f"{PP}=2"), [UNREAD]),
        # what fits into a pod needs no flags of the operator
        ((f"{TP}=8", DP, "2"), []),
        # the user does what the operator would
        ((f"{TP}=16", "--nnodes=2"), []),
    ],
)
def test_flags_that_the_operator_does_not_read(arguments: tuple[str, ...], found: list[str], dynamoc: Run) -> None:
    text = graph(worker(*arguments, gpus=8, nodes=2))
    assert [each for each in check(dynamoc, text) if each == UNREAD] == found
    later = ("--operator-version", "1.6", "--target", "grove")
    assert UNREAD not in check(dynamoc, text, options=later)


@pytest.mark.parametrize(
    ("sizes", "found"),
    [
        ((), 0),
        (("405B",), 1),
        (("Worker=405",), 1),
        (("worker=1.5B",), 0),
        (("Other=405B",), 0),
        (("405B", "Worker=7B"), 0),
    ],
)
def test_sizes_that_names_do_not_tell(sizes: tuple[str, ...], found: int, dynamoc: Run) -> None:
    probe = {"httpGet": {"path": "/live", "port": 9090}, "periodSeconds": 10, "failureThreshold": 60}
    text = graph(worker("--model=/models/weights", gpus=1, container={"startupProbe": probe}))
    words = [word for size in sizes for word in ("--model-size", size)]
    assert check(dynamoc, text, *words) == ["check/short-startup"] * found


@pytest.mark.parametrize("size", ["big", "=7B", "Worker=", "7M"])
def test_a_size_that_is_none_is_wrong_usage(size: str, dynamoc: Run) -> None:
    Path("graph.yaml").write_text(graph(worker(gpus=1)))
    result = dynamoc("check", "graph.yaml", "--model-size", size, *OPTIONS)
    assert (result.code, result.out) == (2, "")
    assert "write a number of billions" in result.err


@pytest.mark.parametrize(("number", "found"), [("4", []), ("8", ["check/num-gpus"]), ("$(GPUS)", [])])
def test_gpus_of_ray(number: str, found: list[str], dynamoc: Run) -> None:
    line = f"ray start --head --num-gpus={number} && python3 -m dynamo.vllm {MODEL} {TP} 4"
    component = worker(gpus=4, container={"command": ["sh", "-c"], "args": [line]})
    assert check(dynamoc, graph(component)) == found


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        (("--max-model-len=1", "--max-model-len", "2"), ["check/flag-twice"]),
        (("--max-model-len=1", "--max-model-len=1"), []),
        # lists are given so
        (("--served-model-name=a", "--served-model-name=b"), []),
    ],
)
def test_flags_that_override_each_other(arguments: tuple[str, ...], found: list[str], dynamoc: Run) -> None:
    assert check(dynamoc, graph(worker(*arguments, gpus=1))) == found


@pytest.mark.parametrize(
    ("gpus", "size", "found"),
    [(2, "0", 1), (1, "0", 0), (8, "64Mi", 1), (8, "1Gi", 0), (2, None, 0)],
)
def test_shared_memory(gpus: int, size: str | None, found: int, dynamoc: Run) -> None:
    fields = {} if size is None else {"sharedMemorySize": size}
    text = graph(worker(f"{TP}={gpus}", gpus=gpus, **fields))
    assert check(dynamoc, text) == ["check/small-shared-memory"] * found


@pytest.mark.parametrize(
    ("name", "value", "grace", "found"),
    [
        ("DYN_RUNTIME_GRACEFUL_SHUTDOWN_TIMEOUT_SECS", "120", None, 1),
        ("DYN_RUNTIME_GRACEFUL_SHUTDOWN_TIMEOUT_SECS", "120", 180, 0),
        ("DYN_HTTP_GRACEFUL_SHUTDOWN_TIMEOUT_SECS", "30", None, 0),
        ("DYN_RUNTIME_GRACEFUL_SHUTDOWN_TIMEOUT_SECS", "$(TIME)", None, 0),
    ],
)
def test_time_to_end_requests(name: str, value: str, grace: int | None, found: int, dynamoc: Run) -> None:
    pod = {} if grace is None else {"terminationGracePeriodSeconds": grace}
    container = {"env": [{"name": name, "value": value}]}
    assert check(dynamoc, graph(worker(gpus=1, pod=pod, container=container))) == ["check/grace-period"] * found
