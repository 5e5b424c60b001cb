"""`--omit=replicas`: what autoscalers own is neither in the output nor refused in an update."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests import quick_yaml
from tests.cli.conftest import Run

ALPHA = """\
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {name: chat, namespace: team}
spec:
  services:
    Frontend: {componentType: frontend, replicas: 2, extraPodSpec: {mainContainer: {image: "a:1.4.0"}}}
    Worker:
      componentType: worker
      replicas: 3
      NODES
      scalingAdapter: {enabled: true}
      resources: {limits: {gpu: "1"}}
      extraPodSpec: {mainContainer: {image: "a:1.4.0", command: [python3, -m, dynamo.sglang]}}
""".replace("      NODES\n", "")
BETA = """\
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata: {name: chat, namespace: team}
spec:
  components:
  - {name: Frontend, type: frontend, replicas: 2, podTemplate: {spec: {containers: [{name: main, image: "a:1.4.0"}]}}}
  - name: Worker
    type: worker
    replicas: 3
    scalingAdapter: {}
    podTemplate: {spec: {containers: [{name: main, image: "a:1.4.0"}]}}
"""
SCALER = """\
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: x, namespace: team}
spec: {maxReplicas: 9, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: chat-frontend}}
"""
SEVERAL = ALPHA.replace("      replicas: 3\n", "      replicas: 3\n      multinode: {nodeCount: 2}\n")


def rendered(dynamoc: Run, text: str, *options: str, release: str = "1.4") -> tuple[list[Any], str]:
    Path("in.yaml").write_text(text)
    result = dynamoc("render", "in.yaml", "--operator-version", release, "--omit=replicas", *options)
    assert result.code == 0, result.err
    return list(quick_yaml.load_all(result.out)), result.err


def replicas(objects: list[Any], kind: str) -> dict[str, Any]:
    return {
        item["metadata"]["name"].split("-")[1]: item["spec"].get("replicas") for item in objects if item["kind"] == kind
    }


@pytest.mark.parametrize("text", [ALPHA, BETA])
def test_a_component_with_an_adapter_has_no_number(dynamoc: Run, text: str) -> None:
    objects, err = rendered(dynamoc, text, "--target", "plain", "--include=intermediate")
    assert replicas(objects, "Deployment") == {"frontend": 2, "worker": None}
    assert replicas(objects, "DynamoComponentDeployment") == {"frontend": 2, "worker": None}
    assert replicas(objects, "DynamoGraphDeploymentScalingAdapter") == {"worker": None}
    assert "output/replicas" not in err


@pytest.mark.parametrize("release", ["1.0", "1.6"])
def test_an_adapter_that_is_turned_off_owns_nothing(dynamoc: Run, release: str) -> None:
    text = ALPHA.replace("{enabled: true}", "{enabled: false}")
    objects, err = rendered(dynamoc, text, "--target", "plain", release=release)
    assert replicas(objects, "Deployment") == {"frontend": 2, "worker": 3}
    assert "--omit=replicas has no effect" in err


def test_an_autoscaler_of_the_input_owns_its_deployment(dynamoc: Run) -> None:
    objects, _ = rendered(dynamoc, ALPHA + SCALER, "--target", "plain")
    assert replicas(objects, "Deployment") == {"frontend": None, "worker": None}
    other = SCALER.replace("chat-frontend", "chat-other")
    assert replicas(rendered(dynamoc, ALPHA + other, "--target", "plain")[0], "Deployment")["frontend"] == 2


def test_the_autoscaler_that_0_6_creates_owns_its_deployment(dynamoc: Run) -> None:
    text = ALPHA.replace(
        "      scalingAdapter: {enabled: true}\n",
        "      autoscaling: {enabled: true, minReplicas: 1, maxReplicas: 4}\n",
    )
    objects, _ = rendered(dynamoc, text, "--target", "plain", release="0.6")
    assert replicas(objects, "Deployment") == {"frontend": 2, "worker": None}


def test_grove_keeps_the_number_of_a_clique_and_loses_that_of_a_scaling_group(dynamoc: Run) -> None:
    objects, err = rendered(dynamoc, ALPHA, "--target", "grove")
    found = next(item for item in objects if item["kind"] == "PodCliqueSet")["spec"]["template"]
    assert {item["name"]: item["spec"]["replicas"] for item in found["cliques"]} == {"frontend": 2, "worker": 3}
    assert "leaves the replicas of clique worker of PodCliqueSet/chat: their API cannot do without the number" in err
    objects, err = rendered(dynamoc, SEVERAL, "--target", "grove")
    found = next(item for item in objects if item["kind"] == "PodCliqueSet")["spec"]["template"]
    assert ["replicas" in item for item in found["podCliqueScalingGroups"]] == [False]
    assert "output/replicas" not in err


def test_leader_worker_sets_stay_one_for_each_replica_until_1_1(dynamoc: Run) -> None:
    objects, _ = rendered(dynamoc, SEVERAL, "--target", "lws")
    assert replicas(objects, "LeaderWorkerSet") == {"worker": None}
    objects, err = rendered(dynamoc, SEVERAL, "--target", "lws", release="1.0")
    assert sum(item["kind"] == "LeaderWorkerSet" for item in objects) == 3
    assert "(one for each replica)" in err


@pytest.mark.parametrize("text", [ALPHA, BETA])
def test_an_update_takes_the_number_that_an_autoscaler_set(dynamoc: Run, text: str) -> None:
    Path("live.yaml").write_text(text.replace("replicas: 3", "replicas: 7"))
    Path("in.yaml").write_text(text)
    line = ("in.yaml", "--against", "live.yaml", "--target", "plain", "--operator-version", "1.4")
    refused = dynamoc("validate", *line)
    assert refused.code == 1
    assert "`Worker` has 7 replicas, and this document says 3" in refused.err
    assert "leaves this field alone, use --omit=replicas" in refused.err
    assert dynamoc("validate", *line, "--omit=replicas").code == 0


def test_without_the_option_nothing_changes(dynamoc: Run) -> None:
    Path("in.yaml").write_text(ALPHA)
    result = dynamoc("render", "in.yaml", "--operator-version", "1.4", "--target", "plain")
    assert replicas(list(quick_yaml.load_all(result.out)), "Deployment") == {"frontend": 2, "worker": 3}


@pytest.mark.parametrize("spec", ["{}", "{replicas: 3}", "[1]"])
def test_objects_of_users_stay_as_they_are(dynamoc: Run, spec: str) -> None:
    own = f"---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: chat-other, namespace: team}}\nspec: {spec}\n"
    scaler = SCALER.replace("chat-frontend", "chat-other")
    graph = "---\napiVersion: nvidia.com/v1alpha1\nkind: DynamoGraphDeployment\nmetadata: {name: x}\nspec: [1]\n"
    Path("in.yaml").write_text(ALPHA + own + scaler + graph)
    line = ("--operator-version", "1.4", "--target", "plain", "--omit=replicas", "--keep-going")
    result = dynamoc("render", "in.yaml", *line)
    assert result.code == 1
    found = [item for item in quick_yaml.load_all(result.out) if item["metadata"]["name"] == "chat-other"]
    assert [item["spec"] for item in found] == [quick_yaml.load(spec)]
