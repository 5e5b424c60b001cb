"""Components of v1alpha1, as operator 1.0 judges them in a graph and on their own."""

import pytest

from tests.webhooks.reviewing import Tree, other, refusals, service, warnings

SIDECAR = {"containers": [{"name": "helper"}, {"name": "sidecar-frontend"}]}
EPP = {"componentType": "epp", "eppConfig": {"configMapRef": {"name": "c"}}}


@pytest.mark.parametrize(
    ("spec", "found"),
    [
        ({"replicas": 0}, None),
        ({"replicas": -1}, "admission/replicas .replicas"),
        ({"ingress": {"enabled": True, "host": "h"}}, None),
        ({"ingress": {"enabled": False}}, None),
        ({"ingress": {"enabled": True, "host": ""}}, "admission/ingress-host .ingress"),
        ({"volumeMounts": [{"name": "v", "mountPoint": "/v"}]}, None),
        ({"volumeMounts": [{"name": "v", "useAsCompilationCache": True}]}, None),
        ({"volumeMounts": [{"name": "v"}]}, "admission/mount-point .volumeMounts[0]"),
        ({"sharedMemory": {"size": "1Gi"}}, None),
        ({"sharedMemory": {"disabled": True}}, None),
        ({"sharedMemory": {}}, "admission/shared-memory .sharedMemory"),
        ({"sharedMemory": {"size": "0"}}, "admission/shared-memory .sharedMemory"),
        ({"extraPodSpec": SIDECAR}, None),
        ({"frontendSidecar": {}}, None),
        (
            {"frontendSidecar": {}, "extraPodSpec": SIDECAR},
            "admission/sidecar-name .extraPodSpec.containers[1].name",
        ),
        (EPP, None),
        ({**EPP, "eppConfig": {"config": {}}}, None),
        ({**EPP, "multinode": {"nodeCount": 2}}, "admission/epp-multinode .multinode"),
        ({**EPP, "replicas": 2}, "admission/epp-replicas .replicas"),
        ({"componentType": "epp"}, "admission/epp-config "),
        ({**EPP, "eppConfig": {}}, "admission/epp-config .eppConfig"),
        ({**EPP, "eppConfig": {"configMapRef": {"name": "c"}, "config": {}}}, "admission/epp-config .eppConfig"),
        ({**EPP, "eppConfig": {"configMapRef": {}}}, "admission/epp-config .eppConfig.configMapRef"),
        ({"componentType": "worker", "eppConfig": {}}, None),
    ],
)
def test_components(spec: Tree, found: str | None) -> None:
    slug, _, tail = (found or "").partition(" ")
    in_graph = [f"{slug} spec.services.Worker{tail}"] if found else []
    alone = [f"{slug} spec{tail}"] if found else []
    assert refusals(service(spec)) == in_graph
    assert refusals(other("DynamoComponentDeployment", spec)) == alone


def test_an_epp_of_a_graph_needs_inference_pools() -> None:
    version = "apiextensions.k8s.io/v1"
    definitions = ({"apiVersion": version, "kind": "CustomResourceDefinition", "spec": {"group": "nvidia.com"}},)
    found = refusals(service(EPP), objects=definitions)
    assert found == ["admission/no-inference-pool spec.services.Worker.componentType"]
    assert refusals(other("DynamoComponentDeployment", EPP), objects=definitions) == []


def test_fields_that_are_ignored() -> None:
    spec = {"dynamoNamespace": "mine", "autoscaling": {"enabled": True}}
    assert warnings(service(spec)) == [
        "admission/ignored-dynamo-namespace spec.services.Worker.dynamoNamespace",
        "admission/ignored-autoscaling spec.services.Worker.autoscaling",
    ]
    assert warnings(service({"dynamoNamespace": "", "autoscaling": None})) == []
    assert len(warnings(other("DynamoComponentDeployment", spec))) == 2


def test_the_message_names_the_namespace_that_counts() -> None:
    from dynamoc.admission.webhooks.by_release import judge
    from dynamoc.reference.releases import get_release
    from tests.webhooks.reviewing import context, graph

    for spec, namespace in (({}, "default-a-b"), ({"globalDynamoNamespace": True}, "dynamo")):
        value = graph({"services": {"A": {"dynamoNamespace": "mine", **spec}}}, "a.b")
        [problem] = judge(get_release("1.0"), value["kind"], value, context("1.0"))
        assert f"`{namespace}`" in problem.message


MULTINODE = {"multinode": {"nodeCount": 2}}


@pytest.mark.parametrize(
    ("target", "spec", "told"),
    [("auto", MULTINODE, True), ("auto", {}, False), ("lws", MULTINODE, False), ("grove", MULTINODE, False)],
)
@pytest.mark.parametrize("release", ["1.0", "1.4"])
def test_an_orchestrator_that_is_assumed_is_told(release: str, target: str, spec: Tree, told: bool) -> None:
    value = service(spec)
    if release == "1.4":
        from tests.webhooks.reviewing import component

        value = component(spec)
    found = [line.split()[0] for line in warnings(value, release, target=target)]
    assert found == (["context/unknown-orchestrator"] if told else [])


def test_grove_serves_several_nodes_unless_the_graph_turns_it_off() -> None:
    grove = {"orchestrators.grove.enabled": True}
    value = service(MULTINODE)
    assert warnings(value, target="auto", settings=grove) == []
    value["metadata"]["annotations"] = {"nvidia.com/enable-grove": "false"}
    assert len(warnings(value, target="auto", settings=grove)) == 1
    assert len(warnings(other("DynamoComponentDeployment", MULTINODE), target="auto", settings=grove)) == 1
