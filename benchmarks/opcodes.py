"""Runs dynamoc and counts: `python -m benchmarks.opcodes FILE ARGUMENT...` writes figures to FILE.

These are the modules that it imports, the functions that it calls, and how many opcodes run.
"""

from __future__ import annotations

import os
import sys
from types import CodeType, FrameType
from typing import Any


class Counter:
    """Counts the opcodes of code below a folder, and of nobody else's."""

    def __init__(self, folder: str) -> None:
        self.count = 0
        #: `module:qualified name`
        self.functions: set[str] = set()
        self._folder = folder

    def start(self) -> None:
        if sys.version_info < (3, 12):
            sys.settrace(self._enter)
            return
        monitoring: Any = sys.monitoring
        monitoring.use_tool_id(monitoring.PROFILER_ID, "opcodes")
        monitoring.register_callback(monitoring.PROFILER_ID, monitoring.events.INSTRUCTION, self._executed)
        monitoring.register_callback(monitoring.PROFILER_ID, monitoring.events.PY_START, self._started)
        monitoring.set_events(monitoring.PROFILER_ID, monitoring.events.INSTRUCTION | monitoring.events.PY_START)

    def stop(self) -> None:
        if sys.version_info < (3, 12):
            sys.settrace(None)
            return
        monitoring: Any = sys.monitoring
        monitoring.set_events(monitoring.PROFILER_ID, 0)

    def _executed(self, code: CodeType, _offset: int) -> Any:
        if code.co_filename.startswith(self._folder):
            self.count += 1
            return None
        return sys.monitoring.DISABLE  # type: ignore[attr-defined, unused-ignore]

    def _started(self, code: CodeType, _offset: int) -> Any:
        if code.co_filename.startswith(self._folder):
            self._called(code)
        return sys.monitoring.DISABLE  # type: ignore[attr-defined, unused-ignore]

    def _called(self, code: CodeType) -> None:
        module = code.co_filename[len(self._folder) - len("dynamoc") : -len(".py")].replace("/", ".")
        self.functions.add(f"{module.removesuffix('.__init__')}:{code.co_qualname}")

    def _enter(self, frame: FrameType, _event: str, _arg: Any) -> Any:
        if not frame.f_code.co_filename.startswith(self._folder):
            return None
        self._called(frame.f_code)
        frame.f_trace_lines = False
        frame.f_trace_opcodes = True
        return self._step

    def _step(self, _frame: FrameType, event: str, _arg: Any) -> Any:
        self.count += event == "opcode"
        return self._step


def main(file: str, argv: list[str]) -> int:
    before = set(sys.modules)
    import dynamoc

    counter = Counter(os.path.dirname(os.path.abspath(dynamoc.__file__)))
    sys.argv = ["dynamoc", *argv]
    counter.start()
    from dynamoc.__main__ import main as run

    code = run()
    counter.stop()
    new = set(sys.modules) - before
    modules = sorted(name for name in new if name.partition(".")[0] == "dynamoc")
    import json

    with open(file, "w", encoding="utf-8") as stream:
        others = sorted(new - set(modules))
        functions = sorted(counter.functions)
        found = {"modules": modules, "others": others, "functions": functions, "opcodes": counter.count}
        json.dump(found, stream)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
