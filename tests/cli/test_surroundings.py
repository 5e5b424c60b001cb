"""What a graph takes for granted and nobody shows, and exports of a cluster as inputs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from dynamoc.rendering.rules.draft import private_registry
from tests.cli.conftest import Run

GRAPH = """\
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {name: chat, namespace: team}
spec:
  services:
    Worker:
      componentType: worker
      backendFramework: BACKEND
      MOUNTS
      extraPodSpec:
        mainContainer: {image: "IMAGE"}
"""
PUBLIC = "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.0.0"
PRIVATE = "registry.example.com/runtime:1.0.0"


def graph(image: str = PUBLIC, backend: str = "vllm", mounts: str = "replicas: 1") -> str:
    text = GRAPH.replace("IMAGE", image).replace("MOUNTS", mounts)
    return text.replace("      backendFramework: BACKEND\n", "").replace(
        "spec:\n", f"spec:\n  backendFramework: {backend}\n", 1
    )


def findings(dynamoc: Run, text: str, *options: str, release: str = "1.0") -> list[dict[str, Any]]:
    Path("in.yaml").write_text(text)
    line = ("validate", "in.yaml", "--target", "plain", "--operator-version", release, "--findings", "json")
    found: list[dict[str, Any]] = json.loads(dynamoc(*line, *options).err)["findings"]
    return found


def slugs(found: list[dict[str, Any]]) -> list[str]:
    return [item["slug"] for item in found]


def test_a_claim_that_nobody_shows_is_a_warning(dynamoc: Run) -> None:
    text = graph(mounts="volumeMounts: [{name: models, mountPoint: /m}]")
    found = findings(dynamoc, text)
    assert [(item["slug"], item["severity"], item["place"]["line"]) for item in found] == [
        ("context/unknown-claim", "warning", 9)
    ]
    assert "PersistentVolumeClaim `team/models` is not in the input or --cluster" in found[0]["message"]
    created = "pvcs: [{name: models, create: true, size: 1Gi, storageClass: x, volumeAccessMode: ReadWriteMany}]"
    assert slugs(findings(dynamoc, text.replace("spec:\n", f"spec:\n  {created}\n", 1))) == []
    claim = "---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: models, namespace: team}\n"
    assert slugs(findings(dynamoc, text + claim)) == []


@pytest.mark.parametrize("release", ["0.6", "1.0", "1.4", "1.6"])
@pytest.mark.parametrize(("backend", "name"), [("sglang", "SGLang"), ("trtllm", "TensorRT-LLM")])
def test_a_compilation_cache_of_these_backends_is_supported_in_part(
    dynamoc: Run, backend: str, name: str, release: str
) -> None:
    mount = "volumeMounts: [{name: c, mountPoint: /c, useAsCompilationCache: true}]"
    text = graph(backend=backend, mounts=mount).replace("spec:\n", "spec:\n  pvcs: [{name: c}]\n", 1)
    found = [item for item in findings(dynamoc, text, release=release) if item["slug"] == "storage/partial-cache"]
    assert [item["severity"] for item in found] == ["warning"]
    assert f"supports a compilation cache of {name} only in part" in found[0]["message"]


def test_a_compilation_cache_of_vllm_is_supported(dynamoc: Run) -> None:
    mount = "volumeMounts: [{name: c, useAsCompilationCache: true}]"
    assert "storage/partial-cache" not in slugs(findings(dynamoc, graph(mounts=mount)))


def test_a_private_registry_without_any_secret_is_a_warning(dynamoc: Run) -> None:
    found = findings(dynamoc, graph(PRIVATE))
    assert [(item["slug"], item["severity"], item["place"]["line"]) for item in found] == [
        ("context/unknown-pull-secret", "warning", 11)
    ]
    assert "the registry `registry.example.com`" in found[0]["message"]


@pytest.mark.parametrize(
    "text",
    [
        graph(PRIVATE).replace("extraPodSpec:", "extraPodSpec:\n        imagePullSecrets: [{name: login}]"),
        graph(PRIVATE, mounts='annotations: {nvidia.com/disable-image-pull-secret-discovery: "true"}'),
        graph(PRIVATE) + "---\napiVersion: v1\nkind: Secret\nmetadata: {name: other, namespace: team}\n",
        graph(PUBLIC),
    ],
)
def test_nothing_is_said_where_it_makes_no_difference(dynamoc: Run, text: str) -> None:
    assert slugs(findings(dynamoc, text)) == []


@pytest.mark.parametrize(
    ("image", "registry"),
    [
        ("python", None),
        ("vllm/vllm-openai:v1", None),
        ("nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.4.0", None),
        ("nvcr.io/org/team/x:1", "nvcr.io"),
        ("ghcr.io/o/x:1", None),
        ("registry.local:5000/x:1", "registry.local:5000"),
        ("localhost/x", "localhost"),
    ],
)
def test_registries_that_everybody_may_read(image: str, registry: str | None) -> None:
    assert private_registry(image) == registry


def test_an_export_renders_as_its_clean_document_does(dynamoc: Run) -> None:
    """Row 11: status and server fields change nothing, once the export is given as what it updates, too."""
    Path("clean.yaml").write_text(graph())
    export = yaml.safe_load(graph())
    export["metadata"] |= {
        "uid": "u",
        "resourceVersion": "7",
        "generation": 3,
        "creationTimestamp": "2026-01-01T00:00:00Z",
    }
    export["metadata"]["annotations"] = {"nvidia.com/dynamo-operator-origin-version": "1.0.0"}
    export["metadata"]["managedFields"] = [{"manager": "kubectl", "operation": "Apply"}]
    export["status"] = {"state": "successful"}
    Path("export.yaml").write_text(yaml.safe_dump(export))
    line = ("--target", "plain", "--operator-version", "1.0")
    refused = dynamoc("render", "export.yaml", *line)
    assert (refused.code, refused.out) == (1, "")
    assert "hint: give the file with --against, too, to render it as an update of itself; or delete" in refused.err
    clean = dynamoc("render", "clean.yaml", *line)
    assert clean.out != ""
    assert dynamoc("render", "export.yaml", "--against", "export.yaml", *line).out == clean.out


@pytest.mark.parametrize("release", ["0.6", "1.0"])
def test_a_variable_that_the_operator_adds_again_is_a_warning(dynamoc: Run, release: str) -> None:
    mount = "volumeMounts: [{name: c, mountPoint: /c, useAsCompilationCache: true}]"
    text = graph(mounts=f"envs: [{{name: VLLM_CACHE_ROOT, value: VALUE}}]\n      {mount}")
    assert "env/overridden" in slugs(findings(dynamoc, text.replace("VALUE", "/mine"), release=release))
    assert "env/overridden" not in slugs(findings(dynamoc, text.replace("VALUE", "/c"), release=release))


def test_a_virtual_service_without_the_operators_gateway_is_a_warning_beside_an_ingress(dynamoc: Run) -> None:
    ingress = "enabled: true, host: x, useVirtualService: true, virtualServiceGateway: a/b"
    text = graph(mounts=f"ingress: {{{ingress}, ingressControllerClassName: nginx}}")
    found = [item for item in findings(dynamoc, text) if item["slug"] == "ingress/no-istio"]
    assert ["gets an Ingress only" in item["message"] for item in found] == [True]
