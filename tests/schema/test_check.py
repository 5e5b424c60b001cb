"""One behaviour of the API server a test, on the smallest document that shows it."""

import copy
from typing import Any

import pytest

from dynamoc.documents.findings.finding import format_path
from dynamoc.documents.schema.check import check
from dynamoc.documents.schema.schemas import served

ALPHA = "nvidia.com/v1alpha1"
BETA = "nvidia.com/v1beta1"
GRAPH = "DynamoGraphDeployment"


def graph(spec: Any, api_version: str = ALPHA) -> dict[str, Any]:
    return {"apiVersion": api_version, "kind": GRAPH, "metadata": {"name": "g"}, "spec": spec}


def service(value: Any) -> dict[str, Any]:
    return graph({"services": {"A": value}})


def checked(value: dict[str, Any], release: str = "1.0", **options: Any) -> tuple[Any, list[str]]:
    clean, problems = check(release, value["kind"], value["apiVersion"], value, **options)
    return clean, [f"{problem.slug} {format_path(problem.path)}" for problem in problems]


def problems(value: dict[str, Any], release: str = "1.0", **options: Any) -> list[str]:
    return checked(value, release, **options)[1]


def clean_service(value: Any, release: str = "1.0", **options: Any) -> Any:
    clean, found = checked(service(value), release, **options)
    assert found == []
    return clean["spec"]["services"]["A"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"replicas": "2"}, "schema/type spec.services.A.replicas"),
        ({"replicas": 1.5}, "schema/type spec.services.A.replicas"),
        ({"replicas": True}, "schema/type spec.services.A.replicas"),
        ({"replicas": -1}, "schema/range spec.services.A.replicas"),
        ({"replicas": 2**31}, "schema/range spec.services.A.replicas"),
        ({"autoscaling": {"minReplicas": 2**63}}, "schema/range spec.services.A.autoscaling.minReplicas"),
        ({"envs": {"A": "1"}}, "schema/type spec.services.A.envs"),
        ({"envs": [{"name": "A", "value": 1}]}, "schema/type spec.services.A.envs[0].value"),
        ({"labels": {"a": 1}}, "schema/type spec.services.A.labels.a"),
        ({"sharedMemory": {"size": "lots"}}, "schema/pattern spec.services.A.sharedMemory.size"),
        ({"sharedMemory": {"size": 1.5}}, "schema/type spec.services.A.sharedMemory.size"),
        ({"livenessProbe": {"httpGet": {"port": True}}}, "schema/type spec.services.A.livenessProbe.httpGet.port"),
        ({"checkpoint": {"mode": "auto"}}, "schema/enum spec.services.A.checkpoint.mode"),
        ({"image": "i"}, "schema/unknown-field spec.services.A.image"),
        ([], "schema/type spec.services.A"),
    ],
)
def test_refused(value: Any, expected: str) -> None:
    assert problems(service(value)) == [expected]


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"replicas": 0},
        {"sharedMemory": {"size": 8}},
        {"sharedMemory": {"size": "8Gi"}},
        {"livenessProbe": {"httpGet": {"port": "http"}}},
        {"livenessProbe": {"httpGet": {"port": 80}}},
        {"eppConfig": {"config": {"plugins": [], "schedulingProfiles": [], "later": {"x": [1, None]}}}},
        {"eppConfig": {"config": {"plugins": [{"type": "t", "parameters": 5}], "schedulingProfiles": []}}},
    ],
)
def test_admitted(value: Any) -> None:
    assert problems(service(value)) == []


def test_all_problems_are_reported() -> None:
    found = problems(service({"bogus": 1, "replicas": "x", "envs": [{"nam": "A"}], "multinode": {"nodeCount": 1}}))
    assert found == [
        "schema/unknown-field spec.services.A.bogus",
        "schema/unknown-field spec.services.A.envs[0].nam",
        "schema/type spec.services.A.replicas",
        "schema/range spec.services.A.multinode.nodeCount",
    ]


def test_unknown_fields_are_pruned_whatever_they_count_for() -> None:
    value = service({"replicas": 1, "bogus": {"deep": True}})
    for severity in ("error", "warning"):
        clean, found = check("1.0", GRAPH, ALPHA, value, unknown={"warning": "warn"}.get(severity, severity))
        assert [problem.severity for problem in found] == [severity]
        assert clean["spec"] == {"services": {"A": {"replicas": 1}}}
    assert checked(value, unknown="prune") == (graph({"services": {"A": {"replicas": 1}}}), [])


def test_rules_run_beside_unknown_fields() -> None:
    value = graph({"pvcs": [{"name": "p", "create": True, "bogus": 1}]})
    assert problems(value, unknown="warn") == [
        "schema/unknown-field spec.pvcs[0].bogus",
        "cel/volume-to-create-is-complete spec.pvcs[0]",
    ]


def test_the_document_is_left_as_it_was() -> None:
    value = service({"bogus": 1, "multinode": {}, "envs": [{"name": "A"}], "labels": None})
    before = copy.deepcopy(value)
    clean, _ = checked(value)
    clean["spec"]["services"]["A"]["envs"][0]["name"] = "changed"
    assert value == before


def test_defaults_are_filled_in_where_the_parent_is_there() -> None:
    assert clean_service({"multinode": {}}) == {"multinode": {"nodeCount": 2}}
    assert clean_service({"extraPodSpec": {"mainContainer": {"ports": [{"containerPort": 80}]}}}) == {
        "extraPodSpec": {"mainContainer": {"ports": [{"containerPort": 80, "protocol": "TCP"}]}}
    }
    assert clean_service({}) == {}


def test_null_is_absent() -> None:
    assert clean_service({"labels": None, "multinode": {"nodeCount": None}}) == {"multinode": {"nodeCount": 2}}
    assert checked(graph({"services": {"A": None, "B": {}}}))[0]["spec"] == {"services": {"B": {}}}


def test_list_items_are_told_apart_by_their_keys() -> None:
    twice = {"containers": [{"name": "a", "image": "i"}, {"name": "b"}, {"name": "a"}]}
    assert problems(service({"extraPodSpec": twice})) == ["schema/duplicate spec.services.A.extraPodSpec.containers[2]"]
    ports = [{"containerPort": 80}, {"containerPort": 80, "protocol": "TCP"}]
    assert problems(service({"extraPodSpec": {"mainContainer": {"ports": ports}}})) == [
        "schema/duplicate spec.services.A.extraPodSpec.mainContainer.ports[1]"
    ]
    ports[1]["protocol"] = "UDP"
    assert problems(service({"extraPodSpec": {"mainContainer": {"ports": ports}}})) == []


def test_a_main_container_needs_no_name_and_a_pod_spec_no_containers() -> None:
    assert clean_service({"extraPodSpec": {"mainContainer": {}}}) == {"extraPodSpec": {"mainContainer": {}}}


def test_limits_on_collections() -> None:
    assert problems(graph({"services": {f"s{number}": {} for number in range(26)}})) == ["schema/size spec.services"]
    assert problems(graph({"pvcs": [{"name": "p"}] * 101})) == ["schema/size spec.pvcs"]


COMPONENT = {
    "apiVersion": BETA,
    "metadata": {"name": "g"},
    "spec": {"podTemplate": {"spec": {"containers": [{"name": "main", "args": [None]}]}}},
}


class TestGoTypes:
    """The mutating webhook of DynamoGraphDeployments writes them back as Go does, before they are validated."""

    def test_a_required_text_is_empty_then(self) -> None:
        assert clean_service({"envs": [{"value": "v"}]}) == {"envs": [{"name": "", "value": "v"}]}
        assert clean_service({"livenessProbe": {"httpGet": {}}}) == {"livenessProbe": {"httpGet": {"port": 0}}}

    def test_a_null_in_a_list_is_a_zero_then(self) -> None:
        container = {"args": [None, "x"], "env": [None]}
        clean = clean_service({"extraPodSpec": {"mainContainer": container}})["extraPodSpec"]["mainContainer"]
        assert clean == {"args": ["", "x"], "env": [{"name": ""}]}
        refused = {"kind": "DynamoComponentDeployment", **COMPONENT}
        assert problems(refused, "1.4", webhook="nothing") == [
            "schema/type spec.podTemplate.spec.containers[0].args[0]"
        ]

    def test_but_not_where_go_leaves_it_out(self) -> None:
        assert problems(graph({"pvcs": [{}]})) == ["schema/required spec.pvcs[0].name"]
        assert problems(service({"volumeMounts": [{}]})) == ["schema/required spec.services.A.volumeMounts[0].name"]

    def test_an_empty_enum_stays_as_the_webhook_takes_back_what_its_types_removed(self) -> None:
        assert problems(graph({"backendFramework": ""})) == ["schema/enum spec.backendFramework"]
        assert problems(graph({"backendFramework": ""}, BETA), "1.4") == ["schema/enum spec.backendFramework"]

    def test_a_conversion_for_the_webhook_leaves_zeros_out(self) -> None:
        assert checked(graph({"backendFramework": ""}), "1.4", webhook="converted") == (graph({}), [])
        assert problems(service({"volumeMounts": [{"name": ""}]}), "1.4", webhook="converted") == [
            "schema/required spec.services.A.volumeMounts[0].name"
        ]

    def test_a_quantity_is_always_there_and_a_text(self) -> None:
        value = {"name": "p", "create": True, "storageClass": "s", "volumeAccessMode": "m"}
        assert checked(graph({"pvcs": [value]})) == (graph({"pvcs": [value | {"size": "0"}]}), [])
        assert clean_service({"sharedMemory": {"size": 8}}) == {"sharedMemory": {"size": "8"}}

    def test_nothing_of_that_without_a_webhook(self) -> None:
        assert problems(service({"envs": [{"value": "v"}]}), "0.6") == ["schema/required spec.services.A.envs[0].name"]
        assert problems(graph({"backendFramework": ""}), "0.6") == ["schema/enum spec.backendFramework"]
        component = {"apiVersion": ALPHA, "kind": "DynamoComponentDeployment", "metadata": {"name": "c"}}
        assert problems(component | {"spec": {"envs": [{}]}}) == ["schema/required spec.envs[0].name"]

    def test_a_nil_pointer_is_null_in_1_4(self) -> None:
        config = {"plugins": [], "schedulingProfiles": [{"name": "p", "plugins": [{"pluginRef": "r"}]}]}
        value = service({"eppConfig": {"config": config}})
        assert problems(value, "1.0") == []
        assert problems(value, "1.4") == [
            "schema/required spec.services.A.eppConfig.config.schedulingProfiles[0].plugins[0].weight"
        ]

    def test_a_pod_template_without_containers_has_null_for_them(self) -> None:
        component = {"name": "a", "podTemplate": {"metadata": {"labels": {"a": "b"}}}}
        assert problems(graph({"components": [component]}, BETA), "1.4") == [
            "schema/required spec.components[0].podTemplate.spec.containers"
        ]


def test_creation_ignores_the_status_but_for_its_field_names() -> None:
    value = graph({}) | {"status": {"state": 5, "conditions": [{}], "bogus": 1}}
    clean, found = checked(value)
    assert found == ["schema/unknown-field status.bogus"]
    assert "status" not in clean


def test_kinds_and_versions_of_a_release() -> None:
    assert served("1.0", GRAPH) == [ALPHA]
    assert served("1.4", GRAPH) == [ALPHA, BETA]
    assert problems(graph({}, BETA)) == ["schema/api-version apiVersion"]
    assert problems(graph({}) | {"kind": "DynamoGraphDeploymnet"}) == ["schema/unknown-kind kind"]
    assert problems(graph({}) | {"kind": "DynamoModel"}, "0.6") == ["schema/unknown-kind kind"]
    with pytest.raises(KeyError, match=r"0\.6, 1\.0, 1\.1"):
        served("2.0", GRAPH)


def hint(value: dict[str, Any], release: str = "1.0") -> str | None:
    (problem,) = check(release, value["kind"], value["apiVersion"], value)[1]
    return problem.hint


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"replica": 1}, "did you mean `replicas`?"),
        ({"Replicas": 1}, "write `replicas`: the case of letters matters"),
        ({"image": "i"}, "did you mean `extraPodSpec.mainContainer.image`?"),
        ({"nodeSelector": {}}, "did you mean `extraPodSpec.nodeSelector`?"),
        ({"env": []}, "did you mean `envs`?"),
        ({"podTemplate": {}}, "did you mean `extraPodSpec`?"),
        ({"replicas": "3"}, "write it without quotes: 3"),
        ({"labels": {"a": 1}}, 'put it in quotes: "1"'),
        (
            {"envs": {"A": "b"}},
            'write a list: each variable as an item such as `- {name: A, value: "b"}`',
        ),
        ({"checkpoint": {"mode": "Autp"}}, "did you mean `Auto`?"),
    ],
)
def test_hint(value: Any, expected: str) -> None:
    assert hint(service(value)) == expected


def test_hint_names_the_apiversion_that_is_served() -> None:
    assert hint(graph({}, BETA)) == "write `apiVersion: nvidia.com/v1alpha1`"


def test_message_says_what_was_found_and_what_is_allowed() -> None:
    (problem,) = check("1.0", GRAPH, ALPHA, service({"multinode": {"nodeCount": 1}}))[1]
    assert problem.message == "`nodeCount` must be at least 2, but is 1."
    (problem,) = check("1.0", GRAPH, ALPHA, graph({"backendFramework": "tensorflow"}))[1]
    assert problem.message == (
        '`backendFramework` must be one of `sglang`, `vllm`, `trtllm`, but is the string "tensorflow".'
    )


@pytest.mark.parametrize(
    ("component", "expected"),
    [
        ({"image": "i"}, "did you mean `podTemplate.spec.containers[].image`?"),
        ({"nodeSelector": {}}, "did you mean `podTemplate.spec.nodeSelector`?"),
        ({"extraPodSpec": {}}, "did you mean `podTemplate.spec`?"),
        ({"componentType": "worker"}, "did you mean `type`?"),
    ],
)
def test_hint_for_fields_of_the_other_version(component: Any, expected: str) -> None:
    assert hint(graph({"components": [{"name": "a"} | component]}, BETA), "1.4") == expected


def test_patterns_of_the_spec_are_put_in_words() -> None:
    component = {"name": "a_b", "runtimeVersionOverride": "v1", "topologyConstraint": {"packDomain": "Rack"}}
    policy = {"labelKey": "/", "domain": "zone"}
    spec = {"components": [component], "experimental": {"kvTransferPolicy": policy}}
    messages = [problem.message for problem in check("1.4", GRAPH, BETA, graph(spec, BETA))[1]]
    assert len(messages) == 4
    assert not [message for message in messages if "^" in message]


def test_rules_of_texts_are_judged() -> None:
    def keyed(prefix: str) -> dict[str, Any]:
        policy = {"domain": "rack", "enforcement": "required", "labelKey": f"{prefix}/rack"}
        return graph({"services": {"A": {}}, "experimental": {"kvTransferPolicy": policy}})

    assert problems(keyed("example.com"), "1.4") == []
    path = "spec.experimental.kvTransferPolicy.labelKey"
    assert problems(keyed("a." * 126 + "aa"), "1.4") == [f"cel/label-key-prefix-is-short {path}"]
    # The rule waits for a text that has its form.
    assert problems(keyed("A." * 126 + "aa"), "1.4") == [f"schema/pattern {path}"]


def test_what_is_missing_is_refused_where_a_slip_is_only_a_warning() -> None:
    """With `--warn=unknown-fields` the API server drops the field, and what it was meant for is not there."""
    value = {"apiVersion": "nvidia.com/v1beta1", "kind": "DynamoGraphDeploymentRequest", "metadata": {"names": "chat"}}
    for severity, slugs in (("error", {"schema/unknown-field"}), ("warn", {"schema/unknown-field", "schema/name"})):
        found = check("1.4", value["kind"], value["apiVersion"], value, unknown=severity)[1]
        assert {problem.slug for problem in found if problem.path[:1] == ("metadata",)} == slugs


def test_fields_beside_the_spec_that_belong_into_it_are_one_problem() -> None:
    head = {"apiVersion": "nvidia.com/v1alpha1", "kind": "DynamoGraphDeployment", "metadata": {"name": "chat"}}
    found = check("1.4", head["kind"], head["apiVersion"], {**head, "services": {}, "pvcs": []})[1]
    [unknown] = [problem for problem in found if problem.slug == "schema/unknown-field"]
    assert "`services` and `pvcs` do not exist at the top of the document" in unknown.message
    assert unknown.hint == "did you mean `spec.services` and `spec.pvcs`?"
