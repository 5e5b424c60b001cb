"""The three-way merge of `kubectl apply`. The table was checked against k8s.io/apimachinery's own."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynamoc.kube.merge import applied

Tree = dict[str, Any]


@pytest.mark.parametrize(
    ("manifest", "current", "last", "result"),
    [
        pytest.param({"a": 1}, {"b": 2}, {}, {"a": 1, "b": 2}, id="others' fields stay"),
        pytest.param({}, {"a": 1, "b": 2}, {"a": 1}, {"b": 2}, id="one's own go"),
        pytest.param({"m": {"a": 1}}, {"m": {"b": 2}}, {"m": {"c": 3}}, {"m": {"a": 1, "b": 2}}, id="mappings merge"),
        pytest.param({"l": [1]}, {"l": [1, 2]}, {}, {"l": [1]}, id="lists are replaced"),
        pytest.param({"a": None}, {"a": 1}, {}, {}, id="null deletes"),
        pytest.param({"a": None}, {"a": 1}, {"a": None}, {"a": 1}, id="but not what null deleted before"),
        pytest.param({"a": {"b": None}}, {}, {}, {"a": {}}, id="null below"),
        pytest.param({"a": {"b": None}}, {}, {"a": {"b": None}}, {}, id="null below, as before"),
        pytest.param({"a": {"b": 1}}, {"a": 2}, {}, {"a": {"b": 1}}, id="another type"),
    ],
)
def test_merge(manifest: Tree, current: Tree, last: Tree, result: Tree) -> None:
    assert applied(manifest, current, last) == result


TREES = st.recursive(
    st.integers(0, 2) | st.just([]),
    lambda children: st.dictionaries(st.sampled_from("abc"), children, max_size=3),
    max_leaves=8,
)
MAPPINGS = st.dictionaries(st.sampled_from("abc"), TREES, max_size=3)


@given(MAPPINGS, MAPPINGS)
def test_what_is_the_last_manifest_is_replaced(manifest: Tree, current: Tree) -> None:
    assert applied(manifest, current, current) == manifest


@given(MAPPINGS, MAPPINGS, MAPPINGS)
def test_applying_twice_is_applying_once(manifest: Tree, current: Tree, last: Tree) -> None:
    once = applied(manifest, current, last)
    assert applied(manifest, once, manifest) == once
