"""Compile NVIDIA Dynamo graphs into the Kubernetes objects that the Dynamo operator would create.

For Python programs: what `__all__` names, which docs/how-to/python.md describes; only that is public, and
`dynamoc.models`. It is loaded when it is asked for, and `import dynamoc` alone loads nothing.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.documents.findings.finding import Finding, Place
    from dynamoc.interfaces.inputs import Explanation, InputError, LostValue, Object, Rendering, Source, ValueOrigin
    from dynamoc.interfaces.library import Difference, convert, diff, explain, render, validate
    from dynamoc.reference import models

try:
    from dynamoc._version import __version__
except ModuleNotFoundError:  # sources that are neither built nor installed
    __version__ = "0.0.0"

__all__ = [
    "Difference", "Explanation", "Finding", "InputError", "LostValue", "Object", "Place", "Rendering", "Source",
    "ValueOrigin", "__version__", "convert", "diff", "explain", "models", "render", "validate",
]  # fmt: skip

#: where the public names are
_MODULES = ("dynamoc.interfaces.library", "dynamoc.interfaces.inputs", "dynamoc.documents.findings.finding")


def __getattr__(name: str) -> "Any":
    from importlib import import_module

    if name == "models":
        return import_module("dynamoc.reference.models")
    for module in _MODULES if name in __all__ else ():
        found = import_module(module)
        if hasattr(found, name):
            return getattr(found, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


try:  # noqa: SIM105
    # Wheels have it: bundling/loader.py.
    import dynamoc._bundle  # type: ignore[import-not-found]  # noqa: F401
except ImportError:
    pass
