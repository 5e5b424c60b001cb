"""The script for a shell: what it asks a stand-in for kubectl, and what it says."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dynamoc.analysis.requires.text import script
from dynamoc.reference.releases import get_release
from tests.cli.conftest import Run
from tests.requires.conftest import GRAPH, needs_of, pod

SHELLS = [shell for shell in ("dash", "bash", "busybox", "sh") if shutil.which(shell)]

#: Knows what stands in the file $CLUSTER: texts by the words that a command must have, refusals on stderr.
KUBECTL = """\
#!{python} -SE
import json, os, sys
words = sys.argv[1:]
with open(os.environ["LOG"], "a") as log:
    log.write(json.dumps(words) + "\\n")
with open(os.environ["CLUSTER"]) as file:
    cluster = json.load(file)
for wanted, answer in cluster:
    if all(word in words for word in wanted):
        if answer.startswith("error: "):
            sys.exit(answer)
        sys.stdout.write(answer)
        sys.exit(0)
if "--raw" in words:
    sys.exit("Error from server (NotFound): the server could not find the requested resource")
"""
UP = [["/version"], "{}"]


class Cluster:
    """Runs scripts against answers of kubectl."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        tools = folder / "bin"
        tools.mkdir()
        (tools / "kubectl").write_text(KUBECTL.replace("{python}", sys.executable))
        (tools / "kubectl").chmod(0o755)
        self.env = {
            **os.environ,
            "PATH": f"{tools}:{os.environ['PATH']}",
            "LOG": str(folder / "log"),
            "CLUSTER": str(folder / "cluster.json"),
        }

    def run(self, text: str, answers: list[list[object]], *words: str, shell: str = "sh") -> tuple[int, str]:
        (self.folder / "check.sh").write_text(text)
        (self.folder / "cluster.json").write_text(json.dumps(answers))
        (self.folder / "log").write_text("")
        command = ["busybox", "sh"] if shell == "busybox" else [shell]
        result = subprocess.run(
            [*command, str(self.folder / "check.sh"), *words],
            capture_output=True, text=True, check=False, env=self.env,
        )  # fmt: skip
        return result.returncode, result.stdout + result.stderr

    @property
    def asked(self) -> list[list[str]]:
        return [json.loads(line) for line in (self.folder / "log").read_text().splitlines()]


@pytest.fixture
def cluster(tmp_path: Path) -> Cluster:
    return Cluster(tmp_path)


@pytest.fixture
def graph_script(dynamoc: Run) -> str:
    Path("graph.yaml").write_text(GRAPH)
    return dynamoc("requires", "graph.yaml", "-o", "script", "--target", "grove").out


ALL = [
    UP,
    [["/apis/grove.io/v1alpha1"], '{"resources":[{"kind":"PodCliqueSet"}]}'],
    [["/apis/nvidia.com/v1alpha1"], '{"resources":[{"kind":"DynamoWorkerMetadata"}]}'],
    [["nodes"], "8\n" * 6],
    [["get"], "something/there\n"],
]


@pytest.mark.parametrize("shell", SHELLS)
def test_nothing_is_missing_where_all_is_there(cluster: Cluster, graph_script: str, shell: str) -> None:
    assert cluster.run(graph_script, ALL, shell=shell) == (0, "nothing is missing\n")
    assert [
        "get",
        "Secret",
        "--namespace",
        "team",
        "--ignore-not-found",
        "--output",
        "name",
        "--",
        "token",
    ] in cluster.asked
    assert [
        "get",
        "PriorityClass.scheduling.k8s.io",
        "--ignore-not-found",
        "--output",
        "name",
        "--",
        "high",
    ] in cluster.asked


def test_it_asks_for_nothing_that_the_manifests_bring(cluster: Cluster, graph_script: str) -> None:
    cluster.run(graph_script, ALL)
    named = {words[-1] for words in cluster.asked}
    assert "chat-k8s-service-discovery" not in named
    assert {"token", "registry", "models", "high", "team"} <= named


def test_it_tells_each_missing_object_and_api(cluster: Cluster, graph_script: str) -> None:
    answers = [[["token"], ""], [["/apis/grove.io/v1alpha1"], '{"resources":[{"kind":"PodClique"}]}'], *ALL]
    code, out = cluster.run(graph_script, answers)
    assert code == 1
    assert "missing: Secret/token (team)\n    Worker: pod containers[main].envFrom[0].secretRef.name" in out
    assert "missing: API grove.io/v1alpha1 PodCliqueSet" in out
    assert out.endswith("2 missing\n")


def test_a_kind_that_is_not_served_is_missing(cluster: Cluster, graph_script: str) -> None:
    refusal = 'error: the server doesn\'t have a resource type "PriorityClass"'
    code, out = cluster.run(graph_script, [[["PriorityClass.scheduling.k8s.io"], refusal], *ALL])
    assert (code, "missing: PriorityClass/high" in out) == (1, True)


def test_what_kubectl_may_not_see_is_unclear(cluster: Cluster, graph_script: str) -> None:
    code, out = cluster.run(graph_script, [[["token"], "error: secrets is forbidden"], *ALL])
    assert code == 2
    assert "unclear: Secret/token (team)\n    error: secrets is forbidden" in out


def test_a_cluster_that_is_not_there_is_unclear(cluster: Cluster, graph_script: str) -> None:
    code, out = cluster.run(graph_script, [[["/version"], "error: connection refused"]])
    assert code == 2
    assert "kubectl cannot reach the cluster: error: connection refused" in out


def test_a_context_is_handed_on(cluster: Cluster, graph_script: str) -> None:
    assert cluster.run(graph_script, ALL, "my cluster")[0] == 0
    assert all(words[:2] == ["--context", "my cluster"] for words in cluster.asked)


def test_too_few_gpus_are_a_note(cluster: Cluster, graph_script: str) -> None:
    code, out = cluster.run(graph_script, [[["nodes"], "4\n4\nmany\n"], *ALL])
    assert code == 0
    assert "note: a pod needs 8 nvidia.com/gpu, but the largest node has 4" in out
    assert "note: all pods need 48 nvidia.com/gpu, but all nodes have 8" in out


def keyed(*, optional: bool) -> str:
    source = {"secretKeyRef": {"name": "a", "key": "k", "optional": optional}}
    return script(
        needs_of([pod(containers=[{"name": "m", "image": "x", "env": [{"name": "A", "valueFrom": source}]}])]),
        get_release("1.4"),
    )


@pytest.mark.parametrize(("keys", "code"), [("Secret\nk\n", 0), ("Secret\nkk\n", 1), ("", 0)])
def test_keys_must_be_in_a_secret(cluster: Cluster, keys: str, code: int) -> None:
    template = [["get", "Secret", "--namespace", "team"], "secret/a\n"]
    text = keyed(optional=False)
    answers = [UP, [["--output", "name"], "secret/a\n"], [["Secret"], keys], template]
    assert cluster.run(text, answers)[0] == code


def test_what_is_optional_is_told_and_no_reason_to_fail(cluster: Cluster) -> None:
    code, out = cluster.run(keyed(optional=True), [UP, [["Namespace"], "namespace/team\n"]])
    assert code == 0
    assert "missing, but optional: Secret/a (team)" in out


NASTY = "a'; touch /tmp/pwned #$(touch pwned)`touch pwned`\"\\\n-x"


@pytest.mark.parametrize("shell", SHELLS)
def test_names_cannot_run_anything(cluster: Cluster, shell: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(cluster.folder)
    value = pod(serviceAccountName=NASTY, nodeSelector={NASTY: NASTY}, priorityClassName="-A")
    value["metadata"]["namespace"] = NASTY
    value["spec"]["containers"][0]["resources"] = {"limits": {f"x/{NASTY}": 1}}
    value["spec"]["containers"][0]["image"] = NASTY
    text = script(needs_of([value]), get_release("1.4"))
    cluster.run(text, [UP], shell=shell)
    assert not (cluster.folder / "pwned").exists()
    assert any(words[-2:] == ["--", NASTY] for words in cluster.asked)
    assert any(words[-2:] == ["--", "-A"] for words in cluster.asked)


@pytest.mark.parametrize("shell", SHELLS)
def test_every_shell_can_read_it(cluster: Cluster, graph_script: str, shell: str) -> None:
    path = cluster.folder / "check.sh"
    path.write_text(graph_script)
    command = ["busybox", "sh"] if shell == "busybox" else [shell]
    assert subprocess.run([*command, "-n", str(path)], capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(not shutil.which("shellcheck"), reason="shellcheck is not installed")
def test_shellcheck_has_no_complaint(cluster: Cluster, graph_script: str) -> None:
    path = cluster.folder / "check.sh"
    path.write_text(graph_script)
    result = subprocess.run(["shellcheck", "-s", "sh", str(path)], capture_output=True, text=True, check=False)
    assert result.stdout == ""
