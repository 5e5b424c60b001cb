"""Where webhooks point, and what they let pass: short documents, the paths of their findings.

Files named here are those of internal/webhook/validation; 1.6 is dd2a4301e.
"""

from __future__ import annotations

import pytest

from dynamoc.admission.webhooks.by_release import judge
from dynamoc.admission.webhooks.hub_experimental import POWER_LIMIT
from dynamoc.reference.releases import get_release
from tests.releases.compiled import IMAGE
from tests.webhooks.reviewing import Tree, context, graph, refusals, said, warnings

GPUS: Tree = {"resources": {"limits": {"gpu": "1"}}}


def container(version: str = "1.6.0", **fields: object) -> Tree:
    return {"name": "main", "image": f"{IMAGE}:{version}", **fields}


def template(*containers: Tree, **fields: object) -> Tree:
    return {"spec": {"containers": list(containers), **fields}}


def beta(*components: Tree, **spec: object) -> Tree:
    return graph({"components": list(components), "backendFramework": "vllm", **spec}, version="v1beta1")


def spread(*versions: str) -> Tree:
    """A component of two nodes whose roles have images of these versions."""
    roles = [
        {"name": name, "podTemplate": template({"name": "side", "image": "side:1"}, container(version))}
        for name, version in zip(("leader", "worker"), versions, strict=True)
    ]
    return {"name": "w", "type": "worker", "multinode": {"nodeCount": 2}, "roles": roles}


def test_a_version_is_missed_in_the_container_of_the_role() -> None:
    """shared_v1beta1.go validateRolePodTemplateRuntimeVersion of 1.6 names `runtimeVersionOverride`, we the image."""
    assert refusals(beta(spread("1.6.0", "latest")), "1.6") == [
        "admission/runtime-version spec.components[0].roles[1].podTemplate.spec.containers[1].image"
    ]


@pytest.mark.parametrize(("version", "fits"), [("1.6.0", True), ("1.5.0", False)])
def test_a_planner_beside_roles_is_judged_by_its_image(version: str, fits: bool) -> None:
    """planner_runtime_features.go validateRolePodTemplatesPlannerRuntime of 1.6 names the roles, we the planner."""
    planner = {
        "name": "p",
        "type": "planner",
        "podTemplate": template({"name": "side", "image": "side:1"}, container(version)),
    }
    expected = [] if fits else ["admission/planner spec.components[1]"]
    assert refusals(beta(spread("1.6.0", "1.6.0"), planner), "1.6") == expected


@pytest.mark.parametrize(("framework", "refused"), [("vllm", []), ("sglang", ["admission/memory-service"])])
def test_a_memory_service_between_pods_needs_vllm_in_1_2(framework: str, refused: list[str]) -> None:
    """dynamographdeployment.go validateService of 1.2"""
    service = {"componentType": "worker", "gpuMemoryService": {"enabled": True, "mode": "interPod"}, **GPUS}
    found = refusals(graph({"backendFramework": framework, "services": {"A": service}}), "1.2")
    assert [text.split()[0] for text in found if "memory-service" in text] == refused


def test_two_long_names_are_one_problem_of_the_graph() -> None:
    """dynamographdeployment.go validateServiceNameLength of 1.0 stops at the first; we say how many there are."""
    document = graph({"services": {"a" * 30: {}, "b" * 30: {}}}, name="c" * 20)
    problems = judge(get_release("1.0"), document["kind"], document, context("1.0"))
    (found,) = [problem for problem in problems if problem.slug == "admission/name-length"]
    assert found.path == ("metadata", "name")
    assert found.message.endswith("This affects 2 services.")


TOPOLOGY = {
    "apiVersion": "grove.io/v1alpha1",
    "kind": "ClusterTopology",
    "metadata": {"name": "racks"},
    "spec": {"levels": [{"domain": "rack", "key": "rack"}]},
}


@pytest.mark.parametrize(("word", "refused"), [("true", True), ("FALSE", False)])
def test_domains_are_looked_up_for_grove_alone(word: str, refused: bool) -> None:
    """dynamographdeployment.go validateTopologyConstraints, isGrovePathway of 1.1"""
    constraint = {"topologyProfile": "racks", "packDomain": "zone"}
    spec = {"services": {"A": {}}, "topologyConstraint": constraint}
    document = graph(spec, annotations={"nvidia.com/enable-grove": word})
    found = refusals(document, "1.1", objects=(TOPOLOGY,))
    assert any(text.startswith("admission/topology") for text in found) == refused


@pytest.mark.parametrize(("release", "refused"), [("1.1", True), ("1.2", False)])
def test_1_1_looks_domains_up_without_grove_too(release: str, refused: bool) -> None:
    """dynamographdeployment.go isGrovePathway: of 1.2 alone it asks whether the operator runs with Grove."""
    constraint = {"topologyProfile": "racks", "packDomain": "zone"}
    document = graph({"services": {"A": {}}, "topologyConstraint": constraint})
    found = refusals(document, release, objects=(TOPOLOGY,), target="plain")
    assert any(text.startswith("admission/topology") for text in found) == refused


@pytest.mark.parametrize(("mode", "refused"), [("Auto", []), ("", []), ("Manual", ["admission/checkpoint"])])
def test_a_job_goes_with_snapshots_of_the_operator(mode: str, refused: list[str]) -> None:
    """shared.go validateCheckpointConfig of 1.2"""
    checkpoint = {"enabled": True, "mode": mode, "job": {}}
    found = refusals(graph({"services": {"A": {"componentType": "worker", "checkpoint": checkpoint}}}), "1.2")
    assert [text.split()[0] for text in found] == refused


def test_the_old_version_is_told_where_it_was_written() -> None:
    """The CRD of 1.2 deprecates v1alpha1 (api/v1alpha1/dynamographdeployment_types.go).

    Of a graph that is judged in v1alpha1, but was written in v1beta1, it is not told.
    """
    document = graph({"services": {"A": {}}})
    written = {**document, "apiVersion": "nvidia.com/v1beta1"}
    assert "admission/deprecated-version apiVersion" in warnings(document, "1.2")
    assert "admission/deprecated-version apiVersion" not in warnings(document, "1.2", written)


def test_a_word_for_the_discovery_mode_is_one_of_two() -> None:
    """dynamographdeployment.go validateAnnotations of 1.1"""
    key = "nvidia.com/dynamo-kube-discovery-mode"
    for word, refused in (("container", []), ("node", [f"admission/annotation-value metadata.annotations[{key}]"])):
        assert refusals(graph({"services": {"A": {}}}, annotations={key: word}), "1.1") == refused


def test_minima_in_two_ways_are_told_at_the_fragment() -> None:
    """dynamographdeployment.go validateDynamoGraphDeploymentSpec of 1.6"""
    override = {"apiVersion": "grove.io/v1alpha1", "value": {"spec": {"minAvailable": 1}}}
    whole = {"type": "worker", "podTemplate": template(container())}
    document = beta({"name": "a", **whole, "minAvailable": 1}, {"name": "b", **whole, "providerOverride": override})
    assert "admission/min-available spec.components[1].providerOverride.value" in refusals(document, "1.6")


def test_a_name_that_is_too_long_for_grove_says_what_grove_puts_together() -> None:
    """dynamographdeployment_helpers.go dgdComponentResourceNameLength of 1.4: with the longest clique's name.

    Of equally long ones the first counts, the leader's (internal/dynamo/graph.go LongestPodCliqueNameForDGDComponent).
    """
    component = {"name": "w" * 40, "type": "worker", "podTemplate": template(container())}
    document = beta({**component, "multinode": {"nodeCount": 2}})
    (found,) = judge(get_release("1.4"), document["kind"], document, context("1.4"))
    assert found.slug == "admission/name-length"
    assert f"`{'w' * 40}-ldr`" in found.message


def test_weight_servers_need_room_in_names() -> None:
    """dynamographdeployment.go validateServiceNameLength of 1.2: a service with them has a scaling group."""
    service = {"componentType": "worker", **GPUS}
    document = graph({"backendFramework": "vllm", "services": {"w" * 25: service}})
    assert refusals(document, "1.2") == []
    document["spec"]["services"]["w" * 25] = {**service, "gpuMemoryService": {"enabled": True, "mode": "interPod"}}
    assert [text.split()[0] for text in refusals(document, "1.2")] == ["admission/name-length"]


BETWEEN = {"gpuMemoryService": {"enabled": True, "mode": "interPod"}}


def test_1_1_has_no_memory_service_between_pods() -> None:
    """shared.go validateGPUMemoryService of 1.1"""
    found = refusals(graph({"services": {"A": {"componentType": "worker", **GPUS, **BETWEEN}}}), "1.1")
    assert "admission/memory-service spec.services.A.gpuMemoryService.mode" in found


@pytest.mark.parametrize("target", ["grove", "plain"])
def test_a_memory_service_between_pods_needs_grove_in_1_2(target: str) -> None:
    """dynamographdeployment.go validateService of 1.2"""
    document = graph({"backendFramework": "vllm", "services": {"A": {"componentType": "worker", **GPUS, **BETWEEN}}})
    found = "admission/needs-grove spec.services.A.gpuMemoryService.mode" in refusals(document, "1.2", target=target)
    assert found == (target == "plain")


@pytest.mark.parametrize(
    ("annotation", "word", "refused"),
    [
        (POWER_LIMIT, "300", "admission/power-limit"),
        ("nvidia.com/vllm-distributed-executor-backend", "uni", "admission/executor-backend"),
        ("nvidia.com/vllm-distributed-executor-backend", "Ray", None),
    ],
)
def test_annotations_of_a_role(annotation: str, word: str, refused: str | None) -> None:
    """shared_v1beta1.go validateComponentRoleSpec of 1.6; case does not count in a backend's name
    (shared_helpers.go invalidVLLMDistributedExecutorBackendAnnotation).
    """
    component = spread("1.6.0", "1.6.0")
    component["roles"][1]["podTemplate"]["metadata"] = {"annotations": {annotation: word}}
    path = f"spec.components[0].roles[1].podTemplate.metadata.annotations[{annotation}]"
    assert refusals(beta(component), "1.6") == ([f"{refused} {path}"] if refused else [])


def test_a_role_has_no_minimum_of_its_own() -> None:
    """shared_v1beta1.go validateProviderOverride of 1.6"""
    component = spread("1.6.0", "1.6.0")
    minimum = {
        "apiVersion": "grove.io/v1alpha1",
        "target": "PodCliqueTemplateSpec",
        "value": {"spec": {"minAvailable": 1}},
    }
    component["roles"][0]["providerOverride"] = minimum
    messages = [
        problem.message
        for problem in judge(get_release("1.6"), "DynamoGraphDeployment", beta(component), context("1.6"))
    ]
    assert "`minAvailable` belongs to the component, not to one of its roles." in messages


def test_an_old_version_of_a_component_is_told_too() -> None:
    """The CRD of 1.2 deprecates v1alpha1 (api/v1alpha1/dynamocomponentdeployment_types.go)."""
    document = {**graph({"componentType": "worker"}), "kind": "DynamoComponentDeployment"}
    assert "admission/deprecated-version apiVersion" in warnings(document, "1.2")


def memory(**fields: object) -> Tree:
    """A component of v1beta1 whose engines and weight servers have pods of their own."""
    gpus = {"resources": {"limits": {"nvidia.com/gpu": "1"}}}
    experimental = {"gpuMemoryService": {"mode": "InterPod"}, **fields}
    return {"name": "w", "type": "worker", "podTemplate": template(container(**gpus)), "experimental": experimental}


def updated(old: Tree, new: Tree, release: str = "1.4") -> list[str]:
    return said(judge(get_release(release), new["kind"], new, context(release), old=old))


def test_failover_between_pods_stays_as_it_is() -> None:
    """shared_v1beta1.go validateExperimentalSpecUpdate, shared_helpers.go effectiveNumShadows of 1.4"""
    none, one, two = (
        beta(memory(**fields))
        for fields in ({}, {"failover": {"mode": "InterPod"}}, {"failover": {"mode": "InterPod", "numShadows": 2}})
    )
    failover = "update/failover spec.components[0].experimental.failover"
    assert updated(one, one) == updated(two, two) == []
    assert failover in updated(none, one)
    assert failover in updated(one, none)
    assert f"{failover}.numShadows" in updated(one, two)
    # One shadow is what nothing means.
    assert updated(one, beta(memory(failover={"mode": "InterPod", "numShadows": 1}))) == []


def test_gpus_stay_under_a_power_limit_however_they_are_asked_for() -> None:
    """dynamographdeployment.go validateDynamoGraphDeploymentSharedSpecUpdate of 1.4; limits count before requests
    (dynamographdeployment_helpers.go effectiveNumberOfGPUsV1Beta1).
    """

    def limited(kind: str, count: str) -> Tree:
        spec = template(container(resources={kind: {"nvidia.com/gpu": count}}))
        whole = {**spec, "metadata": {"annotations": {POWER_LIMIT: "300"}}}
        return beta({"name": "w", "type": "worker", "podTemplate": whole})

    refused = "update/power-limit spec.components[0].podTemplate.spec.containers"
    assert refused not in updated(limited("requests", "1"), limited("limits", "1"))
    assert refused in updated(limited("requests", "1"), limited("requests", "2"))


@pytest.mark.parametrize(
    ("mode", "path"),
    [
        (None, "spec.services.A.failover"),
        ("pod", "metadata.annotations[nvidia.com/dynamo-kube-discovery-mode]"),
        ("container", None),
    ],
)
def test_failover_in_a_pod_discovers_containers_in_1_1(mode: str | None, path: str | None) -> None:
    """dynamographdeployment.go validateFailoverRequiresDiscoveryMode of 1.1"""
    service = {"componentType": "worker", **GPUS, "gpuMemoryService": {"enabled": True}, "failover": {"enabled": True}}
    annotations = {"nvidia.com/dynamo-kube-discovery-mode": mode} if mode else None
    document = graph({"backendFramework": "vllm", "services": {"A": service}}, annotations=annotations)
    assert refusals(document, "1.1") == ([f"admission/failover-discovery {path}"] if path else [])


def test_domains_are_looked_up_for_the_spec_that_a_graph_was_created_with() -> None:
    """dynamographdeployment.go validateTopologyConstraints of 1.1 looks at generation 1 alone.

    We take an object without a generation, which no API server has, for one of the first.
    """
    constraint = {"topologyProfile": "racks", "packDomain": "zone"}
    document = graph({"services": {"A": {}}, "topologyConstraint": constraint})

    def refused(**metadata: int) -> bool:
        old = {**document, "metadata": {**document["metadata"], **metadata}}
        problems = judge(get_release("1.1"), document["kind"], document, context("1.1", objects=(TOPOLOGY,)), old=old)
        return any(problem.slug == "admission/topology" for problem in problems)

    assert (refused(), refused(generation=1), refused(generation=2)) == (True, True, False)


@pytest.mark.parametrize(("mode", "refused"), [("intraPod", False), ("interPod", True)])
def test_clients_of_a_snapshot_share_its_pod_in_1_2(mode: str, refused: bool) -> None:
    """shared.go validateCheckpointConfig of 1.2"""
    checkpoint = {"enabled": True, "mode": "Auto", "job": {"gmsClientContainers": ["main"]}}
    service = {"componentType": "worker", **GPUS, "gpuMemoryService": {"enabled": True, "mode": mode}}
    document = graph({"backendFramework": "vllm", "services": {"A": {**service, "checkpoint": checkpoint}}})
    path = "admission/checkpoint spec.services.A.checkpoint.job.gmsClientContainers"
    assert (path in refusals(document, "1.2")) is refused
