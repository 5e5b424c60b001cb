"""Where webhooks point, and what they let pass: short documents, the paths of their findings."""

from __future__ import annotations

import pytest

from dynamoc.release import get_release
from dynamoc.webhooks.by_release import judge
from tests.releases.compiled import IMAGE
from tests.webhooks.reviewing import Tree, context, graph, refusals

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
