"""No hot command loads or executes much more than is recorded in benchmarks/startup.json."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import startup
from benchmarks.installed import Installed

RECORD = json.loads(startup.RECORD.read_text())


#: packages that are slow to import
SLOW = {
    "argparse",
    "click",
    "dataclasses",
    "inspect",
    "jsonschema",
    "multiprocessing",
    "pydantic",
    "rich",
    "ruamel",
    "select",
    "typer",
}
SLOW_FOR_TEXT = {"fnmatch", "hashlib", "json"}


@pytest.fixture(scope="module")
def measured(installed: Installed, tmp_path_factory: pytest.TempPathFactory) -> startup.Measured:
    folder = tmp_path_factory.mktemp("inputs")
    startup.write_inputs(folder)
    return startup.measured(folder, installed)


def test_no_slow_package_is_imported(measured: startup.Measured) -> None:
    packages = {name: {each.partition(".")[0] for each in others} for name, others in measured.others.items()}
    assert {name: found & SLOW for name, found in packages.items() if found & SLOW} == {}
    assert packages["light upgrade"] & SLOW_FOR_TEXT == set()


@pytest.mark.parametrize(
    "module",
    ["documents.source.processes", "compiler.explain.traced_compilation", "compiler.generations", "compiler.faults"],
)
def test_a_graph_that_is_right_loads_nothing_of(module: str, measured: startup.Measured) -> None:
    assert [name for name in measured.modules["light validate"] if name.startswith(f"dynamoc.{module}")] == []


def test_starts_import_no_more_than_recorded(measured: startup.Measured) -> None:
    assert set(measured.modules) == set(startup.COMMANDS)
    grown = startup.grown_modules(measured.modules, RECORD)
    assert grown == [], "run python -m benchmarks.startup --record, and say why"


def test_starts_execute_no_more_than_recorded(measured: startup.Measured) -> None:
    known = RECORD["opcodes"].get(startup.python_version(), {})
    assert startup.grown(measured.opcodes, known, "opcodes") == [], (
        "run python -m benchmarks.startup --record, and say why"
    )


@pytest.mark.slow
def test_starts_take_no_more_instructions_than_recorded(tmp_path: Path, installed: Installed) -> None:
    if startup.build() not in RECORD["instructions"]:
        pytest.skip("no instructions are recorded for this build of Python")
    startup.write_inputs(tmp_path)
    counted = startup.instructions(tmp_path, installed)
    if not counted:
        pytest.skip("no valgrind")
    assert startup.grown_instructions(counted, RECORD["instructions"][startup.build()]) == []


def test_the_opcodes_of_this_python_are_recorded() -> None:
    if startup.python_version() not in RECORD["opcodes"]:
        pytest.skip(f"no opcodes are recorded for Python {startup.python_version()}")
    assert set(RECORD["opcodes"][startup.python_version()]) == set(startup.COMMANDS)


def test_the_same_run_executes_the_same_opcodes(
    tmp_path: Path, measured: startup.Measured, installed: Installed
) -> None:
    startup.write_inputs(tmp_path)
    again = startup.measured(tmp_path, installed, ["light"])
    assert again.modules["light"] == measured.modules["light"]
    assert again.opcodes["light"] == measured.opcodes["light"]


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
