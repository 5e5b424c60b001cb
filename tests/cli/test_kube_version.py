"""`--kube-version`: which Kubernetes judges."""

from pathlib import Path

import pytest

from tests.cli.conftest import Run

GRAPH = """\
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata: {name: chat, namespace: team}
spec:
  components:
  - name: Frontend
    type: frontend
    podTemplate:
      spec:
        containers:
        - name: main
          image: nvcr.io/x:1.4.0
          env: [{name: "a b", value: c}]
"""


@pytest.fixture
def graph(tmp_path: Path) -> str:
    path = tmp_path / "chat.yaml"
    path.write_text(GRAPH)
    return str(path)


def test_an_older_minor_refuses_more(dynamoc: Run, graph: str) -> None:
    assert dynamoc("validate", graph, "--target", "plain").code == 0
    old = dynamoc("validate", graph, "--target", "plain", "--kube-version", "v1.31.4")
    assert old.code == 1
    assert "before Kubernetes 1.32" in old.err
    assert f"{graph}:13" in old.err


def test_versions_that_are_not_known(dynamoc: Run, graph: str) -> None:
    result = dynamoc("render", graph, "--kube-version", "1.99")
    assert result.code == 2
    assert "--kube-version 1.99 is not known; known versions: 1.30 to 1.34." in result.err
