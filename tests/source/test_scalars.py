from __future__ import annotations

import pytest

from dynamoc.documents.source.scalars import NUMERIC, WORDS, Unresolvable, json_value, key_text, resolve, resolve_tagged
from tests.source.reading import same


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("y", True),
        ("Off", False),
        ("yEs", "yEs"),
        ("", None),
        ("nil", "nil"),
        ("08", 8.0),
        ("012", 10),
        ("0o12", 10),
        ("0x0x1f", "0x0x1f"),
        ("0b0b1", "0b0b1"),
        ("0b+1", 1),
        ("1_000", 1000),
        ("1:30", "1:30"),
        ("2001-01-01", "2001-01-01"),
        ("1e3", 1000.0),
        ("1e400", "1e400"),
        (".5_", ".5_"),
        ("-0x8000000000000000", -(2**63)),
        ("0x10000000000000000", "0x10000000000000000"),
        ("18446744073709551615", 2**64 - 1),
        ("9" * 5000, "9" * 5000),
        ("٣", "٣"),
        ("1٣", "1٣"),
        ("+ 1", "+ 1"),
        ("-", "-"),
    ],
)
def test_plain(text: str, value: object) -> None:
    assert same(resolve(text), value)


def test_texts_that_start_otherwise_are_themselves() -> None:
    for number in range(32, 127):
        text = f"{chr(number)}zq"
        assert chr(number) in NUMERIC or text in WORDS or resolve(text) == text
    assert all(word[:1] in NUMERIC or word in WORDS for word in ("", "y", "~", "null", ".nan", "-.inf"))


@pytest.mark.parametrize(
    ("value", "json"),
    [(1.0, 1), (-0.0, 0), (1.5, 1.5), (2.0**64, 18446744073709552000), (1e20, 10**20), (1e21, 1e21), (True, True)],
)
def test_whole_floats_become_integers_as_go_prints_them(value: object, json: object) -> None:
    assert same(json_value(value), json)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", [".inf", "-.INF", "+.Inf", ".nan"])
def test_json_has_no_such_number(text: str) -> None:
    with pytest.raises(Unresolvable):
        json_value(resolve(text))


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("y", "true"),
        ("0x10", "16"),
        ("1.50", "1.5"),
        ("1e5", "100000"),
        ("1e6", "1e+06"),
        ("16777217.0", "1.6777216e+07"),
        ("0.00001", "1e-05"),
        ("-0.0", "-0"),
        ("1e39", ".inf"),
        ("-.inf", "-.inf"),
        (".nan", ".nan"),
    ],
)
def test_keys(text: str, key: str) -> None:
    assert key_text(resolve(text)) == key


@pytest.mark.parametrize("text", ["", "null", "~", str(2**63)])
def test_what_cannot_be_a_key(text: str) -> None:
    with pytest.raises(Unresolvable):
        key_text(resolve(text))


def test_tags() -> None:
    prefix = "tag:yaml.org,2002:"
    assert same(resolve_tagged(prefix + "str", "1"), "1")
    assert same(resolve_tagged("!vault", "1"), "1")
    assert same(resolve_tagged(prefix + "float", "1"), 1.0)
    assert same(resolve_tagged(prefix + "binary", "4ICA\nYQ=="), "\ufffd\ufffd\ufffda")
    for tag, text in (("int", "1.5"), ("bool", "1"), ("null", "x"), ("binary", "a"), ("timestamp", "2001-01-01")):
        with pytest.raises(Unresolvable):
            resolve_tagged(prefix + tag, text)
