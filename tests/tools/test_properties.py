"""The properties, on a sample of the inputs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.explain.corpora import needs_corpora
from tools.properties import commands, lines

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_threads_of_a_new_process_do_not_meet() -> None:
    command = [sys.executable, "-m", "tools.properties.threads", "0.02"]
    run = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout.startswith("0 of ")


@pytest.mark.slow
@needs_corpora
def test_a_line_names_all_that_another_value_changes() -> None:
    tried, broken = lines.main(0.04)
    assert tried > 100
    assert broken == 0


@pytest.mark.slow
@needs_corpora
@pytest.mark.parametrize("name", commands.PROPERTIES)
def test_commands_say_what_rendering_says(name: str) -> None:
    counted, broken = commands.tried(name, 0.2 if name == "convert" else 0.03)
    assert counted > 20
    assert broken == 0
