"""Checkpoints that a graph of release 1.0 asks for."""

from pathlib import Path
from typing import Any

import yaml

from dynamoc.compiler.options import Options
from dynamoc.compiler.run import compile_paths
from dynamoc.documents.findings.finding import Findings

CONFIG = """
apiVersion: operator.config.dynamo.nvidia.com/v1alpha1
kind: OperatorConfiguration
rbac: {plannerClusterRoleName: p, dgdrProfilingClusterRoleName: d, eppClusterRoleName: e}
mpi: {sshSecretName: s, sshSecretNamespace: ns}
checkpoint: {enabled: true, storage: {type: pvc, pvc: {pvcName: snapshots, basePath: /snapshots}}}
"""
GRAPH = """
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {name: llm}
spec:
  services:
    Worker:
      componentType: worker
      checkpoint: {enabled: true, mode: Auto, identity: {model: m, backendFramework: vllm}}
      extraPodSpec: {mainContainer: {image: "vllm-runtime:1.0.0"}}
"""


def test_the_job_is_made_of_what_the_api_server_stores(tmp_path: Path) -> None:
    """config/crd/bases/nvidia.com_dynamocheckpoints.yaml: defaults of the job, and no labels in the pod template."""
    graph, config = tmp_path / "graph.yaml", tmp_path / "config.yaml"
    graph.write_text(GRAPH)
    config.write_text(CONFIG)
    findings = Findings()
    options = Options(operator_version="1.0", target="grove", operator_config=str(config))
    objects = {item["kind"]: item for item in compile_paths([str(graph)], options, findings)}
    assert [item.message for item in findings.items if item.severity == "error"] == []
    checkpoint, job = objects["DynamoCheckpoint"], objects["Job"]
    assert checkpoint["spec"]["job"]["activeDeadlineSeconds"] == 3600
    assert "labels" not in checkpoint["spec"]["job"]["podTemplateSpec"].get("metadata", {})
    labels: dict[str, Any] = job["spec"]["template"]["metadata"]["labels"]
    assert sorted(labels) == ["nvidia.com/snapshot-checkpoint-hash", "nvidia.com/snapshot-is-checkpoint-source"]
    assert yaml.safe_load(GRAPH)["metadata"]["name"] in checkpoint["metadata"]["labels"].values()


def test_the_process_that_a_snapshot_is_taken_of_is_ready_by_a_file_alone(tmp_path: Path) -> None:
    """controller/dynamocheckpoint_controller.go buildCheckpointJob: no probe restarts it while the model loads."""
    graph, config = tmp_path / "graph.yaml", tmp_path / "config.yaml"
    probe = "{httpGet: {path: /, port: 1}}"
    own = f"livenessProbe: {probe}, startupProbe: {probe}, readinessProbe: {probe}"
    graph.write_text(GRAPH.replace('"vllm-runtime:1.0.0"', f'"vllm-runtime:1.0.0", {own}'))
    config.write_text(CONFIG)
    options = Options(operator_version="1.0", target="grove", operator_config=str(config))
    objects = {item["kind"]: item for item in compile_paths([str(graph)], options, Findings())}
    (main,) = objects["Job"]["spec"]["template"]["spec"]["containers"]
    assert {"livenessProbe", "startupProbe"} & main.keys() == set()
    assert main["readinessProbe"]["exec"]["command"][0] == "cat"
