"""`dynamoc capture`: what the script asks, and what dynamoc makes of the answers."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from dynamoc.interfaces.capture import script
from tests.capture.api_server import Resources, serving
from tests.cli.conftest import Run

Tree = dict[str, Any]
KUBECTL = shutil.which("kubectl")
needs_kubectl = pytest.mark.skipif(KUBECTL is None, reason="NO KUBECTL HERE: what the script asks was not run by it")

CONFIG = """\
apiVersion: operator.config.dynamo.nvidia.com/v1alpha1
kind: OperatorConfiguration
orchestrators: {grove: {enabled: true}}
discovery: {backend: kubernetes}
rbac: {plannerClusterRoleName: p, dgdrProfilingClusterRoleName: d, eppClusterRoleName: e}
mpi: {sshSecretName: ssh, sshSecretNamespace: ops}
"""
MANAGER = {"name": "manager", "image": "nvcr.io/nvidia/ai-dynamo/kubernetes-operator:1.0.0", "args": ["--config=x"]}
LABELS = {"app.kubernetes.io/created-by": "dynamo-operator", "control-plane": "controller-manager"}
GRAPH = """\
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {name: web, namespace: team}
spec:
  services:
    Worker:
      componentType: worker
      replicas: 1
      extraPodSpec: {mainContainer: {image: "registry.example.com/vllm-runtime:1.0.0"}}
"""


#: what the command did, the directory, and what the server was asked
Captured = tuple[subprocess.CompletedProcess[str], Path, list[str]]


def named(name: str, namespace: str | None = None, **fields: Any) -> Tree:
    return {"metadata": {"name": name, **({"namespace": namespace} if namespace else {})}, **fields}


def crd(group: str, kind: str, plural: str, version: str = "v1alpha1") -> Tree:
    served = {"name": version, "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object"}}}
    names = {"kind": kind, "plural": plural, "singular": kind.lower()}
    return named(
        f"{plural}.{group}", spec={"group": group, "names": names, "scope": "Namespaced", "versions": [served]}
    )


def cluster() -> Resources:
    operator = named(
        "d-dynamo-operator-controller-manager", "ops", spec={"template": {"spec": {"containers": [MANAGER]}}}
    )
    operator["metadata"]["labels"] = LABELS
    node = named("node-1", spec={"taints": [{"key": "gpu", "value": 'a"b', "effect": "NoSchedule"}]})
    node["metadata"]["labels"] = {"nvidia.com/gpu.product": "H100"}
    node["status"] = {
        "allocatable": {"nvidia.com/gpu": "8"},
        "capacity": {"nvidia.com/gpu": "8"},
        "images": [{"names": ["x"]}],
    }
    pull = named("pull", "team", type="kubernetes.io/dockerconfigjson", data={".dockerconfigjson": "c2VjcmV0"})
    pull["metadata"]["annotations"] = {"kubectl.kubernetes.io/last-applied-configuration": "c2VjcmV0"}
    graph = yaml.safe_load(GRAPH)
    graph["metadata"] |= {"resourceVersion": "5", "uid": "u"}
    definitions = "apiextensions.k8s.io/v1"
    crds = [
        crd("nvidia.com", "DynamoGraphDeployment", "dynamographdeployments"),
        crd("grove.io", "PodCliqueSet", "podcliquesets"),
    ]
    return {
        ("v1", "nodes"): ("Node", False, [node]),
        ("v1", "secrets"): ("Secret", True, [pull]),
        ("v1", "serviceaccounts"): ("ServiceAccount", True, [named("default", "team")]),
        ("v1", "persistentvolumeclaims"): (
            "PersistentVolumeClaim",
            True,
            [named("models", "team"), named("x", "other")],
        ),
        ("v1", "configmaps"): (
            "ConfigMap",
            True,
            [named("d-dynamo-operator-config", "ops", data={"config.yaml": CONFIG})],
        ),
        ("apps/v1", "deployments"): ("Deployment", True, [operator]),
        (definitions, "customresourcedefinitions"): ("CustomResourceDefinition", False, crds),
        ("storage.k8s.io/v1", "storageclasses"): ("StorageClass", False, [named("fast")]),
        ("nvidia.com/v1alpha1", "dynamographdeployments"): ("DynamoGraphDeployment", True, [graph]),
    }


def environment(folder: Path, address: str) -> dict[str, str]:
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "c", "cluster": {"server": address}}],
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
        "users": [{"name": "u", "user": {}}],
        "current-context": "c",
    }
    (folder / "kubeconfig").write_text(yaml.safe_dump(config))
    return {**os.environ, "KUBECONFIG": str(folder / "kubeconfig"), "HOME": str(folder)}


def captured(folder: Path, *words: str, **server: Any) -> Captured:
    target = folder / "cluster"
    with serving(cluster(), **server) as (address, asked):
        command = [sys.executable, "-m", "dynamoc", "capture", "--run", "--output-dir", str(target), *words]
        done = subprocess.run(command, check=False, env=environment(folder, address), capture_output=True, text=True)
    return done, target, asked


@pytest.fixture(scope="module")
def capture(tmp_path_factory: pytest.TempPathFactory) -> Captured:
    return captured(tmp_path_factory.mktemp("capture"))


@needs_kubectl
def test_a_directory_for_the_other_commands(capture: Captured, dynamoc: Run) -> None:
    done, target, asked = capture
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert all(line.startswith("GET ") for line in asked)
    [node] = yaml.safe_load_all(
        (target / "context" / "nodes.yaml").read_text().removeprefix("---\n").replace("---\n---", "---")
    )
    assert node["spec"]["taints"] == [{"key": "gpu", "value": 'a"b', "effect": "NoSchedule"}]
    assert node["status"] == {"allocatable": {"nvidia.com/gpu": "8"}, "capacity": {"nvidia.com/gpu": "8"}}
    assert node["metadata"] == {"name": "node-1", "labels": {"nvidia.com/gpu.product": "H100"}}
    assert (target / "operator-config.yaml").read_text() == CONFIG
    assert "no such API: queues.scheduling.run.ai" in (target / "capture.txt").read_text()

    Path("graph.yaml").write_text(GRAPH)
    plain = dynamoc("render", "graph.yaml", "--operator-version", "1.0")
    shown = dynamoc("render", "graph.yaml", "--operator-version", "1.0", "--cluster", str(target))
    assert "kind: PodCliqueSet" not in plain.out
    assert "kind: PodCliqueSet" in shown.out
    assert "context/secret-content" in shown.err
    chosen = dynamoc("render", "graph.yaml", "--operator-version", "auto", "--cluster", str(target))
    assert chosen.out == shown.out
    assert "--operator-version auto is 1.0.0" in chosen.err
    updated = dynamoc(
        "render", "graph.yaml", "--operator-version", "1.0", "--against", str(target), "--target", "plain"
    )
    assert updated.code == 0, updated.err


@needs_kubectl
def test_of_secrets_the_names(capture: Captured) -> None:
    _, target, _ = capture
    text = "".join(path.read_text() for path in sorted(target.rglob("*")) if path.is_file())
    assert "c2VjcmV0" not in text
    [secret] = [item for item in yaml.safe_load_all((target / "context" / "secrets.yaml").read_text()) if item]
    assert secret == {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "pull", "namespace": "team", "labels": {}},
        "type": "kubernetes.io/dockerconfigjson",
    }


@needs_kubectl
def test_what_may_not_be_read_is_told(tmp_path: Path) -> None:
    done, target, _ = captured(tmp_path, forbidden=("nodes",))
    assert done.returncode == 1
    assert "not read: nodes" in done.stderr
    assert "not read: nodes" in (target / "capture.txt").read_text()


@needs_kubectl
def test_one_namespace(tmp_path: Path) -> None:
    _, target, asked = captured(tmp_path, "-n", "team")
    assert "name: x" not in (target / "context" / "claims.yaml").read_text()
    assert not [line for line in asked if "/api/v1/secrets" in line]


@needs_kubectl
def test_no_other_directory_is_filled(tmp_path: Path) -> None:
    (tmp_path / "cluster").mkdir()
    (tmp_path / "cluster" / "notes.md").write_text("mine")
    done, target, _ = captured(tmp_path)
    assert done.returncode == 2
    assert "is not empty" in done.stderr
    assert [path.name for path in target.iterdir()] == ["notes.md"]


def test_the_script_only_gets() -> None:
    text = script("cluster", None, [])
    verbs = {line.split("ask ")[1].split()[0] for line in text.splitlines() if "ask " in line and "ask()" not in line}
    assert verbs == {"get"}
    assert ".data" not in text.replace("jsonpath={.data.config", "")


def test_words_are_quoted() -> None:
    text = script("my dir", "$(touch x)", ["a;b"])
    assert "dir=${1:-'my dir'}" in text
    assert "context='$(touch x)'" in text
    assert 'kubectl ${context:+--context "$context"} "$@"' in text
    assert "namespaces='a;b'" in text


def test_it_is_shell(dynamoc: Run) -> None:
    done = subprocess.run(["sh", "-n"], check=False, input=dynamoc("capture").out, text=True, capture_output=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_another_directory_is_no_capture(dynamoc: Run) -> None:
    Path("graph.yaml").write_text(GRAPH)
    Path("empty").mkdir()
    result = dynamoc("render", "graph.yaml", "--cluster", "empty")
    assert result.code == 2
    assert "The directory empty contains no file" in result.err
