"""Builds a graph for each model, renders all, and counts what they ask for: `python examples/python/build.py`."""

from __future__ import annotations

import sys
from pathlib import Path

from dynamoc import Finding, InputError, Object, Rendering, convert, render, validate
from dynamoc.reference.models import ComponentSpec, DynamoGraphDeployment, GraphDeploymentSpec, Multinode

IMAGE = "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.4.0"


def graph(name: str, model: str, nodes: int) -> DynamoGraphDeployment:
    """A frontend, and a worker that spreads over nodes of eight GPUs."""
    worker = ComponentSpec(
        name="Worker",
        type="worker",
        multinode=Multinode(node_count=nodes) if nodes > 1 else None,
        pod_template=pods(["--model", model, "--tensor-parallel-size", str(8 * nodes)], gpus=8),
    )
    frontend = ComponentSpec(name="Frontend", type="frontend", pod_template=pods([], gpus=0))
    return DynamoGraphDeployment(
        metadata={"name": name, "namespace": "inference"}, spec=GraphDeploymentSpec(components=[frontend, worker])
    )


def pods(args: list[str], gpus: int) -> Object:
    main: Object = {"name": "main", "image": IMAGE}
    if args:
        main |= {"command": ["python3", "-m", "dynamo.vllm"], "args": args}
    if gpus:
        main["resources"] = {"limits": {"nvidia.com/gpu": str(gpus)}}
    return {"spec": {"containers": [main]}}


def problems(findings: list[Finding]) -> list[str]:
    """What is worse than a note, with the field."""
    return [f"{item.severity}: {item.message}" for item in findings if item.severity != "note"]


def main(folder: Path | None = None) -> int:
    graphs = [graph("small", "Qwen/Qwen3-32B", 1), graph("large", "meta-llama/Llama-3.1-405B-Instruct", 2)]
    print("\n".join(problems(validate(*graphs, target="grove", release="1.4"))) or "no problems")
    try:
        rendering: Rendering = render(*graphs, target="grove", release="1.4", namespace="inference")
    except InputError as error:
        print(error, file=sys.stderr)
        return 1
    for item in rendering.of_kind("PodCliqueSet"):
        cliques = item["spec"]["template"]["cliques"]
        print(item["metadata"]["name"], sum(clique["spec"]["replicas"] for clique in cliques), "pods")
    alpha = convert(graphs[0], to="v1alpha1")
    print(alpha.objects[0]["apiVersion"], *alpha.objects[0]["spec"]["services"])
    if folder is not None:
        (folder / "objects.yaml").write_text(rendering.to_yaml())
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if sys.argv[1:] else None))
