"""dynamoc as a wheel installs it: modules with their bytecode, and the bundle."""

from __future__ import annotations

import compileall
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


class Installed:
    """A copy of the package in a folder, and how to run it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        shutil.copytree(ROOT / "dynamoc", folder / "dynamoc", ignore=shutil.ignore_patterns("__pycache__"))
        subprocess.run([sys.executable, "-m", "bundling", str(ROOT), str(folder / "dynamoc")], cwd=ROOT, check=True)
        compileall.compile_dir(folder / "dynamoc", quiet=1)
        self._script = folder / "dynamoc-script"
        self._script.write_text("from dynamoc.__main__ import script\nscript()\n")

    def command(self, line: str) -> list[str]:
        return [sys.executable, str(self._script), *line.split()]

    @property
    def environment(self) -> dict[str, str]:
        environment = {**os.environ, "PYTHONHASHSEED": "0", "PYTHONPATH": str(self.folder)}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        return environment
