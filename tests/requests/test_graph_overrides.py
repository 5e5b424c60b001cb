"""Overrides of graphs: the recorded pairs, and the merge where they say nothing."""

import json
from pathlib import Path
from typing import Any

import pytest

from dynamoc.documents.findings.finding import Refusal
from dynamoc.reference.releases import get_release
from dynamoc.rendering.requests.merge import StructuralMerge
from dynamoc.rendering.requests.overrides import apply_override

Tree = dict[str, Any]
PAIRS = Path(__file__).parents[3] / "shared" / "reference" / "overrides-1.4"
BETA = "nvidia.com/v1beta1"


def normal(value: Any) -> Any:
    if isinstance(value, dict):
        kept = {key: normal(item) for key, item in value.items()}
        return {key: item for key, item in kept.items() if item not in (None, {}, [])}
    return [normal(item) for item in value] if isinstance(value, list) else value


@pytest.mark.skipif(not PAIRS.is_dir(), reason="the recorded pairs are not here")
@pytest.mark.parametrize("file", sorted(PAIRS.glob("*.json")), ids=lambda file: file.stem)
def test_pair(file: Path) -> None:
    pair = json.loads(file.read_text())
    before = json.dumps(pair)
    if "error" in pair:
        with pytest.raises(Refusal):
            apply_override(pair["blueprint"], pair["override"], get_release("1.4"))
        return
    found = apply_override(pair["blueprint"], pair["override"], get_release("1.4"))
    wanted = {key: item for key, item in pair["effective"].items() if key != "status"}
    assert normal(found.graph) == normal(wanted)
    assert bool(found.ignored) == bool(pair["warnings"])
    assert json.dumps(pair) == before


def graph(*components: Tree, **spec: Any) -> Tree:
    return {"apiVersion": BETA, "kind": "DynamoGraphDeployment", "spec": {"components": list(components), **spec}}


def worker(**container: Any) -> Tree:
    return {"name": "w", "podTemplate": {"spec": {"containers": [{"name": "main", **container}]}}}


def main(value: Tree) -> Tree:
    found: Tree = value["spec"]["components"][0]["podTemplate"]["spec"]["containers"][0]
    return found


def overridden(base: Tree, override: Tree, version: str = "1.4") -> Tree:
    return apply_override(base, override, get_release(version)).graph


def test_items_of_both_stand_in_the_order_of_the_override() -> None:
    base = worker(env=[{"name": name, "value": "1"} for name in "abcd"])
    override = worker(env=[{"name": "d", "value": "2"}, {"name": "n", "value": "2"}, {"name": "b", "value": "2"}])
    env = main(overridden(graph(base), graph(override)))["env"]
    assert [item["name"] for item in env] == ["a", "c", "d", "n", "b"]
    assert {item["name"]: item["value"] for item in env}["b"] == "2"


def test_ports_are_one_by_number_and_protocol() -> None:
    base = worker(ports=[{"containerPort": 1, "name": "a"}])
    override = worker(
        ports=[{"containerPort": 1, "protocol": "TCP", "name": "b"}, {"containerPort": 1, "protocol": "UDP"}]
    )
    ports = main(overridden(graph(base), graph(override)))["ports"]
    assert [(item["containerPort"], item.get("protocol")) for item in ports] == [(1, "TCP"), (1, "UDP")]
    assert ports[0]["name"] == "b"


def test_a_reference_is_replaced_as_a_whole() -> None:
    base = worker(env=[{"name": "a", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k", "optional": True}}}])
    override = worker(env=[{"name": "a", "valueFrom": {"secretKeyRef": {"name": "t", "key": "k"}}}])
    [variable] = main(overridden(graph(base), graph(override)))["env"]
    assert variable["valueFrom"]["secretKeyRef"] == {"name": "t", "key": "k"}


def test_since_1_5_arguments_can_be_appended() -> None:
    base, override = graph(worker(args=["a"])), graph(worker(args=["b"], **{"$patch": {"args": "append"}}))
    assert main(overridden(base, override, "1.5"))["args"] == ["a", "b"]
    for wrong in (
        graph(worker(args=["b"], **{"$patch": {"args": "replace"}})),
        graph(worker(args=[], **{"$patch": {"args": "append"}})),
        graph(worker(args=[""], **{"$patch": {"args": "append"}})),
    ):
        with pytest.raises(Refusal):
            overridden(base, wrong, "1.5")
    with pytest.raises(Refusal):
        overridden(graph(worker()), override, "1.5")
    with pytest.raises(Refusal):
        overridden(base, override, "1.4")


def test_a_release_without_the_version_refuses() -> None:
    with pytest.raises(Refusal):
        StructuralMerge("1.0", BETA, "DynamoGraphDeployment")
