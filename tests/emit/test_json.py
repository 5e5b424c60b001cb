"""The JSON writer."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynamoc.documents.emit.yaml import dump_json, json_line

scalars = st.none() | st.booleans() | st.integers() | st.floats(-(2.0**53), 2.0**53) | st.text(max_size=6)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
)


@given(values)
def test_reads_back(value: Any) -> None:
    assert json.loads(dump_json(value)) == value


@given(st.dictionaries(st.text(max_size=4), st.lists(st.text(max_size=4) | st.integers()), max_size=4))
def test_looks_like_python_s_own(value: Any) -> None:
    assert dump_json(value) == json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


@given(st.dictionaries(st.text(max_size=4), st.lists(st.text(max_size=4) | st.integers()), max_size=4))
def test_one_line_is_python_s_own(value: Any) -> None:
    assert json_line(value) == json.dumps(value, ensure_ascii=False, sort_keys=True)


def test_as_list() -> None:
    assert json.loads(dump_json([{"kind": "A"}], as_list=True)) == {
        "apiVersion": "v1",
        "kind": "List",
        "items": [{"kind": "A"}],
    }
    assert dump_json([]) == "[]\n"


@pytest.mark.parametrize(
    ("value", "text"), [(1.0, "1"), (1e21, "1e+21"), (True, "true"), (None, "null"), ("é<", '"é<"')]
)
def test_scalars(value: Any, text: str) -> None:
    assert dump_json(value) == text + "\n"


def test_refuses_nan() -> None:
    with pytest.raises(ValueError, match="unsupported"):
        dump_json([float("nan")])
