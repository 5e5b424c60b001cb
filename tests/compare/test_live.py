"""Exports of a cluster: what an API server fills in is no change, and every change of a graph is one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from dynamoc.analysis.compare.default_pods import pull_policy
from tests.cli.conftest import Run

LIVE = Path(__file__).parent / "live" / "kubernetes-1.34.4"
TARGETS = ("plain", "lws", "grove")


def options(name: str) -> tuple[str, ...]:
    return ("--operator-version", "1.4", *(("--target", name) if name in TARGETS else ()))


@pytest.mark.parametrize("name", [*TARGETS, "kinds"])
@pytest.mark.parametrize("swapped", [False, True])
def test_an_export_is_the_same_as_what_was_applied(dynamoc: Run, name: str, swapped: bool) -> None:
    sides = [str(LIVE / f"{name}.live.yaml"), str(LIVE / f"{name}.yaml")]
    result = dynamoc("diff", *(reversed(sides) if swapped else sides), "-o", "json", *options(name))
    record = json.loads(result.out)
    assert (result.code, record["objects"]) == (0, [])
    assert [item["name"] for item in record["foreign"]] == ["default"]
    assert record["summary"]["objects"]["unchanged"] >= 11


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("plain", ["spec.replicas"]),
        ("lws", ["spec.replicas", "spec.replicas"]),
        (
            "grove",
            ["spec.template.cliques[frontend].spec.replicas", "spec.template.podCliqueScalingGroups[worker].replicas"],
        ),
    ],
)
def test_changed_replicas_are_the_only_change(dynamoc: Run, name: str, fields: list[str]) -> None:
    Path("new.yaml").write_text((LIVE / f"{name}.yaml").read_text().replace("replicas: 2", "replicas: 5"))
    result = dynamoc("diff", str(LIVE / f"{name}.live.yaml"), "new.yaml", "-o", "json", *options(name))
    changes = [change for item in json.loads(result.out)["objects"] for change in item["changes"]]
    assert result.code == 1
    assert [change["field"] for change in changes] == fields
    assert {(change["old"], change["new"], change["effect"]) for change in changes} == {(2, 5, "scales")}


def test_a_default_that_is_written_otherwise_is_a_change(dynamoc: Run) -> None:
    text = (LIVE / "kinds.yaml").read_text()
    Path("new.yaml").write_text(
        text.replace('image: "busybox:latest"', 'image: "busybox:latest", imagePullPolicy: Never')
    )
    result = dynamoc("diff", str(LIVE / "kinds.live.yaml"), "new.yaml")
    assert "spec.template.spec.containers[main].imagePullPolicy: Always -> Never" in result.out


def test_two_files_are_compared_as_they_are(dynamoc: Run) -> None:
    """Nobody knows of a cluster here; the operator compares what it renders."""
    text = (LIVE / "kinds.yaml").read_text()
    Path("new.yaml").write_text(text.replace("spec: {minMember: 2}", "spec: {minMember: 2, queue: default}"))
    result = dynamoc("diff", str(LIVE / "kinds.yaml"), "new.yaml")
    assert (result.code, "+ spec.queue: default" in " ".join(result.out.split())) == (1, True)


def test_what_no_graph_makes_is_named_and_not_removed(dynamoc: Run) -> None:
    result = dynamoc("diff", str(LIVE / "plain.live.yaml"), str(LIVE / "plain.yaml"), *options("plain"))
    assert "not compared: 1 object of the cluster that no graph creates: ServiceAccount/default" in result.out
    markdown = dynamoc(
        "diff", str(LIVE / "plain.live.yaml"), str(LIVE / "plain.yaml"), "-o", "markdown", *options("plain")
    )
    assert "Not compared: 1 object" in markdown.out


def test_objects_of_a_graph_that_went_are_removed(dynamoc: Run) -> None:
    Path("none").mkdir()
    result = dynamoc("diff", str(LIVE / "plain.live.yaml"), "none", "-o", "json", *options("plain"))
    effects = {item["effect"] for item in json.loads(result.out)["objects"]}
    assert effects == {"removes"}


def test_the_operator_leaves_labels_of_its_objects(dynamoc: Run) -> None:
    """An export of what kubectl applied is brought up to date as a whole, one of the operator's objects is not."""
    text = (LIVE / "plain.yaml").read_text()
    Path("new.yaml").write_text(
        text.replace("componentType: frontend", "componentType: frontend\n      labels: {a: b}")
    )
    export = yaml.safe_load((LIVE / "plain.live.yaml").read_text())
    for item in export["items"]:
        item["metadata"]["annotations"] = {"nvidia.com/last-applied-hash": "0"}
    Path("made.yaml").write_text(yaml.safe_dump(export))
    applied = {}
    for old in (str(LIVE / "plain.live.yaml"), "made.yaml"):
        record = json.loads(dynamoc("diff", old, "new.yaml", "-o", "json", *options("plain")).out)
        changes = [change for item in record["objects"] for change in item["changes"]]
        applied[old] = {change["applied"] for change in changes if change["field"] == "metadata.labels.a"}
    assert list(applied.values()) == [{True}, {False}]


@pytest.mark.parametrize(
    ("image", "policy"),
    [
        ("a", "Always"),
        ("a:latest", "Always"),
        ("registry:5000/a", "Always"),
        ("a:1", "IfNotPresent"),
        ("registry:5000/a:1", "IfNotPresent"),
        ("a@sha256:0", "IfNotPresent"),
        ("a:latest@sha256:0", "Always"),
    ],
)
def test_images_are_pulled_by_their_tag(image: str, policy: str) -> None:
    assert pull_policy(image) == policy
