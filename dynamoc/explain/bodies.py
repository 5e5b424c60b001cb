"""Other bodies for functions, for a while.

A function that is given another body is the same function to everybody who holds it, by whatever name and import. A
tracer (`sys.settrace`) would be told of every call of any function, most of which matter to nobody, and took longer
than rendering.
"""

from __future__ import annotations

from types import FunctionType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType
    from typing import Any


class Bodies:
    """Functions that do something else until `restore`."""

    def __init__(self) -> None:
        self._changed: list[tuple[FunctionType, CodeType]] = []

    def replace(self, function: FunctionType, made: Callable[[FunctionType], Callable[..., Any]]) -> None:
        """Let calls go to what `made` makes of the function with its own body. It must have no closure."""
        own = FunctionType(function.__code__, function.__globals__, function.__name__, function.__defaults__)
        own.__kwdefaults__ = function.__kwdefaults__
        self._changed.append((function, function.__code__))
        code = _forward.__code__
        function.__code__ = code.replace(
            co_consts=tuple(made(own) if item == "target" else item for item in code.co_consts)
        )

    def restore(self) -> None:
        for function, code in reversed(self._changed):
            function.__code__ = code
        self._changed = []


def _forward(*args: Any, **named: Any) -> Any:
    """The body of a replaced function; what is called stands among its constants."""
    target: Any = "target"
    return target(*args, **named)
