"""The graphs that are measured: what many people have, what loads most, and what is largest."""

from __future__ import annotations

from pathlib import Path

_IMAGE = "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.0.0"
_FRONTEND = f"""\
    Frontend:
      componentType: frontend
      replicas: 1
      extraPodSpec:
        mainContainer:
          image: {_IMAGE}
"""
_PICKER = """\
    Epp:
      componentType: epp
      replicas: 1
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/dynamo-frontend:1.0.0
      eppConfig:
        config:
          plugins:
            - type: queue-scorer
            - type: max-score-picker
              name: picker
              parameters:
                k: 2
          schedulingProfiles:
            - name: default
              plugins:
                - pluginRef: queue-scorer
                  weight: 1
                - pluginRef: picker
                  weight: 1
"""
_DECODE = f"""\
    Decode:
      componentType: worker
      replicas: 2
      envFromSecret: hf-token
      resources:
        limits:
          gpu: "1"
      extraPodSpec:
        mainContainer:
          image: {_IMAGE}
          command: ["python3", "-m", "dynamo.vllm"]
          args: ["--model", "Qwen/Qwen3-0.6B"]
"""
_BETA = """\
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata:
  name: beta
  namespace: inference
spec:
  backendFramework: vllm
  components:
    - name: Frontend
      type: frontend
      podTemplate:
        spec:
          containers:
            - name: main
              image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.4.0
    - name: Decode
      type: worker
      replicas: 2
      podTemplate:
        spec:
          containers:
            - name: main
              image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.4.0
              command: ["python3", "-m", "dynamo.vllm"]
              args: ["--model", "Qwen/Qwen3-0.6B"]
              resources:
                limits:
                  nvidia.com/gpu: "1"
"""
GRAPH = """\
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: graph-{number}
spec:
  services:
    Frontend:
      componentType: frontend
      replicas: 1
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:{version}
"""
WORKER = """\
    Worker{number}:
      componentType: worker
      replicas: 2
      multinode:
        nodeCount: 2
      resources:
        requests:
          cpu: "8"
          memory: 64Gi
        limits:
          gpu: "8"
      envs:
        - name: LOG_LEVEL
          value: info
        - name: SHARD
          value: "{number}"
      extraPodSpec:
        nodeSelector:
          pool: gpu
        tolerations:
          - key: nvidia.com/gpu
            operator: Exists
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:{version}
          command: ["python3", "-m", "dynamo.vllm"]
          args: ["--model", "example/model-{number}", "--tensor-parallel-size", "16"]
"""


def light() -> str:
    """A frontend and a worker."""
    return _head("light") + _FRONTEND + _DECODE


def picker() -> str:
    """A graph with an endpoint picker, whose configuration becomes a ConfigMap."""
    return _head("picker") + _FRONTEND + _PICKER + _DECODE


def beta() -> str:
    """A frontend and a worker in v1beta1."""
    return _BETA


def graph(number: int, lines: int = 200, version: str = "1.4.0") -> str:
    """A v1alpha1 graph of about so many lines, with multinode workers."""
    text, worker = GRAPH.format(number=number, version=version), 0
    while text.count("\n") + WORKER.count("\n") <= lines:
        text += WORKER.format(number=worker, version=version)
        worker += 1
    return text


def _head(name: str) -> str:
    lines = ("apiVersion: nvidia.com/v1alpha1", "kind: DynamoGraphDeployment", "metadata:", f"  name: {name}")
    return "\n".join((*lines, "  namespace: inference", "spec:", "  backendFramework: vllm", "  services:", ""))


def write_graphs(folder: Path, count: int) -> Path:
    """So many files, each with a graph of its own name."""
    folder.mkdir()
    makers = (light, beta, picker, light)
    for number in range(count):
        text = makers[number % len(makers)]()
        name = text.partition("\n  name: ")[2].partition("\n")[0]
        (folder / f"graph-{number:04}.yaml").write_text(
            text.replace(f"  name: {name}\n", f"  name: {name}-{number}\n", 1)
        )
    return folder


def components(count: int, name: str = "components") -> str:
    """One graph with a frontend and workers, so many components in all."""
    workers = (_DECODE.replace("Decode:", f"Decode{number}:") for number in range(count - 1))
    return _head(name) + _FRONTEND + "".join(workers)
