"""What looks like a mistake and is none: settings that can be read, servers that are no frontends, decode workers."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.check.graphs import OPTIONS, PREFILL, graph, slugs, worker
from tests.cli.conftest import Run

FRONTEND = "python3 -m dynamo.frontend --router-mode=kv"


def found(dynamoc: Run, *documents: str) -> list[str]:
    Path("graph.yaml").write_text("---\n".join(documents))
    return [slug for slug in slugs(dynamoc("check", "graph.yaml", "-o", "json", *OPTIONS).out) if "check/" in slug]


def config_map(**settings: object) -> str:
    metadata = {"name": "engine", "namespace": "ml"}
    data = {"engine.yaml": yaml.safe_dump(settings)}
    text: str = yaml.safe_dump({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data})
    return text


def configured(engine: str, flag: str, *more: str) -> str:
    mount = {"name": "engine", "mountPath": "/config"}
    volume = {"name": "engine", "configMap": {"name": "engine"}}
    arguments = (f"{flag}=/config/engine.yaml", *more)
    return graph(
        worker(*arguments, engine=engine, gpus=4, container={"volumeMounts": [mount]}, pod={"volumes": [volume]})
    )


@pytest.mark.parametrize(
    ("engine", "flag", "more", "settings", "slug"),
    [
        ("trtllm", "--extra-engine-args", (), {"tensor_parallel_size": 4}, None),
        ("trtllm", "--extra-engine-args", (), {"tensor_parallel_size": 8}, "check/too-few-gpus"),
        ("trtllm", "--extra-engine-args", ("--tensor-parallel-size=8",), {"tensor_parallel_size": 4}, None),
        ("vllm", "--config", (), {"tensor-parallel-size": 2}, "check/idle-gpus"),
        ("vllm", "--config", ("--tensor-parallel-size=4",), {"tensor-parallel-size": 2}, None),
        ("sglang", "--config", (), {"tp": 4, "dp": 4, "enable-dp-attention": True}, None),
        ("sglang", "--config", (), {"tp": 4, "dp": 4}, "check/too-few-gpus"),
    ],
)
def test_settings_in_a_config_map_of_the_input_are_read(
    engine: str, flag: str, more: tuple[str, ...], settings: dict[str, object], slug: str | None, dynamoc: Run
) -> None:
    text = configured(engine, flag, *more)
    assert found(dynamoc, text, config_map(**settings)) == ([slug] if slug else [])
    assert found(dynamoc, text) == ["check/parallelism-in-file"]


def frontend(name: str, line: str) -> dict[str, object]:
    main = {"name": "main", "image": "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.4.0", "command": line.split()}
    return {"name": name, "type": "frontend", "podTemplate": {"spec": {"containers": [main]}}}


def test_only_what_serves_models_is_a_second_frontend(dynamoc: Run) -> None:
    other = worker(gpus=1)
    assert "check/several-frontends" in found(dynamoc, graph(frontend("A", FRONTEND), frontend("B", FRONTEND), other))
    server = frontend("ModelExpress", "modelexpress-server --port 8000")
    assert "check/several-frontends" not in found(dynamoc, graph(server, frontend("B", FRONTEND), other))


@pytest.mark.parametrize(("prefills", "told"), [(True, False), (False, True)])
def test_decode_workers_look_no_prefix_up(prefills: bool, told: bool, dynamoc: Run) -> None:
    decode = worker("--no-enable-prefix-caching", name="Decode", gpus=1)
    prefill = [worker(PREFILL, name="Prefill", gpus=1)] if prefills else []
    slugs_of = found(dynamoc, graph(frontend("A", FRONTEND), decode, *prefill))
    assert ("check/router-without-cache" in slugs_of) is told
