"""dynamoc inside the real `kustomize build`, and the schemas that it gives to it."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from dynamoc.interfaces.kustomize import openapi
from tests.cli.conftest import Run, dynamoc
from tests.flows.page_run import assert_page, environment

__all__ = ["dynamoc"]

Tree = dict[str, Any]
PLUGINS = ("--enable-alpha-plugins", "--enable-exec")
needs_kustomize = pytest.mark.skipif(
    shutil.which("kustomize") is None,
    reason="NO KUSTOMIZE HERE: it ran no function. Install it: go install sigs.k8s.io/kustomize/kustomize/v5@v5.8.2",
)


def build(folder: Path, *flags: str) -> subprocess.CompletedProcess[str]:
    command = ["kustomize", "build", *flags, str(folder)]
    return subprocess.run(command, env=environment(), check=False, capture_output=True, text=True)


def objects(folder: Path, *flags: str) -> dict[str, Tree]:
    """What the build prints, by `Kind/name`."""
    done = build(folder, *flags)
    assert done.returncode == 0, done.stderr
    return {f"{item['kind']}/{item['metadata']['name']}": item for item in yaml.safe_load_all(done.stdout)}


def write(folder: Path, **files: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.yaml").write_text(text)
    return folder


FUNCTION = """\
apiVersion: dynamoc/v1
kind: Render
metadata:
  name: render
  annotations:
    config.kubernetes.io/function: |
      exec: {path: dynamoc, args: [plugin, kustomize]}
spec: {operatorVersion: "1.4", target: grove}
"""
GRAPH = """\
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata: {name: chat}
spec:
  backendFramework: vllm
  components:
    - name: Worker
      type: worker
      multinode: {nodeCount: 2}
      podTemplate:
        spec:
          containers:
            - name: main
              image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.4.0
              command: [python3, -m, dynamo.vllm]
              envFrom: [{configMapRef: {name: settings}}]
              resources: {limits: {nvidia.com/gpu: "8"}}
    - name: Frontend
      type: frontend
      podTemplate:
        spec:
          containers: [{name: main, image: "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.4.0"}]
"""


@needs_kustomize
def test_the_page(tmp_path: Path) -> None:
    assert_page("how-to/kustomize.md", tmp_path, environment())


@needs_kustomize
def test_hashes_and_prefixes_reach_what_a_transformer_rendered(tmp_path: Path, dynamoc: Run) -> None:
    dynamoc("schema", "-o", "kustomize", "--output-dir", str(tmp_path / "schema"))
    kustomization = (
        "resources: [chat.yaml]\nnamePrefix: x-\nconfigurations: [schema/configurations.yaml]\n"
        "configMapGenerator: [{name: settings, literals: [a=b]}]\ntransformers: [render.yaml]\n"
    )
    found = objects(write(tmp_path, chat=GRAPH, render=FUNCTION, kustomization=kustomization), *PLUGINS)
    [settings] = [name for name in found if name.startswith("ConfigMap/x-settings-")]
    cliques = found["PodCliqueSet/x-chat"]["spec"]["template"]["cliques"]
    leader = next(clique for clique in cliques if clique["name"] == "worker-ldr")
    references = leader["spec"]["podSpec"]["containers"][0]["envFrom"]
    assert {"configMapRef": {"name": settings.partition("/")[2]}} in references


@needs_kustomize
def test_an_overlay_with_a_prefix_keeps_the_references_of_a_pod_clique_set(tmp_path: Path, dynamoc: Run) -> None:
    write(tmp_path / "base", kustomization="generators: [render.yaml]\n", chat=GRAPH)
    write(tmp_path / "base", render=FUNCTION.replace("target:", "files: [chat.yaml], target:"))
    dynamoc("schema", "-o", "kustomize", "--output-dir", str(tmp_path / "over" / "schema"))
    kustomization = "resources: [../base]\nnamePrefix: blue-\nconfigurations: [schema/configurations.yaml]\n"
    found = objects(write(tmp_path / "over", kustomization=kustomization), *PLUGINS)
    cliques = found["PodCliqueSet/blue-chat"]["spec"]["template"]["cliques"]
    accounts = {clique["spec"]["podSpec"]["serviceAccountName"] for clique in cliques}
    assert accounts == {"blue-chat-k8s-service-discovery"}
    assert "ServiceAccount/blue-chat-k8s-service-discovery" in found


PATCH = """\
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata: {name: chat}
spec: {components: [{name: Worker, replicas: 4}]}
"""
DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: d}
spec: {template: {spec: {containers: [{name: a, image: a}, {name: b, image: b}]}}}
"""


@needs_kustomize
def test_a_merge_keeps_components_and_containers(tmp_path: Path, dynamoc: Run) -> None:
    dynamoc("schema", "-o", "kustomize", "--output-dir", str(tmp_path / "schema"))
    other = DEPLOYMENT.replace("{name: a, image: a}, ", "").replace("image: b", "image: new")
    kustomization = (
        "resources: [chat.yaml, d.yaml]\nopenapi: {path: schema/openapi.json}\n"
        "patches: [{path: patch.yaml}, {path: other.yaml}]\n"
    )
    write(tmp_path, chat=GRAPH, d=DEPLOYMENT, patch=PATCH, other=other, kustomization=kustomization)
    found = objects(tmp_path)
    components = {item["name"]: item for item in found["DynamoGraphDeployment/chat"]["spec"]["components"]}
    assert set(components) == {"Worker", "Frontend"}
    assert components["Worker"]["replicas"] == 4
    assert components["Worker"]["multinode"] == {"nodeCount": 2}
    containers = found["Deployment/d"]["spec"]["template"]["spec"]["containers"]
    assert {(item["name"], item["image"]) for item in containers} == {("a", "a"), ("b", "new")}


@needs_kustomize
def test_a_merge_keeps_the_services_and_variables_of_v1alpha1(tmp_path: Path, dynamoc: Run) -> None:
    dynamoc("schema", "-o", "kustomize", "--output-dir", str(tmp_path / "schema"))
    head = "apiVersion: nvidia.com/v1alpha1\nkind: DynamoGraphDeployment\nmetadata: {name: chat}\n"
    chat = head + "spec: {services: {A: {envs: [{name: X, value: x}]}, B: {replicas: 1}}}\n"
    patch = head + "spec: {services: {A: {envs: [{name: Y, value: y}]}}}\n"
    kustomization = "resources: [chat.yaml]\nopenapi: {path: schema/openapi.json}\npatches: [{path: patch.yaml}]\n"
    found = objects(write(tmp_path, chat=chat, patch=patch, kustomization=kustomization))
    services = found["DynamoGraphDeployment/chat"]["spec"]["services"]
    assert {item["name"] for item in services["A"]["envs"]} == {"X", "Y"}
    assert "B" in services


def merged_lists(schema: Tree, load: Any, path: str = "", seen: tuple[str, ...] = ()) -> dict[str, str]:
    """Path to merge key of all lists of objects that a strategic merge merges."""
    if "$ref" in schema:
        if schema["$ref"] in seen:
            return {}
        seen = (*seen, schema["$ref"])
        schema = load(schema["$ref"])
    found = {}
    if "x-kubernetes-patch-merge-key" in schema:
        found[path] = schema["x-kubernetes-patch-merge-key"]
    for name, part in schema.get("properties", {}).items():
        if name != "status":
            found |= merged_lists(part, load, f"{path}.{name}", seen)
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            found |= merged_lists(schema[key], load, path, seen)
    return found


FOLDER = Path(kubernetes_validate.__file__).parent / "kubernetes-json-schema" / "v1.34.0-local"


@pytest.mark.parametrize(
    "kind",
    [
        "apps-v1.DaemonSet", "apps-v1.Deployment", "apps-v1.ReplicaSet", "apps-v1.StatefulSet", "batch-v1.CronJob",
        "batch-v1.Job", "v1.Pod", "v1.PodTemplate", "v1.ReplicationController", "v1.Service", "v1.ServiceAccount",
    ],
)  # fmt: skip
def test_the_workloads_of_kubernetes_are_merged_by_the_same_keys(kind: str) -> None:
    version, name = kind.split(".")
    definitions = json.loads((FOLDER / "_definitions.json").read_text())["$defs"]
    group = version.rpartition("-")[0]
    own = [
        schema
        for schema in openapi("1.4")["definitions"].values()
        if schema["x-kubernetes-group-version-kind"] == [{"group": group, "version": "v1", "kind": name}]
    ]
    theirs = [
        key
        for key, schema in definitions.items()
        if {"group": group, "version": "v1", "kind": name} in schema.get("x-kubernetes-group-version-kind", [])
    ]

    def load(reference: str) -> Tree:
        found: Tree = definitions[reference.rpartition("/")[2]]
        return found

    [wanted] = [merged_lists(definitions[key], load) for key in theirs]
    [found] = [merged_lists(schema, load) for schema in own]
    # Templates have no owners.
    wanted = {path: key for path, key in wanted.items() if not path.endswith("ownerReferences")}
    assert found == {**wanted, ".metadata.ownerReferences": "uid"}


def test_both_files_are_written_together(dynamoc: Run) -> None:
    assert dynamoc("schema", "-o", "kustomize").code == 2
    assert dynamoc("schema", "DynamoGraphDeployment", "-o", "kustomize", "--output-dir", "x").code == 2
    assert dynamoc("schema", "-o", "kustomize", "--output-dir", "x", "--operator-version", "0.6").code == 0
    assert sorted(path.name for path in Path("x").iterdir() if path.suffix) == ["configurations.yaml", "openapi.json"]


@needs_kustomize
def test_without_enable_exec_the_graph_itself_comes_out_as_the_page_warns(tmp_path: Path) -> None:
    kustomization = "resources: [chat.yaml]\ntransformers: [render.yaml]\n"
    write(tmp_path, chat=GRAPH, render=FUNCTION, kustomization=kustomization)
    assert "DynamoGraphDeployment/chat" in objects(tmp_path, "--enable-alpha-plugins")
    assert build(tmp_path).returncode == 1
    assert "external plugins disabled" in build(tmp_path).stderr
