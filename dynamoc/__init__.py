"""Compile NVIDIA Dynamo graphs into the Kubernetes objects that the Dynamo operator would create.

For Python programs: `render`, `validate` and `convert`, which docs/how-to/python.md describes. They are loaded when
they are asked for, and `import dynamoc` alone loads nothing.
"""

from dynamoc.modules import use_bundle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.library import Finding, InputError, Object, Place, Rendering, Source, convert, render, validate

__version__ = "0.1.0"

__all__ = [
    "Finding",
    "InputError",
    "Object",
    "Place",
    "Rendering",
    "Source",
    "__version__",
    "convert",
    "render",
    "validate",
]

if not TYPE_CHECKING:
    import sys

    class _Package(type(sys)):
        """The function `convert` has the name of a package inside of this one, which must not take its place."""

        @property
        def convert(self):
            return self.__getattr__("convert")

        @convert.setter
        def convert(self, package):
            pass

        def __getattr__(self, name):
            if name in __all__:
                from importlib import import_module

                return getattr(import_module("dynamoc.library"), name)
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    sys.modules[__name__].__class__ = _Package

use_bundle(__path__[0])
