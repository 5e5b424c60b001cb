"""The order in which the API server asks conversion, webhooks and schema, as it shows in verdicts and objects.

Mutating webhooks come first (k8s.io/apiserver, pkg/endpoints/handlers/create.go): a v1alpha1 graph is converted for
them and back, then judged by its schema, then converted to be stored.
"""

from pathlib import Path
from typing import Any

import pytest
import yaml

from dynamoc.compiler.options import Options
from dynamoc.compiler.run import compile_paths
from dynamoc.documents.findings.finding import Findings

Tree = dict[str, Any]
IMAGE = "registry.example.com/vllm-runtime:1.4.0"


def compiled(
    folder: Path, spec: Tree, *, version: str = "v1alpha1", target: str = "lws", **metadata: Any
) -> tuple[list[Tree], Findings]:
    path = folder / "graph.yaml"
    document = {
        "apiVersion": f"nvidia.com/{version}",
        "kind": "DynamoGraphDeployment",
        "metadata": {"name": "llm", **metadata},
        "spec": spec,
    }
    path.write_text(yaml.safe_dump(document))
    findings = Findings()
    return compile_paths([str(path)], Options(operator_version="1.4", target=target), findings), findings


def errors(findings: Findings) -> list[str]:
    return [item.slug for item in findings.items if item.severity == "error"]


def worker(**fields: Any) -> Tree:
    container = {"image": IMAGE, "command": ["python3"], "args": ["-m", "dynamo.vllm"]}
    return {"services": {"Worker": {"componentType": "worker", "extraPodSpec": {"mainContainer": container}, **fields}}}


@pytest.mark.parametrize("target", ["grove", "lws"])
def test_the_way_to_the_webhook_and_back_moves_a_compilation_cache_behind_other_mounts(
    tmp_path: Path, target: str
) -> None:
    """api/v1alpha1/shared_spec_conversion.go, convertVolumeMountsFromHub: only the cache comes back as a flat mount."""
    mounts = [
        {"name": "cache", "mountPoint": "/c", "useAsCompilationCache": True},
        {"name": "data", "mountPoint": "/d"},
    ]
    objects, findings = compiled(tmp_path, worker(volumeMounts=mounts), target=target)
    assert errors(findings) == []
    if target == "grove":
        (pods,) = (item["spec"]["template"]["cliques"][0]["spec"]["podSpec"] for item in of(objects, "PodCliqueSet"))
    else:
        (pods,) = (item["spec"]["template"]["spec"] for item in of(objects, "Deployment"))
    assert [mount["name"] for mount in pods["containers"][0]["volumeMounts"]] == ["data", "cache", "shared-memory"]


def test_a_graph_that_the_webhook_leaves_alone_does_not_go_back(tmp_path: Path) -> None:
    """controller-runtime, defaulter_custom.go Handle: without a change there is no patch, and nothing to convert."""
    mounts = [
        {"name": "cache", "mountPoint": "/c", "useAsCompilationCache": True},
        {"name": "data", "mountPoint": "/d"},
    ]
    origin = {"nvidia.com/dynamo-operator-origin-version": "1.4.0"}
    for replicas, expected in ((None, ["data", "cache"]), (2, ["cache", "data"])):
        spec = worker(volumeMounts=mounts, replicas=replicas)
        objects, _ = compiled(tmp_path, spec, annotations=origin)
        (container,) = of(objects, "Deployment")[0]["spec"]["template"]["spec"]["containers"]
        assert [mount["name"] for mount in container["volumeMounts"]][:2] == expected


def of(objects: list[Tree], kind: str) -> list[Tree]:
    return [item for item in objects if item["kind"] == kind]


@pytest.mark.parametrize(("mode", "found"), [("IntraPod", []), ("intraPod", []), ("intrapod", ["schema/enum"])])
def test_a_mode_in_the_words_of_v1beta1_comes_back_in_those_of_v1alpha1(
    tmp_path: Path, mode: str, found: list[str]
) -> None:
    """api/v1alpha1/shared_spec_conversion.go, gmsModeToV1beta1 and gmsModeFromV1beta1."""
    spec = worker(gpuMemoryService={"enabled": True, "mode": mode}, resources={"limits": {"gpu": "8"}})
    assert errors(compiled(tmp_path, spec)[1]) == found


def test_the_webhook_of_components_judges_what_the_operator_makes_of_a_graph(tmp_path: Path) -> None:
    """internal/webhook/validation/shared_helpers.go, validateElasticEPRequiresCommand.

    A graph without a backend passes; its components get the one that the operator detects, and are judged by it.
    """
    args = ["--enable-elastic-ep", "--data-parallel-backend=ray"]
    components = [
        {"name": "Frontend", "podTemplate": pod(args=args)},
        {"name": "Worker", "type": "worker", "podTemplate": pod(command=["python3", "-m", "dynamo.vllm"])},
    ]
    assert errors(compiled(tmp_path, {"components": components}, version="v1beta1")[1]) != []
    assert errors(compiled(tmp_path, {"components": components}, version="v1beta1", target="grove")[1]) == []


def test_annotations_of_a_graph_are_judged_on_its_components(tmp_path: Path) -> None:
    """api/v1beta1/common.go: the annotation of a podTemplate must be mp or ray; those of a graph land there."""
    spec = {
        "annotations": {"nvidia.com/vllm-distributed-executor-backend": "dask"},
        "components": [{"name": "Worker", "type": "worker", "podTemplate": pod(command=["python3"], args=["x"])}],
    }
    assert errors(compiled(tmp_path, spec, version="v1beta1", target="plain")[1]) != []
    assert errors(compiled(tmp_path, spec, version="v1beta1", target="grove")[1]) == []


def pod(**fields: Any) -> Tree:
    return {"spec": {"containers": [{"name": "main", "image": IMAGE, **fields}]}}


def test_containers_called_main_are_one_after_the_conversion(tmp_path: Path) -> None:
    """api/v1alpha1/shared_spec_conversion.go, buildPodTemplateToHub: they merge with mainContainer."""
    spec = worker()
    spec["services"]["Worker"]["extraPodSpec"]["containers"] = [{"name": "main"}, {"name": "main"}]
    assert errors(compiled(tmp_path, spec)[1]) == []
    spec["services"]["Worker"]["extraPodSpec"]["containers"] = [{"name": "a"}, {"name": "a"}]
    assert errors(compiled(tmp_path, spec)[1]) == ["schema/duplicate"]
