"""Where webhooks point, and what they let pass: short documents, the paths of their findings."""

from __future__ import annotations

import pytest

from dynamoc.release import get_release
from dynamoc.webhooks.by_release import judge
from tests.releases.compiled import IMAGE
from tests.webhooks.reviewing import Tree, context, graph, refusals, warnings

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
    assert refusals(beta(spread("1.6.0", "latest")), "1.6") == [
        "admission/runtime-version spec.components[0].roles[1].podTemplate.spec.containers[1].image"
    ]


@pytest.mark.parametrize(("version", "fits"), [("1.6.0", True), ("1.5.0", False)])
def test_a_planner_beside_roles_is_judged_by_its_image(version: str, fits: bool) -> None:
    planner = {
        "name": "p",
        "type": "planner",
        "podTemplate": template({"name": "side", "image": "side:1"}, container(version)),
    }
    expected = [] if fits else ["admission/planner spec.components[1]"]
    assert refusals(beta(spread("1.6.0", "1.6.0"), planner), "1.6") == expected


@pytest.mark.parametrize(("framework", "refused"), [("vllm", []), ("sglang", ["admission/memory-service"])])
def test_a_memory_service_between_pods_needs_vllm_in_1_2(framework: str, refused: list[str]) -> None:
    """internal/webhook/validation/shared.go of 1.2"""
    service = {"componentType": "worker", "gpuMemoryService": {"enabled": True, "mode": "interPod"}, **GPUS}
    found = refusals(graph({"backendFramework": framework, "services": {"A": service}}), "1.2")
    assert [text.split()[0] for text in found if "memory-service" in text] == refused


def test_two_long_names_are_one_problem_of_the_graph() -> None:
    """Its message says how many services it is about."""
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
    """dynamographdeployment.go validateTopologyConstraint of 1.1"""
    constraint = {"topologyProfile": "racks", "packDomain": "zone"}
    spec = {"services": {"A": {}}, "topologyConstraint": constraint}
    document = graph(spec, annotations={"nvidia.com/enable-grove": word})
    found = refusals(document, "1.1", objects=(TOPOLOGY,))
    assert any(text.startswith("admission/topology") for text in found) == refused


@pytest.mark.parametrize(("mode", "refused"), [("Auto", []), ("", []), ("Manual", ["admission/checkpoint"])])
def test_a_job_goes_with_snapshots_of_the_operator(mode: str, refused: list[str]) -> None:
    """shared.go validateCheckpointConfig of 1.2"""
    checkpoint = {"enabled": True, "mode": mode, "job": {}}
    found = refusals(graph({"services": {"A": {"componentType": "worker", "checkpoint": checkpoint}}}), "1.2")
    assert [text.split()[0] for text in found] == refused


def test_the_old_version_is_told_where_it_was_written() -> None:
    """Of a graph that is judged in v1alpha1, but was written in v1beta1, it is not."""
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
    override = {"apiVersion": "grove.io/v1alpha1", "value": {"spec": {"minAvailable": 1}}}
    whole = {"type": "worker", "podTemplate": template(container())}
    document = beta({"name": "a", **whole, "minAvailable": 1}, {"name": "b", **whole, "providerOverride": override})
    assert "admission/min-available spec.components[1].providerOverride.value" in refusals(document, "1.6")


def test_a_name_that_is_too_long_for_grove_says_what_grove_puts_together() -> None:
    """The longest clique of a component on several nodes is part of it."""
    component = {"name": "w" * 40, "type": "worker", "podTemplate": template(container())}
    document = beta({**component, "multinode": {"nodeCount": 2}})
    (found,) = judge(get_release("1.4"), document["kind"], document, context("1.4"))
    assert found.slug == "admission/name-length"
    assert f"`{'w' * 40}-ldr`" in found.message or f"`{'w' * 40}-wkr`" in found.message


def test_weight_servers_need_room_in_names() -> None:
    """shared.go validateServiceNameLength of 1.2: with pods of their own, a service has cliques of its own."""
    service = {"componentType": "worker", **GPUS}
    document = graph({"backendFramework": "vllm", "services": {"w" * 25: service}})
    assert refusals(document, "1.2") == []
    document["spec"]["services"]["w" * 25] = {**service, "gpuMemoryService": {"enabled": True, "mode": "interPod"}}
    assert [text.split()[0] for text in refusals(document, "1.2")] == ["admission/name-length"]
