"""JSON as Go writes it."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynamoc.kube.text import dumps, dumps_sorted, float_text

# Beyond 2**53 Go prints a float as an integer that Python reads digit by digit; integers beyond int64 are floats in Go.
scalars = st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(-(2.0**53), 2.0**53)
strings = st.text(st.characters(exclude_categories=["Cs"]), max_size=8) | st.sampled_from(["<a>&", "\u2028", "\u2029"])
values = st.recursive(
    scalars | strings, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(strings, inner, max_size=3)
)


@given(values)
def test_reads_back(value: Any) -> None:
    assert json.loads(dumps(value)) == value
    assert json.loads(dumps_sorted(value)) == value


@given(st.integers(2**63, 2**90) | st.integers(-(2**90), -(2**63) - 1))
def test_reads_integers_beyond_int64_back_as_floats(value: int) -> None:
    assert float(json.loads(dumps(value))) == float(value)


@given(st.dictionaries(strings, scalars, max_size=5))
def test_order_of_keys(value: dict[str, Any]) -> None:
    assert list(json.loads(dumps(value))) == list(value)
    assert list(json.loads(dumps_sorted(value))) == sorted(value, key=str.encode)


@given(values)
def test_is_safe_inside_html(value: Any) -> None:
    assert not set(dumps(value).decode()) & set("<>&\u2028\u2029")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("<a> & b", rb'"\u003ca\u003e \u0026 b"'),
        ("\u2028\u2029é😀", b'"\\u2028\\u2029' + "é😀".encode() + b'"'),
        ('"\\/', rb'"\"\\/"'),
        ("\b\t\n\f\r\x00\x1f\x7f", b'"\\b\\t\\n\\f\\r\\u0000\\u001f\x7f"'),
        ("a\ud800b", rb'"a\ufffd\ufffd\ufffdb"'),
        ({"b": [1, {}], "a": []}, b'{"b":[1,{}],"a":[]}'),
        ([None, True, False, -1], b"[null,true,false,-1]"),
        (
            [2**63 - 1, 2**63, -(2**63), -(2**63) - 1025],
            b"[9223372036854775807,9223372036854776000,-9223372036854775808,-9223372036854778000]",
        ),
    ],
)
def test_as_go_writes(value: Any, text: bytes) -> None:
    assert dumps(value) == text


# strconv.AppendFloat as encoding/json uses it, by hand from Go.
@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.0, "0"),
        (-0.0, "-0"),
        (1.0, "1"),
        (1.5, "1.5"),
        (-0.1, "-0.1"),
        (1e-6, "0.000001"),
        (1.5e-5, "0.000015"),
        (9.9e-7, "9.9e-7"),
        (1e-10, "1e-10"),
        (1e16, "10000000000000000"),
        (-1.5e17, "-150000000000000000"),
        (1.2345e20, "123450000000000000000"),
        (1e21, "1e+21"),
        (-2.5e100, "-2.5e+100"),
        (5e-324, "5e-324"),
    ],
)
def test_floats(number: float, text: str) -> None:
    assert float_text(number) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_read_back(number: float) -> None:
    assert float(float_text(number)) == number


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1, 2}, b"x"])
def test_refuses_what_json_cannot_say(value: Any) -> None:
    with pytest.raises(ValueError, match="unsupported"):
        dumps(value)
