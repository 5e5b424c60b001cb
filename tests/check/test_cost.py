"""A start of `check` takes at most half as much again as one of `validate`."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from benchmarks import startup
from benchmarks.installed import Installed
from benchmarks.measuring import Meter

MOST = 1.5


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("valgrind") is None, reason="no valgrind")
def test_a_start_of_check(tmp_path: Path, installed: Installed) -> None:
    startup.write_inputs(tmp_path)
    meter = Meter(tmp_path, installed.environment)
    words = "grove.yaml --operator-version 1.4 --target grove"
    one, other = (meter.instructions(installed.command(f"{command} {words}")) for command in ("validate", "check"))
    assert one
    assert other
    assert other < one * MOST, f"{other:,} instructions, {one:,} of validate"
