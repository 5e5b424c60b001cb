"""Names of modules that know where they come from."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

#: a finder that does what the one of pytest does, which makes a path of the name
PROGRAM = """
import sys
from dynamoc.explain.origin import CONSTANT, Origin
from dynamoc.explain.traced import traced
from dynamoc.modules import module_named

class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        for part in name.split("."):
            sys.intern(part)
        sys.intern(name)

sys.meta_path.insert(0, Finder)
name = traced("dynamoc.convert.segments", Origin(CONSTANT, name="convert"))
assert name not in sys.modules
print(module_named(name).__name__)
"""


def test_a_module_that_nobody_has_loaded_is_found_by_a_traced_name() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=Path(__file__).parents[2], check=False, capture_output=True, text=True
    )
    assert done.stdout == "dynamoc.convert.segments\n", done.stderr
