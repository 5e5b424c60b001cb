"""Pods of a cluster, by the names that controllers give them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dynamoc.compiler.explain.running import find_parts
from tests.explain.conftest import Run

PODS: dict[str, Any] = {"spec": {"template": {"spec": {}}}}
DEPLOYMENT = {"kind": "Deployment", "metadata": {"name": "web-frontend", "namespace": "a"}, **PODS}
OTHER = {"kind": "Deployment", "metadata": {"name": "web", "namespace": "b"}, **PODS}
JOB = {"kind": "Job", "metadata": {"name": "profile"}, **PODS}
SETS = {
    "kind": "LeaderWorkerSet",
    "metadata": {"name": "web-decode-0"},
    "spec": {"leaderWorkerTemplate": {"workerTemplate": {}}},
}
LED = {
    "kind": "LeaderWorkerSet",
    "metadata": {"name": "led"},
    "spec": {"leaderWorkerTemplate": {"leaderTemplate": {"spec": {}}, "workerTemplate": {}}},
}
CLIQUES = {
    "kind": "PodCliqueSet",
    "metadata": {"name": "web"},
    "spec": {
        "template": {
            "cliques": [{"name": "frontend"}, {"name": "decode-ldr"}, {"name": "decode-wkr"}],
            "podCliqueScalingGroups": [{"name": "decode", "cliqueNames": ["decode-ldr", "decode-wkr"]}],
        }
    },
}
OBJECTS: list[Any] = [DEPLOYMENT, OTHER, JOB, SETS, LED, CLIQUES]
BETA = """\
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata:
  name: chat
spec:
  components:
  - name: worker
    type: worker
    podTemplate: {{spec: {{containers: [{{name: main, image: "{image}"}}]}}}}
"""
_WORKER, _LEADER = (
    ("spec", "leaderWorkerTemplate", "workerTemplate"),
    ("spec", "leaderWorkerTemplate", "leaderTemplate"),
)
_CLIQUE = ("spec", "template", "cliques")


# Names as kubectl shows them: of a ReplicaSet, of the groups of a LeaderWorkerSet, and of the replicas of Grove.
@pytest.mark.parametrize(
    ("kind", "name", "found"),
    [
        ("pod", "web-frontend-7d9f8c6b5-x2k4p", [(0, ("spec", "template"))]),
        ("Pods", "web-frontend-7d9f8c6b5-x2k4p", [(0, ("spec", "template"))]),
        ("rs", "web-frontend-7d9f8c6b5", [(0, ())]),
        ("po", "web-7d9f8c6b5-x2k4p", [(1, ("spec", "template"))]),
        ("pod", "web-frontend-7d9f8c6b5-x2k4", []),
        ("pod", "web-frontend-7d9f8c6b5-aeiou", []),
        ("pod", "frontend-7d9f8c6b5-x2k4p", []),
        ("pod", "profile-x2k4p", [(2, ("spec", "template"))]),
        ("pod", "web-decode-0-1", [(3, _WORKER)]),
        ("pod", "web-decode-0-1-3", [(3, _WORKER)]),
        ("pod", "led-12", [(4, _LEADER)]),
        ("pod", "led-12-1", [(4, _WORKER)]),
        ("pod", "led-12-1-1", []),
        ("pod", "web-0-frontend-x2k4p", [(5, (*_CLIQUE, 0))]),
        ("pod", "web-0-decode-1-decode-wkr-x2k4p", [(5, (*_CLIQUE, 2))]),
        ("pod", "web-0-decode-wkr-x2k4p", []),
        ("podcliques", "web-2-decode-0-decode-ldr", [(5, (*_CLIQUE, 1))]),
        ("pclq", "web-2-frontend", [(5, (*_CLIQUE, 0))]),
        ("pcsg", "web-2-decode", [(5, ("spec", "template", "podCliqueScalingGroups", 0))]),
        ("service", "web-frontend", []),
    ],
)
def test_names_lead_to_what_objects_are_made_from(kind: str, name: str, found: list[Any]) -> None:
    assert [(part.index, part.path) for part in find_parts(OBJECTS, kind, "", name)] == found


@pytest.mark.parametrize("spec", ["text", [], {}, None, {"template": {"cliques": [None, 3, {"name": 4}]}}])
@pytest.mark.parametrize("kind", ["Deployment", "LeaderWorkerSet", "PodCliqueSet", "Job"])
def test_objects_of_any_shape_may_pass_through(kind: str, spec: Any, dynamoc: Run, tmp_path: Path) -> None:
    versions = {"Deployment": "apps/v1", "Job": "batch/v1", "LeaderWorkerSet": "leaderworkerset.x-k8s.io/v1"}
    odd = {
        "apiVersion": versions.get(kind, "grove.io/v1alpha1"),
        "kind": kind,
        "metadata": {"name": "odd"},
        "spec": spec,
    }
    (tmp_path / "odd.json").write_text(json.dumps(odd))
    for name in ("odd-0", "odd-0-1", "odd-bbbbb", "odd-bbbb-ccccc", "odd-0--bbbbb"):
        result = dynamoc("explain", ".", f"pod/{name}", "spec.containers", *GROVE)
        assert (result.code, result.out) in ((1, ""), (2, ""))
        assert "fault of dynamoc" not in result.err


def test_a_namespace_tells_pods_of_one_name_apart() -> None:
    both: list[Any] = [DEPLOYMENT, {**DEPLOYMENT, "metadata": {"name": "web-frontend", "namespace": "b"}}]
    name = "web-frontend-7d9f8c6b5-x2k4p"
    assert len(find_parts(both, "pod", "", name)) == 2
    assert [part.index for part in find_parts(both, "pod", "b", name)] == [1]


@pytest.mark.parametrize("length", [45, 46, 47, 57, 58, 63])
def test_long_names_are_cut_as_the_api_server_cuts_them(length: int) -> None:
    name = "d" * length
    objects: list[Any] = [{"kind": "Deployment", "metadata": {"name": name}, **PODS}, DEPLOYMENT]
    made = f"{name}-7d9f8c6b5-"[:58] + "x2k4p"
    assert [part.index for part in find_parts(objects, "pod", "", made)] == [0]
    assert find_parts(objects, "pod", "", made.replace("d", "e", 1)) == []


GROVE = ("--operator-version", "1.0", "--target", "grove")
POD = "web-0-frontend-x2k4p"
CLIQUE = "spec.template.cliques[frontend]"


@pytest.mark.parametrize(
    ("field", "there"),
    [
        ("spec.containers[main].image", f"{CLIQUE}.spec.podSpec.containers[main].image"),
        (".spec.containers[0].image", f"{CLIQUE}.spec.podSpec.containers[main].image"),
        ("metadata.labels", f"{CLIQUE}.labels"),
    ],
)
def test_a_pod_is_explained_by_the_lines_that_its_template_is_from(dynamoc: Run, field: str, there: str) -> None:
    pod = dynamoc("explain", "graph.yaml", f"pod/{POD}", field, *GROVE, "-o", "json")
    made = dynamoc("explain", "graph.yaml", "pcs/web", there, *GROVE, "-o", "json")
    assert (pod.code, pod.err) == (0, "")
    assert pod.out == made.out
    assert json.loads(pod.out)["fields"][0]["origin"]["file"] == "graph.yaml"


def test_all_of_a_pod_is_its_template(dynamoc: Run) -> None:
    result = dynamoc("explain", "graph.yaml", f"po/{POD}", *GROVE)
    assert result.code == 0
    assert all(line.startswith(f"{CLIQUE}.") for line in result.out.splitlines())


def test_a_pod_of_another_version_is_found_with_a_note(dynamoc: Run, tmp_path: Path) -> None:
    text = BETA.format(image="registry.example.com/vllm-runtime:1.4.0")
    (tmp_path / "beta.yaml").write_text(text)
    options = ("--operator-version", "1.4", "--target", "plain")
    [made] = [line for line in dynamoc("explain", "beta.yaml", *options).out.split() if line.startswith("deployment/")]
    asked = ("spec.containers[main].image", *options)
    same = dynamoc("explain", "beta.yaml", f"pod/{made.removeprefix('deployment/')}-7d9f8c6b5-x2k4p", *asked)
    assert (same.code, same.err) == (0, "")
    other = dynamoc("explain", "beta.yaml", "pod/chat-worker-0a1b2c3d-7d9f8c6b5-x2k4p", *asked)
    assert (other.code, other.out) == (0, same.out)
    assert "another worker hash" in other.err


def test_of_graphs_of_one_name_the_namespace_is_asked_for(dynamoc: Run, tmp_path: Path) -> None:
    text = BETA.format(image="registry.example.com/vllm-runtime:1.4.0")
    for namespace in ("a", "b"):
        (tmp_path / f"{namespace}.yaml").write_text(text.replace("name: chat", f"name: chat\n  namespace: {namespace}"))
    options = ("--operator-version", "1.4", "--target", "grove")
    both = dynamoc(
        "explain", ".", "pod/chat-0-worker-x2k4p", "spec.containers[main].image", *options, "--exclude", "graph.yaml"
    )
    assert (both.code, both.out) == (2, "")
    assert "Write its namespace: `pod/NAMESPACE/chat-0-worker-x2k4p`." in both.err
    one = dynamoc(
        "explain", ".", "pod/b/chat-0-worker-x2k4p", "spec.containers[main].image", *options, "--exclude", "graph.yaml"
    )
    assert one.code == 0
    assert "b.yaml:" in one.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((f"po/{POD}", "spec.nodeNam"), f"has no field {CLIQUE}.spec.podSpec.nodeNam"),
        ((f"po/{POD}", "status.phase"), f"has no field {CLIQUE}.status.phase"),
        (("po/web-0-backend-x2k4p",), "is not among the objects"),
    ],
)
def test_what_a_pod_has_not_is_wrong_usage(dynamoc: Run, words: tuple[str, ...], said: str) -> None:
    result = dynamoc("explain", "graph.yaml", *words, *GROVE)
    assert (result.code, result.out) == (2, "")
    assert said in result.err
