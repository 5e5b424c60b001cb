"""Graphs of v1beta1 whose workers run an engine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml

from dynamoc.reference.findings import entries
from tests.cli.conftest import Run

IMAGE = "nvcr.io/nvidia/ai-dynamo/{}-runtime:1.4.0"
_RUNTIMES = {"vllm": "vllm", "sglang": "sglang", "trtllm": "tensorrtllm"}
PREFILL, CONFIG = "--disaggregation-mode=prefill", "--kv-transfer-config"
NIXL = f'{CONFIG}={{"kv_connector":"NixlConnector","kv_role":"kv_both"}}'
OPTIONS = ("--operator-version", "1.4", "--target", "grove")


def worker(
    *arguments: str,
    engine: str = "vllm",
    gpus: int = 0,
    nodes: int = 1,
    name: str = "Worker",
    type: str = "worker",
    shell: bool = False,
    container: dict[str, Any] | None = None,
    pod: dict[str, Any] | None = None,
    **fields: Any,
) -> dict[str, Any]:
    """A component; `container`, `pod` and `fields` are added to its main container, its pod and itself.

    Prefill workers of vLLM transfer caches with NIXL if the arguments say nothing else.
    """
    main: dict[str, Any] = {"name": "main", "image": IMAGE.format(_RUNTIMES[engine])}
    if engine == "vllm" and PREFILL in arguments and not any(CONFIG in argument for argument in arguments):
        arguments = (*arguments, NIXL)
    line = ["python3", "-m", f"dynamo.{engine}", *arguments]
    main |= {"command": ["sh", "-c"], "args": [" ".join(line)]} if shell else {"command": line[:3], "args": line[3:]}
    if gpus:
        main["resources"] = {"limits": {"nvidia.com/gpu": str(gpus)}}
    component: dict[str, Any] = {
        "name": name,
        "type": type,
        "podTemplate": {"spec": {**(pod or {}), "containers": [{**main, **(container or {})}]}},
        **fields,
    }
    if nodes > 1:
        component["multinode"] = {"nodeCount": nodes}
    return component


def graph(*components: dict[str, Any], name: str = "chat", **spec: Any) -> str:
    metadata = {"name": name, "namespace": "ml"}
    value = {"apiVersion": "nvidia.com/v1beta1", "kind": "DynamoGraphDeployment", "metadata": metadata}
    text: str = yaml.safe_dump({**value, "spec": {**spec, "components": list(components)}}, sort_keys=False)
    return text


#: what tests/check/test_mistakes.py plants; the small graphs of other tests have some of them, such as no frontend
MISTAKES = {slug for slug, entry in entries().items() if entry.page == "check-mistakes"}


def slugs(report: str, *, mistakes: bool = False) -> list[str]:
    """The names of the findings of `check` itself in a JSON report."""
    left_out = set() if mistakes else MISTAKES
    found = [found["slug"] for found in json.loads(report)["findings"]]
    return [slug for slug in found if slug.startswith("check/") and slug not in left_out]


def check(dynamoc: Run, text: str, *words: str, options: tuple[str, ...] = OPTIONS) -> list[str]:
    """The names of what `check` itself finds in a graph that the operator takes."""
    Path("graph.yaml").write_text(text)
    result = dynamoc("check", "graph.yaml", "-o", "json", *options, *words)
    assert result.code in (0, 1), result.err
    report = json.loads(result.out)["findings"]
    assert not [each for each in report if each["severity"] == "error" and not each["slug"].startswith("check/")]
    return slugs(result.out)


#: an engine in a component of no known type, which gets no probes
ALPHA = """\
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {name: chat, namespace: ml}
spec:
  services:
    Engine:
      componentType: main
      resources: {limits: {gpu: "8"}}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm:1.0.0
          command: [python3, -m, dynamo.vllm]
          args: ["--model=a/Big-700B", --tensor-parallel-size, "8"]
          readinessProbe: {httpGet: {path: /health, port: 9090}}
"""
