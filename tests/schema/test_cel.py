from typing import Any

import pytest

from dynamoc.documents.schema.causes import transitions
from dynamoc.documents.schema.cel import RULES, TRANSITIONS, slug
from dynamoc.documents.schema.check import check
from dynamoc.documents.schema.schemas import load
from dynamoc.reference.releases import ORDER
from dynamoc.reference.slugs import SEVERITY_OF

EXECUTOR = "nvidia.com/vllm-distributed-executor-backend"
CREATED = {"create": True, "size": "1Gi", "storageClass": "fast", "volumeAccessMode": "ReadWriteMany"}

# name of the rule, values it allows, values it refuses
CASES: dict[str, tuple[list[Any], list[Any]]] = {
    "volume-to-create-is-complete": (
        [{}, {"create": False}, CREATED],
        [
            {key: CREATED[key] for key in CREATED if key != gone}
            for gone in ("size", "storageClass", "volumeAccessMode")
        ],
    ),
    "checkpoint-is-identified": (
        [
            {"enabled": False},
            {"enabled": True, "checkpointRef": "c"},
            {"enabled": True, "identity": {"model": "m", "backendFramework": "vllm"}},
        ],
        [{"enabled": True}, {"enabled": True, "checkpointRef": ""}],
    ),
    "checkpoint-has-reference-or-job": (
        [{}, {"job": {}}, {"checkpointRef": "c"}, {"job": {}, "checkpointRef": ""}],
        [{"job": {}, "checkpointRef": "c"}],
    ),
    "checkpoint-has-reference-or-identity": (
        [{"checkpointRef": "c"}, {"identity": {"model": "m"}}],
        [{}, {"checkpointRef": ""}],
    ),
    "checkpoint-job-needs-auto-mode": (
        [{"mode": "Manual"}, {"job": {}}, {"job": {}, "mode": "Auto"}],
        [{"job": {}, "mode": "Manual"}],
    ),
    "client-containers-need-intra-pod": (
        [{"mode": "interPod", "extraClientContainers": []}, {"mode": "intraPod", "extraClientContainers": ["a"]}],
        [{"mode": "interPod", "extraClientContainers": ["a"]}, {"extraClientContainers": ["a"]}],
    ),
    "client-containers-need-intra-pod-mode": (
        [{"mode": "InterPod"}, {"mode": "IntraPod", "extraClientContainers": ["a"]}],
        [{"mode": "InterPod", "extraClientContainers": ["a"]}],
    ),
    "client-pods-need-inter-pod": (
        [{"mode": "intraPod"}, {"mode": "interPod", "extraClientPods": [{}]}],
        [{"mode": "intraPod", "extraClientPods": [{}]}],
    ),
    "client-pods-need-inter-pod-mode": (
        [{"mode": "IntraPod"}, {"mode": "InterPod", "extraClientPods": [{}]}],
        [{"mode": "IntraPod", "extraClientPods": [{}]}],
    ),
    "client-pods-are-not-supported": ([{}, {"extraClientPods": []}], [{"extraClientPods": [{}]}]),
    "shared-memory-is-disabled-or-sized": (
        [{}, {"disabled": True}, {"size": "1Gi"}, {"disabled": False, "size": "1Gi"}],
        [{"disabled": True, "size": "1Gi"}, {"disabled": True, "size": "0"}],
    ),
    "shared-memory-has-a-size": (
        [{"disabled": True}, {"size": "1Gi"}, {"size": ".5"}, {"size": "1e3"}, {"size": "+2E"}, {"size": "1n"}],
        [{}, {"disabled": False}, {"size": "0"}, {"size": "0.0Gi"}, {"size": "-1"}, {"size": "1e1.5"}, {"size": 1}],
    ),
    "min-available-fits-replicas": (
        [
            {},
            {"replicas": 3},
            {"minAvailable": 1},
            {"minAvailable": 2, "replicas": 2},
            {"minAvailable": 5, "replicas": 0},
        ],
        [{"minAvailable": 2}, {"minAvailable": 3, "replicas": 2}],
    ),
    "epp-has-one-config": ([{"config": {}}, {"configMapRef": {}}], [{}, {"config": {}, "configMapRef": {}}]),
    "epp-config-needs-type-epp": (
        [{}, {"type": "worker"}, {"type": "epp", "eppConfig": {}}],
        [{"eppConfig": {}}, {"type": "worker", "eppConfig": {}}],
    ),
    "one-epp-at-most": ([[], [{"type": "epp"}, {"type": "worker"}, {}]], [[{"type": "epp"}, {"type": "epp"}]]),
    "component-names-differ": ([[{"name": "a"}, {"name": "b"}], [{}, {}]], [[{"name": "Worker"}, {"name": "worker"}]]),
    "executor-is-mp-or-ray": ([{}, {EXECUTOR: "mp"}, {EXECUTOR: "RAY"}], [{EXECUTOR: "rays"}, {EXECUTOR: ""}]),
    "sidecar-has-an-image": (
        [{"name": "main"}, {"name": "side", "image": "i"}],
        [{"name": "side"}, {"name": "side", "image": ""}],
    ),
    "init-container-has-an-image": ([{"image": "i"}], [{}, {"image": ""}]),
    "label-key-prefix-is-short": (["zone", "a" * 253 + "/b"], ["a" * 254 + "/b"]),
    "topology-has-a-label-key": ([{"labelKey": "a"}], [{}]),
    "topology-has-one-source": (
        [{"labelKey": "a"}, {"clusterTopologyName": "b"}],
        [{}, {"labelKey": "a", "clusterTopologyName": "b"}],
    ),
    "preferred-topology-has-a-weight": (
        [{}, {"enforcement": "required"}, {"enforcement": "preferred", "preferredWeight": 0}],
        [{"enforcement": "preferred"}],
    ),
    "weight-needs-preferred-topology": (
        [{}, {"enforcement": "preferred", "preferredWeight": 1}],
        [{"preferredWeight": 1}, {"enforcement": "required", "preferredWeight": 1}],
    ),
    "min-available-fits-replicas-or-lpx": (
        [{"minAvailable": 3, "type": "lpx"}, {"minAvailable": 1, "type": "worker"}],
        [{"minAvailable": 3, "type": "worker"}, {"minAvailable": 3, "type": "lpx", "replicas": 2}],
    ),
    "lpx-is-of-type-lpx": ([{}, {"type": "lpx", "lpx": {}}], [{"type": "lpx"}, {"type": "worker", "lpx": {}}]),
    "partitions-are-listed": (
        [{"mode": "All"}, {"mode": "IDs", "ids": [1]}],
        [{"mode": "IDs"}, {"mode": "All", "ids": [1]}],
    ),
    "templates-are-of-one-kind": (
        [{"podTemplate": {}}, {"podTemplate": {}, "roles": [{}]}, {"roles": [{"podTemplate": {}}]}],
        [{"podTemplate": {}, "roles": [{}, {"podTemplate": {}}]}],
    ),
    "restart-is-unset-at-creation": ([{}], [{"restart": {"id": "1"}}]),
}
BY_NAME = {slug(rule).removeprefix("cel/"): text for text, rule in RULES.items()}


def texts_in_schemas() -> set[str]:
    return {text for release in ORDER for node in load(release)["nodes"].all() for text, _ in node.get("rules", ())}


def test_every_rule_of_the_schemas_is_written_down_and_no_other() -> None:
    assert texts_in_schemas() == RULES.keys() | TRANSITIONS.keys()
    assert RULES.keys().isdisjoint(TRANSITIONS)


def test_rules_that_compare_with_the_stored_object_are_the_ones_that_name_it() -> None:
    naming = {text for text in texts_in_schemas() if "oldSelf" in text}
    # `oldSelf.hasValue()` is there for the rule to run at creation, too.
    assert naming - {text for text in naming if "oldSelf.hasValue()" in text} == TRANSITIONS.keys()


def test_every_rule_has_cases() -> None:
    assert CASES.keys() == BY_NAME.keys()


@pytest.mark.parametrize("name", CASES)
def test_rule(name: str) -> None:
    rule = RULES[BY_NAME[name]]
    allowed, refused = CASES[name]
    assert [value for value in allowed if not rule(value)] == []
    assert [value for value in refused if rule(value)] == []


def test_every_rule_has_a_finding_of_its_own_name() -> None:
    rules = [*RULES.values(), *(rule for rule, _ in TRANSITIONS.values())]
    assert {slug(rule) for rule in rules} == {name for name in SEVERITY_OF if name.startswith("cel/")}
    assert [slug(rule) for rule in rules] == ["cel/" + rule.__name__.replace("_", "-") for rule in rules]


def document(kind: str, version: str = "v1alpha1", **spec: Any) -> dict[str, Any]:
    return {"apiVersion": f"nvidia.com/{version}", "kind": kind, "metadata": {"name": "a"}, "spec": spec}


def partitioned(**partitions: Any) -> dict[str, Any]:
    lpx = {"buildId": "b", "experimental": {"localPartitions": partitions}}
    return document("DynamoGraphDeployment", "v1beta1", components=[{"name": "w", "type": "lpx", "lpx": lpx}])


def keyed(key: str) -> dict[str, Any]:
    policy = {"domain": "rack", "enforcement": "required", "labelKey": key}
    return document("DynamoGraphDeployment", services={"w": {}}, experimental={"kvTransferPolicy": policy})


def component(kind: str) -> dict[str, Any]:
    return document("DynamoComponentDeployment", componentType=kind)


@pytest.mark.parametrize(
    ("name", "release", "old", "right", "wrong"),
    [
        (
            "cel/spec-is-kept",
            "1.4",
            document("PodSnapshot", a=1),
            document("PodSnapshot", a=1),
            document("PodSnapshot", a=2),
        ),
        (
            "cel/component-type-is-kept",
            "1.6",
            component("worker"),
            component("worker"),
            component("prefill"),
        ),
        ("cel/partitions-are-listed", "1.6", None, partitioned(mode="IDs", ids=[1]), partitioned(mode="IDs")),
        ("cel/label-key-prefix-is-short", "1.4", None, keyed("a/b"), keyed("a." * 126 + "aa/b")),
    ],
)
def test_rules_that_no_graph_shows_alone(name: str, release: str, old: Any, right: Any, wrong: Any) -> None:
    """The operator's own kinds, types that dynamoc does not render, and what other rules refuse as well."""

    def said(value: Any) -> list[str]:
        if old is not None:
            return [problem.slug for problem in transitions(release, value, old)]
        return [problem.slug for problem in check(release, value["kind"], value["apiVersion"], value)[1]]

    assert name in said(wrong)
    assert name not in said(right)
