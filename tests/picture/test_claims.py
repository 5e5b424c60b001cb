"""GPUs that pods claim: the same number in each command."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.check.graphs import graph, worker
from tests.cli.conftest import Run, dynamoc

__all__ = ["dynamoc"]

TEMPLATE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: gpus%s}
spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.nvidia.com, count: 4}}]}}}
"""
CLAIM = {"resourceClaims": [{"name": "gpus", "resourceClaimTemplateName": "gpus"}]}


@pytest.mark.parametrize("in_context", [False, True])
@pytest.mark.parametrize("namespace", ["", ", namespace: default"])
@pytest.mark.parametrize("target", ["grove", "plain"])
def test_claims_without_a_namespace_count_in_each_command(
    in_context: bool, namespace: str, target: str, dynamoc: Run
) -> None:
    text = graph(worker("--tensor-parallel-size=8", pod=CLAIM, replicas=3)).replace("  namespace: ml\n", "")
    Path("template.yaml").write_text(TEMPLATE % namespace)
    Path("graph.yaml").write_text(text)
    inputs = ("graph.yaml", "--cluster", "template.yaml") if in_context else ("graph.yaml", "template.yaml")
    words = (*inputs, "--operator-version", "1.4", "--target", target)
    needed = json.loads(dynamoc("requires", *words, "-o", "json").out)["summary"]
    assert (needed["pods"], needed["gpus"]) == (3, 12)
    assert re.search(r"3 pods x 4 GPUs", dynamoc("report", "-o", "mermaid", *words).out)
    page = dynamoc("report", *words)
    assert "<dt>GPUs</dt><dd>12</dd>" in page.out
    assert "3 pods x 4 GPUs" in page.out
    Path("empty.yaml").write_text("")
    started = dynamoc("diff", "empty.yaml", *words, "-o", "json") if in_context else None
    assert started is None or json.loads(started.out)["summary"]["started"] == {"pods": 3, "gpus": 12}
    assert "needs 8 GPUs (tensor 8), but one replica has 4 GPUs" in dynamoc("check", *words).err
