"""Modules and functions by the names that tables give them, imported on first use.

`importlib` does the same, and imports `warnings` on its way, which takes as long as ten modules of dynamoc.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any


def module_named(name: str) -> ModuleType:
    """The module, by its full name; ImportError where there is none."""
    __import__(name)
    return sys.modules[name]


def function_named(package: str, name: str) -> Any:
    """What `module/function` means below a package; ImportError or AttributeError where there is none."""
    module, _, function = name.partition("/")
    return getattr(module_named(f"{package}.{module}"), function)
