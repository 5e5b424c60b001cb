import pytest

from tests.webhooks.reviewing import Tree, other, refusals

MODEL = {"modelName": "m", "baseModelName": "b"}


@pytest.mark.parametrize(
    ("spec", "found"),
    [
        (MODEL, []),
        ({}, ["admission/model-name spec", "admission/model-name spec"]),
        ({**MODEL, "modelName": ""}, ["admission/model-name spec.modelName"]),
        ({**MODEL, "modelType": "lora", "source": {"uri": "hf://a/b"}}, []),
        ({**MODEL, "modelType": "lora"}, ["admission/model-source spec"]),
        ({**MODEL, "modelType": "lora", "source": {"uri": ""}}, ["admission/model-source spec.source"]),
        ({**MODEL, "modelType": "lora", "source": {"uri": "http://a"}}, ["admission/model-source spec.source.uri"]),
        ({**MODEL, "modelType": "base", "source": {"uri": "http://a"}}, []),
    ],
)
@pytest.mark.parametrize("release", ["1.0", "1.4"])
def test_models(release: str, spec: Tree, found: list[str]) -> None:
    assert refusals(other("DynamoModel", spec), release) == found


def test_files_are_sources_since_1_4() -> None:
    value = other("DynamoModel", {**MODEL, "modelType": "lora", "source": {"uri": "file:///adapters/a"}})
    assert refusals(value, "1.0") == ["admission/model-source spec.source.uri"]
    assert refusals(value, "1.4") == []


RESTRICTED = {"namespace.restricted": "default", "gpu_discovery": False}


@pytest.mark.parametrize(
    ("spec", "settings", "found"),
    [
        ({"searchStrategy": "thorough", "backend": "vllm"}, {}, []),
        ({"searchStrategy": "rapid", "backend": "auto"}, {}, []),
        ({"searchStrategy": "thorough", "backend": "auto"}, {}, ["admission/search-backend spec.backend"]),
        ({}, RESTRICTED, ["admission/hardware spec"]),
        ({}, {**RESTRICTED, "gpu_discovery": True}, []),
        ({}, {**RESTRICTED, "namespace.restricted": ""}, []),
        ({"hardware": {"vramMb": 0}}, RESTRICTED, []),
        ({"hardware": {"gpuSku": ""}}, RESTRICTED, ["admission/hardware spec.hardware"]),
    ],
)
@pytest.mark.parametrize("release", ["1.0", "1.4"])
def test_requests(release: str, spec: Tree, settings: Tree, found: list[str]) -> None:
    value = other("DynamoGraphDeploymentRequest", spec, "v1beta1")
    assert refusals(value, release, settings=settings) == found


@pytest.mark.parametrize(
    ("spec", "good"),
    [
        ({"image": "x:1.4.0"}, True),
        ({"image": "x:latest", "runtimeVersionOverride": "1.4.0"}, True),
        ({"image": "x"}, False),
    ],
)
def test_images_of_requests_have_a_version_since_1_4(spec: Tree, good: bool) -> None:
    value = other("DynamoGraphDeploymentRequest", spec, "v1beta1")
    assert refusals(value, "1.4") == ([] if good else ["admission/runtime-version spec.image"])
    assert refusals(value, "1.0") == []


@pytest.mark.parametrize("release", ["1.0", "1.4"])
def test_what_was_read_from_a_cluster_is_not_created_again(release: str) -> None:
    value = other("DynamoModel", MODEL)
    value["metadata"]["resourceVersion"] = "7"
    assert refusals(value, release) == ["admission/resource-version metadata.resourceVersion"]


def gms(**change: object) -> Tree:
    """A checkpoint whose pod has all that GPU memory service needs, but for what `change` replaces."""
    wired = {
        "env": [{"name": "GMS_SOCKET_DIR", "value": "/gms-intrapod-control"}],
        "resources": {"claims": [{"name": "intrapod-shared-gpu"}]},
        "volumeMounts": [{"name": "gms-intrapod-control", "mountPath": "/gms-intrapod-control"}],
    }
    pod = {
        "volumes": [{"name": "gms-intrapod-control"}],
        "resourceClaims": [{"name": "intrapod-shared-gpu"}],
        "initContainers": [{"name": "gms-server", **wired}],
        "containers": [{"name": "main", **wired}, {"name": "helper"}],
        **change,
    }
    return {"gpuMemoryService": {"enabled": True}, "job": {"podTemplateSpec": {"spec": pod}}}


POD = "spec.job.podTemplateSpec.spec"


@pytest.mark.parametrize(
    ("spec", "found"),
    [
        ({"job": {}}, []),
        (gms(), []),
        (gms(volumes=[]), [f"admission/memory-service {POD}.volumes"]),
        (gms(resourceClaims=[]), [f"admission/memory-service {POD}.resourceClaims"]),
        (gms(initContainers=[]), [f"admission/memory-service {POD}.initContainers"]),
        (gms(initContainers=[{"name": "gms-server"}]), [f"admission/memory-service {POD}.initContainers[0]"] * 3),
        (gms(containers=[{"name": "main"}]), [f"admission/memory-service {POD}.containers[0]"] * 3),
        (gms(containers=[]), ["admission/checkpoint-target spec.job"]),
        (
            {**gms(), "gpuMemoryService": {"enabled": True, "extraClientContainers": ["gone", "helper"]}},
            [
                "admission/memory-service spec.gpuMemoryService.extraClientContainers[0]",
                *[f"admission/memory-service {POD}.containers[1]"] * 3,
            ],
        ),
        (
            {**gms(), "gpuMemoryService": {"enabled": True, "mode": "interPod"}},
            ["admission/memory-service spec.gpuMemoryService.mode"],
        ),
    ],
)
def test_checkpoints(spec: Tree, found: list[str]) -> None:
    value = other("DynamoCheckpoint", spec)
    assert refusals(value, "1.4", settings={"checkpoint.enabled": True}) == found
    assert refusals(value, "1.4") == ["admission/checkpoint-disabled spec", *found]
    assert refusals(value, "1.0") == []
