from copy import deepcopy

import pytest

from tests.webhooks.reviewing import component, defaulted, graph, other

ORIGIN = "nvidia.com/dynamo-operator-origin-version"


def test_services_get_a_replica_and_the_graph_the_operators_version() -> None:
    value = graph({"services": {"A": {}, "B": {"replicas": 0}, "C": None}})
    before = deepcopy(value)
    result = defaulted(value)
    assert result["spec"]["services"] == {"A": {"replicas": 1}, "B": {"replicas": 0}, "C": None}
    assert result["metadata"]["annotations"] == {ORIGIN: "1.0.0"}
    assert value == before


def test_an_origin_that_is_given_stays() -> None:
    for origin in ("0.9.0", ""):
        value = graph({"services": {}}, annotations={ORIGIN: origin, "a": "b"})
        assert defaulted(value)["metadata"]["annotations"] == {ORIGIN: origin, "a": "b"}


@pytest.mark.parametrize(
    ("target", "annotations", "least"),
    [
        ("grove", {}, 1),
        ("grove", {"nvidia.com/enable-grove": "False"}, None),
        ("grove", {"nvidia.com/enable-grove": "no"}, 1),
        ("lws", {}, None),
    ],
)
def test_on_groves_pathway_one_pod_must_be_available(
    target: str, annotations: dict[str, str], least: int | None
) -> None:
    value = component({})
    value["metadata"]["annotations"] = annotations
    [result] = defaulted(value, "1.4", target=target)["spec"]["components"]
    assert result["replicas"] == 1
    assert result.get("minAvailable") == least


def test_what_is_given_stays_in_1_4() -> None:
    [result] = defaulted(component({"replicas": 0, "minAvailable": 2}), "1.4")["spec"]["components"]
    assert (result["replicas"], result["minAvailable"]) == (0, 2)


def test_a_component_on_its_own_is_called_like_its_object() -> None:
    alone = other("DynamoComponentDeployment", {}, "v1beta1")
    assert defaulted(alone, "1.4")["spec"] == {"name": "it"}
    alone["spec"] = {"name": "other"}
    assert defaulted(alone, "1.4")["spec"] == {"name": "other"}


def test_images_of_requests() -> None:
    request = other("DynamoGraphDeploymentRequest", {}, "v1beta1")
    assert defaulted(request, "1.0")["spec"]["image"] == "nvcr.io/nvidia/ai-dynamo/dynamo-frontend:1.0.0"
    assert defaulted(request, "1.4")["spec"]["image"] == "nvcr.io/nvidia/ai-dynamo/dynamo-planner:1.4.0"
    request["spec"] = {"image": "mine:1"}
    assert defaulted(request, "1.4")["spec"]["image"] == "mine:1"


@pytest.mark.parametrize("kind", ["DynamoComponentDeployment", "DynamoModel"])
def test_kinds_without_a_webhook_come_back_as_they_are(kind: str) -> None:
    value = other(kind, {})
    assert defaulted(value) is value
