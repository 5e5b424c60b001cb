"""Fields that differ: lists by their keys, not by position."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynamoc.analysis.compare.result import ORDER
from dynamoc.analysis.compare.trees import compare_trees, format_steps


def told(old: Any, new: Any) -> list[tuple[str, str, Any, Any]]:
    return [(format_steps(item.steps), item.how, item.old, item.new) for item in compare_trees(old, new)]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": 1}, {"a": True}, [("a", "changed", 1, True)]),
        ({"a": 1}, {"a": "1"}, [("a", "changed", 1, "1")]),
        ({"a": None}, {}, []),
        ({}, {"a": {}}, [("a", "added", None, {})]),
        ({"a": {"b": 1}}, {}, [("a", "removed", {"b": 1}, None)]),
        ({"labels": {"a.b/c": "1"}}, {}, [("labels[a.b/c]", "removed", "1", None)]),
        ({"args": ["a", "b"]}, {"args": ["b", "a"]}, [("args", "changed", ["a", "b"], ["b", "a"])]),
        ({"verbs": ["get", "list"]}, {"verbs": ["list", "get"]}, []),
        ({"verbs": ["get"]}, {"verbs": ["get", "list"]}, [("verbs[list]", "added", None, "list")]),
    ],
)
def test_fields(old: Any, new: Any, expected: list[Any]) -> None:
    assert told(old, new) == expected


@pytest.mark.parametrize(
    ("field", "old", "new", "expected"),
    [
        ("containers", [{"name": "a", "image": "1"}], [{"name": "b"}, {"name": "a", "image": "2"}], ["b", "a.image"]),
        ("env", [{"name": "A", "value": "1"}], [{"name": "A", "value": "2"}], ["A.value"]),
        ("volumeMounts", [{"name": "v", "mountPath": "/a"}], [{"name": "w", "mountPath": "/a"}], ["/a.name"]),
        ("ports", [{"containerPort": 1}], [{"containerPort": 2}, {"containerPort": 1, "name": "x"}], ["2", "1.name"]),
        ("ports", [{"name": "x", "containerPort": 1}], [{"name": "x", "containerPort": 2}], ["x.containerPort"]),
        ("imagePullSecrets", [{"name": "a"}], [], ["a"]),
        (
            "cliques",
            [{"name": "a", "spec": {"replicas": 1}}],
            [{"name": "a", "spec": {"replicas": 2}}],
            ["a.spec.replicas"],
        ),
        ("tolerations", [{"key": "a"}, {"key": "b"}], [{"key": "b"}], ["0"]),
        ("rules", [{"verbs": ["get"]}], [{"verbs": ["get", "list"]}], ["0.verbs[list]"]),
    ],
)
def test_elements_are_known_by_their_keys(field: str, old: Any, new: Any, expected: list[str]) -> None:
    paths = [
        path.removeprefix(field).replace("]", "", 1).removeprefix("[") for path, *_ in told({field: old}, {field: new})
    ]
    assert paths == expected


def test_two_variables_of_one_name_are_told_apart() -> None:
    old = [{"name": "A", "value": "1"}, {"name": "A", "value": "2"}]
    new = [{"name": "A", "value": "1"}, {"name": "A", "value": "3"}]
    assert told({"env": old}, {"env": new}) == [("env[A#2].value", "changed", "2", "3")]


def test_a_list_that_comes_is_told_element_by_element() -> None:
    assert [path for path, *_ in told({}, {"initContainers": [{"name": "a"}, {"name": "b"}]})] == [
        "initContainers[a]",
        "initContainers[b]",
    ]


@pytest.mark.parametrize(
    ("value", "counts"),
    [("$(A)", True), ("$(OTHER)", False), ("plain", False)],
)
def test_order_of_variables_counts_where_one_refers_to_another(value: str, counts: bool) -> None:
    one, other = {"name": "A", "value": "1"}, {"name": "B", "value": value}
    [change] = compare_trees({"env": [one, other]}, {"env": [other, one]})
    assert change.how == "reordered"
    assert (change.effect != ORDER) == counts
    assert "$(" in (change.note or "")


def test_init_containers_run_in_their_order() -> None:
    one, other = {"name": "a"}, {"name": "b"}
    [change] = compare_trees({"initContainers": [one, other]}, {"initContainers": [other, one]})
    assert change.effect != ORDER


def test_an_element_that_comes_first_moves_nobody() -> None:
    one, other = {"name": "a"}, {"name": "b"}
    assert [path for path, *_ in told({"volumes": [one]}, {"volumes": [other, one]})] == ["volumes[b]"]


quick = settings(max_examples=60)
NAMED = st.lists(st.sampled_from("abcdef"), unique=True).map(
    lambda names: [{"name": name, "x": name} for name in names]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(0, 3) | st.sampled_from(["", "a", "b"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["name", "env", "x", "labels"]), inner),
    max_leaves=12,
)


@quick
@given(NAMED, st.randoms(use_true_random=False))
def test_a_shuffled_list_of_names_differs_in_its_order_only(
    items: list[dict[str, str]], shuffle: random.Random
) -> None:
    shuffled = items.copy()
    shuffle.shuffle(shuffled)
    changes = compare_trees({"volumes": items}, {"volumes": shuffled})
    assert [change.effect for change in changes] == [ORDER] * (items != shuffled)


@quick
@given(VALUES)
def test_nothing_differs_from_itself(value: Any) -> None:
    assert compare_trees(value, value) == []


@quick
@given(VALUES, VALUES)
def test_both_directions_tell_the_same_fields(old: Any, new: Any) -> None:
    there, back = compare_trees(old, new), compare_trees(new, old)
    mirrored = {"added": "removed", "removed": "added"}
    assert sorted(mirrored.get(item.how, item.how) for item in there) == sorted(item.how for item in back)
