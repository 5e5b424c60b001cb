"""Requests compiled in memory."""

from __future__ import annotations

from typing import Any

import yaml

from dynamoc.compiler.options import Options
from dynamoc.compiler.run import compile_documents
from dynamoc.documents.findings.finding import Findings
from dynamoc.documents.source.reader import read_text

Tree = dict[str, Any]

HARDWARE = (
    "  hardware: {gpuSku: h100_sxm, vramMb: 81920, numGpusPerNode: 8, totalGpus: 16, interconnect: x, rdma: true}\n"
)
HEAD = """\
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeploymentRequest
metadata: {name: qwen, namespace: ml, uid: u}
spec:
  model: Qwen/Qwen3-32B
"""
ALPHA = """\
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeploymentRequest
metadata: {name: qwen, namespace: ml, uid: u}
spec:
  model: Qwen/Qwen3-32B
  backend: vllm
"""
GRAPH = """\
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {name: vllm-agg}
spec:
  services:
    Frontend: {componentType: frontend, extraPodSpec: {mainContainer: {image: "x/vllm-runtime:1.4.0"}}}
    VllmDecodeWorker:
      componentType: worker
      replicas: 2
      extraPodSpec: {mainContainer: {image: "x/vllm-runtime:1.4.0", command: [python3, -m, dynamo.vllm], args: [--a]}}
"""


def node(
    name: str, *, count: str = "8", product: str = "NVIDIA-H100-80GB-HBM3", memory: str = "81559", **more: str
) -> str:
    labels = {"gpu.count": count, "gpu.product": product, "gpu.memory": memory, **more}
    value = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {f"nvidia.com/{key}": text for key, text in labels.items()}},
    }
    return yaml.safe_dump(value)


def output(name: str = "qwen", **data: str) -> str:
    metadata = {"name": f"dgdr-output-{name}", "namespace": "ml"}
    return yaml.safe_dump({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data})


def compiled(*texts: str, version: str = "1.4", **options: Any) -> tuple[list[Tree], Findings]:
    """The objects of documents, without those that were given, and the findings."""
    findings = Findings()
    documents = read_text("---\n".join(texts).encode(), "input.yaml", findings)
    chosen = Options(operator_version=version, target="plain", passthrough=False, **options)
    return compile_documents(documents, chosen, findings), findings


def job(objects: list[Tree]) -> Tree:
    [found] = [item for item in objects if item["kind"] == "Job"]
    return found


def kinds(objects: list[Tree]) -> list[str]:
    return [f"{item['kind']}/{item['metadata']['name']}" for item in objects]


def slugs(findings: Findings) -> list[str]:
    return [f"{item.severity} {item.slug} {item.place.line if item.place else 0}" for item in findings.items]
