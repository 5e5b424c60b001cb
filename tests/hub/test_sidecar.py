"""A container that gets the defaults of a frontend."""

import pytest

from dynamoc.documents.findings.finding import Refusal
from tests.rules.graphs import env, render

GRAPH = """
components:
- name: Worker
  type: worker
  frontendSidecar: web
  podTemplate:
    spec:
      containers:
      - name: main
        image: engine:1.4.0
        volumeMounts: [{name: models, mountPath: /models}, {name: own, mountPath: /main}]
      - name: first
        image: first:1.0.0
      - name: web
        image: frontend:1.4.0
        livenessProbe: {periodSeconds: 99}
        env: [{name: DYN_HTTP_PORT, value: "1"}]
        volumeMounts: [{name: own, mountPath: /web}]
"""


def sidecar() -> dict[str, object]:
    containers = render(GRAPH).cliques()["worker"]["spec"]["podSpec"]["containers"]
    assert [container["name"] for container in containers] == ["main", "first", "web"]
    found: dict[str, object] = containers[2]
    return found


def test_it_runs_the_frontend_with_the_user_s_image() -> None:
    web = sidecar()
    assert (web["command"], web["args"], web["image"]) == (["python3"], ["-m", "dynamo.frontend"], "frontend:1.4.0")


def test_its_probes_merge_field_by_field() -> None:
    assert sidecar()["livenessProbe"] == {
        "httpGet": {"path": "/live", "port": "http"},
        "initialDelaySeconds": 15,
        "periodSeconds": 99,
        "timeoutSeconds": 1,
        "failureThreshold": 3,
    }


def test_its_environment_is_a_frontend_s_below_its_own() -> None:
    found = env(sidecar())
    assert (found["DYN_COMPONENT"], found["DYN_HTTP_PORT"], found["DYNAMO_PORT"]) == ("frontend", "1", "8000")


def test_it_shares_the_volumes_of_main_but_not_its_memory() -> None:
    assert sidecar()["volumeMounts"] == [
        {"name": "own", "mountPath": "/web"},
        {"name": "models", "mountPath": "/models"},
    ]


def test_a_name_without_a_container_is_refused() -> None:
    with pytest.raises(Refusal) as refused:
        render(GRAPH.replace("frontendSidecar: web", "frontendSidecar: absent"))
    assert refused.value.slug == "sidecar/no-such-container"
