"""Pull secrets for all containers of a pod."""

import base64
import json

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
