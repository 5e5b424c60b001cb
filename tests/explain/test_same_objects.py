"""Tracing changes nothing that is rendered."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dynamoc.compiler.explain.traced import origin_of, plain_tree
from dynamoc.compiler.explain.traced_compilation import explain_documents
from dynamoc.compiler.options import Options
from dynamoc.compiler.run import compile_documents
from dynamoc.documents.findings.finding import Findings
from dynamoc.documents.source.files import read_paths

INPUTS = sorted((Path(__file__).parents[2] / "golden").glob("*/*/input.yaml"))
GROUPS = """\
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata: {name: web, namespace: team}
spec:
  components:
    - name: Worker
      type: worker
      experimental: {grove: {forceScalingGroup: false}}
      podTemplate: {spec: {containers: [{name: main, image: "registry.example/vllm-runtime:1.6.0"}]}}
"""


def _both(path: Path, options: Options) -> tuple[list[Any], list[Any]]:
    documents, findings = read_paths([str(path)], Findings()), (Findings(), Findings())
    plain = compile_documents(documents, options, findings[0])
    traced = explain_documents(documents, options, findings[1]).objects
    assert list(map(repr, findings[0].items)) == list(map(repr, findings[1].items))
    return plain, plain_tree(traced)


@pytest.mark.parametrize("number", range(5))
def test_golden_inputs(number: int) -> None:
    for at, path in enumerate(INPUTS[number::5]):
        plain, traced = _both(path, Options(operator_version="1.4", target=("grove", "lws")[at % 2]))
        assert repr(traced) == repr(plain), path


@pytest.mark.parametrize("release", ["1.4", "1.5", "1.6"])
def test_a_switch_that_is_off(tmp_path: Path, release: str) -> None:
    """A traced `false` equals False, and is another object."""
    file = tmp_path / "graph.yaml"
    file.write_text(GROUPS)
    plain, traced = _both(file, Options(operator_version=release, target="grove"))
    assert repr(traced) == repr(plain)
    assert plain


def test_nothing_of_a_plain_tree_has_an_origin(tmp_path: Path) -> None:
    file = tmp_path / "graph.yaml"
    file.write_text(GROUPS)
    documents = read_paths([str(file)], Findings())
    [item, *_] = explain_documents(documents, Options(operator_version="1.4"), Findings()).objects
    assert origin_of(item["metadata"]["name"]) is not None
    assert origin_of(plain_tree(item)["metadata"]["name"]) is None
