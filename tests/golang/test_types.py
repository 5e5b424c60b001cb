"""Typed JSON against what Go's json.Marshal printed."""

import json
from pathlib import Path
from typing import Any

import pytest

from dynamoc.kube.go_types import BARE, load, table_text, type_of, typed, typed_object
from dynamoc.kube.text import dumps
from dynamoc.reference.releases import ORDER
from tools.supply.go_types import SCHEMAS, text

CASES = [json.loads(line) for line in (Path(__file__).parent / "data" / "gotypes.jsonl").read_text().splitlines()]


def test_as_go_prints() -> None:
    """All cases in one test: they are hundreds, and a test of its own takes longer than printing."""
    for case in CASES:
        wanted = json.loads(case["printed"])
        wanted.pop("status", None)
        assert dumps(typed(case["value"], case["type"], load(case["release"]))) == dumps(wanted), case


def test_printing_settles() -> None:
    """Not at once: the zero time behind a pointer prints as null, which then reads as nothing."""
    for case in CASES:
        tables = load(case["release"])
        twice = typed(typed(case["value"], case["type"], tables), case["type"], tables)
        assert dumps(typed(twice, case["type"], tables)) == dumps(twice), case


@pytest.mark.parametrize("release", ORDER)
def test_every_type_has_a_reader(release: str) -> None:
    names = [line.split("\t")[0] for line in table_text(release).splitlines() if not line.startswith("#")]
    assert len(names) > 200
    for name in names:
        typed({}, name, load(release))


@pytest.mark.parametrize("release", ["0.6", "1.0", "1.4"])
def test_types_are_those_of_the_tables(release: str, reference: Path) -> None:
    assert text(reference / "go-types", release) == (SCHEMAS / release / "go-types.txt").read_text()


@pytest.mark.parametrize(
    ("value", "kind", "message"),
    [
        ({"containers": [{}, {"ports": 1}]}, "core/v1.PodSpec", "containers[1].ports: expected a list, found 1"),
        ({"replicas": 2**31}, "apps/v1.DeploymentSpec", "replicas: expected a 32-bit integer, found 2147483648"),
        ({"limits": {"cpu": "much"}}, "core/v1.ResourceRequirements", "limits.cpu: expected a quantity, found 'much'"),
        ({"name": 1}, "core/v1.EnvVar", "name: expected a string, found 1"),
        (1, "core/v1.EnvVar", "value: expected a EnvVar, found 1"),
        ({"hostNetwork": "yes"}, "core/v1.PodSpec", "hostNetwork: expected true or false, found 'yes'"),
    ],
)
def test_mismatch_names_the_field(value: Any, kind: str, message: str) -> None:
    with pytest.raises(ValueError, match="expected") as caught:
        typed(value, kind, load("1.0"))
    assert str(caught.value) == message


def test_absent_null_and_zero_are_three_things() -> None:
    tables = load("1.0")
    for value, printed in [({}, {}), ({"replicas": None}, {}), ({"replicas": 0}, {"replicas": 0})]:
        spec = typed(value, "apps/v1.DeploymentSpec", tables)
        assert {key: spec[key] for key in spec if key == "replicas"} == printed


def test_embedded_pointer_prints_its_zero_values_only_when_set() -> None:
    """Of release 0.6, whose ExtraPodSpec leaves `containers: null` to Go."""
    tables = load("0.6")
    kind = "dynamo/common.ExtraPodSpec"
    assert typed({"mainContainer": {"name": "x"}}, kind, tables) == {"mainContainer": {"name": "x", "resources": {}}}
    assert typed({"hostNetwork": True}, kind, tables) == {"containers": None, "hostNetwork": True}


def test_bare_leaves_out_what_nobody_set() -> None:
    bare = load("1.0", BARE)
    value = {"apiVersion": "apps/v1", "kind": "Deployment", "spec": {"template": {"spec": {"containers": [{}]}}}}
    assert typed_object(value, bare) == {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "spec": {"template": {"spec": {"containers": [{"name": ""}]}}},
    }


def test_bare_keeps_an_empty_object_behind_a_pointer() -> None:
    value = {"name": "a", "scalingAdapter": {}, "experimental": {"grove": {}}}
    tables = load("1.4", BARE)
    assert typed(value, "dynamo/v1beta1.DynamoComponentDeploymentSharedSpec", tables) == value


def test_unknown_kinds_come_back_as_they_are() -> None:
    value = {"apiVersion": "networking.istio.io/v1", "kind": "VirtualService", "spec": {"b": 1, "a": None}}
    assert typed_object(value, load("1.0")) is value
    assert type_of("v1", "Service") == "core/v1.Service"
    assert type_of("grove.io/v1alpha1", "PodCliqueSet") in load("1.0")
    with pytest.raises(KeyError):
        typed({}, "core/v1.Nonsense", load("1.0"))


def test_fields_that_go_does_not_know_are_dropped() -> None:
    assert typed({"nodeCount": 2, "x": 1}, "dynamo/v1beta1.MultinodeSpec", load("1.4")) == {"nodeCount": 2}


def test_input_is_left_as_it_is() -> None:
    value = {"containers": [{"name": "a", "resources": {"limits": {"b": 1, "a": "0.5"}}}]}
    before = json.dumps(value)
    typed(value, "core/v1.PodSpec", load("1.0"))
    assert json.dumps(value) == before


def test_nothing_of_a_value_is_kept_for_the_next() -> None:
    class Known(str):
        """A key that knows where it comes from."""

    tables = load("1.4")
    for key in (Known("hostname"), "hostname"):
        (printed,) = typed({key: "web", "containers": []}, "core/v1.PodSpec", tables).keys() - {"containers"}
        assert type(printed) is str
