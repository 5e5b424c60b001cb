"""How many pods a gang needs, and what the set of cliques says beside them."""

import pytest

from tests.rules.graphs import render


@pytest.mark.parametrize(
    ("fields", "cliques", "group"),
    [
        ("replicas: 5, minAvailable: 2", {"web": (5, 2)}, None),
        ("replicas: 5", {"web": (5, 1)}, None),
        (
            "replicas: 5, minAvailable: 2, experimental: {grove: {forceScalingGroup: true}}",
            {"web": (1, 1)},
            (5, 2),
        ),
        (
            "replicas: 5, minAvailable: 2, multinode: {nodeCount: 4}",
            {"web-ldr": (1, 1), "web-wkr": (3, 3)},
            (5, 2),
        ),
    ],
)
def test_all_nodes_of_a_replica_are_needed_and_some_replicas(
    fields: str, cliques: dict[str, tuple[int, int]], group: tuple[int, int] | None
) -> None:
    rendered = render(f"components: [{{name: Web, type: frontend, {fields}}}]")
    made = {name: (item["spec"]["replicas"], item["spec"]["minAvailable"]) for name, item in rendered.cliques().items()}
    assert made == cliques
    groups = rendered.one("PodCliqueSet")["spec"]["template"].get("podCliqueScalingGroups") or []
    assert [(item["replicas"], item["minAvailable"]) for item in groups] == ([group] if group else [])


def test_the_set_has_a_priority_and_an_update_strategy() -> None:
    text = "priorityClassName: high\ncomponents: [{name: Web, type: frontend}]"
    spec = render(text, annotations={"nvidia.com/grove-update-strategy": "OnDelete"}).one("PodCliqueSet")["spec"]
    assert spec["updateStrategy"] == {"type": "OnDelete"}
    assert spec["template"]["priorityClassName"] == "high"


def test_adapters_speak_of_components_and_own_no_defaults() -> None:
    text = "components: [{name: Web, type: frontend, scalingAdapter: {}, replicas: 0}, {name: Other}]"
    adapter = render(text).one("DynamoGraphDeploymentScalingAdapter")
    assert adapter["apiVersion"] == "nvidia.com/v1beta1"
    assert adapter["spec"] == {"replicas": 0, "dgdRef": {"name": "llm", "componentName": "Web"}}


def test_components_whose_names_differ_in_case_become_the_last_of_them() -> None:
    text = "components: [{name: WEB, type: frontend}, {name: web, type: planner}]"
    cliques = render(text).one("PodCliqueSet")["spec"]["template"]["cliques"]
    assert [clique["labels"]["nvidia.com/dynamo-component"] for clique in cliques] == ["web", "web"]
