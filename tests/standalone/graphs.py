"""Small graphs, in v1alpha1, which all releases know."""

from __future__ import annotations

from typing import Any

import yaml

#: those that know v1alpha1 with etcd as the only discovery backend
EARLY = ("0.4", "0.5", "0.6")
RELEASES = (*EARLY, "1.0", "1.1", "1.2", "1.3", "1.4")
#: those whose workers carry a hash outside of Grove
HASHED = ("1.0", "1.1", "1.2", "1.3", "1.4")
IMAGE = "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.0.0"

Tree = dict[str, Any]


def worker(*, image: str = IMAGE, nodes: int = 1, kind: str = "worker", backend: str = "vllm", **more: Any) -> Tree:
    """A worker with a GPU that runs a backend on some nodes."""
    spec: Tree = {
        "componentType": kind,
        "replicas": 1,
        "resources": {"limits": {"gpu": "1"}},
        "extraPodSpec": {
            "mainContainer": {
                "image": image,
                "command": ["python3", "-m", f"dynamo.{backend}"],
                "args": ["--model", "Qwen/Qwen3-0.6B"],
            }
        },
        **more,
    }
    if nodes > 1:
        spec["multinode"] = {"nodeCount": nodes}
    return spec


def component(kind: str, **more: Any) -> Tree:
    """A component of another type."""
    return {"componentType": kind, "replicas": 1, "extraPodSpec": {"mainContainer": {"image": IMAGE}}, **more}


def graph(services: dict[str, Tree] | None = None, *, name: str = "chat", annotations: Any = None, **spec: Any) -> str:
    """A graph with a frontend and a worker, or with other services."""
    metadata: Tree = {"name": name, "namespace": "team", **({"annotations": annotations} if annotations else {})}
    chosen = {"Frontend": component("frontend"), "Worker": worker()} if services is None else services
    value = {
        "apiVersion": "nvidia.com/v1alpha1",
        "kind": "DynamoGraphDeployment",
        "metadata": metadata,
        "spec": {"services": chosen, **spec},
    }
    return str(yaml.safe_dump(value, sort_keys=False))


OWNER = {"apiVersion": "nvidia.com/v1alpha1", "kind": "DynamoGraphDeployment", "name": "chat", "uid": "1"}


def alone(spec: Tree, *, name: str = "lonely", owner: Tree | None = None) -> str:
    """A DynamoComponentDeployment that no graph made."""
    value = {
        "apiVersion": "nvidia.com/v1alpha1",
        "kind": "DynamoComponentDeployment",
        "metadata": {"name": name, "namespace": "team", **({"ownerReferences": [owner]} if owner else {})},
        "spec": {"serviceName": "Worker", "dynamoNamespace": "team-lonely", "backendFramework": "vllm", **spec},
    }
    return str(yaml.safe_dump(value, sort_keys=False))
