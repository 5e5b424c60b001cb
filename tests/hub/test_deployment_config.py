"""DYN_DEPLOYMENT_CONFIG in the pod template of a component."""

import json

import pytest

from dynamoc.documents.findings.finding import Refusal
from tests.rules.graphs import Tree, env, render


def main_of(config: object, *, component: str = "Worker", kind: str = "worker", target: str = "plain") -> Tree:
    text = config if isinstance(config, str) else json.dumps(config)
    variable = json.dumps([{"name": "DYN_DEPLOYMENT_CONFIG", "value": text}])
    graph = f"""
components:
- name: {component}
  type: {kind}
  podTemplate: {{spec: {{containers: [{{name: main, image: engine:1.4.0, env: {variable}}}]}}}}
"""
    rendered = render(graph, target=target)
    if target == "grove":
        pod = next(iter(rendered.cliques().values()))["spec"]["podSpec"]
    else:
        pod = rendered.one("Deployment")["spec"]["template"]["spec"]
    found: Tree = pod["containers"][0]
    return found


def test_resources_are_limits_and_requests() -> None:
    resources = {"cpu": "2", "gpu": "4", "custom": {"example.com/nic": "1"}}
    amounts = {"cpu": "2", "example.com/nic": "1", "nvidia.com/gpu": "4"}
    main = main_of({"Worker": {"ServiceArgs": {"resources": resources}}})
    assert main["resources"] == {"limits": amounts, "requests": amounts}


@pytest.mark.parametrize("entry", ["Web", "FRONTEND"])
def test_a_frontend_s_entry_gets_its_port(entry: str) -> None:
    main = main_of({entry: {"x": 1}, "Other": {"y": 2}}, component="Web", kind="frontend")
    assert env(main)["DYN_DEPLOYMENT_CONFIG"] == json.dumps(
        {entry: {"port": 8000, "x": 1}, "Other": {"y": 2}}, separators=(",", ":"), sort_keys=True
    )


def test_another_component_s_entry_means_nothing() -> None:
    assert not main_of({"Other": {"ServiceArgs": {"resources": {"cpu": "2"}}}}).get("resources")


@pytest.mark.parametrize("target", ["plain", "grove"])
@pytest.mark.parametrize("text", ["", "no json", "[]", '{"Worker": {"ServiceArgs": {"resources": {"cpu": "much"}}}}'])
def test_nonsense_is_refused_even_where_it_would_not_be_used(text: str, target: str) -> None:
    with pytest.raises(Refusal) as refused:
        main_of(text, target=target)
    assert refused.value.slug == "env/deployment-config"


def test_grove_leaves_the_variable_alone() -> None:
    main = main_of({"Worker": {"ServiceArgs": {"resources": {"cpu": "2"}}}}, target="grove")
    assert not main.get("resources")


def test_workers_are_replicas_where_none_are_given() -> None:
    """internal/dynamo/graph.go overrideWithDynDeploymentConfig"""
    variable = json.dumps([{"name": "DYN_DEPLOYMENT_CONFIG", "value": '{"W": {"ServiceArgs": {"workers": 3}}}'}])
    template = f"podTemplate: {{spec: {{containers: [{{name: main, image: engine:1.4.0, env: {variable}}}]}}}}"
    for given, replicas in (("", 3), ("replicas: 2, ", 2)):
        rendered = render(f"components: [{{name: W, type: worker, {given}{template}}}]", target="plain")
        assert rendered.one("Deployment")["spec"]["replicas"] == replicas
