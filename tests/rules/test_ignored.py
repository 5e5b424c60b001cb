"""Fields that the operator ignores are told where they stand, and without them all is the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dynamoc.compiler.options import Options
from dynamoc.compiler.run import compile_paths
from dynamoc.documents.findings.finding import Finding, Findings
from dynamoc.reference.releases import RELEASES

Tree = dict[str, Any]
LATER = [name for name in RELEASES if not name.startswith("0.")]
INGRESS = {"enabled": True, "ingressControllerClassName": "nginx", "host": "llm"}
ISTIO = {"enabled": True, "host": "llm", "useVirtualService": True, "virtualServiceGateway": "istio-system/web"}
MAIN = {"image": "x/engine:1.4.0", "command": ["python3"], "args": ["-m", "dynamo.vllm"]}


def rendered(folder: Path, fields: Tree, release: str, target: str, kind: str) -> tuple[list[Tree], list[Finding]]:
    component = {"extraPodSpec": {"mainContainer": MAIN}, **fields}
    spec = component if kind == "DynamoComponentDeployment" else {"services": {"A": component}}
    value = {"apiVersion": "nvidia.com/v1alpha1", "kind": kind, "metadata": {"name": "web"}, "spec": spec}
    path = folder / "graph.yaml"
    path.write_text(json.dumps(value, indent=1))
    findings = Findings()
    # 1.0 and 1.1 name an account of a lone component that the API server refuses.
    options = Options(operator_version=release, target=target, refused_objects="warn")
    objects = compile_paths([str(path)], options, findings)
    assert not findings.errors, findings.items
    told = [
        item
        for item in findings.items
        if item.severity == "warning" and item.slug not in ("admission/deprecated-version", "admission/pod-name")
    ]
    return objects, told


@pytest.mark.parametrize("release", LATER)
@pytest.mark.parametrize(
    ("fields", "ignored", "slug", "targets"),
    [
        (
            {"componentType": "frontend", "ingress": {**INGRESS, "annotations": {"a": "b"}}},
            ("ingress", "annotations"),
            "ingress/metadata-ignored",
            ("grove", "plain"),
        ),
        (
            {"componentType": "frontend", "ingress": {**INGRESS, "labels": {"a": "b"}}},
            ("ingress", "labels"),
            "ingress/metadata-ignored",
            ("grove", "plain"),
        ),
        ({"componentType": "worker", "ingress": INGRESS}, ("ingress",), "ingress/ignored", ("grove",)),
        (
            {"componentType": "worker", "ingress": {"enabled": True, "host": "llm"}},
            ("ingress",),
            "ingress/without-class",
            ("plain",),
        ),
        ({"componentType": "worker", "ingress": ISTIO}, ("ingress",), "ingress/no-istio", ("plain",)),
        (
            {"componentType": "frontend", "serviceName": "B"},
            ("serviceName",),
            "component/service-name-ignored",
            ("grove", "plain"),
        ),
        (
            {"componentType": "worker", "modelRef": {"name": "m", "revision": "main"}},
            ("modelRef", "revision"),
            "model-ref/revision-ignored",
            ("grove", "plain"),
        ),
    ],
)
def test_told_and_without_effect(
    fields: Tree, ignored: tuple[str, ...], slug: str, targets: tuple[str, ...], release: str, tmp_path: Path
) -> None:
    without = json.loads(json.dumps(fields))
    holder = without
    for step in ignored[:-1]:
        holder = holder[step]
    del holder[ignored[-1]]
    for target in targets:
        objects, told = rendered(tmp_path, fields, release, target, "DynamoGraphDeployment")
        assert [item.slug for item in told] == [slug]
        assert told[0].path[: len(ignored) + 3] == ("spec", "services", "A", *ignored)
        assert told[0].place
        assert told[0].hint
        bare, silent = rendered(tmp_path, without, release, target, "DynamoGraphDeployment")
        assert silent == []
        assert _without_hashes(objects) == _without_hashes(bare)


def _without_hashes(objects: list[Tree]) -> str:
    """Workers are hashed with all that is written."""
    text = json.dumps(objects)
    found = {
        item["metadata"]["labels"]["nvidia.com/dynamo-worker-hash"]
        for item in objects
        if "nvidia.com/dynamo-worker-hash" in (item["metadata"].get("labels") or {})
    }
    for digest in found:
        text = text.replace(digest, "")
    return text


@pytest.mark.parametrize("release", LATER)
@pytest.mark.parametrize("target", ["grove", "plain"])
def test_what_has_an_effect_is_not_told(release: str, target: str, tmp_path: Path) -> None:
    fields = {
        "componentType": "frontend",
        "serviceName": "A",
        "ingress": INGRESS,
        "annotations": {"a": "b"},
        "modelRef": {"name": "m"},
        "resources": {"limits": {"cpu": "2"}},
        "extraPodSpec": {"mainContainer": {**MAIN, "resources": {"limits": {"cpu": "2", "memory": "1Gi"}}}},
    }
    assert rendered(tmp_path, fields, release, target, "DynamoGraphDeployment")[1] == []


@pytest.mark.parametrize("release", LATER)
def test_an_ingress_that_is_off_is_not_told(release: str, tmp_path: Path) -> None:
    fields = {"componentType": "frontend", "ingress": {"enabled": False, "annotations": {"a": "b"}}}
    assert rendered(tmp_path, fields, release, "grove", "DynamoGraphDeployment")[1] == []


@pytest.mark.parametrize(
    ("release", "target", "told"), [("1.0", "plain", True), ("1.0", "grove", False), ("1.1", "plain", False)]
)
def test_labels_of_components(release: str, target: str, told: bool, tmp_path: Path) -> None:
    fields = {"componentType": "frontend", "labels": {"mark": "marked"}}
    objects, found = rendered(tmp_path, fields, release, target, "DynamoGraphDeployment")
    assert [item.slug for item in found] == ["component/labels-ignored"] * told
    assert ("marked" in json.dumps(objects)) != told


@pytest.mark.parametrize("release", ["1.0", "1.1"])
def test_unknown_types(release: str, tmp_path: Path) -> None:
    _, found = rendered(tmp_path, {"componentType": "Worker"}, release, "plain", "DynamoGraphDeployment")
    assert [(item.slug, item.path[-1]) for item in found] == [("component/unknown-type", "componentType")]


@pytest.mark.parametrize("release", LATER)
def test_a_component_on_its_own(release: str, tmp_path: Path) -> None:
    fields = {
        "serviceName": "A",
        "dynamoNamespace": "default-web",
        "componentType": "frontend",
        "ingress": {**INGRESS, "labels": {"a": "b"}},
    }
    _, found = rendered(tmp_path, fields, release, "plain", "DynamoComponentDeployment")
    assert "ingress/metadata-ignored" in [item.slug for item in found]


def test_resources_in_two_places(tmp_path: Path) -> None:
    own = {"limits": {"cpu": "1", "memory": "1Gi"}}
    fields = {
        "componentType": "frontend",
        "resources": {"limits": {"cpu": "2"}},
        "extraPodSpec": {"mainContainer": {**MAIN, "resources": own}},
    }
    objects, found = rendered(tmp_path, fields, "1.0", "plain", "DynamoGraphDeployment")
    [deployment] = [item for item in objects if item["kind"] == "Deployment"]
    assert deployment["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"] == {
        "cpu": "2",
        "memory": "1Gi",
    }
    assert [(item.slug, item.path[-1]) for item in found] == [("resources/overridden", "cpu")]


def test_shared_memory_of_the_user(tmp_path: Path) -> None:
    main = {**MAIN, "volumeMounts": [{"name": "mine", "mountPath": "/dev/shm"}]}
    pod = {"mainContainer": main, "volumes": [{"name": "mine", "emptyDir": {"medium": "Memory", "sizeLimit": "2Gi"}}]}
    fields: Tree = {"componentType": "worker", "extraPodSpec": pod}
    _, found = rendered(tmp_path, fields, "1.4", "plain", "DynamoGraphDeployment")
    assert [item.slug for item in found] == ["storage/shared-memory-replaced"]
    _, found = rendered(
        tmp_path, fields | {"sharedMemory": {"disabled": True}}, "1.4", "plain", "DynamoGraphDeployment"
    )
    assert found == []
