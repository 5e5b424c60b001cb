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
        name = f"bundle.{sys.implementation.cache_tag}"
        path = os.path.join(self._folder.name, name)
        subprocess.run([sys.executable, "-m", "bundling", self.root, path], cwd=self.root, check=True)
        build_data["force_include"][path] = f"dynamoc/{name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        if version != "editable":
            self._folder.cleanup()
