"""dynamoc for Python programs: `from dynamoc import render, validate, convert`."""

from __future__ import annotations

from dynamoc.diagnostics.finding import Finding, Place
from dynamoc.library.commands import convert, render, validate
from dynamoc.library.inputs import Source
from dynamoc.library.results import InputError, Object, Rendering

__all__ = ["Finding", "InputError", "Object", "Place", "Rendering", "Source", "convert", "render", "validate"]
