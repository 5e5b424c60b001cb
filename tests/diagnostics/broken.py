"""Mistakes that people make in graphs: what is broken, where it is reported, and the text that the remedy leads to.

Each line of `broken.txt` is an edit of a graph without findings: the graph, the finding that names the mistake, the
part that is replaced, and what is there instead; where the remedy does not lead back to that part, what it leads to.
"""

from __future__ import annotations

from pathlib import Path
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
      podTemplate:  # of Worker
        spec:
          containers:  # of Worker
            - name: main  # of Worker
              image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.4.0-cuda13
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
        mainContainer:  # of Worker
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.4.0-cuda13
          command: [python3, -m, dynamo.vllm]
          args: ["--model", "Qwen/Qwen3-8B"]
"""
GRAPHS = {"beta": BETA, "alpha": ALPHA}


class Case(NamedTuple):
    """`found` is `LINE:COLUMN NAME`; `broken` and `remedied` are whole texts, `new` is the part that is wrong."""

    new: str
    found: str
    broken: str
    remedied: str


def cases() -> list[Case]:
    lines = Path(__file__).with_name("broken.txt").read_text(encoding="utf-8").splitlines()
    return [_case(*line.split(" ==> ")) for line in lines if not line.startswith("#")]


def _case(graph: str, found: str, *parts: str) -> Case:
    old, new, *right = (part.encode().decode("unicode_escape") for part in parts)
    text = GRAPHS[graph]
    assert old in text, old
    return Case(new, found, text.replace(old, new, 1), text.replace(old, right[0] if right else old, 1))
