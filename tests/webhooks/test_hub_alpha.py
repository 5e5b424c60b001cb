"""Documents of v1alpha1, which operator 1.4 converts before its webhooks see them."""

import pytest

from dynamoc.admission.convert.operator import to_v1beta1
from tests.webhooks.reviewing import Tree, graph, other, refusals, warnings

IMAGE = {"mainContainer": {"image": "x:1.4.0"}}
WORKER = {"componentType": "worker", "replicas": 1, "extraPodSpec": IMAGE}


def found(spec: Tree, target: str = "grove") -> list[str]:
    """What is said about one service, paths below it."""
    origin = graph({"services": {"Frontend": {**WORKER, "componentType": "frontend"}, "Worker": {**WORKER, **spec}}})
    lines = refusals(to_v1beta1(origin), "1.4", origin, target=target)
    return [line.replace("spec.services.Worker", "") for line in lines]


@pytest.mark.parametrize(
    ("spec", "line"),
    [
        ({}, None),
        ({"extraPodSpec": None}, "admission/no-image .extraPodSpec.mainContainer.image"),
        ({"extraPodSpec": {"mainContainer": {"image": ""}}}, "admission/no-image .extraPodSpec.mainContainer.image"),
        (
            {"extraPodSpec": {"mainContainer": {"image": "x:tag"}}},
            "admission/runtime-version .extraPodSpec.mainContainer.image",
        ),
        ({"extraPodSpec": {"mainContainer": {"image": "x:tag"}}, "runtimeVersionOverride": "1.4.0"}, None),
        ({"ingress": {"enabled": True}}, "admission/ingress-host .ingress"),
        ({"volumeMounts": [{"name": "v"}]}, "admission/mount-point .volumeMounts[0]"),
        (
            {"annotations": {"nvidia.com/vllm-distributed-executor-backend": "x"}},
            "admission/executor-backend .annotations[nvidia.com/vllm-distributed-executor-backend]",
        ),
        (
            {"gpuMemoryService": {"enabled": True}},
            "admission/memory-service .gpuMemoryService",
        ),
        ({"checkpoint": {"enabled": True}}, "admission/checkpoint-disabled .checkpoint"),
        ({"failover": {"enabled": False, "mode": "intraPod", "numShadows": 2}}, None),
    ],
)
def test_faults_stand_at_the_users_own_fields(spec: Tree, line: str | None) -> None:
    assert found(spec) == ([line] if line else [])


def test_more_than_one_shadow_goes_between_pods() -> None:
    spec = {"failover": {"enabled": True, "mode": "intraPod", "numShadows": 2}}
    assert "admission/failover .failover.numShadows" in found(spec)


def test_what_needs_grove_is_told_in_v1alpha1() -> None:
    assert found({"minAvailable": 1}, "lws") == ["admission/needs-grove .minAvailable"]


@pytest.mark.parametrize(("config", "good"), [({"config": {}}, True), ({}, False)])
def test_an_epp_has_one_config(config: Tree, good: bool) -> None:
    spec = {"componentType": "epp", "eppConfig": config}
    assert found(spec) == ([] if good else ["admission/epp-config .eppConfig"])


def test_claims_have_names() -> None:
    origin = graph({"services": {"Worker": WORKER}, "pvcs": [{"name": "c"}, {}]})
    value = to_v1beta1(graph({"services": {"Worker": WORKER}}))
    assert refusals(value, "1.4", origin) == ["admission/claim-incomplete spec.pvcs[1]"]


@pytest.mark.parametrize("kind", ["DynamoGraphDeployment", "DynamoComponentDeployment"])
def test_the_old_version_is_deprecated(kind: str) -> None:
    spec = {"services": {"Worker": WORKER}} if kind == "DynamoGraphDeployment" else WORKER
    origin = other(kind, spec)
    assert warnings(to_v1beta1(origin), "1.4", origin) == ["admission/deprecated-version apiVersion"]
    beta = to_v1beta1(origin)
    assert warnings(beta, "1.4", beta) == []


def test_a_component_on_its_own_needs_an_image_but_no_version() -> None:
    for image, lines in (("x:tag", []), ("", ["admission/no-image spec.extraPodSpec.mainContainer.image"])):
        origin = other("DynamoComponentDeployment", {**WORKER, "extraPodSpec": {"mainContainer": {"image": image}}})
        assert refusals(to_v1beta1(origin), "1.4", origin) == lines
