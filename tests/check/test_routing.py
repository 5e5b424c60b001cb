"""Rules about routers, models and how caches travel."""

from __future__ import annotations

from typing import Any

import pytest

from tests.check.graphs import check, graph, worker
from tests.cli.conftest import Run

MODEL = "--model=Qwen/Qwen3-8B"
PREFILL, DECODE = "--disaggregation-mode=prefill", "--disaggregation-mode=decode"


def frontend(*arguments: str, **variables: str) -> dict[str, Any]:
    env = [{"name": name, "value": value} for name, value in variables.items()]
    return worker(
        name="Frontend",
        type="frontend",
        container={"command": ["python3", "-m", "dynamo.frontend"], "args": list(arguments), "env": env},
    )


SIZE = "--kv-cache-block-size"


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [
        (frontend("--router-mode=kv", f"{SIZE}=16"), worker("--block-size=64", gpus=1), ["check/block-size"]),
        (frontend(f"{SIZE}=16", DYN_ROUTER_MODE="kv"), worker("--block-size=64", gpus=1), ["check/block-size"]),
        (frontend("--router-mode=kv", f"{SIZE}=64"), worker("--block-size=64", gpus=1), []),
        (frontend("--router-mode=random", f"{SIZE}=16"), worker("--block-size=64", gpus=1), []),
        (frontend("--router-mode=kv"), worker("--block-size=64", gpus=1), []),
        (
            frontend("--router-mode=kv", f"{SIZE}=16"),
            worker("--page-size=1", engine="sglang", gpus=1),
            ["check/block-size"],
        ),
        (frontend("--router-mode=kv"), worker("--no-enable-prefix-caching", gpus=1), ["check/router-without-cache"]),
        (
            frontend("--router-mode=kv"),
            worker("--disable-radix-cache", engine="sglang", gpus=1),
            ["check/router-without-cache"],
        ),
        (frontend("--router-mode=kv", "--no-kv-events"), worker("--no-enable-prefix-caching", gpus=1), []),
        (frontend("--router-mode=round-robin"), worker("--no-enable-prefix-caching", gpus=1), []),
    ],
)
def test_routing_by_caches(one: dict[str, Any], other: dict[str, Any], found: list[str], dynamoc: Run) -> None:
    assert check(dynamoc, graph(one, other)) == found


@pytest.mark.parametrize(
    ("prefill", "decode", "found"),
    [
        ((MODEL,), (MODEL,), 0),
        ((MODEL,), ("--model=Qwen/Qwen3-4B",), 2),
        ((MODEL,), ("--model=/models/a", "--served-model-name=Qwen/Qwen3-8B"), 0),
        ((MODEL,), ("--model=$(MODEL)",), 0),
        ((MODEL,), (), 0),
    ],
)
def test_models_of_both_sides(prefill: tuple[str, ...], decode: tuple[str, ...], found: int, dynamoc: Run) -> None:
    both = (worker(PREFILL, *prefill, gpus=1, name="P"), worker(DECODE, *decode, gpus=1, name="D"))
    assert check(dynamoc, graph(*both)) == ["check/models-differ"] * found


@pytest.mark.parametrize(
    ("mode", "connector", "role", "found"),
    [
        (PREFILL, "NixlConnector", "kv_consumer", 1),
        (PREFILL, "NixlConnector", "kv_producer", 0),
        (PREFILL, "NixlConnector", "kv_both", 0),
        (DECODE, "NixlConnector", "kv_producer", 1),
        # may wrap others
        (PREFILL, "MultiConnector", "kv_consumer", 0),
    ],
)
def test_roles_of_connectors(mode: str, connector: str, role: str, found: int, dynamoc: Run) -> None:
    config = f'--kv-transfer-config={{"kv_connector":"{connector}","kv_role":"{role}"}}'
    other = DECODE if mode == PREFILL else PREFILL
    both = (worker(mode, config, gpus=1, name="A"), worker(other, gpus=1, name="B"))
    assert check(dynamoc, graph(*both)) == ["check/transfer-role"] * found


@pytest.mark.parametrize(("value", "found"), [("127.0.0.1", 1), ("10.0.0.7", 0), ("$(POD_IP)", 0)])
def test_the_host_of_the_side_channel(value: str, found: int, dynamoc: Run) -> None:
    variable = {"name": "VLLM_NIXL_SIDE_CHANNEL_HOST", "value": value}
    assert check(dynamoc, graph(worker(gpus=1, container={"env": [variable]}))) == ["check/side-channel-host"] * found
