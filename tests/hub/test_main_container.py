"""The container `main` of a pod template, and the containers beside it."""

import pytest

from dynamoc.documents.findings.finding import Refusal
from tests.rules.graphs import config, env, render

COMPONENT = ("spec", "components", 0)
WORKER = """
components:
- name: Worker
  type: worker
  podTemplate:
    spec:
      containers:
      - {name: logger, image: logger:1.0.0}
      - name: main
        image: engine:1.4.0
        %s
      - {name: probe, image: probe:1.0.0}
"""


def main_of(fields: str = "{}", graph: str = "") -> dict[str, object]:
    text = WORKER % (fields if fields != "{}" else "workingDir: /") + graph
    main: dict[str, object] = render(text).cliques()["worker"]["spec"]["podSpec"]["containers"][0]
    return main


def test_main_comes_first_and_the_others_keep_their_order() -> None:
    pod = render(WORKER % "workingDir: /").cliques()["worker"]["spec"]["podSpec"]
    assert [container["name"] for container in pod["containers"]] == ["main", "logger", "probe"]


def test_a_probe_replaces_the_default_whole() -> None:
    main = main_of("livenessProbe: {periodSeconds: 7}")
    assert main["livenessProbe"] == {"periodSeconds": 7}
    assert main["startupProbe"]["failureThreshold"] == 720  # type: ignore[index]


def test_an_empty_list_does_not_override_and_a_full_one_replaces() -> None:
    assert main_of("command: []")["command"] == ["/bin/sh", "-c"]
    ports = main_of("ports: [{name: mine, containerPort: 1, protocol: TCP}]")["ports"]
    assert ports == [{"name": "mine", "containerPort": 1, "protocol": "TCP"}]


def test_environment_is_sorted_and_the_component_beats_the_graph() -> None:
    main = main_of(
        'env: [{name: ZED, value: component}, {name: DYN_SYSTEM_PORT, value: "1"}]',
        "env: [{name: ZED, value: graph}, {name: ABLE, value: graph}]",
    )
    names = [variable["name"] for variable in main["env"]]  # type: ignore[attr-defined]
    assert names == sorted(names)
    found = env(main)
    assert (found["ZED"], found["ABLE"], found["DYN_SYSTEM_PORT"]) == ("component", "graph", "1")


def test_addresses_of_the_operator_lose_against_everybody() -> None:
    settings = config()
    settings.infrastructure.nats_address = "nats://operator"
    settings.infrastructure.prometheus_endpoint = "http://operator"
    text = WORKER % "env: [{name: NATS_SERVER, value: mine}]"
    main = render(text, settings=settings).cliques()["worker"]["spec"]["podSpec"]["containers"][0]
    assert env(main)["NATS_SERVER"] == "mine"
    assert env(main)["PROMETHEUS_ENDPOINT"] == "http://operator"


def test_a_graph_s_environment_makes_a_main_container() -> None:
    text = "components: [{name: Frontend, type: frontend}]\nenv: [{name: ABLE, value: graph}]"
    (main,) = render(text).cliques()["frontend"]["spec"]["podSpec"]["containers"]
    assert env(main)["ABLE"] == "graph"
    assert main["command"] == ["python3"]


@pytest.mark.parametrize(("mode", "seen"), [("container", "container"), ("pod", None)])
def test_containers_register_on_their_own_in_container_mode(mode: str, seen: str | None) -> None:
    annotation = f"podTemplate: {{metadata: {{annotations: {{nvidia.com/dynamo-kube-discovery-mode: {mode}}}}}}}"
    text = f"components: [{{name: Frontend, type: frontend, {annotation}}}]"
    (main,) = render(text).cliques()["frontend"]["spec"]["podSpec"]["containers"]
    assert env(main).get("DYN_KUBE_DISCOVERY_MODE") == seen
    assert env(main).get("CONTAINER_NAME") == (seen and "main")


def test_a_planner_is_probed_and_an_unknown_type_is_not() -> None:
    cliques = render("components: [{name: Planner, type: planner}, {name: Other}]").cliques()
    planner = cliques["planner"]["spec"]["podSpec"]
    other = cliques["other"]["spec"]["podSpec"]["containers"][0]
    assert planner["containers"][0]["startupProbe"]["failureThreshold"] == 720
    assert planner["serviceAccountName"] == "planner-serviceaccount"
    assert not {"livenessProbe", "ports", "args"} & other.keys()


def test_a_mount_without_a_path_is_refused_at_its_place() -> None:
    with pytest.raises(Refusal) as refused:
        render(WORKER % "volumeMounts: [{name: data}]")
    assert refused.value.path == (*COMPONENT, "podTemplate", "spec", "containers", 1, "volumeMounts", 0)
