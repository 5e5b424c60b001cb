"""Edges of conversion: an edit beside what an annotation keeps, separators, comments of lists with anchors."""

from __future__ import annotations

import json

import pytest

from dynamoc.convert import V1ALPHA1, to_v1alpha1, to_v1beta1
from tests.convert.test_rewrite import HEAD, rewritten


def test_an_edited_mount_wins_over_the_one_that_is_kept() -> None:
    """shared_spec_conversion.go restoreMainContainerFieldOrigins: only what was not changed is restored."""
    main = {"image": "i:1", "volumeMounts": [{"name": "a", "mountPath": "/old"}]}
    service = {"volumeMounts": [{"name": "c", "mountPoint": "/c"}], "extraPodSpec": {"mainContainer": main}}
    alpha = {
        "apiVersion": V1ALPHA1,
        "kind": "DynamoGraphDeployment",
        "metadata": {"name": "g"},
        "spec": {"services": {"W": service}},
    }
    beta = to_v1beta1(alpha)
    assert to_v1alpha1(beta)["spec"]["services"]["W"]["volumeMounts"] == service["volumeMounts"]
    (container,) = beta["spec"]["components"][0]["podTemplate"]["spec"]["containers"]
    for mount in container["volumeMounts"]:
        mount["mountPath"] = mount["mountPath"].replace("/old", "/new")
    back = json.dumps(to_v1alpha1(beta)["spec"])
    assert ("/new" in back, "/old" in back) == (True, False)


@pytest.mark.parametrize("space", ["", " ", "\t"])
def test_a_separator_may_have_something_behind_it(space: str) -> None:
    other = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n"
    text = f"{other}---{space}# graph\n{HEAD}    A: {{replicas: 1}}\n"
    if not space:
        text = text.replace("# graph", "")
    converted = rewritten(text).data.decode()
    assert converted.startswith(f"{other}---")
    assert "nvidia.com/v1beta1" in converted


def test_comments_stay_in_a_list_with_an_anchor() -> None:
    """The list begins at its first dash, not at its anchor."""
    text = HEAD + (
        "    A:\n"
        "      envs: &shared\n"
        "        # about one\n"
        "        - name: ONE\n"
        "          value: '1'\n"
        "        # about two\n"
        "        - name: TWO\n"
        "          value: '2'\n"
    )
    lines = [line.strip() for line in rewritten(text).data.decode().splitlines()]
    assert lines[lines.index("# about one") + 1] == "- name: ONE"
    assert lines[lines.index("# about two") + 1] == "- name: TWO"


def test_an_adapter_names_its_component_where_comments_are() -> None:
    """The words of `dgdRef` differ; comments on them come along."""
    text = (
        "apiVersion: nvidia.com/v1alpha1\n"
        "kind: DynamoGraphDeploymentScalingAdapter\n"
        "metadata: {name: a}\n"
        "spec:\n"
        "  replicas: 2\n"
        "  dgdRef:\n"
        "    name: g  # the graph\n"
        "    serviceName: Worker  # whom it scales\n"
    )
    lines = [line.strip() for line in rewritten(text).data.decode().splitlines()]
    assert "name: g  # the graph" in lines
    assert "componentName: Worker  # whom it scales" in lines
