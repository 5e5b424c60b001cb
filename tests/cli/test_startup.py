"""No hot command loads or executes much more than is recorded in benchmarks/startup.json."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import startup

RECORD = json.loads(startup.RECORD.read_text())


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, list[str]], dict[str, int]]:
    folder = tmp_path_factory.mktemp("inputs")
    startup.write_inputs(folder)
    return startup.measured(folder)


def test_starts_take_no_more_than_recorded(measured: tuple[dict[str, list[str]], dict[str, int]]) -> None:
    assert set(measured[0]) == set(startup.COMMANDS)
    assert startup.complaints(*measured, RECORD) == [], "run python -m benchmarks.startup --record, and say why"


def test_the_opcodes_of_this_python_are_recorded() -> None:
    if startup.python_version() not in RECORD["opcodes"]:
        pytest.skip(f"no opcodes are recorded for Python {startup.python_version()}")
    assert set(RECORD["opcodes"][startup.python_version()]) == set(startup.COMMANDS)


def test_the_same_run_executes_the_same_opcodes(
    tmp_path: Path, measured: tuple[dict[str, list[str]], dict[str, int]]
) -> None:
    startup.write_inputs(tmp_path)
    modules, opcodes = startup.measured(tmp_path, ["light"])
    assert (modules["light"], opcodes["light"]) == (measured[0]["light"], measured[1]["light"])


def test_growth_beyond_the_tolerance_is_told() -> None:
    record = {"modules": {"a": "light", "b": "light"}, "opcodes": {startup.python_version(): {"light": 1000}}}
    assert startup.complaints({"light": ["a", "b"]}, {"light": 1050}, record) == []
    modules, opcodes = startup.complaints({"light": ["a", "b", "c"]}, {"light": 1051}, record)
    assert modules == "light: 3 modules are imported, 2 are recorded; new: c"
    assert opcodes == "light: 1,051 opcodes are executed, 1,000 are recorded"
