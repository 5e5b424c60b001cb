"""Merges against mergo's own answers, version by version, and the laws they obey."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynamoc.kube import merge as merge_merge
from dynamoc.kube.go_types import FLAGS, load, typed
from dynamoc.kube.merge import merge_container, merge_maps, merge_pod_spec

CASES = [json.loads(line) for line in (Path(__file__).parent / "data" / "mergo.jsonl").read_text().splitlines()]
RELEASES = {"0.3.6": "0.6", "0.3.16": "1.0"}


def test_as_mergo_merges() -> None:
    """All cases in one test: they are hundreds, and a test of its own takes longer than a merge."""
    for case in CASES:
        assert_as_mergo_merges(case)


def assert_as_mergo_merges(case: dict[str, Any]) -> None:
    if case["kind"] == "map":
        assert merge_maps(case["base"], case["override"]) == case["merged"], case
        return
    tables = load(RELEASES[case["mergo"]])
    kind = f"core/v1.{case['kind']}"
    function = merge_container if case["kind"] == "Container" else merge_pod_spec
    base = typed(case["base"], kind, tables)
    for override in (case["override"], typed(case["override"], kind, tables)):
        merged = function(base, override, replace_pointers=case["mergo"] == "0.3.6")
        assert typed(merged, kind, tables) == case["merged"], case


def test_both_versions_and_all_kinds_are_in_the_table() -> None:
    assert {(case["mergo"], case["kind"]) for case in CASES} == {
        (version, kind) for version in RELEASES for kind in ("Container", "PodSpec", "map")
    }


@pytest.mark.parametrize("release", ["0.6", "1.0", "1.4"])
@pytest.mark.parametrize(
    ("kind", "values"),
    [("Container", merge_merge.CONTAINER_VALUES), ("PodSpec", merge_merge.POD_VALUES)],
    ids=["container", "pod"],
)
def test_field_names_match_the_struct(release: str, kind: str, values: frozenset[str]) -> None:
    """A new scalar or map in a later Kubernetes would be merged the wrong way."""
    maps, scalars = reachable(release, f"core/v1.{kind}")
    assert scalars == values
    assert maps <= merge_merge.MAPS


def reachable(release: str, kind: str) -> tuple[set[str], set[str]]:
    """Map fields that a merge can reach without entering a list, and the kind's own scalars that are no pointers."""
    maps, scalars, seen, todo = set(), set(), set(), [kind]
    while todo:
        name = todo.pop()
        for field, text in fields(release, name):
            element = text.lstrip("*")
            if text.startswith("map["):
                maps.add(field)
            elif "/" in element and not element.startswith("[]") and element not in seen:
                seen.add(element)
                todo.append(element)
            elif name == kind and text in ("string", "bool", "int32", "int64"):
                scalars.add(field)
    return maps, scalars


def fields(release: str, name: str) -> list[tuple[str, str]]:
    return [(key, text.lstrip(FLAGS)) for key, text in load(release).declared(name).items()]


def test_a_probe_of_the_user_merges_since_1_0_and_replaces_in_0_6() -> None:
    base = {"name": "main", "livenessProbe": {"httpGet": {"path": "/live", "port": "system"}, "periodSeconds": 5}}
    override = {"livenessProbe": {"exec": {"command": ["true"]}}}
    assert merge_container(base, override)["livenessProbe"] == base["livenessProbe"] | override["livenessProbe"]
    assert merge_container(base, override, replace_pointers=True)["livenessProbe"] == override["livenessProbe"]


def test_a_port_number_does_not_override_a_port_name() -> None:
    base = {"livenessProbe": {"httpGet": {"port": "system"}}}
    assert merge_container(base, {"livenessProbe": {"httpGet": {"port": 8080}}}) == base


def test_false_overrides_nothing_but_an_absent_pointer() -> None:
    assert merge_pod_spec({"hostUsers": True}, {"hostUsers": False}) == {"hostUsers": True}
    assert merge_pod_spec({}, {"hostUsers": False, "hostNetwork": False}) == {"hostUsers": False}
    assert merge_pod_spec({"hostUsers": True}, {"hostUsers": False}, replace_pointers=True) == {"hostUsers": False}


def test_empty_values_of_maps_override() -> None:
    assert merge_maps({"a": "1", "b": "2"}, {"a": ""}) == {"a": "", "b": "2"}
    assert merge_pod_spec({"nodeSelector": {"a": "1"}}, {"nodeSelector": {"a": ""}}) == {"nodeSelector": {"a": ""}}


trees = st.sampled_from([case["base"] for case in CASES if case["kind"] == "Container"])


@given(trees, trees)
def test_inputs_stay_as_they_are(base: dict[str, Any], override: dict[str, Any]) -> None:
    before = json.dumps([base, override])
    merged = merge_container(base, override)
    for value in merged.values():
        if isinstance(value, dict):
            value["later"] = 1
    assert json.dumps(override) == json.dumps(json.loads(before)[1])


@given(trees, trees)
def test_merging_twice_changes_nothing(base: dict[str, Any], override: dict[str, Any]) -> None:
    once = merge_container(base, override)
    assert merge_container(once, override) == once


@given(trees)
def test_merging_nothing_changes_nothing(base: dict[str, Any]) -> None:
    assert merge_container(base, {}) == base
    assert merge_pod_spec(base, {}) == base
