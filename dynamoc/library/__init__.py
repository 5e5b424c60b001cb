"""dynamoc for Python programs: `from dynamoc import render, validate, convert, explain, diff`."""

from __future__ import annotations

from dynamoc.diagnostics.finding import Finding, Place
from dynamoc.library.commands import convert, diff, explain, render, validate
from dynamoc.library.differences import Difference
from dynamoc.library.explanations import Explanation, LostValue, ValueOrigin
from dynamoc.library.inputs import Source
from dynamoc.library.results import InputError, Object, Rendering

__all__ = [
    "Difference",
    "Explanation",
    "Finding",
    "InputError",
    "LostValue",
    "Object",
    "Place",
    "Rendering",
    "Source",
    "ValueOrigin",
    "convert",
    "diff",
    "explain",
    "render",
    "validate",
]
