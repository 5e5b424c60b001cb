"""Edges of conversion: an edit beside what an annotation keeps, separators, comments of lists with anchors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dynamoc.admission.convert.command import convert_paths
from dynamoc.admission.convert.operator import to_v1alpha1, to_v1beta1
from dynamoc.admission.convert.pod_template import merge_over
from dynamoc.admission.convert.specs import V1ALPHA1, V1BETA1
from dynamoc.documents.findings.finding import Findings
from tests.convert.test_rewrite import HEAD, rewritten

Tree = dict[str, Any]


def graph(service: Tree) -> Tree:
    return {
        "apiVersion": V1ALPHA1,
        "kind": "DynamoGraphDeployment",
        "metadata": {"name": "g"},
        "spec": {"services": {"W": service}},
    }


def test_an_edited_mount_wins_over_the_one_that_is_kept() -> None:
    """api/v1alpha1/shared_spec_conversion.go restoreMainContainerFieldOrigins of 1.4"""
    main = {"image": "i:1", "volumeMounts": [{"name": "a", "mountPath": "/old"}]}
    service = {"volumeMounts": [{"name": "c", "mountPoint": "/c"}], "extraPodSpec": {"mainContainer": main}}
    beta = to_v1beta1(graph(service))
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
    for written in (text, text.replace("- name", "-\n          name")):
        lines = " ".join(rewritten(written).data.decode().split())
        assert "# about one - name: ONE" in lines
        assert "# about two - name: TWO" in lines


def test_an_adapter_names_its_component_where_comments_are() -> None:
    """api/v1alpha1/dynamographdeploymentscalingadapter_conversion.go ConvertTo of 1.4; comments come along."""
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


@pytest.mark.parametrize("memory", [{}, {"disabled": True}, {"disabled": True, "size": "1Gi"}, {"size": "1Gi"}])
def test_shared_memory_comes_back_as_it_was_unless_it_was_edited(memory: dict[str, object]) -> None:
    """api/v1alpha1/shared_spec_conversion.go ConvertFromSharedMemorySpec, shouldRestorePreservedSharedMemory of 1.4"""
    alpha = graph({"sharedMemory": memory})
    beta = to_v1beta1(alpha)
    back = to_v1alpha1(beta)["spec"]["services"]["W"]["sharedMemory"]
    # Go prints the quantity that nobody wrote.
    assert {"size": "0"} | back == {"size": "0"} | memory
    beta["spec"]["components"][0]["sharedMemorySize"] = "3Gi"
    assert to_v1alpha1(beta)["spec"]["services"]["W"]["sharedMemory"] == {"size": "3Gi"}


def test_whoever_watches_is_told_how_many_files_there_are(tmp_path: Path) -> None:
    for name in ("a.yaml", "b.yaml"):
        (tmp_path / name).write_text(HEAD + "    A: {}\n")
    told: list[int] = []
    convert_paths([str(tmp_path)], "v1beta1", Findings(), watch=lambda _, number: told.append(number))
    assert told == [2]


def test_the_name_of_what_runs_a_component_is_the_last_of_its_names() -> None:
    """api/v1alpha1/dynamographdeployment_conversion.go ConvertToServiceReplicaStatus,
    shouldRestoreSavedServiceReplicaStatus of 1.4
    """
    beta = to_v1beta1(graph({}))
    replicas = {"componentKind": "Deployment", "componentNames": ["a", "b"], "replicas": 1, "updatedReplicas": 1}
    beta["status"] = {"state": "successful", "components": {"W": replicas}}
    status = to_v1alpha1(beta)["status"]["services"]["W"]
    assert (status["componentName"], status["componentNames"]) == ("b", ["a", "b"])
    for names in ({"componentName": "x", "componentNames": ["a", "b"]}, {"componentName": "", "componentNames": ["a"]}):
        alpha = {**graph({}), "status": {"state": "successful", "services": {"W": {**status, **names}}}}
        assert names.items() <= to_v1alpha1(to_v1beta1(alpha))["status"]["services"]["W"].items()


def test_the_status_of_a_component_alone_has_another_word_for_it() -> None:
    """api/v1alpha1/dynamocomponentdeployment_conversion.go ConvertFromDynamoComponentDeploymentStatus of 1.4"""
    replicas = {"componentKind": "Deployment", "componentName": "a", "replicas": 1, "updatedReplicas": 1}
    alpha = {**graph({}), "kind": "DynamoComponentDeployment", "spec": {"componentType": "worker"}}
    alpha["status"] = {"conditions": [], "service": replicas}
    beta = to_v1beta1(alpha)
    assert beta["status"]["component"]["componentNames"] == ["a"]
    assert to_v1alpha1(beta)["status"]["service"]["componentName"] == "a"


def test_a_sidecar_keeps_what_the_other_version_cannot_say() -> None:
    """api/v1alpha1/shared_spec_conversion.go restoreSharedHubOnlyFrontendSidecarEnvFrom of 1.4"""
    sources = [{"secretRef": {"name": "s", "optional": True}}]
    main, side = {"name": "main", "image": "i:1"}, {"name": "sidecar-frontend", "image": "f:1", "envFrom": sources}
    template = {"spec": {"containers": [main, side]}}
    component = {"name": "W", "type": "worker", "frontendSidecar": "sidecar-frontend", "podTemplate": template}
    beta = {**graph({}), "apiVersion": V1BETA1, "spec": {"components": [component]}}
    back = to_v1beta1(to_v1alpha1(beta))["spec"]["components"][0]["podTemplate"]["spec"]["containers"]
    assert next(item for item in back if item["name"] == "sidecar-frontend")["envFrom"] == sources


def test_progress_counts_files_from_one(tmp_path: Path) -> None:
    steps: list[tuple[int, int]] = []

    class Progress:
        def step(self, _: str, number: int, of: int) -> None:
            steps.append((number, of))

    for name in ("a.yaml", "b.yaml"):
        (tmp_path / name).write_text(HEAD + "    A: {}\n")
    findings: Any = Findings()
    findings.progress = Progress()
    convert_paths([str(tmp_path)], "v1beta1", findings)
    assert steps == [(1, 2), (2, 2)]


def test_a_comment_behind_the_dash_of_a_list_with_an_anchor_stays_with_its_item() -> None:
    text = HEAD + "    A:\n      envs: &a\n        - # about one\n          name: ONE\n          value: '1'\n"
    assert "- name: ONE # about one\n" in rewritten(text).data.decode()


@pytest.mark.parametrize(
    ("base", "over", "merged"), [("http", 8000, "http"), (1, "http", "http"), (1, 2, 2), (1, 0, 1), (None, 8000, 8000)]
)
def test_a_number_never_overrides_a_port_by_name(base: object, over: object, merged: object) -> None:
    """api/v1alpha1/shared_spec_conversion.go mergeExtraPodSpecMainContainer of 1.4 merges with mergo, to which an
    IntOrString is a struct whose type tag is zero for a number.
    """
    probe = {"httpGet": {"path": "/", **({} if base is None else {"port": base})}}
    merge_over(probe, {"httpGet": {"port": over}})
    assert probe["httpGet"]["port"] == merged
