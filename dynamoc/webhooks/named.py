"""Checks by the names that a release lists: `module/function` below this package, imported on first use."""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def named(name: str) -> Any:
    """The function; ImportError or AttributeError for a name that is none."""
    module, _, function = name.partition("/")
    return getattr(import_module(f"dynamoc.webhooks.{module}"), function)
