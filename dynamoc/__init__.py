"""Compile NVIDIA Dynamo graphs into the Kubernetes objects that the Dynamo operator would create.

For Python programs: what `__all__` names, which docs/how-to/python.md describes; only that is public, and
`dynamoc.models`. It is loaded when it is asked for, and `import dynamoc` alone loads nothing.
"""

from dynamoc.modules import use_bundle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.documents.findings.finding import Finding, Place
    from dynamoc.interfaces.inputs import Explanation, InputError, LostValue, Object, Rendering, Source, ValueOrigin
    from dynamoc.interfaces.library import Difference, convert, diff, explain, render, validate

__version__ = "0.1.0"

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
    "__version__",
    "convert",
    "diff",
    "explain",
    "render",
    "validate",
]

if not TYPE_CHECKING:
    import sys

    class _Package(type(sys)):
        """Functions with the name of a package inside of this one, which must not take their place."""

        def __setattr__(self, name, value):
            if name not in ("convert", "explain"):
                super().__setattr__(name, value)

        def __getattr__(self, name):
            if name in __all__:
                from importlib import import_module

                return getattr(import_module("dynamoc.interfaces.library"), name)
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    sys.modules[__name__].__class__ = _Package

use_bundle(__path__[0])
