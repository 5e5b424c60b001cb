"""Pull secrets of a pod."""

import base64
import json
from pathlib import Path

import pytest

from dynamoc.compiler.options import Options
from dynamoc.compiler.run import compile_paths
from dynamoc.documents.findings.finding import Findings
from tests.rules.graphs import Tree, render


def registry(name: str, *hosts: str) -> Tree:
    content = base64.b64encode(json.dumps({"auths": {host: {} for host in hosts}}).encode()).decode()
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": name, "namespace": "default"},
        "type": "kubernetes.io/dockerconfigjson",
        "data": {".dockerconfigjson": content},
    }


GRAPH = """
components:
- name: Worker
  type: worker
  podTemplate:
    metadata: {annotations: {nvidia.com/disable-image-pull-secret-discovery: "%s"}}
    spec:
      imagePullSecrets: [{name: mine}, {name: b-secret}]
      initContainers: [{name: init, image: init.example.com/x:1}]
      containers:
      - {name: side, image: side.example.com/x:1}
      - {name: main, image: main.example.com/x:1.4.0}
"""
KNOWN = (
    registry("z-secret", "main.example.com"),
    registry("b-secret", "main.example.com"),
    registry("a-secret", "side.example.com"),
    registry("init-secret", "init.example.com"),
)


def test_they_follow_the_user_s_own_by_container_and_by_name() -> None:
    pod = render(GRAPH % "false", *KNOWN).cliques()["worker"]["spec"]["podSpec"]
    assert [item["name"] for item in pod["imagePullSecrets"]] == ["mine", "b-secret", "z-secret", "a-secret"]


def test_an_annotation_of_the_pods_turns_the_search_off() -> None:
    pod = render(GRAPH % "true", *KNOWN).cliques()["worker"]["spec"]["podSpec"]
    assert [item["name"] for item in pod["imagePullSecrets"]] == ["mine", "b-secret"]


@pytest.mark.parametrize("release", ["1.0", "1.4"])
def test_a_secret_that_writes_the_registry_twice_is_named_once(tmp_path: Path, release: str) -> None:
    graph = {
        "apiVersion": "nvidia.com/v1alpha1",
        "kind": "DynamoGraphDeployment",
        "metadata": {"name": "llm"},
        "spec": {
            "services": {
                "Worker": {
                    "componentType": "worker",
                    "extraPodSpec": {"mainContainer": {"image": "main.example.com/x:1.4.0"}},
                }
            }
        },
    }
    known = registry("twice", "main.example.com", "https://main.example.com/v1")
    source = tmp_path / "graph.yaml"
    source.write_text(f"{json.dumps(graph)}\n---\n{json.dumps(known)}\n")
    objects = compile_paths([str(source)], Options(operator_version=release, target="grove"), Findings())
    (found,) = [item for item in objects if item["kind"] == "PodCliqueSet"]
    (clique,) = found["spec"]["template"]["cliques"]
    assert clique["spec"]["podSpec"]["imagePullSecrets"] == [{"name": "twice"}]
