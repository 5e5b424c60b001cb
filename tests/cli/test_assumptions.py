"""What is taken for granted is told, once a run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.test_inputs import CONFIG_MAP, GRAPH

ALPHA = """\
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {name: chat}
spec:
  services:
    Frontend: {componentType: frontend, replicas: 1, extraPodSpec: {mainContainer: {image: "x/vllm:1.4.0"}}}
"""
APART = "a Deployment per component, and a LeaderWorkerSet for several nodes"
WHOLE = "one PodCliqueSet per graph"


def notes(dynamoc: Run, *argv: str) -> dict[str, list[str]]:
    """The messages of notes, by slug."""
    found: dict[str, list[str]] = {}
    for finding in json.loads(dynamoc(*argv, "--findings", "json").err)["findings"]:
        found.setdefault(finding["slug"], []).append(finding["message"])
    return found


def test_the_namespace_of_documents_that_name_none_is_told_once(dynamoc: Run) -> None:
    Path("in").mkdir()
    for name in ("a", "b", "c"):
        Path(f"in/{name}.yaml").write_text(GRAPH.replace("chat, namespace: inference", name))
    told = ["Documents without a namespace are rendered for `default`."]
    for command in (["render", "in"], ["validate", "in"], ["requires", "in"]):
        assert notes(dynamoc, *command)["input/no-namespace"] == told
    per_input = ["--output-dir", "out", "--layout", "per-input"]
    assert notes(dynamoc, "render", "in", *per_input)["input/no-namespace"] == told
    assert "input/no-namespace" not in notes(dynamoc, "render", "in", "-n", "prod")


def test_a_named_namespace_is_no_assumption(dynamoc: Run) -> None:
    cluster_wide = "apiVersion: v1\nkind: Namespace\nmetadata: {name: inference}\n"
    Path("a.yaml").write_text(f"{GRAPH}---\n{cluster_wide}")
    assert "input/no-namespace" not in notes(dynamoc, "validate", "a.yaml")
    Path("a.yaml").write_text(f"{GRAPH}---\n{CONFIG_MAP.replace(', namespace: inference', '')}")
    assert "input/no-namespace" in notes(dynamoc, "validate", "a.yaml")


HERE, THERE = "In a cluster with Grove", "In a cluster without Grove"
NO_LWS = APART.replace("a LeaderWorkerSet", "nothing, and an error,")
GROVE_ON = """\
apiVersion: operator.config.dynamo.nvidia.com/v1alpha1
kind: OperatorConfiguration
mpi: {sshSecretName: keys, sshSecretNamespace: dynamo}
rbac: {dgdrProfilingClusterRoleName: a, eppClusterRoleName: b, plannerClusterRoleName: c}
orchestrators: {grove: {enabled: true}}
"""


@pytest.mark.parametrize(
    ("release", "config", "context", "message"),
    [
        ("1.4", "", "", f"{APART}, because the Helm chart of release 1.4 turns Grove off by default. "
            f"With Grove turned on, it is {WHOLE}."),
        ("1.0", GROVE_ON, "", f"{WHOLE}, because config.yaml turns Grove on. With Grove turned off, it is {APART}."),
        ("0.6", "", "", f"{APART}, because --cluster does not have the API group grove.io. "
            f"{HERE}, it is {WHOLE}."),
        ("0.6", "", "grove.io", f"{WHOLE}, because the API group grove.io is in the input or --cluster. "
            f"{THERE}, it is {APART}."),
        ("0.6", "", "nvidia.com", f"{NO_LWS}, because the cluster has no API group grove.io. {HERE}, it is {WHOLE}."),
    ],
)  # fmt: skip
def test_the_target_auto_tells_its_decision_and_the_other_one(
    dynamoc: Run, release: str, config: str, context: str, message: str
) -> None:
    Path("a.yaml").write_text(f"{ALPHA}---\n{ALPHA.replace('chat', 'more')}")
    options = ["--operator-version", release]
    if config:
        Path("config.yaml").write_text(config)
        options += ["--operator-config", "config.yaml"]
    if context:
        Path("crd.yaml").write_text(
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
            f"metadata: {{name: x.{context}}}\nspec: {{group: {context}}}\n"
        )
        options += ["--cluster", "crd.yaml"]
    assert notes(dynamoc, "render", "a.yaml", *options)["config/target"] == [f"--target auto renders {message}"]
    made = "PodCliqueSet" if message.startswith(WHOLE) else "Deployment"
    assert f"kind: {made}\n" in dynamoc("render", "a.yaml", *options).out
    for target in ("grove", "lws", "plain"):
        assert "config/target" not in notes(dynamoc, "render", "a.yaml", "--target", target)


def test_without_a_graph_there_is_nothing_to_decide(dynamoc: Run) -> None:
    Path("a.yaml").write_text(CONFIG_MAP)
    assert "config/target" not in notes(dynamoc, "validate", "a.yaml")


def test_people_see_what_is_taken_for_granted_where_it_matters(dynamoc: Run) -> None:
    Path("a.yaml").write_text(ALPHA)
    assert "note:" not in dynamoc("render", "a.yaml").err
    told = dynamoc("render", "a.yaml", "--verbose").err
    assert "[config/target]" in told
    assert "[input/no-namespace]" in told
    Path("a.yaml").write_text(ALPHA.replace("replicas: 1", "replicas: 1, multinode: {nodeCount: 2}"))
    assert "[config/target]" in dynamoc("render", "a.yaml").err
    Path("a.yaml").write_text(f"{ALPHA}---\n{GRAPH}")
    assert "[input/no-namespace]" in dynamoc("render", "a.yaml").err
