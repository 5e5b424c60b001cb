"""`--cluster kubernetes=VERSION`: which Kubernetes judges."""

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
    old = dynamoc("validate", graph, "--target", "plain", "--cluster", "kubernetes=v1.31.4")
    assert old.code == 1
    assert "before Kubernetes 1.32" in old.err
    assert f"{graph}:13" in old.err


def test_versions_that_are_not_known(dynamoc: Run, graph: str) -> None:
    for version in ("1.29", "2.1", "latest", "1.", "1.x", "1.34000000000000000000"):
        result = dynamoc("render", graph, "--cluster", f"kubernetes={version}")
        assert result.code == 2
        assert f"--cluster kubernetes={version} is not known; known versions: 1.30 to 1.34." in result.err


@pytest.mark.parametrize("version", ["1.35", "v1.36.2", "1.36+", "1.36.0-gke.12", "1.99"])
def test_a_later_version_than_the_newest_is_judged_as_that(dynamoc: Run, graph: str, version: str) -> None:
    result = dynamoc("render", graph, "--target", "plain", "--cluster", f"kubernetes={version}")
    newest = dynamoc("render", graph, "--target", "plain")
    assert (result.code, result.out) == (0, newest.out)
    assert f"judges objects for 1.{version[2:].lstrip('.')[:2]} by its rules. [config/kube-version]" in result.err
    assert "[config/kube-version]" not in newest.err
