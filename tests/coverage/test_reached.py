"""Forgetting a feature or a constant of a release, or a step of rendering, fails: something depends on each."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.parametrize("question", ["records", "tests"])
def test_something_depends_on_each(question: str) -> None:
    command = [sys.executable, "-m", "tests.coverage.reached", question]
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
