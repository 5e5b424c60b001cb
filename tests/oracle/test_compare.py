"""oracle/compare.py: what counts as a difference between two corpora."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).parents[2] / "oracle" / "compare.py"
SERVICE = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}, "spec": {"ports": [{"port": 80}]}}
ADMITTED = {"admitted": True, "warnings": [], "objects": [SERVICE], "inputs": []}
REFUSED = {"admitted": False, "stage": "schema", "errors": ["spec.x: Required value"], "warnings": []}


def corpus(folder: Path, record: dict[str, Any], converted: Any = ()) -> Path:
    for path, value in (("expected/plain/case.json", record), ("converted/case.json", list(converted))):
        file = folder / path
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps(value))
    return folder


def compare(recorded: Path, answered: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, SCRIPT, recorded, answered], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("record", [ADMITTED, REFUSED])
def test_equal_corpora_are_exact(tmp_path: Path, record: dict[str, Any]) -> None:
    done = compare(corpus(tmp_path / "a", record), corpus(tmp_path / "b", record))
    assert done.returncode == 0
    assert "all: exact 1 of 1" in done.stdout


def test_a_changed_field_is_named(tmp_path: Path) -> None:
    other = {**SERVICE, "spec": {"ports": [{"port": 81}]}}
    done = compare(corpus(tmp_path / "a", ADMITTED), corpus(tmp_path / "b", {**ADMITTED, "objects": [other]}))
    assert done.returncode == 1
    assert "plain/case: v1/Service//web spec.ports.0.port: recorded 80, answered 81" in done.stdout


def test_server_fields_nulls_and_programs_are_no_difference(tmp_path: Path) -> None:
    wanted = {"kind": "ConfigMap", "metadata": {"name": "x"}, "data": {"wait.py": "<program>"}}
    have = {
        "kind": "ConfigMap",
        "metadata": {"name": "x", "uid": "1", "labels": {}, "creationTimestamp": None},
        "data": {"wait.py": "print()"},
    }
    done = compare(
        corpus(tmp_path / "a", {**ADMITTED, "objects": [wanted]}),
        corpus(tmp_path / "b", {**ADMITTED, "objects": [have]}),
    )
    assert done.returncode == 0


def test_missing_objects_and_other_verdicts_differ(tmp_path: Path) -> None:
    recorded = corpus(tmp_path / "a", ADMITTED)
    assert "v1/Service//web: missing" in compare(recorded, corpus(tmp_path / "b", {**ADMITTED, "objects": []})).stdout
    refused = compare(recorded, corpus(tmp_path / "c", REFUSED))
    assert refused.returncode == 1
    assert "recorded admitted, answered refused (schema): spec.x: Required value" in refused.stdout


def test_what_only_an_api_server_refuses_and_restless_cases_are_counted_apart(tmp_path: Path) -> None:
    child = {**REFUSED, "stage": "child"}
    apart = compare(corpus(tmp_path / "a", child), corpus(tmp_path / "b", ADMITTED))
    assert apart.returncode == 0
    assert "exact 0 of 0, left to the API server 1, restless 0" in apart.stdout
    other = {**ADMITTED, "objects": [], "restless": True}
    restless = compare(corpus(tmp_path / "c", ADMITTED), corpus(tmp_path / "d", other))
    assert restless.returncode == 0
    assert "exact 0 of 0, left to the API server 0, restless 1" in restless.stdout


def test_conversions_are_compared(tmp_path: Path) -> None:
    done = compare(corpus(tmp_path / "a", ADMITTED, [SERVICE]), corpus(tmp_path / "b", ADMITTED, [{}]))
    assert done.returncode == 1
    assert "converted/case differs" in done.stdout


def test_a_folder_without_records_is_an_error(tmp_path: Path) -> None:
    done = compare(corpus(tmp_path / "a", ADMITTED), tmp_path)
    assert done.returncode == 2
    assert f"no folder {tmp_path / 'expected'}: give the folder of a corpus" in done.stderr
