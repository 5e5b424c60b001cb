"""Compiles the sources beside an editable install, where no installer does it."""

from __future__ import annotations

import compileall
import os
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class BytecodeHook(BuildHookInterface):
    """Hatchling's custom hook; it runs with the Python that the project is installed for."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        if version == "editable":
            compileall.compile_dir(os.path.join(self.root, "dynamoc"), quiet=1)
