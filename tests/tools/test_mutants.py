"""The mutation run: what it changes, how it changes a running program, and a list without stale entries."""

from __future__ import annotations

import importlib.util
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

from tools.mutants.__main__ import EXPLAINED, ROOT
from tools.mutants.live import Functions
from tools.mutants.mutations import mutants_of, mutated
from tools.mutants.reach import Notes, Probe

TEXT = '''\
def judge(values, told):
    """A docstring is no code."""
    if len(values) == 1 and "key" in values:
        told.append("a message is for people")
    return [value for value in values if value > 0]
'''
CHANGES = {
    "len(values) == 1 -> len(values) != 1",
    "len(values) == 1 and 'key' in values -> len(values) == 1 or 'key' in values",
    "1 -> 2",
    "'key' in values -> 'key' not in values",
    "'key' -> 'key?'",
    "told.append('a message is for people') -> pass",
    "for value in values if value > 0 -> for value in values",
    "value > 0 -> value >= 0",
    "0 -> 1",
}


@pytest.fixture
def module(tmp_path: Path) -> ModuleType:
    path = tmp_path / "judging.py"
    path.write_text(TEXT)
    spec = importlib.util.spec_from_file_location("judging", path)
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def test_each_place_of_a_function_has_its_changes(module: ModuleType) -> None:
    found = mutants_of(Path(str(module.__file__)))
    assert {f"{mutant.before} -> {mutant.after}" for mutant in found} == CHANGES
    assert {mutant.function for mutant in found} == {"judge"}


def test_a_mutant_changes_the_function_that_others_hold(module: ModuleType) -> None:
    path, judge = Path(str(module.__file__)), module.judge
    (mutant,) = [mutant for mutant in mutants_of(path) if mutant.after == "value >= 0"]
    assert judge([0, 1], []) == [1]
    Functions([path]).change(mutated(mutant), path)
    assert judge([0, 1], []) == [0, 1]


def test_lines_that_a_probe_reaches_are_noted(module: ModuleType) -> None:
    path = Path(str(module.__file__))
    notes = Notes([path], Functions([path]))
    assert notes.reached_by(Probe("none", lambda: True)) == []
    reached = notes.reached_by(Probe("one", lambda: bool(module.judge([], []) == [])))
    assert {line for _, line in reached} == {2, 3, 5}
    assert notes.reached_by(Probe("fails", lambda: bool(module.judge([], [])))) == []


@pytest.mark.parametrize("entry", tomllib.loads(EXPLAINED.read_text())["mutant"], ids=lambda entry: entry["file"])
def test_what_is_explained_is_there(entry: dict[str, list[str]]) -> None:
    names = {mutant.name for mutant in mutants_of(ROOT / "dynamoc" / str(entry["file"]))}
    assert set(entry["changes"]) <= names
    assert entry["reason"]
