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


def test_starts_import_no_more_than_recorded(measured: tuple[dict[str, list[str]], dict[str, int]]) -> None:
    assert set(measured[0]) == set(startup.COMMANDS)
    assert startup.grown_modules(measured[0], RECORD) == [], "run python -m benchmarks.startup --record, and say why"


def test_starts_execute_no_more_than_recorded(measured: tuple[dict[str, list[str]], dict[str, int]]) -> None:
    known = RECORD["opcodes"].get(startup.python_version(), {})
    assert startup.grown(measured[1], known, "opcodes") == [], "run python -m benchmarks.startup --record, and say why"


@pytest.mark.slow
def test_starts_take_no_more_instructions_than_recorded(tmp_path: Path) -> None:
    if startup.build() not in RECORD["instructions"]:
        pytest.skip("no instructions are recorded for this build of Python")
    startup.write_inputs(tmp_path)
    counted = startup.instructions(tmp_path)
    if not counted:
        pytest.skip("no valgrind")
    assert startup.grown_instructions(counted, RECORD["instructions"][startup.build()]) == []


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
    record = {"modules": {"a": "light", "b": "light"}}
    assert startup.grown_modules({"light": ["a", "b"]}, record) == []
    assert startup.grown_modules({"light": ["a", "b", "c"]}, record) == [
        "light: 3 modules are imported, 2 are recorded; new: c"
    ]
    assert startup.grown({"light": 42_000, "version": 3_000}, {"light": 40_000, "version": 2_000}, "opcodes") == []
    known = {"light": 40_000_000, "python": 30_000_000}
    assert startup.grown_instructions({"light": 45_000_000, "python": 33_000_000}, known) == []
    assert len(startup.grown_instructions({"light": 45_500_000, "python": 33_000_000}, known)) == 1
    assert startup.grown({"light": 42_001}, {"light": 40_000}, "opcodes") == [
        "light: 42,001 opcodes are executed, 40,000 are recorded"
    ]
