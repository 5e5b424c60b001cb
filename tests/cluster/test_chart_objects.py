"""What the chart installs for pods, held against the generated schemas and Kubernetes' own."""

import copy
from typing import Any

import pytest

from dynamoc.admission.cluster.helm_chart import (
    EPP,
    PLANNER,
    accounts,
    cluster_roles,
    kai_queues,
    namespaced_access,
    planner_rules,
    worker_metadata_definition,
)
from dynamoc.admission.cluster.helm_values import chart_default
from dynamoc.documents.schema.schemas import definitions
from dynamoc.reference.releases import RELEASES

GENERATED = [
    (release, crd)
    for release in RELEASES
    for crd in definitions(release)
    if crd["spec"]["names"]["kind"] == "DynamoWorkerMetadata"
]


@pytest.mark.parametrize("generated", [crd for _, crd in GENERATED], ids=[release for release, _ in GENERATED])
def test_the_definition_is_that_of_every_release(generated: dict[str, Any]) -> None:
    generated = copy.deepcopy(generated)
    for version in generated["spec"]["versions"]:
        schema = version["schema"]["openAPIV3Schema"]
        for described in (schema, schema["properties"]["spec"]):
            del described["description"]
    assert worker_metadata_definition() == generated


def test_planners_of_1_4_leave_components_alone() -> None:
    resources = {name: planner_rules(release)[0]["resources"] for name, release in RELEASES.items()}
    later = [name for name, found in resources.items() if found == ["dynamographdeployments"]]
    assert later == list(RELEASES)[list(RELEASES).index("1.4") :]
    assert all("dynamocomponentdeployments" in found for name, found in resources.items() if name not in later)
    assert len(planner_rules(RELEASES["0.6"])) == 1
    assert len(planner_rules(RELEASES["1.0"])) == len(planner_rules(RELEASES["1.4"])) == 4


def test_roles_bear_the_names_that_the_operator_binds() -> None:
    config = chart_default("1.4")
    assert [role["metadata"]["name"] for role in cluster_roles(config, RELEASES["1.4"])] == [
        "dynamo-platform-dynamo-operator-planner",
        "dynamo-platform-dynamo-operator-epp",
    ]
    assert [role["metadata"]["name"] for role in cluster_roles(chart_default("0.6"), RELEASES["0.6"])] == [
        "dynamo-platform-dynamo-operator-planner"
    ]
    config.rbac.epp_cluster_role_name = config.rbac.planner_cluster_role_name
    [both] = cluster_roles(config, RELEASES["1.4"])
    assert {"pods", "dynamographdeployments"} <= {name for rule in both["rules"] for name in rule["resources"]}


def test_an_operator_of_one_namespace_has_roles_there() -> None:
    config = chart_default("1.4")
    config.namespace.restricted = "team"
    assert cluster_roles(config, RELEASES["1.4"]) == []
    account, role, binding = namespaced_access(EPP, "team", RELEASES["1.4"])
    assert binding["roleRef"]["name"] == role["metadata"]["name"]
    assert binding["subjects"][0]["name"] == account["metadata"]["name"] == accounts(RELEASES["1.4"])[EPP]
    assert "tokenreviews" not in {name for rule in role["rules"] for name in rule["resources"]}
    assert list(accounts(RELEASES["0.6"])) == [PLANNER]


def test_queues_hang_together() -> None:
    parent, queue = kai_queues()
    assert queue["spec"]["parentQueue"] == parent["metadata"]["name"]
    assert queue["spec"]["resources"] == parent["spec"]["resources"]
