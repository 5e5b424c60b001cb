"""Runs dynamoc and counts: `python -m benchmarks.opcodes FILE ARGUMENT...` writes modules and opcodes to FILE."""

from __future__ import annotations

import os
import sys
from types import FrameType
from typing import Any


class Counter:
    """Counts the opcodes of code below a folder, and of nobody else's."""

    def __init__(self, folder: str) -> None:
        self.count = 0
        self._folder = folder

    def enter(self, frame: FrameType, _event: str, _arg: Any) -> Any:
        """For `sys.settrace`."""
        if not frame.f_code.co_filename.startswith(self._folder):
            return None
        frame.f_trace_lines = False
        frame.f_trace_opcodes = True
        return self._step

    def _step(self, _frame: FrameType, event: str, _arg: Any) -> Any:
        self.count += event == "opcode"
        return self._step


def main(file: str, argv: list[str]) -> int:
    before = set(sys.modules)
    counter = Counter(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "dynamoc"))
    sys.argv = ["dynamoc", *argv]
    sys.settrace(counter.enter)
    from dynamoc.__main__ import main as run

    code = run()
    sys.settrace(None)
    modules = sorted(name for name in set(sys.modules) - before if name.partition(".")[0] in ("dynamoc", "yaml"))
    import json

    with open(file, "w", encoding="utf-8") as stream:
        json.dump({"modules": modules, "opcodes": counter.count}, stream)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
