"""`--cluster` with exports of a cluster: only what the operator creates once is left out, and never in silence."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests import quick_yaml
from tests.cli.conftest import Run

LIVE = Path(__file__).parents[1] / "compare" / "live" / "kubernetes-1.34.4"
ADAPTED = "componentType: worker\n      scalingAdapter: {enabled: true}"


def rendered(dynamoc: Run, *argv: str) -> tuple[list[Any], str]:
    result = dynamoc("render", *argv)
    assert result.code == 0, result.err
    return list(quick_yaml.load_all(result.out)), result.err


def kinds(objects: list[Any]) -> set[str]:
    return {item["kind"] for item in objects}


@pytest.mark.parametrize("name", ["plain", "lws", "grove"])
def test_a_change_reaches_the_output(dynamoc: Run, name: str) -> None:
    options = ("--operator-version", "1.4", "--target", name)
    Path("new.yaml").write_text((LIVE / f"{name}.yaml").read_text().replace("replicas: 2", "replicas: 5"))
    alone, _ = rendered(dynamoc, "new.yaml", *options)
    beside, err = rendered(dynamoc, "new.yaml", "--cluster", str(LIVE / f"{name}.live.yaml"), *options)
    once = ("PersistentVolumeClaim", "ServiceAccount")
    assert beside == [item for item in alone if item["kind"] not in once]
    notes = re.findall(r"note: (.*) \[context/kept\]", err)
    assert notes == [
        f"3 objects are not in the output: ServiceAccount `ns-{name}/planner-serviceaccount`, ServiceAccount "
        f"`ns-{name}/chat-k8s-service-discovery`, PersistentVolumeClaim `ns-{name}/models`. They exist already, "
        "and the operator creates them once and never updates them."
    ]


def test_releases_before_1_1_leave_objects_without_a_spec(dynamoc: Run) -> None:
    options = ("--operator-version", "1.0", "--target", "plain")
    graph, export = str(LIVE / "plain.yaml"), quick_yaml.load((LIVE / "plain.live.yaml").read_text())
    beside, err = rendered(dynamoc, graph, "--cluster", str(LIVE / "plain.live.yaml"), *options)
    assert "Role" not in kinds(beside)
    # The planner's binding is brought up to date in every release.
    assert [item["metadata"]["name"] for item in beside if item["kind"] == "RoleBinding"] == [
        "planner-serviceaccount-binding"
    ]
    assert "operator 1.0 never updates the content of an object without a spec" in err
    # Applied by kubectl, without the operator's note of what it applied.
    assert len(re.findall(r"\[context/not-taken-over\]", err)) == 3
    for item in export["items"]:
        item["metadata"].setdefault("annotations", {})["nvidia.com/last-applied-hash"] = "0"
    Path("made.yaml").write_text(yaml.safe_dump(export))
    assert "context/not-taken-over" not in rendered(dynamoc, graph, "--cluster", "made.yaml", *options)[1]


def test_a_scaling_adapter_keeps_its_replicas(dynamoc: Run) -> None:
    graph = (LIVE / "plain.yaml").read_text().replace("componentType: worker", ADAPTED)
    Path("new.yaml").write_text(graph)
    alone, _ = rendered(dynamoc, "new.yaml", "--operator-version", "1.4", "--target", "plain")
    [adapter] = [item for item in alone if item["kind"] == "DynamoGraphDeploymentScalingAdapter"]
    Path("live.yaml").write_text(yaml.safe_dump({**adapter, "spec": {**adapter["spec"], "replicas": 7}}))
    beside, _ = rendered(
        dynamoc, "new.yaml", "--cluster", "live.yaml", "--operator-version", "1.4", "--target", "plain"
    )
    assert [i["spec"]["replicas"] for i in (*alone, *beside) if i["kind"] == adapter["kind"]] == [3, 7]


@pytest.mark.parametrize(
    ("metadata", "owner"),
    [
        (
            {"ownerReferences": [{"kind": "ReplicaSet", "name": "x", "apiVersion": "apps/v1", "controller": True}]},
            "Repl",
        ),
        ({"labels": {"nvidia.com/dynamo-graph-deployment-name": "other"}}, "the graph other"),
        ({"annotations": {"meta.helm.sh/release-name": "shop"}}, "the Helm release shop"),
        (
            {
                "ownerReferences": [
                    {
                        "kind": "DynamoGraphDeployment",
                        "name": "chat",
                        "apiVersion": "nvidia.com/v1beta1",
                        "controller": True,
                    }
                ]
            },
            None,
        ),
        ({}, None),
    ],
)
def test_objects_of_others_are_overwritten_with_a_warning(
    dynamoc: Run, metadata: dict[str, Any], owner: str | None
) -> None:
    options = ("--operator-version", "1.4", "--target", "plain")
    stranger = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "chat-frontend", "namespace": "ns-plain", **metadata},
    }
    Path("live.yaml").write_text(yaml.safe_dump(stranger))
    alone, _ = rendered(dynamoc, str(LIVE / "plain.yaml"), *options)
    beside, err = rendered(dynamoc, str(LIVE / "plain.yaml"), "--cluster", "live.yaml", *options)
    assert beside == alone
    assert ("[context/overwritten]" in err, owner is None or f"belongs to {owner}" in err) == (owner is not None, True)


def test_a_kind_of_another_group_is_another_object(dynamoc: Run) -> None:
    knative = {
        "apiVersion": "serving.knative.dev/v1",
        "kind": "Service",
        "metadata": {"name": "chat-frontend", "namespace": "ns-plain"},
    }
    Path("live.yaml").write_text(yaml.safe_dump(knative))
    options = ("--operator-version", "1.4", "--target", "plain")
    alone, _ = rendered(dynamoc, str(LIVE / "plain.yaml"), *options)
    assert rendered(dynamoc, str(LIVE / "plain.yaml"), "--cluster", "live.yaml", *options)[0] == alone


def test_an_object_of_the_input_that_the_operator_makes_is_the_operators(dynamoc: Run) -> None:
    options = ("--operator-version", "1.4", "--target", "plain")
    alone, _ = rendered(dynamoc, str(LIVE / "plain.yaml"), *options)
    role = next(item for item in alone if item["kind"] == "Role")
    account = next(item for item in alone if item["kind"] == "ServiceAccount")
    given = [{**role, "rules": []}, {**account, "imagePullSecrets": [{"name": "pull"}]}]
    Path("beside.yaml").write_text(yaml.safe_dump_all(given))
    both, err = rendered(dynamoc, str(LIVE / "plain.yaml"), "beside.yaml", *options)
    assert len(both) == len(alone)
    assert role in both
    # An account that exists stays as it is, and the output has it.
    assert given[1] in both
    assert "beside.yaml:" in err
    assert "output/overwritten" in err
    assert "context/kept" not in err


@pytest.mark.parametrize("release", ["1.0", "1.1"])
@pytest.mark.parametrize("namespace", ["", "  namespace: ns-plain\n"])
def test_a_checkpoint_of_the_input_is_an_input(dynamoc: Run, release: str, namespace: str) -> None:
    """As a graph is: neither printed nor left out."""
    Path("checkpoint.yaml").write_text(
        "apiVersion: nvidia.com/v1alpha1\nkind: DynamoCheckpoint\nmetadata:\n  name: warm\n"
        + namespace
        + "spec:\n  identity: {model: m, backendFramework: vllm}\n  job:\n    podTemplateSpec:\n      spec:\n"
        "        containers: [{name: main, image: 'x/vllm-runtime:1.4.0', command: [python3]}]\n"
    )
    result = dynamoc("render", "checkpoint.yaml", "--operator-version", release, "--target", "plain")
    assert (result.code, "kind: Job" in result.out, "kind: DynamoCheckpoint" in result.out) == (0, True, False)
    assert "context/kept" not in result.err


def test_without_the_operator_an_object_of_the_input_is_the_users(dynamoc: Run) -> None:
    options = ("--operator-version", "1.4", "--target", "plain", "--standalone")
    alone, _ = rendered(dynamoc, str(LIVE / "plain.yaml"), *options)
    role = next(item for item in alone if item["kind"] == "Role")
    Path("beside.yaml").write_text(yaml.safe_dump({**role, "rules": []}))
    both, err = rendered(dynamoc, str(LIVE / "plain.yaml"), "beside.yaml", *options)
    assert len(both) == len(alone)
    assert {**role, "rules": []} in both
    assert "The output contains the one of the input" in err
