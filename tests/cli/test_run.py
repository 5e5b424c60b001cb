"""`./run`, which sets a clone up: over stand-ins for uv and for Python, which write down how they are called."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOOLS = ("sh", "dirname", "cat", "cksum", "mkdir", "cp", "chmod", "env")
UV = '#!/bin/sh\necho "uv $*"\n'
PYTHON = f"""\
#!/bin/sh
echo "${{0##*/}} $*" >>"$LOG"
environment() {{
  mkdir -p "$1/bin"
  cp "$0" "$1/bin/python"
  for name in dynamoc pytest; do
    printf '#!/bin/sh\\necho "ran %s $*"\\n' $name >"$1/bin/$name"
    chmod +x "$1/bin/$name"
  done
}}
case "$*" in
  "-c "*) exit "${{OLD:-0}}" ;;
  "-m venv --without-pip "*) environment "$4" ;;
  "-m venv "*) environment "$3"; exit "${{BARE:-0}}" ;;
  "-m pip --version") exit "${{BARE:-0}}" ;;
  "- "*) exec {sys.executable} "$@" ;;
esac
"""


class Clone:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.bin = path / "tools"
        self.bin.mkdir()
        for name in ("run", "pyproject.toml", "uv.lock"):
            shutil.copy(ROOT / name, path)
        for tool in TOOLS:
            found = shutil.which(tool)
            assert found
            (self.bin / tool).symlink_to(found)

    def tool(self, name: str, text: str) -> None:
        (self.bin / name).write_text(text)
        (self.bin / name).chmod(0o755)

    def run(self, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        variables = {"PATH": str(self.bin), "LOG": str(self.path / "log"), **environment}
        command = [self.path / "run", *words]
        return subprocess.run(command, env=variables, capture_output=True, text=True, check=False, cwd=os.sep)

    def calls(self) -> list[str]:
        """How Python was called since the last look."""
        log = self.path / "log"
        calls = log.read_text().replace(str(self.path), "CLONE").splitlines() if log.exists() else []
        log.write_text("")
        return calls


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    return Clone(tmp_path)


def test_uv_runs_both_and_dynamoc_without_the_tools_of_development(clone: Clone) -> None:
    clone.tool("uv", UV)
    started = f"uv run --project {clone.path}"
    assert clone.run("dynamoc", "render", "a b").stdout == f"{started} --no-dev dynamoc render a b\n"
    assert clone.run("pytest", "-x").stdout == f"{started} pytest -x\n"


def test_pip_installs_what_a_command_needs_once(clone: Clone) -> None:
    clone.tool("python3", PYTHON)
    constraint = "python -m pip install --quiet --constraint CLONE/.venv/constraints.txt --editable CLONE"
    assert clone.run("dynamoc", "--version").stdout == "ran dynamoc --version\n"
    assert clone.calls()[-1] == constraint
    assert clone.run("dynamoc", "--version").stdout == "ran dynamoc --version\n"
    assert clone.calls() == []
    assert clone.run("pytest").stdout == "ran pytest \n"
    assert clone.calls()[-1] == f"{constraint} --requirement CLONE/.venv/dev.txt"
    assert "pytest>=8.3\n" in (clone.path / ".venv/dev.txt").read_text()
    constraints = (clone.path / ".venv/constraints.txt").read_text()
    assert re.search(r"^pydantic==[\d.]+$", constraints, re.MULTILINE)
    assert "dynamoc==" not in constraints
    with (clone.path / "pyproject.toml").open("a") as project:
        project.write("# changed\n")
    assert clone.run("dynamoc").returncode == 0
    assert clone.calls()[-1] == constraint


def test_a_python_whose_environments_lack_pip_fills_them_with_its_own(clone: Clone) -> None:
    clone.tool("python3", PYTHON)
    assert clone.run("dynamoc", BARE="1").stdout == "ran dynamoc \n"
    assert "python3 -m venv --without-pip CLONE/.venv" in (calls := clone.calls())
    assert calls[-1].startswith("python3 -m pip --python CLONE/.venv/bin/python install ")


@pytest.mark.parametrize("old", [True, False])
def test_without_a_python_that_is_new_enough_it_says_what_to_install(clone: Clone, old: bool) -> None:
    if old:
        clone.tool("python3", PYTHON)
    result = clone.run("dynamoc", OLD="1")
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.startswith("run: dynamoc needs Python 3.11 or later. Install it, or uv:")


def test_the_readme_shows_two_commands_and_ci_runs_the_second() -> None:
    readme, ci = (ROOT / "README.md").read_text(), (ROOT / ".ci/run").read_text()
    shown = re.findall(r"^\./run .*$", readme, re.MULTILINE)
    assert shown == ["./run dynamoc render examples/llama.yaml --target lws", "./run pytest -n auto"]
    # With the slow ones, as the README says.
    assert f"step {shown[1]} -m ''\n" in ci
    assert "uv run" not in readme + ci
