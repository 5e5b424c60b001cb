"""What does not happen without the operator: told once, and only of what the inputs use."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from dynamoc.admission.operator import LOSSES
from dynamoc.compiler.options import Options
from dynamoc.compiler.run import compile_each
from dynamoc.documents.findings.finding import Findings
from dynamoc.rendering.lower.shared_objects import pod_templates
from tests.standalone.graphs import EARLY, HASHED, RELEASES, component, graph, worker
from tests.standalone.rendering import SLUG, Tree, render


def topics(text: str, *known: Tree, **options: Any) -> dict[str, str]:
    """Which losses the note tells, and the end of their lines: what is concerned."""
    found = {}
    for line in render(text, *known, **options).note.split("\n- ")[1:]:
        [topic] = [name for name, sentence in LOSSES.items() if line.startswith(sentence.partition("{")[0])]
        found[topic] = line.removeprefix(LOSSES[topic].partition("{")[0])
    return found


def document(kind: str, spec: Tree, *, version: str = "v1alpha1") -> Tree:
    metadata = {"name": f"a-{kind.lower()}", "namespace": "team"}
    return {"apiVersion": f"nvidia.com/{version}", "kind": kind, "metadata": metadata, "spec": spec}


@pytest.mark.parametrize("release", HASHED)
def test_a_plain_graph_loses_upkeep_and_the_care_for_generations(release: str) -> None:
    services = set() if release == "1.4" else {"services"}
    hashed = topics(graph(), operator_version=release)
    assert hashed.keys() == {"upkeep", "generations"} | services
    assert hashed["generations"].startswith("chat (")
    stable = topics(graph(), operator_version=release, stable_names=True)
    assert stable.keys() == {"upkeep", "rollouts"} | services
    assert topics(graph(), operator_version=release, target="grove").keys() == {"upkeep", "grove-scaling"} | services


@pytest.mark.parametrize("release", EARLY)
def test_the_first_releases_know_no_generations(release: str) -> None:
    found = topics(graph(), operator_version=release)
    assert found.keys() == {"upkeep", "services"}
    assert (
        "dynamo-platform-etcd.dynamo-system:2379, nats://dynamo-platform-nats.dynamo-system:4222" in found["services"]
    )


def test_a_graph_without_workers_has_no_generations() -> None:
    assert topics(graph({"Frontend": component("frontend")})).keys() == {"upkeep"}


@pytest.mark.parametrize("release", RELEASES)
def test_only_the_first_releases_split_replicas(release: str) -> None:
    text = graph({"Worker": worker(nodes=2)})
    split = release in (*EARLY, "1.0", "1.1")
    assert ("lws-scaling" in topics(text, operator_version=release, target="lws")) == split


@pytest.mark.parametrize("release", HASHED)
def test_scaling_adapters_are_left_out(release: str) -> None:
    text = graph({"Worker": worker(scalingAdapter={"enabled": True})})
    rendered = render(text, operator_version=release)
    assert rendered.of("DynamoGraphDeploymentScalingAdapter") == []
    assert "nothing would act on them: chat-worker" in rendered.note
    assert render(text, standalone=False, operator_version=release).of("DynamoGraphDeploymentScalingAdapter")


@pytest.mark.parametrize("release", RELEASES)
def test_planners_are_named(release: str) -> None:
    text = graph({"Planner": component("planner"), "Worker": worker()})
    assert topics(text, operator_version=release)["planners"].startswith("chat")


@pytest.mark.parametrize(
    ("kind", "spec", "topic"),
    [
        ("DynamoModel", {"modelName": "a", "baseModelName": "b"}, "models"),
        ("DynamoGraphDeploymentRequest", {"model": "a", "backend": "vllm", "image": "x:1.0.0"}, "requests"),
        (
            "DynamoGraphDeploymentScalingAdapter",
            {"replicas": 1, "dgdRef": {"name": "a", "serviceName": "b"}},
            "scaling-adapters",
        ),
    ],
)
def test_resources_of_the_operator_are_left_out(kind: str, spec: Tree, topic: str) -> None:
    value = document(kind, spec, version="v1beta1" if kind.endswith("Request") else "v1alpha1")
    rendered = render(json.dumps(value), operator_version="1.4")
    assert rendered.findings.errors == 0, rendered.findings.items
    assert rendered.objects == []
    assert topics(json.dumps(value), operator_version="1.4") == {topic: f"a-{kind.lower()}"}
    attended = render(json.dumps(value), standalone=False, operator_version="1.4")
    assert attended.of("Job" if kind.endswith("Request") else kind)


def test_workers_that_describe_themselves_stay() -> None:
    value = document("DynamoWorkerMetadata", {"data": {}})
    assert render(json.dumps(value)).objects == [value]
    assert SLUG not in render(json.dumps(value)).slugs


def checkpoint(**more: Any) -> Tree:
    identity = {"model": "a", "backendFramework": "vllm"}
    return {"enabled": True, "mode": "Auto", "identity": identity, **more}


def checkpoints_on(release: str, tmp_path: Path) -> str:
    values = {"dynamo-operator": {"checkpoint": {"enabled": True}}}
    if release == "1.0":
        values["dynamo-operator"]["checkpoint"]["storage"] = {"type": "pvc", "pvc": {"pvcName": "c"}}  # type: ignore[dict-item]
    file = tmp_path / "values.yaml"
    file.write_text(yaml.safe_dump(values))
    return str(file)


@pytest.mark.parametrize("release", HASHED)
@pytest.mark.parametrize("target", ["plain", "grove"])
def test_pods_start_without_a_checkpoint(release: str, target: str, tmp_path: Path) -> None:
    options = {"operator_version": release, "target": target, "operator_config": checkpoints_on(release, tmp_path)}
    rendered = render(graph({"Worker": worker(checkpoint=checkpoint())}), **options)
    assert rendered.findings.errors == 0, rendered.findings.items
    assert "pods start cold: chat/Worker" in rendered.note
    assert rendered.objects == render(graph({"Worker": worker()}), **options).objects
    taken = render(graph({"Worker": worker(checkpoint=checkpoint())}), standalone=False, **options)
    assert taken.of("DynamoCheckpoint")
    assert taken.of("Job")


def test_pods_that_would_wait_for_a_snapshot_start(tmp_path: Path) -> None:
    options = {"operator_version": "1.4", "target": "plain", "operator_config": checkpoints_on("1.4", tmp_path)}
    text = graph({"Worker": worker(checkpoint=checkpoint(startupPolicy="WaitForCheckpoint"))})
    assert [item["spec"]["replicas"] for item in render(text, standalone=False, **options).of("Deployment")] == [0]
    assert [item["spec"]["replicas"] for item in render(text, **options).of("Deployment")] == [1]


def test_a_checkpoint_that_the_user_wrote_is_left_out(tmp_path: Path) -> None:
    spec = {
        "identity": {"model": "a", "backendFramework": "vllm"},
        "job": {"podTemplateSpec": {"spec": {"containers": [{"name": "main", "image": "x"}]}}},
    }
    value = document("DynamoCheckpoint", spec)
    rendered = render(json.dumps(value), operator_version="1.4", operator_config=checkpoints_on("1.4", tmp_path))
    assert rendered.objects == []
    assert "start cold: a-dynamocheckpoint" in rendered.note


@pytest.mark.parametrize("release", HASHED)
@pytest.mark.parametrize("target", ["plain", "grove"])
def test_a_restart_takes_all_components_at_once(release: str, target: str) -> None:
    text = graph(restart={"id": "again"}, annotations={"nvidia.com/dynamo-operator-origin-version": f"{release}.0"})
    for strategy, told in (
        ({"type": "Sequential", "order": ["Worker", "Frontend"]}, True),
        ({"type": "Parallel"}, False),
    ):
        value = yaml.safe_load(text)
        value["spec"]["restart"]["strategy"] = strategy
        rendered = render(yaml.safe_dump(value), operator_version=release, target=target)
        if "cel/restart-is-unset-at-creation" in rendered.slugs:
            pytest.skip("this release takes no graph that is created with a restart")
        assert [
            (template["metadata"].get("annotations") or {}).get("nvidia.com/restartAt")
            for _, template in pod_templates(rendered.objects)
        ] == ["again", "again"]
        assert ("all components restart at once: chat" in rendered.note) == told


def test_pods_that_need_labels_of_nodes_are_named() -> None:
    policy = {"labelKey": "topology.kubernetes.io/zone", "domain": "zone", "enforcement": "required"}
    value = yaml.safe_load(graph())
    workers = value["spec"].pop("services")
    value["apiVersion"] = "nvidia.com/v1beta1"
    value["spec"]["components"] = [
        {
            "name": name,
            "type": spec["componentType"],
            "podTemplate": {"spec": {"containers": [{"name": "main", **spec["extraPodSpec"]["mainContainer"]}]}},
        }
        for name, spec in workers.items()
    ]
    value["spec"]["experimental"] = {"kvTransferPolicy": policy}
    assert topics(yaml.safe_dump(value), operator_version="1.4")["topology"] == "chat/Worker"


def test_it_is_told_once_of_many_files(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.yaml").write_text(graph(name=name))
    findings = Findings()
    rendered = list(compile_each([str(tmp_path)], Options(standalone=True, target="plain"), findings))
    assert len(rendered) == 3
    [note] = [item.whole_message for item in findings.items if item.slug == SLUG]
    assert ": a, b, c (" in note


def test_long_lists_are_cut() -> None:
    found = topics("---\n".join(graph(name=f"g{number}") for number in range(9)))
    assert found["generations"].startswith("g0, g1, g2, g3, g4, and 4 more (")


def test_nothing_is_told_of_nothing() -> None:
    config_map = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "b"}}
    assert render(json.dumps(config_map), operator_version="1.4").slugs == []
    assert SLUG not in render(graph(), standalone=False).slugs
