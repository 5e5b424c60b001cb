"""Makes ready what runs: a bundle of code in each wheel, and bytecode beside an editable install."""

from __future__ import annotations

import compileall
import os
import subprocess
import sys
import tempfile
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class BytecodeHook(BuildHookInterface):
    """Hatchling's custom hook; it runs with the Python that the project is installed for."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            compileall.compile_dir(os.path.join(self.root, "dynamoc"), quiet=1)
            return
        self._folder = tempfile.TemporaryDirectory()
        folder = self._folder.name
        subprocess.run([sys.executable, "-m", "bundling", self.root, folder], cwd=self.root, check=True)
        for name in os.listdir(folder):
            build_data["force_include"][os.path.join(folder, name)] = f"dynamoc/{name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        if version != "editable":
            self._folder.cleanup()
