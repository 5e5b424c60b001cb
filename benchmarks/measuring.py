"""What one process takes: CPU time and memory from the kernel, instructions from valgrind where that is installed."""

from __future__ import annotations

import os
import re
import shutil
import statistics
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

BARE = [sys.executable, "-c", "pass"]


class Meter:
    """Runs commands in a folder and an environment. Exits where a command fails: its figures would mean nothing."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self._folder = folder
        self._environment = environment

    def cpu(self, command: list[str]) -> tuple[float, float]:
        """(seconds of CPU, user and system; megabytes at the peak)"""
        process = subprocess.Popen(
            command, cwd=self._folder, env=self._environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        _check(command, process.returncode)
        return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024

    def instructions(self, command: list[str]) -> int | None:
        """Instructions in user space, the same in each run but for a few thousand; None without valgrind."""
        valgrind = shutil.which("valgrind")
        if valgrind is None:
            return None
        tool = [valgrind, "--tool=callgrind", f"--callgrind-out-file={os.devnull}"]
        done = subprocess.run(
            [*tool, *command], cwd=self._folder, env=self._environment, capture_output=True, text=True, check=False
        )
        _check(command, done.returncode)
        found = re.search(r"Collected : (\d+)", done.stderr)
        return int(found[1]) if found else None


def medians(meter: Meter, commands: Mapping[str, list[str]], runs: int) -> dict[str, float]:
    """The median of CPU seconds of each. Commands run in turns, so that a busy machine disturbs all alike."""
    taken: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(runs):
        for name, command in commands.items():
            taken[name].append(meter.cpu(command)[0])
    return {name: statistics.median(seconds) for name, seconds in taken.items()}


def _check(command: list[str], code: int) -> None:
    # 1 is the answer of a command that compares and finds a difference.
    if code not in (0, 1):
        sys.exit(f"{' '.join(command)} exited with {code}")
