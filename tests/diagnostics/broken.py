"""Mistakes that people make in graphs: what is broken, where it is reported, and the text that the remedy leads to.

Each case is an edit of a graph without findings: the part that is replaced, and by what. A remedy that is not the
part itself is written out: what somebody gets who follows the hint to the letter.
"""

from __future__ import annotations

from typing import NamedTuple

BETA = """\
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata:
  name: chat
  namespace: ml
spec:
  components:
    - name: Frontend
      type: frontend
      replicas: 1
      podTemplate:
        spec:
          containers:
            - name: main
              image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.4.0
    - name: Worker
      type: worker
      replicas: 2
      podTemplate:
        spec:
          containers:
            - name: main
              image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.4.0
              command: [python3, -m, dynamo.vllm]
              args: ["--model", "Qwen/Qwen3-8B"]
              env:
                - name: DYN_LOG
                  value: debug
              resources:
                limits:
                  nvidia.com/gpu: "1"
"""
ALPHA = """\
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: chat
  namespace: ml
spec:
  services:
    Frontend:
      componentType: frontend
      replicas: 1
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.4.0
    Worker:
      componentType: worker
      replicas: 2
      resources:
        limits:
          gpu: "1"
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.4.0
          command: [python3, -m, dynamo.vllm]
          args: ["--model", "Qwen/Qwen3-8B"]
"""


class Case(NamedTuple):
    """`old` is a part of the graph, `new` what is there instead. `found` are the findings, `LINE:COLUMN NAME` each."""

    old: str
    new: str
    found: str
    right: str | None = None
    graph: str = BETA
