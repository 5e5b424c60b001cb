"""oracle/record.py: the corpus around the answers. A script stands in for Go, and for the program that Go builds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "oracle" / "record.py"
# `go mod` does nothing; `go build … -o FILE ./cmd/oracle` needs our sources, and makes a program that writes its
# arguments down.
GO = """#!/bin/sh
[ "$1" = mod ] && exit 0
[ -f cmd/oracle/main.go ] || exit 3
while [ "$1" != -o ]; do shift; done
printf '#!/bin/sh\\nfor a; do case $a in --out=*) out=${a#--out=};; esac; done\\necho "$@" >> "$out/calls"\\n' > "$2"
chmod +x "$2"
"""


@pytest.fixture
def operator(tmp_path: Path) -> Path:
    module = tmp_path / "dynamo" / "deploy" / "operator"
    module.mkdir(parents=True)
    (module / "go.mod").write_text("module operator\n")
    return tmp_path / "dynamo"


def record(tmp_path: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    go = tmp_path / "bin" / "go"
    go.parent.mkdir(exist_ok=True)
    go.write_text(GO)
    go.chmod(0o755)
    inputs = tmp_path / "inputs"
    inputs.mkdir(exist_ok=True)
    (inputs / "a.yaml").write_text("kind: X\n")
    command = [sys.executable, SCRIPT, "--inputs", inputs, "--out", tmp_path / "out", *arguments]
    path = f"{go.parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "PATH": path})


def test_a_corpus_has_its_release_targets_and_inputs(tmp_path: Path, operator: Path) -> None:
    done = record(tmp_path, "--operator", operator, "--release", "1.4", "--target", "grove,plain")
    assert done.returncode == 0, done.stderr
    out = tmp_path / "out"
    assert json.loads((out / "corpus.json").read_text()) == {
        "operatorVersion": "1.4",
        "targets": ["grove", "plain"],
        "operatorConfig": None,
    }
    assert (out / "inputs" / "a.yaml").exists()
    calls = (out / "calls").read_text().splitlines()
    assert ["--target=grove" in calls[0], "--target=plain" in calls[1]] == [True, True]
    assert all("--version=1.4.0" in call for call in calls)


def test_the_checkout_stays_as_it_is(tmp_path: Path, operator: Path) -> None:
    record(tmp_path, "--operator", operator, "--release", "1.4")
    assert [path.name for path in (operator / "deploy" / "operator").iterdir()] == ["go.mod"]


def test_a_patch_release_stamps_its_own_version(tmp_path: Path, operator: Path) -> None:
    record(tmp_path, "--operator", operator, "--release", "1.4.2", "--target", "plain")
    assert "--version=1.4.2" in (tmp_path / "out" / "calls").read_text()


def test_a_configuration_is_kept_with_the_corpus(tmp_path: Path, operator: Path) -> None:
    config = tmp_path / "mine.yaml"
    config.write_text("kind: OperatorConfiguration\n")
    record(tmp_path, "--operator", operator, "--release", "1.4", "--config", config)
    out = tmp_path / "out"
    assert json.loads((out / "corpus.json").read_text())["operatorConfig"] == "operator-config.yaml"
    assert (out / "operator-config.yaml").read_text() == config.read_text()


def test_a_folder_without_the_operator_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    done = record(tmp_path, "--operator", tmp_path / "empty", "--release", "1.4")
    assert done.returncode == 1
    assert done.stderr == "record.py: no deploy/operator/go.mod there: give the root of a checkout of Dynamo\n"
    assert not (tmp_path / "out").exists()
