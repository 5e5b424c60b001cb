"""Quantities against Go's own answers, and the laws they obey."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynamoc.kube import quantity as quantity_quantity

CASES = [line.split("\t") for line in (Path(__file__).parent / "data" / "quantities.tsv").read_text().splitlines()]

quantities = st.from_regex(
    r"[+-]?[0-9]{1,20}(\.[0-9]{0,5})?([munkMGTPE]|[KMGTPE]i|[eE][+-]?[0-9]{1,2})?", fullmatch=True
)


def test_table_is_complete() -> None:
    assert len(CASES) > 1565


def test_as_go_prints() -> None:
    """Two thousand texts: one test, as each of its own costs more than what it asks."""
    assert {text: _as_printed(text) for text, *_ in CASES} == {text: answers for text, *answers in CASES}


def _as_printed(text: str) -> list[str]:
    """As read and in canonical form; empty where the text is no quantity."""
    try:
        return [quantity_quantity.canonical_as_read(text), quantity_quantity.canonical(text)]
    except ValueError as error:
        return [] if "quantity" in str(error) else [str(error)]


@pytest.mark.parametrize(
    ("number", "text"), [(2, "2"), (0, "0"), (1.5, "1500m"), (0.1, "100m"), (4000, "4k"), (1e21, "1e+21")]
)
def test_json_numbers(number: float, text: str) -> None:
    assert quantity_quantity.canonical_as_read(number) == text


@pytest.mark.parametrize(
    ("text", "value"), [("1500m", 2), ("-1500m", -2), ("1Ki", 1024), ("1n", 1), ("3", 3), ("2k", 2000)]
)
def test_value_rounds_away_from_zero(text: str, value: int) -> None:
    assert quantity_quantity.value(text) == value


@pytest.mark.parametrize("text", ["", "+", "1.0", "1 ", "1_0", "٣", "9223372036854775808", "0x1"])
def test_parse_int_refuses(text: str) -> None:
    with pytest.raises(ValueError, match="parsing"):
        quantity_quantity.parse_int(text)


@pytest.mark.parametrize(("text", "number"), [("8", 8), ("+8", 8), ("-08", -8), ("9223372036854775807", 2**63 - 1)])
def test_parse_int(text: str, number: int) -> None:
    assert quantity_quantity.parse_int(text) == number


def test_exponents_cost_no_memory() -> None:
    assert quantity_quantity.canonical_as_read("1e-999999999") == "1e-9"
    assert quantity_quantity.canonical_as_read("1000000000000000000000e999999999") == "1e1000000020"


@given(quantities)
def test_printing_is_idempotent(text: str) -> None:
    read = quantity_quantity.canonical_as_read(text)
    if quantity_quantity.value(text) < 10**18:
        assert quantity_quantity.canonical_as_read(read) == read
        assert quantity_quantity.compare(text, read) == 0 or "n" in read or "e-" in read


@given(quantities)
def test_zero_prints_as_zero(text: str) -> None:
    assert quantity_quantity.is_zero(text) == (quantity_quantity.canonical(text) == "0")


@given(quantities, quantities)
def test_comparison_is_antisymmetric(left: str, right: str) -> None:
    assert quantity_quantity.compare(left, right) == -quantity_quantity.compare(right, left)


def test_reference_table(reference: Path) -> None:
    table = json.loads((reference / "go-tables" / "quantities.json").read_text())
    ours = {text: tuple(answers) for text, *answers in CASES}
    assert {c["in"]: () if "error" in c else (c["kept"], c["canonical"]) for c in table}.items() <= ours.items()
