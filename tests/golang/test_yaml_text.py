"""YAML in ConfigMaps, against what Go wrote: tests/golang/goyaml.py, with sigs.k8s.io/yaml 1.6.0."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dynamoc.documents.source.scalars import resolve
from dynamoc.kube.yaml import dump_go_yaml
from tests.golang import goyaml


def dumped(value: Any) -> str:
    return dump_go_yaml(value, lambda text: isinstance(resolve(text), str))


def wrong(given: list[Any], wanted: list[str]) -> list[tuple[Any, str, str]]:
    """What differs; Go has no answer for a few characters, which it writes as JSON and cannot read as YAML."""
    compared = ((value, text, dumped(value)) for value, text in zip(given, wanted, strict=True))
    return [row for row in compared if row[1] != row[2] and not row[1].startswith("error: ")]


def test_values_are_written_as_go_wrote_them() -> None:
    rows = json.loads(goyaml.RECORD.read_text())
    assert len(rows) > 1000
    assert wrong([value for value, _ in rows], [text for _, text in rows])[:5] == []


@pytest.mark.slow
def test_the_record_is_what_go_writes_today() -> None:
    program = goyaml.build()
    if program is None:
        pytest.skip("no Go, or no module proxy")
    given = goyaml.values(2, 3000)
    assert wrong(given, goyaml.answers(program, given))[:5] == []


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("2001-01-01", '"2001-01-01"'),
        ("1:30", '"1:30"'),
        ("<<", "<<"),
        ("=", "="),
        ("a: b", "'a: b'"),
        ("a\nb\n", "|\n  a\n  b"),
        (1234567.5, "1.2345675e+06"),
    ],
)
def test_quotes_and_numbers(value: Any, text: str) -> None:
    assert dumped({"key": value}) == f"key: {text}\n"


def test_long_texts_are_folded() -> None:
    assert dumped({"key": "word " * 20 + "x"}) == f"key: {'word ' * 15}word\n  word word word word x\n"
