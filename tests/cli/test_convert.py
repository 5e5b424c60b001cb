"""`dynamoc convert` on the command line; what it converts to is tested in tests/convert."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run

GRAPH = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: beside}
---
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: graph   # stays
spec:
  services:
    Frontend:
      componentType: frontend
      replicas: 2   # two of them
      ingress: {enabled: true, host: a}
"""


@pytest.fixture
def graph(dynamoc: Run) -> Path:
    """A graph of v1alpha1 with comments, beside an object of another kind, in the current directory."""
    path = Path("graph.yaml")
    path.write_text(GRAPH)
    return path


def test_prints_the_other_version_and_what_is_lost(dynamoc: Run, graph: Path) -> None:
    result = dynamoc("convert", "graph.yaml")
    assert result.code == 0
    assert "apiVersion: nvidia.com/v1beta1" in result.out
    assert "kind: ConfigMap" in result.out
    assert "graph.yaml:14:" in result.err
    assert "[convert/lost]" in result.err
    assert graph.read_text() == GRAPH


def test_write_keeps_comments_and_other_documents(dynamoc: Run, graph: Path) -> None:
    result = dynamoc("convert", "graph.yaml", "--write")
    assert (result.code, result.out) == (0, "")
    text = graph.read_text()
    assert text.startswith(GRAPH.partition("---")[0])
    assert "# stays" in text
    assert "# two of them" in text
    assert "apiVersion: nvidia.com/v1beta1" in text
    assert dynamoc("convert", "graph.yaml", "--check").code == 0


def test_check_names_the_line_and_changes_nothing(dynamoc: Run, graph: Path) -> None:
    result = dynamoc("convert", "graph.yaml", "--check")
    assert (result.code, result.out) == (1, "")
    assert "graph.yaml:5:" in result.err
    assert graph.read_text() == GRAPH
    assert dynamoc("convert", "graph.yaml", "--check", "--to", "v1alpha1").code == 0


def test_lossless_keeps_the_rest_in_the_annotation(dynamoc: Run, graph: Path) -> None:
    result = dynamoc("convert", "graph.yaml", "--lossless")
    assert "nvidia.com/dgd-spec" in result.out
    assert "warning" not in result.err


def test_write_and_check_do_not_go_together(dynamoc: Run, graph: Path) -> None:
    assert dynamoc("convert", "graph.yaml", "--check", "--write").code == 2


def test_check_tells_what_differs_from_what_is_broken(dynamoc: Run, graph: Path) -> None:
    assert dynamoc("convert", "graph.yaml", "--check").code == 1
    Path("broken.yaml").write_text("{ broken")
    assert dynamoc("convert", "graph.yaml", "broken.yaml", "--check").code == 2
    assert dynamoc("convert", "broken.yaml").code == 1


@pytest.mark.parametrize(("create", "severity"), [("create: false", "note"), ("create: true, size: 1Gi", "warning")])
def test_a_claim_that_the_operator_does_not_create_is_no_loss(create: str, severity: str, dynamoc: Run) -> None:
    Path("graph.yaml").write_text(
        "apiVersion: nvidia.com/v1alpha1\nkind: DynamoGraphDeployment\nmetadata: {name: chat, namespace: ml}\n"
        f"spec:\n  pvcs: [{{name: models, {create}}}]\n  services: {{Worker: {{componentType: worker}}}}\n"
    )
    result = dynamoc("convert", "--to", "v1beta1", "graph.yaml")
    assert f"graph.yaml:5:3: {severity}: spec.pvcs is lost" in result.err
